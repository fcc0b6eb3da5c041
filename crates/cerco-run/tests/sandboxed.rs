//! Runs in the sandbox: endings, guard, nobody left behind when Cerco is killed, limits.
//!
//! This program is several: the checks, what stands for Cerco and gets killed, the keeper
//! of each command, and the first process inside each sandbox.
//! `CERCO_TEST_ROUNDS=n` kills n times as often.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

#[cfg(target_os = "linux")]
mod support;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;
    if let Some(code) = cerco_sandbox::stage::enter(cerco_run::hold_own_starts) {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words
        .first()
        .is_some_and(|w| w == cerco_run::KeeperProgram::WORD)
    {
        return cerco_run::keeper_main();
    }
    if let Ok(text) = std::env::var("STAND_IN_RUNS") {
        linux::stand_in(&text);
        return ExitCode::SUCCESS;
    }
    // What the test runners ask for.
    if words.iter().any(|word| word == "--list") {
        if !words.iter().any(|word| word == "--ignored") {
            for (name, _) in linux::CHECKS {
                println!("{name}: test");
            }
        }
        return ExitCode::SUCCESS;
    }
    let chosen = words.iter().find(|word| !word.starts_with('-'));
    for (name, check) in linux::CHECKS {
        if chosen.is_none_or(|chosen| name.contains(chosen.as_str())) {
            check();
            println!("{name} ... ok");
        }
    }
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{BufRead, BufReader};
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use cerco_model::{
        Authority, Cleared, Ending, Judgement, Place, SandboxState, Sandboxed, TimeClass,
    };
    use cerco_run::{
        Cancel, Confined, KeeperProgram, NoSink, Options, Ready, Rules, Shell, Sink, Stream, Times,
    };
    use cerco_sandbox::{Limits, Request, Sandbox};

    use super::support::{self, WAYS, alive, id, text, wait_until};

    pub(crate) const CHECKS: &[(&str, fn())] = &[
        ("endings_and_output_come_out", endings),
        ("the_clock_and_the_cancel_reach_inside", clock_and_cancel),
        ("real_arguments_are_judged_inside", guard),
        ("a_killed_cerco_leaves_nobody", killed),
        ("no_command_before_its_entry", no_command_before_its_entry),
        ("the_end_of_a_short_command_is_heard", short_commands),
        ("limits_hold_inside", limits),
        ("what_can_not_be_held_does_not_run", refused),
        ("a_flood_is_borne", flood),
    ];

    /// A project with a loop in it, which goes away with the value.
    struct Ground {
        project: PathBuf,
        limits: Limits,
    }

    impl Ground {
        fn new() -> Self {
            let project = std::env::temp_dir().join(id());
            std::fs::create_dir_all(project.join("loop")).unwrap();
            std::fs::write(project.join("outside"), "kept").unwrap();
            Self {
                project: project.canonicalize().unwrap(),
                limits: Limits::default(),
            }
        }

        fn folder(&self) -> PathBuf {
            self.project.join("loop")
        }

        fn place(&self) -> Place<'static> {
            let folder = self.folder();
            let mut place = support::place(&id(), folder.to_str().unwrap(), SandboxState::On);
            self.project
                .to_str()
                .unwrap()
                .clone_into(&mut place.project);
            place
        }

        fn run(&self, text: &str) -> Confined {
            self.run_with(text, &options(), &Cancel::default(), &mut NoSink)
        }

        fn run_with(
            &self,
            text: &str,
            options: &Options<'_>,
            cancel: &Cancel,
            sink: &mut dyn Sink,
        ) -> Confined {
            let request = Request {
                project: self.project.clone(),
                loop_folder: self.folder(),
                limits: self.limits,
                ..Request::default()
            };
            let sandbox = Sandbox::find(&self.project, None).unwrap();
            let ready = Ready {
                planned: None,
                sandbox: &sandbox,
                request: &request,
            };
            cerco_run::run_sandboxed(cleared(text, &self.place()), ready, options, cancel, sink)
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.project);
        }
    }

    fn cleared(text: &str, place: &Place<'_>) -> Cleared<Sandboxed> {
        let shell = Shell::of_this_machine().unwrap();
        let command = cerco_model::Command::new(text.as_bytes().to_vec(), shell.dialect()).unwrap();
        let judgement = Judgement::new(Vec::new(), Vec::new(), TimeClass::Quick);
        Cleared::issue(command, place, &judgement, Authority::Rule).unwrap()
    }

    fn options() -> Options<'static> {
        Options {
            keeper: KeeperProgram::own(),
            ..Options::new(Shell::of_this_machine().unwrap())
        }
    }

    fn quick(millis: u64) -> Options<'static> {
        Options {
            times: Times {
                quick: Duration::from_millis(millis),
                ..Times::default()
            },
            ..options()
        }
    }

    fn endings() {
        let ground = Ground::new();
        for (command, ending, out) in [
            ("exit 7", Ending::Exit(7), ""),
            ("uname -s", Ending::Exit(0), "Linux\n"),
            (
                "echo in > made; cat made; cat ../outside",
                Ending::Exit(0),
                "in\nkept",
            ),
            ("no-such-program-anywhere", Ending::NotStarted(127), ""),
            ("no-such-program-anywhere | cat", Ending::Exit(0), ""),
            ("echo x > ../outside", Ending::Exit(1), ""),
            ("kill -9 $$", Ending::Exit(137), ""),
        ] {
            let Confined { outcome, .. } = ground.run(command);
            assert_eq!(outcome.ending, ending, "{command}: {outcome:?}");
            assert_eq!(text(&outcome.stdout.head), out, "{command}");
        }
        let left = ground
            .run("sleep 30 & setsid -f sleep 30; echo end")
            .outcome;
        assert_eq!(left.stdout.head, b"end\n");
        assert!(left.usage.wall < support::at_most(Duration::from_secs(5)));
        let planted = ground
            .run("mkdir -p .vscode; echo '{}' > .vscode/tasks.json")
            .planted;
        assert_eq!(planted.len(), 1, "{planted:?}");
    }

    fn clock_and_cancel() {
        let ground = Ground::new();
        let word = format!("{}.5", 200_000 + std::process::id());
        let command = format!(
            "trap '' TERM; setsid -f sleep {word}; (sleep {word} &); echo up; sleep {word}; sleep 9"
        );
        let ran = ground.run_with(&command, &quick(400), &Cancel::default(), &mut NoSink);
        assert_eq!(ran.outcome.ending, Ending::TimedOut, "{ran:?}");
        assert_eq!(ran.outcome.stdout.head, b"up\n");
        assert_eq!(alive(&word), 0);
        assert!(ran.outcome.stopped >= 3, "{ran:?}");

        let cancel = Cancel::default();
        let other = cancel.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            other.stop();
        });
        let start = Instant::now();
        let ran = ground.run_with("sleep 30", &options(), &cancel, &mut NoSink);
        thread.join().unwrap();
        assert_eq!(ran.outcome.ending, Ending::Cancelled, "{ran:?}");
        assert!(start.elapsed() < support::at_most(Duration::from_secs(4)));
    }

    fn guard() {
        let ground = Ground::new();
        std::fs::write(ground.folder().join("target"), "../outside").unwrap();
        std::fs::write(ground.folder().join("Makefile"), "all:\n\tsh -c 'uname'\n").unwrap();
        for (command, rule) in [
            (r#"X=$(printf 's%s' sh); "$X" host"#, Some("remote")),
            ("cat $(echo /etc/passwd)", Some("path")),
            (r#"rm "$(cat target)""#, Some("path")),
            ("cat target | xargs -n 1 env rm", Some("path")),
            ("make", None),
            ("ls | xargs -n 1 wc -c", None),
            ("cat ../outside", None),
        ] {
            let rules = Rules::at(&ground.place());
            let with = Options {
                guard: Some(&rules),
                ..options()
            };
            let outcome = ground
                .run_with(command, &with, &Cancel::default(), &mut NoSink)
                .outcome;
            let refused = outcome.guard_refusals.first().map(|r| r.rule.as_str());
            assert_eq!(refused, rule, "{command}: {outcome:?}");
            assert_eq!(outcome.failure, None, "{command}");
        }
    }

    /// What is built meanwhile waits for the entry, and nothing runs where it fails.
    fn no_command_before_its_entry() {
        let ground = Ground::new();
        let made = ground.folder().join("made");
        let entry_of = |writes: bool| {
            let made = made.clone();
            move || {
                std::thread::sleep(Duration::from_millis(300));
                assert!(!made.exists(), "it ran before its entry was there");
                if writes {
                    Ok(())
                } else {
                    Err("the disk is full".to_owned())
                }
            }
        };
        for writes in [false, true] {
            let entry = entry_of(writes);
            let with = Options {
                entry: Some(&entry),
                ..options()
            };
            let ran = ground.run_with("echo x > made", &with, &Cancel::default(), &mut NoSink);
            assert_eq!(made.exists(), writes, "{ran:?}");
            if writes {
                assert_eq!(ran.outcome.ending, Ending::Exit(0), "{ran:?}");
            } else {
                assert_eq!(ran.outcome.ending, Ending::Failed);
                assert_eq!(ran.outcome.failure.as_deref(), Some("the disk is full"));
            }
        }
    }

    /// A keeper may leave before it is told that the command began: its report counts still.
    fn short_commands() {
        let ground = Ground::new();
        for round in 0..60 {
            let Confined { outcome, .. } = ground.run("true");
            assert_eq!(outcome.ending, Ending::Exit(0), "{round}: {outcome:?}");
        }
    }

    /// Says when the command has said something.
    struct Said(bool);

    impl Sink for Said {
        fn output(&mut self, _: Stream, _: &[u8]) {
            if !std::mem::replace(&mut self.0, true) {
                let _ = std::io::Write::write_all(&mut std::io::stderr(), b"command runs\n");
            }
        }
    }

    pub(crate) fn stand_in(text: &str) {
        let ground = Ground::new();
        let rules = Rules::at(&ground.place());
        let with = Options {
            guard: Some(&rules),
            ..options()
        };
        ground.run_with(text, &with, &Cancel::default(), &mut Said(false));
    }

    fn cerco_runs(text: &str, folder: &Path) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .env("STAND_IN_RUNS", text)
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn killed() {
        let ground = Ground::new();
        let rounds: u64 = std::env::var("CERCO_TEST_ROUNDS")
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(1);
        for round in 0..25 * rounds {
            let word = format!("{}.{round}", 300_000 + std::process::id());
            let (_, way) = WAYS[usize::try_from(round).unwrap() % WAYS.len()];
            let way = way.replace('@', &format!("sleep {word}"));
            let text = format!("{way}\necho up; sleep {word}");
            let mut cerco = cerco_runs(&text, &ground.project);
            if round % 2 == 0 {
                let stderr = BufReader::new(cerco.stderr.take().unwrap());
                let mut lines = stderr.lines().map_while(Result::ok);
                assert!(lines.any(|line| line.contains("command runs")));
            } else {
                // Somewhere while keeper, launcher and stage come up.
                std::thread::sleep(Duration::from_millis(2 * (round % 50)));
            }
            cerco.kill().unwrap();
            let killed = Instant::now();
            cerco.wait().unwrap();
            std::thread::sleep(Duration::from_millis(50));
            wait_until(&word, |n| n == 0);
            assert!(killed.elapsed() < support::at_most(Duration::from_secs(3)));
        }
    }

    /// Bounded on purpose: were a limit missing, a few hundred sleepers would be the worst.
    fn limits() {
        let mut ground = Ground::new();
        ground.limits.processes = 60;
        ground.limits.memory_bytes = 300 << 20;
        ground.limits.file_bytes = 1 << 20;
        let forks = "perl -e 'my $n = 0; for (1..200) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ } print $n'";
        let outcome = ground.run(forks).outcome;
        let started: u32 = text(&outcome.stdout.head).parse().unwrap();
        // The machine's uid 0 is bound by a control group only, where one can be made.
        assert!(started < 100, "{started} processes were started");

        let outcome = ground
            .run("perl -e '$x = \"a\" x (600 << 20); print length $x'")
            .outcome;
        assert_eq!(text(&outcome.stdout.head), "", "{outcome:?}");
        // Each within its limit: six processes, and one whose memory is shared. A control
        // group ends one after the other, the watch all at once.
        let together = "for i in 1 2 3 4 5 6; do perl -e '$x = \"a\" x (100 << 20); sleep 3; print \"done\"' & done; wait";
        let shared = "/usr/bin/python3 -c 'import mmap, time\nm = mmap.mmap(-1, 600 << 20)\nfor i in range(0, 600 << 20, 4096): m[i] = 1\ntime.sleep(3); print(\"done\")'";
        for (command, fit) in [(together, 3), (shared, 0)] {
            let outcome = ground.run(command).outcome;
            let done = text(&outcome.stdout.head).matches("done").count();
            assert!(done <= fit, "{command}: {outcome:?}");
        }
        let outcome = ground
            .run("truncate -s 64G sparse; stat -c %s sparse")
            .outcome;
        assert_eq!(text(&outcome.stdout.head), "0\n", "{outcome:?}");
    }

    fn refused() {
        let ground = Ground::new();
        std::fs::remove_dir(ground.folder()).unwrap();
        std::os::unix::fs::symlink("/tmp", ground.folder()).unwrap();
        let ran = ground.run("echo ran");
        assert_eq!(ran.outcome.ending, Ending::Failed);
        assert_eq!(ran.outcome.stdout.head, b"");
        assert!(ran.outcome.failure.unwrap().contains("link"));
    }

    /// `CERCO_TEST_FLOOD_MB=5000` for the whole flood.
    fn flood() {
        let megabytes = std::env::var("CERCO_TEST_FLOOD_MB").unwrap_or_else(|_| "200".to_owned());
        let ground = Ground::new();
        let start = Instant::now();
        let command = format!("head -c {megabytes}M /dev/zero; echo end >&2");
        let outcome = ground.run(&command).outcome;
        assert_eq!(outcome.ending, Ending::Exit(0), "{outcome:?}");
        assert_eq!(outcome.stderr.head, b"end\n");
        let seen = outcome.stdout.omitted + (512 << 10);
        assert_eq!(seen, megabytes.parse::<u64>().unwrap() << 20);
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status
            .lines()
            .find_map(|l| l.strip_prefix("VmHWM:"))
            .unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").trim().parse().unwrap();
        println!(
            "{megabytes} MiB in {:?}, at most {peak} KiB",
            start.elapsed()
        );
        assert!(peak < 100_000, "{peak} KiB");
    }
}
