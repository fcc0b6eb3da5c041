//! What the sandbox and the guard hold.

use std::fs;
use std::process::Command;

use crate::support::{Person, err, json, out};

#[test]
fn in_the_sandbox_the_kernel_stops_what_the_text_hides() {
    use std::os::unix::fs::PermissionsExt;
    let person = Person::new("held");
    let script = person.project().join("loops/a/w.sh");
    fs::write(&script, "#!/bin/sh\ntouch inside ../b/outside\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let done = person.cerco(&["--json", "run", "--loop", "a", "--sandbox", "--", "./w.sh"]);
    let value = json(&done);
    assert_eq!(
        (&value["verdict"], &value["sandboxed"]),
        (&"allowed".into(), &true.into())
    );
    let said = value["stderr"].as_str().unwrap();
    assert!(said.contains("Read-only file system"), "{value}");
    assert!(person.project().join("loops/a/inside").exists());
    assert!(!person.project().join("loops/b/outside").exists());
    let entry = json(&person.cerco(&["--json", "log", "-n", "1"]));
    assert_eq!(entry["sandbox"]["backend"], "bubblewrap");
}

/// A person can have the project's secrets hidden from what runs in the sandbox.
#[test]
fn secrets_are_hidden_where_the_settings_say_so() {
    let person = Person::new("secrets");
    let script = "import sys\nprint(open('.env').read() + open('../../top.key').read(), end='')\n";
    for (file, text) in [
        ("loops/a/r.py", script),
        ("loops/a/.env", "one "),
        ("top.key", "two"),
    ] {
        fs::write(person.project().join(file), text).unwrap();
    }
    let run = || out(&person.cerco(&["run", "--loop", "a", "--sandbox", "--", "python3 r.py"]));
    assert_eq!(run(), "one two");
    let config = person.0.join("home/.config/cerco/config.toml");
    let before = fs::read_to_string(&config).unwrap_or_default();
    fs::write(&config, format!("hide_secrets = true\n{before}")).unwrap();
    assert_eq!(run(), "");
    let told = || out(&person.cerco(&["explain", "--loop", "a", "--sandbox", "--", "ls"]));
    assert!(told().contains("secret-looking files hidden"), "{}", told());

    // What was chosen for the project itself has the last word, either way, and being
    // accepted anew takes nothing of it away.
    let choose = |choice| {
        let folder = config.parent().unwrap();
        let mut known = cerco_gateway::project::Known::load(folder).unwrap();
        let root = person.project().canonicalize().unwrap();
        let chosen = known.choose(&root, |all| all.hide_secrets = choice);
        assert!(chosen.unwrap().is_some());
    };
    choose(Some(false));
    assert_eq!(run(), "one two");
    assert!(!told().contains("hidden"), "{}", told());
    fs::write(&config, before).unwrap();
    choose(Some(true));
    person.cerco(&["init"]);
    assert_eq!(run(), "");
    choose(None);
    assert_eq!(run(), "one two");
}

#[test]
fn with_registries_another_host_is_refused_in_words_and_in_the_log() {
    use std::os::unix::fs::PermissionsExt;
    let person = Person::new("registries");
    let script = person.project().join("loops/a/get.sh");
    fs::write(&script, "#!/bin/sh\ncurl -sS https://evil.example/\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let words = ["run", "--loop", "a", "--sandbox", "--network", "registries"];
    let done = person.cerco(&[&words[..], &["--", "./get.sh"]].concat());
    let said = err(&done);
    assert!(said.contains("403"), "{said}");
    let why = "cerco: evil.example:443 was not reached (address): evil.example is no package";
    assert!(said.contains(why), "{said}");
    let entry = json(&person.cerco(&["--json", "log", "-n", "1"])).to_string();
    assert!(entry.contains("connect evil.example:443"), "{entry}");
}

/// What a person set for the board counts for `cerco run` without a gateway too, and being
/// accepted anew takes nothing of it away.
#[test]
fn a_projects_own_network_counts() {
    let person = Person::new("board-network");
    let network = || {
        let text = "printenv HTTPS_PROXY || echo none";
        out(&person.cerco(&["run", "--loop", "a", "--sandbox", "--", text]))
    };
    assert_eq!(network(), "none\n");
    let config = person.0.join("home/.config/cerco");
    let set = |network| {
        let mut known = cerco_gateway::project::Known::load(&config).unwrap();
        let root = person.project().canonicalize().unwrap();
        assert!(
            known
                .choose(&root, |all| all.network = network)
                .unwrap()
                .is_some()
        );
    };
    set(Some(cerco_gateway::wire::NetworkSetting::RegistriesOnly));
    assert!(network().contains("127.0.0.1"), "{}", network());
    let told = person.cerco(&["explain", "--loop", "a", "--sandbox", "--", "ls"]);
    assert!(
        out(&told).contains("network: package registries only"),
        "{}",
        out(&told)
    );
    person.cerco(&["init"]);
    assert!(network().contains("127.0.0.1"), "{}", network());
    set(None);
    assert_eq!(network(), "none\n");
}

/// Nobody is asked about what the kernel will show: the real argument is judged when the
/// program starts.
#[test]
fn what_is_known_only_at_the_start_is_refused_there() {
    let person = Person::new("guarded");
    let folder = person.project().join("loops/a");
    fs::write(folder.join("inside"), "../a/text").unwrap();
    fs::write(folder.join("outside"), "/etc/passwd").unwrap();
    fs::write(folder.join("text"), "read\n").unwrap();
    let done = person.run("cat \"$(cat inside)\"");
    assert_eq!(
        (done.status.code(), out(&done).as_str()),
        (Some(0), "read\n")
    );
    let done = person.run("cat \"$(cat outside)\"");
    assert_eq!((done.status.code(), out(&done).as_str()), (Some(126), ""));
    let said = err(&done);
    assert!(said.contains("cerco: cat was not started (path)"), "{said}");
    let entry = json(&person.cerco(&["--json", "log", "-n", "1"])).to_string();
    assert!(entry.contains("cat /etc/passwd"), "{entry}");
    // The shell itself opens this one; nobody would see it.
    let done = person.run("echo x > \"$(cat outside)\"");
    assert!(
        err(&done).contains("a person has to allow this"),
        "{}",
        err(&done)
    );
}

/// Bounded on purpose: were there no limit, nine hundred sleepers would be the worst.
#[test]
fn a_sandbox_of_a_person_limits_processes_for_root_too() {
    let person = Person::new("forks");
    let forks = "my $n = 0; for (1..900) { my $p = fork; last unless defined $p; if (!$p) { sleep 2; exit } $n++ } print $n";
    let words = ["sandbox", "--project", ".", "--loop", "loops/a", "--"];
    let done = person.cerco(&[&words[..], &["perl", "-e", forks]].concat());
    let started: u32 = out(&done).parse().unwrap_or_else(|_| panic!("{done:?}"));
    // Where root can make no control group the person is told so.
    let told = err(&done).contains("nothing limits how many processes it starts");
    assert!(started <= 513 || told, "{started}: {}", err(&done));
}

#[test]
fn what_git_would_run_outside_is_out_of_its_sight() {
    let person = Person::new("held");
    fs::write(
        person.project().join("loops/a/plant.sh"),
        "#!/bin/sh\ngit init -q . && git config core.fsmonitor 'touch pwned; false'\n",
    )
    .unwrap();
    let run = |words: &[&str]| {
        let folder = person.project().join("loops/a");
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .current_dir(folder)
            .output()
            .unwrap()
    };
    run(&["chmod", "+x", "plant.sh"]);
    let done = person.cerco(&["run", "--loop", "a", "--sandbox", "--", "./plant.sh"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(err(&done).contains(".git/config: settings"), "{done:?}");
    let status = run(&["git", "-c", "safe.directory=*", "status", "--short"]);
    assert!(out(&status).contains("plant.sh"), "{status:?}");
    assert!(!person.project().join("loops/a/pwned").exists());
}

#[test]
fn the_self_test_says_what_holds() {
    let person = Person::new("self-test");
    let mut command = person.command(&["doctor", "--self-test", "--json"]);
    // Gone before anything could read it.
    let done = command.env("MY_API_TOKEN", "x").output().unwrap();
    let told = json(&done);
    assert_eq!(told["holds"], true, "{told}");
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let outcomes = told["outcomes"].as_array().unwrap();
    for protection in [
        "files",
        "secrets",
        "network",
        "processes",
        "kernel",
        "limits",
        "git",
        "works",
    ] {
        assert!(
            outcomes.iter().any(|o| o["protection"] == protection),
            "{protection}"
        );
    }
    let words = person.cerco(&["doctor", "--self-test"]);
    let count = outcomes.len();
    assert!(
        out(&words).contains(&format!("{count} of {count} hold")),
        "{}",
        out(&words)
    );
    // It tries, so an agent's command may not start it.
    let mut command = person.command(&["doctor", "--self-test"]);
    let done = command.env("CERCO_RUN", "x").output().unwrap();
    assert_eq!(done.status.code(), Some(126), "{done:?}");
}
