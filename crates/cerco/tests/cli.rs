//! The built binary, from outside: exit codes, what goes to which stream, bad input.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A person with a home and a project of two loops of their own.
struct Person(PathBuf);

impl Person {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("cerco-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("home")).unwrap();
        fs::create_dir_all(root.join("project")).unwrap();
        let person = Self(root.canonicalize().unwrap());
        let done = person.cerco(&["init", "--loop", "loops/a", "--loop", "loops/b"]);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        person
    }

    fn project(&self) -> PathBuf {
        self.0.join("project")
    }

    /// Without a terminal, as an agent would call it.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command
            .arg("--wait")
            .arg(env!("CARGO_BIN_EXE_cerco"))
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.0.join("home"))
            .stdin(Stdio::null());
        command
    }

    fn cerco(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn with_input(&self, args: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            let _ = pipe.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    fn run(&self, text: &str) -> Output {
        self.cerco(&["run", "--loop", "a", "--", text])
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[test]
fn run_has_the_exit_codes_of_the_specification() {
    let person = Person::new("codes");
    for (text, code, says) in [
        ("echo hi", 0, ""),
        ("exit 7", 7, ""),
        ("no-such-program-here", 127, "not found"),
        ("ssh host", 126, "remote:"),
        ("git push", 126, "no window is open"),
        ("echo 'unclosed", 126, "unreadable:"),
    ] {
        let done = person.run(text);
        assert_eq!(done.status.code(), Some(code), "{text}: {}", err(&done));
        assert!(err(&done).contains(says), "{text}: {}", err(&done));
    }
    // Nothing of a refused command runs.
    assert_eq!(person.run("touch made; ssh host").status.code(), Some(126));
    assert!(!person.project().join("loops/a/made").exists());
    let usage = person.cerco(&["run", "--loop", "a"]);
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn check_says_allowed_refused_asked_by_its_code() {
    let person = Person::new("check");
    for (text, code, word) in [
        ("ls", 0, "allowed"),
        ("ssh host", 3, "refused"),
        ("git push", 4, "asked"),
        ("rm -rf build && git status", 4, "asked"),
    ] {
        let done = person.cerco(&["check", "--loop", "a", "--", text]);
        assert_eq!(done.status.code(), Some(code), "{text}");
        assert_eq!(out(&done).lines().next(), Some(word), "{text}");
        let done = person.cerco(&["--json", "check", "--loop", "a", "--", text]);
        assert_eq!(done.status.code(), Some(code), "{text}");
        assert_eq!(json(&done)["verdict"], word);
        assert_eq!(json(&done)["schema_version"], 1);
    }
}

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let person = Person::new("streams");
    let done = person.run("echo data; echo talk >&2");
    assert_eq!(
        (out(&done).as_str(), err(&done).as_str()),
        ("data\n", "talk\n")
    );
    let done = person.cerco(&["--json", "run", "--loop", "a", "--", "echo data; exit 3"]);
    assert_eq!(done.status.code(), Some(3));
    let value = json(&done);
    assert_eq!(value["stdout"], "data\n");
    assert_eq!(value["exit_code"], 3);
    assert_eq!(value["ran"], true);
    let done = person.cerco(&["--json", "run", "--loop", "a", "--", "ssh host"]);
    let value = json(&done);
    assert_eq!(
        (&value["ran"], &value["exit_code"]),
        (&false.into(), &126.into())
    );
    assert_eq!(value["findings"][0]["rule"], "remote");
    assert!(
        !err(&done).contains('\x1b'),
        "no colours without a terminal"
    );
}

#[test]
fn several_words_mean_exactly_those_words() {
    let person = Person::new("words");
    let done = person.cerco(&[
        "run",
        "--loop",
        "a",
        "--",
        "echo",
        "a  b",
        "$HOME; ssh h",
        "*",
    ]);
    assert_eq!(out(&done), "a  b $HOME; ssh h *\n");
}

#[test]
fn bad_input_is_a_clear_error_at_once() {
    let person = Person::new("bad");
    let project = person.project();
    std::os::unix::fs::symlink("loops/a", project.join("link")).unwrap();
    let nested = format!("{}true{}", "( ".repeat(5000), " )".repeat(5000));
    let long = "a".repeat(10_000_000);
    let elsewhere = person.0.join("home");
    let args = |list: &[&str]| -> Vec<String> { list.iter().map(|s| (*s).to_owned()).collect() };
    let cases: Vec<(Vec<String>, &[u8], i32, &str)> = vec![
        (
            args(&["run", "--project", elsewhere.to_str().unwrap(), "--", "ls"]),
            b"",
            2,
            "cerco init",
        ),
        (
            args(&["run", "--project", "/nowhere", "--", "ls"]),
            b"",
            2,
            "--project",
        ),
        (
            args(&["run", "--loop", "missing", "--", "ls"]),
            b"",
            2,
            "mkdir -p",
        ),
        (
            args(&["run", "--loop", "../home", "--", "ls"]),
            b"",
            2,
            "not inside the project",
        ),
        (
            args(&["run", "--loop", "link", "--", "ls"]),
            b"",
            2,
            "symbolic link",
        ),
        (args(&["run", "--", "ls"]), b"", 2, "--loop"),
        (
            args(&["run", "--loop", "a", "--network", "registries", "--", "ls"]),
            b"",
            2,
            "add --sandbox",
        ),
        (
            args(&["run", "--loop", "a", "--role", "Codr", "--", "ls"]),
            b"",
            2,
            "did you mean `Coder`",
        ),
        (
            args(&["run", "--loop", "a", "--role", "Researcher", "--", "ls"]),
            b"",
            126,
            "lacks the tool",
        ),
        (
            args(&["run", "--loop", "a", "--stdin"]),
            b"ls\0",
            126,
            "NUL byte",
        ),
        (
            args(&["run", "--loop", "a", "--stdin"]),
            b"ls \xff",
            126,
            "UTF-8",
        ),
        (
            args(&["run", "--loop", "a", "--stdin"]),
            long.as_bytes(),
            126,
            "bytes long",
        ),
        (
            args(&["run", "--loop", "a", "--stdin"]),
            nested.as_bytes(),
            126,
            "unreadable",
        ),
        (args(&["check", "--loop", "a", "--stdin"]), b"ls\0", 3, ""),
        (args(&["runn"]), b"", 2, "run"),
        (args(&["log", "show", "0Z0Z"]), b"", 2, "cerco log"),
    ];
    for (args, input, code, says) in cases {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let began = Instant::now();
        let done = person.with_input(&args, input);
        let took = began.elapsed();
        assert_eq!(
            done.status.code(),
            Some(code),
            "{args:?} {}: {}",
            input.len(),
            err(&done)
        );
        assert!(err(&done).contains(says), "{args:?}: {}", err(&done));
        // The promise is 100 ms for the product; this is a debug build on a busy machine.
        assert!(took < Duration::from_secs(2), "{args:?} took {took:?}");
    }
}

#[test]
fn jsonl_answers_line_by_line_in_order() {
    let person = Person::new("jsonl");
    let place = r#""project":"/srv/project","loop":"/srv/project/loops/a","home":"/home/u","env":{"HOME":"/home/u","PATH":"/usr/bin"},"sandbox":true"#;
    let input = format!(
        "{{\"id\":\"one\",\"command\":\"cat ../b/f\",{place}}}\n\n\
         {{\"id\":2,\"command\":\"cat ../b/f\",{}}}\n\
         {{\"id\":\"ps\",\"command\":\"Get-Content src\\\\a.txt\",\"dialect\":\"powershell\",\"project\":\"C:\\\\p\",\"loop\":\"C:\\\\p\\\\a\",\"home\":\"C:\\\\Users\\\\u\",\"env\":{{}}}}\n\
         {{\"command\":\"ssh host\"}}\n",
        place.replace("true", "false")
    );
    let done = person.with_input(&["check", "--jsonl", "--loop", "a"], input.as_bytes());
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let answers: Vec<serde_json::Value> = out(&done)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let short: Vec<String> = answers
        .iter()
        .map(|a| format!("{} {}", a["id"], a["verdict"]))
        .collect();
    let expected = [
        r#""one" "allowed""#,
        r#"2 "refused""#,
        r#""ps" "allowed""#,
        r#"null "refused""#,
    ];
    assert_eq!(short, expected);
    assert_eq!(answers[0]["programs"][0]["name"], "cat");
    let finding = &answers[1]["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["part"]),
        (&"path".into(), &serde_json::json!([4, 10]))
    );

    let wrong = person.with_input(
        &["check", "--jsonl", "--loop", "a"],
        b"{\"command\":\"ls\"}\nno json\n",
    );
    assert_eq!(wrong.status.code(), Some(2));
    let lines: Vec<String> = out(&wrong).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].contains("line 2:") && lines[1].contains("\"refused\""));
}

#[test]
fn custom_rules_of_person_and_project_count() {
    let person = Person::new("rules");
    let rule = |verdict: &str| {
        format!(
            "\n[[rules]]\nid = \"no-apply\"\nverdict = \"{verdict}\"\nprogram = \"terraform\"\nwords = [\"apply\"]\nreason = \"Only the pipeline applies changes.\"\nmatches = [\"terraform apply\"]\nnot = [\"ls\"]\n"
        )
    };
    let own = person.0.join("home/.config/cerco/cerco.toml");
    fs::write(&own, "[allow]\nkinds = [\"git commit\"]\n").unwrap();
    let file = person.project().join("cerco.toml");
    let before = fs::read_to_string(&file).unwrap();

    // Only what a person accepted counts, and nothing that allows can be accepted.
    fs::write(&file, format!("{before}{}", rule("allowed"))).unwrap();
    let refused = person.cerco(&["init"]);
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    let line = before.lines().count() + 4;
    assert!(
        err(&refused).contains(&format!("cerco.toml, line {line}: `verdict` is")),
        "{}",
        err(&refused)
    );
    fs::write(&file, format!("{before}{}", rule("refused"))).unwrap();
    assert_eq!(person.cerco(&["init"]).status.code(), Some(0));

    for (text, code) in [
        ("git commit -m x", 0),
        ("git push", 4),
        ("nice terraform apply", 3),
        ("terraform plan", 0),
    ] {
        let done = person.cerco(&["check", "--loop", "a", "--", text]);
        assert_eq!(done.status.code(), Some(code), "{text}: {}", err(&done));
    }
    let done = person.cerco(&["check", "--loop", "a", "--", "terraform apply"]);
    assert!(
        out(&done).contains("Only the pipeline applies changes."),
        "{}",
        out(&done)
    );
    assert_eq!(person.run("terraform apply").status.code(), Some(126));

    fs::write(&own, "[allow]\nkind = []\n").unwrap();
    let done = person.run("ls");
    assert_eq!(done.status.code(), Some(125));
    assert!(
        err(&done).contains("line 2: unknown field `kind`"),
        "{}",
        err(&done)
    );
}

#[test]
fn the_log_keeps_what_happened_and_no_secret() {
    let person = Person::new("log");
    person.run("A_TOKEN=hunter2 true");
    person.run("ssh host");
    let listed = out(&person.cerco(&["log"]));
    assert!(
        listed.contains("ssh host") && listed.contains("A_TOKEN=***"),
        "{listed}"
    );
    assert!(!listed.contains("hunter2"));
    let found = out(&person.cerco(&["--json", "log", "search", "ssh"]));
    let entry: serde_json::Value = serde_json::from_str(found.trim()).unwrap();
    assert_eq!(
        (&entry["verdict"], &entry["decision"]),
        (&"refused".into(), &"deny".into())
    );
    let shown = out(&person.cerco(&["log", "show", entry["entry_id"].as_str().unwrap()]));
    assert!(shown.contains("^^^"), "{shown}");
    assert_eq!(out(&person.cerco(&["log", "export"])).lines().count(), 2);
}

#[test]
fn an_agents_command_is_no_person() {
    let person = Person::new("inside");
    for args in [
        &["init"] as &[&str],
        &["run", "--loop", "a", "--no-sandbox", "--", "ls"],
        &[
            "run",
            "--loop",
            "a",
            "--sandbox",
            "--network",
            "registries",
            "--",
            "ls",
        ],
        &["log", "prune", "--days", "0"],
    ] {
        let done = person.command(args).env("CERCO_RUN", "x").output().unwrap();
        assert_eq!(done.status.code(), Some(126), "{args:?}");
        assert!(err(&done).contains("for a person"), "{}", err(&done));
    }
    // With its own environment emptied, its ancestors still carry the mark.
    let line = format!(
        "env -i HOME={} {} init; echo $?",
        person.0.join("home").display(),
        env!("CARGO_BIN_EXE_cerco")
    );
    let done = Command::new("bash")
        .args(["-c", &line])
        .env("CERCO_RUN", "x")
        .current_dir(person.project())
        .output()
        .unwrap();
    assert_eq!(out(&done), "126\n", "{}", err(&done));
}

#[test]
fn help_completions_rules_and_man_pages() {
    let person = Person::new("help");
    let short = out(&person.cerco(&["run", "-h"]));
    let long = out(&person.cerco(&["run", "--help"]));
    assert!(short.len() < long.len() && long.contains("Examples:"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(
            out(&person.cerco(&["completions", shell])).contains("explain"),
            "{shell}"
        );
    }
    let rules = out(&person.cerco(&["rules", "secret"]));
    assert!(rules.starts_with("secret (refused)"), "{rules}");
    let pages = person.0.join("man");
    fs::create_dir(&pages).unwrap();
    let done = person.cerco(&["man", pages.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0));
    assert!(pages.join("cerco-run.1").exists());
    let done = person.cerco(&["explain", "--loop", "a", "--", "git push\u{202e}"]);
    let text = out(&done);
    assert!(
        text.contains("⟦U+202E⟧") && !text.contains('\u{202e}'),
        "{text}"
    );
}

/// Types into a terminal of its own once Cerco asks, and gives what it showed and its code.
fn answered(person: &Person, text: &str, answer: &str) -> (String, u32) {
    let pty = portable_pty::native_pty_system()
        .openpty(portable_pty::PtySize::default())
        .unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cerco"));
    command.args(["run", "--loop", "a", "--", text]);
    command.cwd(person.project());
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", person.0.join("home"));
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut reader = pty.master.try_clone_reader().unwrap();
    let mut writer = pty.master.take_writer().unwrap();
    let mut screen = Vec::new();
    let mut buffer = [0; 1024];
    let mut typed = false;
    while let Ok(got @ 1..) = reader.read(&mut buffer) {
        screen.extend_from_slice(&buffer[..got]);
        if !typed && String::from_utf8_lossy(&screen).contains("to answer >") {
            typed = true;
            // Nobody reads faster; an answer before that is not taken.
            std::thread::sleep(Duration::from_millis(600));
            writer.write_all(answer.as_bytes()).unwrap();
        }
    }
    let code = child.wait().unwrap().exit_code();
    (String::from_utf8_lossy(&screen).into_owned(), code)
}

#[test]
fn a_person_at_the_terminal_answers() {
    let person = Person::new("tty");
    let file = person.project().join("loops/a/old");
    for (answer, code, stays) in [
        ("d because\n", 126, true),
        ("\n", 126, true),
        ("o\n", 0, false),
    ] {
        fs::write(&file, "x").unwrap();
        let (screen, got) = answered(&person, "rm old", answer);
        assert_eq!((got, file.exists()), (code, stays), "{answer:?}: {screen}");
        assert!(
            screen.contains("Allow always this session: delete files"),
            "{screen}"
        );
    }
    let entries = out(&person.cerco(&["--json", "log"]));
    let sources: Vec<String> = entries
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap())
        .map(|e| e["decision_source"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sources, ["user_temporary", "user_reject", "user_reject"]);
}

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
        assert!(known.set_network(&root, network).unwrap());
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

/// Whoever started a run for an agent is killed: `cerco mcp`, say.
#[test]
fn a_run_ends_with_who_started_it() {
    let person = Person::new("orphan");
    let word = format!("100.{}", std::process::id());
    let line = format!(
        "{} run --loop a --ends-with $$ -- 'echo up; sleep {word}' & wait",
        env!("CARGO_BIN_EXE_cerco")
    );
    let mut parent = Command::new("bash")
        .args(["-c", &line])
        .env("HOME", person.0.join("home"))
        .current_dir(person.project())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 3];
    parent
        .stdout
        .take()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    parent.kill().unwrap();
    parent.wait().unwrap();
    let began = Instant::now();
    let alive = || {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| line.split(|b| *b == 0).any(|arg| arg == word.as_bytes()))
        })
    };
    // At once on a quiet machine; its own time is two minutes.
    while alive() {
        assert!(began.elapsed() < Duration::from_secs(30), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Whose starter is gone already does not start.
    let done = person.cerco(&["run", "--loop", "a", "--ends-with", "1", "--", "ls"]);
    assert_eq!(done.status.code(), Some(125), "{done:?}");
}

#[test]
fn the_run_has_a_temporary_folder_of_its_own() {
    let person = Person::new("temporary");
    let home = person.0.to_string_lossy().into_owned();
    for (sandbox, folder) in [
        ("--sandbox", "/tmp/cerco-"),
        ("--no-sandbox", home.as_str()),
    ] {
        for (text, code) in [
            ("echo hi > $TMPDIR/x && cat $TMPDIR/x", 0),
            ("mktemp", 0),
            ("echo x > /tmp/y", 126),
        ] {
            let done = person.cerco(&["run", "--loop", "a", sandbox, "--", text]);
            assert_eq!(done.status.code(), Some(code), "{sandbox} {text}: {done:?}");
            if text == "mktemp" {
                let made = out(&done);
                assert!(made.starts_with(folder), "{sandbox}: {made}");
                assert!(!PathBuf::from(made.trim()).exists(), "{made} is left");
            }
        }
    }
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
fn ctrl_c_stops_the_command() {
    let person = Person::new("cancel");
    let mut child = person
        .command(&["run", "--loop", "a", "--", "echo ready; sleep 20"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 6];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // `setsid` has become Cerco, or stands in front of it where it had to fork.
    let me = child.id();
    let name = fs::read_to_string(format!("/proc/{me}/comm")).unwrap();
    let cerco = if name.trim() == "setsid" {
        fs::read_to_string(format!("/proc/{me}/task/{me}/children")).unwrap()
    } else {
        me.to_string()
    };
    let began = Instant::now();
    let done = Command::new("kill")
        .args(["-INT", cerco.trim()])
        .status()
        .unwrap();
    assert!(done.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(10));
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
