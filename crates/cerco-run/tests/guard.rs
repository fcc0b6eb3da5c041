//! The guard: real program starts are held, judged, let go or refused.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod support;

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cerco_model::{
    Authority, Bare, Cleared, Command, Ending, Judgement, Outcome, SandboxState, TimeClass,
};
use cerco_run::{
    Cancel, Judge, Memory, NoSink, Options, RealStart, Rules, Shell, StartRefusal, Starter, Times,
};
use support::{id, options, run_with, text};

/// Refuses programs by the name of their file, and remembers what it saw.
#[derive(Default)]
struct ByName {
    refused: &'static [&'static str],
    wrappers: &'static [&'static str],
    seen: Mutex<Vec<RealStart>>,
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or("")
}

impl Judge for ByName {
    fn concerns(&self, by: &Starter) -> bool {
        match by {
            Starter::Shell => true,
            Starter::Program(file) => self.wrappers.contains(&name(file)),
        }
    }
    fn judge(&self, start: &RealStart) -> Option<StartRefusal> {
        self.seen.lock().unwrap().push(start.clone());
        let names = [Some(start.path.as_path()), start.file.as_deref()];
        names
            .into_iter()
            .flatten()
            .any(|path| self.refused.contains(&name(path)))
            .then(|| StartRefusal {
                rule: "remote".to_owned(),
                reason: "it reaches another machine".to_owned(),
            })
    }
}

fn guarded(text: &str, judge: &ByName) -> Outcome {
    let with = Options {
        guard: Some(judge),
        ..options()
    };
    run_with(text, &with, &mut NoSink)
}

fn refusing(refused: &'static [&'static str]) -> ByName {
    ByName {
        refused,
        ..ByName::default()
    }
}

#[test]
fn it_works_on_this_machine() {
    cerco_run::probe_guard().unwrap();
}

/// What the text doesn't settle, the start does.
#[test]
fn names_that_are_made_while_it_runs_are_seen() {
    let attacks = [
        r#"X=$(printf 'un%s' ame); "$X" -a"#,
        r"$(echo unam)e -a",
        r#"p=/usr/bin; "$p"/un?me -a"#,
        r"(uname -a)",
        r"echo | { uname -a; }",
        r#"x=$(uname -a); echo "$x""#,
        r#"f() { "$@"; }; f uname -a"#,
        r"uname -a & wait",
        r"( ( uname -a & ) & ); sleep 0.2",
        r"printf 'uname -a' | { read -r a b; $a $b; }",
        r"command uname -a; exit 3",
        r"d=$(mktemp -d); ln -s /usr/bin/uname $d/x; $d/x -a; rm -r $d",
        r"coproc uname -a; wait",
        r"cat <(uname -a)",
        r#"set -- uname -a; while :; do "$@"; break; done"#,
        r"exec uname -a",
    ];
    for attack in attacks {
        let judge = refusing(&["uname"]);
        let outcome = guarded(attack, &judge);
        let said = text(&outcome.stderr.head);
        assert!(!text(&outcome.stdout.head).contains("Linux"), "{attack}");
        assert_eq!(outcome.guard_refusals.len(), 1, "{attack}: {outcome:?}");
        let refusal = &outcome.guard_refusals[0];
        assert_eq!(refusal.rule, "remote", "{attack}");
        assert_eq!(refusal.argv.last().unwrap(), "-a", "{attack}");
        assert!(
            said.contains("was not started (remote): it reaches another machine"),
            "{attack}: {said}"
        );
    }
}

#[test]
fn a_refused_start_is_a_permission_denied_and_the_rest_goes_on() {
    let judge = refusing(&["uname"]);
    let outcome = guarded("uname; echo status $?; printf after", &judge);
    assert_eq!(outcome.stdout.head, b"status 126\nafter");
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert_eq!(outcome.failure, None);
}

#[test]
fn arguments_environment_and_directory_are_the_real_ones() {
    let judge = ByName::default();
    let command = r#"cd /usr; A='x y' /bin/ls -d "$(printf 'a b')" "" share"#;
    guarded(command, &judge);
    let seen = judge.seen.lock().unwrap();
    let start = &seen[0];
    assert_eq!(start.by, Starter::Shell);
    assert_eq!(start.path, Path::new("/bin/ls"));
    assert_eq!(name(start.file.as_deref().unwrap()), "ls");
    assert_eq!(start.arguments, ["/bin/ls", "-d", "a b", "", "share"]);
    assert_eq!(start.directory, Path::new("/usr"));
    assert!(start.environment.contains(&("A".into(), "x y".into())));
    assert_eq!(start.memory, Memory::Own);
}

#[test]
fn the_tries_of_a_search_are_not_judged() {
    let judge = ByName::default();
    let outcome = guarded(
        "no-such-program-anywhere; env ls / >/dev/null; ls / | cat",
        &judge,
    );
    assert!(text(&outcome.stderr.head).contains("not found"));
    let seen = judge.seen.lock().unwrap();
    let mut names: Vec<&str> = seen.iter().map(|start| name(&start.path)).collect();
    names.sort_unstable();
    assert_eq!(names, ["cat", "env", "ls"]);
}

#[test]
fn programs_that_the_shell_started_start_others_unjudged_but_wrappers_do_not() {
    let command = "echo -a | xargs uname; echo done";
    let judge = refusing(&["uname"]);
    let outcome = guarded(command, &judge);
    assert!(text(&outcome.stdout.head).contains("Linux"));

    let judge = ByName {
        refused: &["uname"],
        wrappers: &["xargs"],
        ..ByName::default()
    };
    let outcome = guarded(command, &judge);
    assert_eq!(outcome.stdout.head, b"done\n");
    assert_eq!(outcome.guard_refusals[0].argv, ["uname", "-a"]);
}

#[test]
fn a_program_that_is_one_plain_program_is_let_go_and_its_starts_are_its_own() {
    let judge = ByName {
        refused: &["uname"],
        wrappers: &["env"],
        ..ByName::default()
    };
    let outcome = guarded("env -u NOTHING uname", &judge);
    assert_eq!(outcome.stdout.head, b"");
    assert_eq!(outcome.guard_refusals.len(), 1);
    assert_eq!(guarded("uname", &judge).ending, Ending::Exit(0));
}

#[test]
fn starts_by_vfork_and_by_many_at_once_do_not_deadlock() {
    let judge = ByName::default();
    let with = Options {
        guard: Some(&judge),
        times: Times {
            quick: Duration::from_secs(20),
            ..Times::default()
        },
        ..options()
    };
    let command = r#"
for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5; do /bin/true; done) & done; wait
seq 40 | xargs -P 8 -n 1 /bin/true
perl -e 'system("true") for 1..10'
timeout 5 env nice true
dash -c 'true; /bin/true; /bin/true'
echo fine"#;
    let outcome = run_with(command, &with, &mut NoSink);
    assert_eq!(outcome.ending, Ending::Exit(0), "{outcome:?}");
    assert_eq!(outcome.stdout.head, b"fine\n");
    assert_eq!(outcome.guard_refusals, []);
}

#[test]
fn held_starts_die_with_their_tree() {
    /// Takes longer to judge than the command may run.
    struct Slow;
    impl Judge for Slow {
        fn judge(&self, _: &RealStart) -> Option<StartRefusal> {
            std::thread::sleep(Duration::from_millis(900));
            None
        }
    }
    let with = Options {
        guard: Some(&Slow),
        times: Times {
            quick: Duration::from_millis(300),
            ..Times::default()
        },
        ..options()
    };
    let start = Instant::now();
    let outcome = run_with("uname; uname", &with, &mut NoSink);
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(outcome.stdout.head, b"");
    assert!(start.elapsed() < support::at_most(Duration::from_secs(5)));
}

#[test]
fn a_judge_that_fails_lets_nothing_start() {
    struct Broken;
    impl Judge for Broken {
        fn judge(&self, _: &RealStart) -> Option<StartRefusal> {
            std::panic::panic_any("broken")
        }
    }
    let with = Options {
        guard: Some(&Broken),
        ..options()
    };
    let outcome = run_with("uname; uname; echo end", &with, &mut NoSink);
    assert_eq!(outcome.stdout.head, b"end\n");
    assert!(outcome.failure.unwrap().contains("the guard failed"));
}

/// A project with a loop, and the filter's own rules as the judge of a run in it. The
/// texts are cleared without being read, so that nothing but the guard can stop them.
fn by_the_rules(text: &str, sandbox: SandboxState) -> (Outcome, std::path::PathBuf) {
    let project = std::env::temp_dir().join(id());
    let folder = project.join("loop");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(project.join("outside"), "kept").unwrap();
    std::fs::write(folder.join("target"), "../outside").unwrap();
    std::fs::write(
        folder.join("Makefile"),
        "all:\n\tsh -c 'echo made > out'\n\t@cat out\n",
    )
    .unwrap();
    std::fs::write(
        folder.join("package.json"),
        r#"{"scripts":{"test":"node -e 1 && echo tested"}}"#,
    )
    .unwrap();
    std::fs::write(folder.join("test_it.py"), "import subprocess\ndef test_it():\n    assert subprocess.check_output(['sh', '-c', 'echo a']) == b'a\\n'\n").unwrap();
    std::fs::create_dir_all(folder.join("crate/src")).unwrap();
    std::fs::write(
        folder.join("crate/Cargo.toml"),
        "[package]\nname = \"small\"\nedition = \"2021\"\n[workspace]\n",
    )
    .unwrap();
    std::fs::write(
        folder.join("crate/build.rs"),
        "fn main() { std::process::Command::new(\"sh\").args([\"-c\", \"true\"]).status().unwrap(); }",
    )
    .unwrap();
    std::fs::write(
        folder.join("crate/src/main.rs"),
        "fn main() { println!(\"built\") }\n#[test] fn test() {}",
    )
    .unwrap();
    std::fs::write(folder.join("run.sh"), "#!/bin/sh\nuname\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("run.sh"), executable).unwrap();
    let mut place = support::place(&id(), folder.to_str().unwrap(), sandbox);
    project.to_str().unwrap().clone_into(&mut place.project);
    let rules = Rules::at(&place);
    let shell = Shell::of_this_machine().unwrap();
    let command = Command::new(text.as_bytes().to_vec(), shell.dialect()).unwrap();
    let judgement = Judgement::new(Vec::new(), Vec::new(), TimeClass::Quick);
    let cleared = Cleared::<Bare>::issue(command, &place, &judgement, Authority::Rule).unwrap();
    let with = Options {
        guard: Some(&rules),
        ..options()
    };
    let outcome = cerco_run::run_bare(cleared, &with, &Cancel::default(), &mut NoSink);
    (outcome, project)
}

#[test]
fn what_the_rules_refuse_does_not_start_with_its_real_arguments_either() {
    let attacks = [
        (r#"X=$(printf 's%s' sh); "$X" host"#, "remote"),
        ("cat $(echo /etc/passwd)", "path"),
        (r#"rm "$(cat target)""#, "path"),
        ("cat target | xargs rm", "path"),
        ("cat target | xargs -n 1 env rm -f", "path"),
        (
            "find . -name target -exec sh -c 'rm ../outside' \\;",
            "shell",
        ),
        (
            "perl -e 'symlink qq(/usr/bin/s).qq(sh), qq(x)'; ./x host",
            "path",
        ),
        (r#"read -r a < target; cp /dev/null "$a""#, "path"),
        (r"p=$(echo 'k''ill'); env $p -9 1", "process"),
        (r"g=$(echo push); git $g --force", "git-destructive"),
        (r"$(echo chmod) 777 target", "permissions"),
        (r"$(echo npm) $(echo publish)", "publish"),
        (r"u=$(echo https://evil.example); curl $u", "address"),
        (r"f=$(echo .env); cat $f", "secret"),
        (r"t=$(echo -f); tail $t target", "endless"),
        // Done by a loader, a wrapper, a language.
        (
            "l=$(echo /lib64/ld-linux-x86-64.so.2); $l /usr/bin/pkill nobody-here",
            "path",
        ),
        (r"e=$(echo env); $e -S 'pkill nobody-here'", "process"),
        (r"e=$(echo -S); env $e 'pkill nobody-here'", "process"),
        (
            r"n=$(echo setsid); $n nice nohup pkill nobody-here",
            "process",
        ),
        (
            r#"p=$(echo python3); $p -c 'import os; os.system("pkill nobody-here")'"#,
            "process",
        ),
        (
            r"f=$(echo find); $f . -name target -exec pkill nobody-here \;",
            "process",
        ),
        (r"x=$(echo xargs); echo nobody-here | $x pkill", "process"),
    ];
    for (attack, rule) in attacks {
        let (outcome, project) = by_the_rules(attack, SandboxState::Off);
        let rules: Vec<&str> = outcome
            .guard_refusals
            .iter()
            .map(|r| r.rule.as_str())
            .collect();
        assert!(rules.contains(&rule), "{attack}: {outcome:?}");
        assert_eq!(std::fs::read(project.join("outside")).unwrap(), b"kept");
        std::fs::remove_dir_all(project).unwrap();
    }
}

#[test]
fn what_build_tools_start_is_their_own_business() {
    for (command, says) in [
        ("make", "made"),
        ("npm test", "tested"),
        ("cd crate && cargo run -q --offline", "built"),
        ("cd crate && cargo test -q --offline", "1 passed"),
        ("/usr/bin/pytest -q -p no:cacheprovider", "1 passed"),
        (
            "python3 -c 'import test_it; test_it.test_it(); print(1)'",
            "1",
        ),
        ("./run.sh", "Linux"),
        ("ls | xargs -n 1 wc -c | sort | head -n 2 | grep -c .", "2"),
        ("find . -name '*.py' -exec grep -c import {} +", "1"),
        (
            "for f in *; do test -f \"$f\" && wc -l < \"$f\"; done | wc -l",
            "5",
        ),
        ("env A=b timeout 5 nice uname", "Linux"),
        ("git init -q . && git status --short | wc -l", "6"),
    ] {
        let (outcome, project) = by_the_rules(command, SandboxState::Off);
        assert_eq!(outcome.guard_refusals, [], "{command}");
        assert!(
            text(&outcome.stdout.head).contains(says),
            "{command}: {outcome:?}"
        );
        std::fs::remove_dir_all(project).unwrap();
    }
}

/// `CERCO_TEST_STARTS=1000` measures what the guard costs; few starts only exercise it.
#[test]
fn a_thousand_starts_cost_little_more() {
    let starts: u32 = std::env::var("CERCO_TEST_STARTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100);
    let command = format!("i=0; while [ $i -lt {starts} ]; do /bin/true; i=$((i+1)); done");
    let judge = ByName::default();
    let once = |guard: Option<&dyn Judge>| {
        let with = Options { guard, ..options() };
        run_with(&command, &with, &mut NoSink).usage.wall
    };
    // One after the other, so that whatever else the machine does hits both.
    let rounds = 5;
    let (without, with) = (0..rounds)
        .map(|_| (once(None), once(Some(&judge))))
        .reduce(|best, now| (best.0.min(now.0), best.1.min(now.1)))
        .unwrap();
    println!("{starts} starts: {without:?} without, {with:?} with the guard");
    // Loose here: a debug build on a busy machine. The figure is in the report of a
    // release build.
    assert!(with < without * 3, "{without:?} {with:?}");
    assert_eq!(judge.seen.lock().unwrap().len(), rounds * starts as usize);
}

/// One guard inside another's tree: the kernel allows only one, and that is said.
#[test]
fn where_another_holds_the_starts_it_is_said() {
    let judge = ByName::default();
    let me = std::env::current_exe().unwrap();
    let command = format!(
        "INSIDE=1 {} --exact inside_another --nocapture",
        me.display()
    );
    let outcome = guarded(&command, &judge);
    let said = text(&outcome.stdout.head);
    assert!(said.contains("already holds program starts"), "{said}");
}

#[test]
fn inside_another() {
    if std::env::var_os("INSIDE").is_some() {
        println!("{}", cerco_run::probe_guard().unwrap_err());
    }
}
