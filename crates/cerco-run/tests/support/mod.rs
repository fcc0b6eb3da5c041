//! A cleared command for a test, and the processes of a run.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "shared by several test programs; a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cerco_model::{
    Authority, Bare, Cleared, Command, Guard, Judgement, NoTree, Outcome, Place, SandboxState,
    TimeClass,
};
use cerco_run::{Cancel, ForRun, KeeperProgram, Network, NoSink, Options, Shell, Sink};

pub(crate) fn id() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("test-{}-{n}", std::process::id())
}

pub(crate) fn place(id: &str, directory: &str, sandbox: SandboxState) -> Place<'static> {
    let run = ForRun {
        id,
        directory,
        scratch: "/tmp",
        network: Network::Open,
    };
    let environment = cerco_run::environment(std::env::vars_os(), run).variables;
    Place {
        project: directory.to_owned(),
        loop_folder: directory.to_owned(),
        directory: directory.to_owned(),
        other_loops: Vec::new(),
        home: "/".to_owned(),
        user: "tester".to_owned(),
        environment: BTreeMap::from_iter(environment),
        sandbox,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    }
}

pub(crate) fn cleared_as(id: &str, text: &str, time: TimeClass) -> Cleared<Bare> {
    let shell = Shell::of_this_machine().unwrap();
    let command = Command::new(text.as_bytes().to_vec(), shell.dialect()).unwrap();
    let judgement = Judgement::new(Vec::new(), Vec::new(), time);
    let place = place(id, "/tmp", SandboxState::Off);
    Cleared::issue(command, &place, &judgement, Authority::Rule).unwrap()
}

pub(crate) fn cleared(text: &str) -> Cleared<Bare> {
    cleared_as(&id(), text, TimeClass::Quick)
}

pub(crate) fn options() -> Options<'static> {
    Options {
        keeper: keeper(),
        ..Options::new(Shell::of_this_machine().unwrap())
    }
}

pub(crate) fn keeper() -> KeeperProgram {
    KeeperProgram::at(PathBuf::from(env!("CARGO_BIN_EXE_cerco-keeper")))
}

pub(crate) fn run(text: &str) -> Outcome {
    cerco_run::run_bare(cleared(text), &options(), &Cancel::default(), &mut NoSink)
}

pub(crate) fn run_with(text: &str, options: &Options<'_>, sink: &mut dyn Sink) -> Outcome {
    cerco_run::run_bare(cleared(text), options, &Cancel::default(), sink)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How many living processes have `word` as one of their arguments.
pub(crate) fn alive(word: &str) -> usize {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| {
            let pid = entry.file_name();
            let Some(pid) = pid.to_str().filter(|n| n.parse::<u32>().is_ok()) else {
                return false;
            };
            if pid == std::process::id().to_string() {
                return false;
            }
            std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| {
                line.split(|b| *b == 0)
                    .any(|argument| argument == word.as_bytes())
            })
        })
        .count()
}

/// Waits until `alive(word)` is as it should be, and panics after ten seconds.
pub(crate) fn wait_until(word: &str, should: impl Fn(usize) -> bool) {
    let start = Instant::now();
    loop {
        let now = alive(word);
        if should(now) {
            return;
        }
        assert!(
            start.elapsed() < at_most(Duration::from_secs(10)),
            "{now} are alive"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// `limit` on a quiet machine, longer on one that does other things at the same time.
pub(crate) fn at_most(limit: Duration) -> Duration {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap();
    let load: f64 = load.split(' ').next().unwrap().parse().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    limit.mul_f64(1.0 + load / f64::from(u32::try_from(cores).unwrap()))
}

/// Ways to go into the background. `@` stands for a program that sleeps and can be
/// found by a word of its own among its arguments.
pub(crate) const WAYS: &[(&str, &str)] = &[
    ("child", "@ &"),
    ("setsid", "setsid @ &"),
    ("setsid fork", "setsid -f @"),
    ("double fork", "(@ &) &"),
    ("subshells", "( ( ( @ & ) & ) & )"),
    ("nohup", "nohup @ >/dev/null 2>&1 &"),
    ("disown", "@ & disown"),
    ("term ignored", "(trap '' TERM HUP INT; @) &"),
    ("stopped", "@ & sleep 0.1; kill -STOP $!"),
    ("empty environment", "setsid env -i /bin/sh -c '@' &"),
    ("closed streams", "setsid @ <&- >&- 2>&- &"),
    ("own process group", "set -m; @ &"),
    (
        "daemon",
        r#"perl -e 'use POSIX; fork and exit; POSIX::setsid(); fork and exit; chdir "/"; open STDIN, "</dev/null"; exec split / /, "@"'"#,
    ),
    (
        "own subreaper",
        r#"perl -e 'syscall(157, 36, 1, 0, 0, 0); if (!fork) { if (!fork) { exec split / /, "@" } exit } sleep 300' & "#,
    ),
    (
        "parent-death signal cleared",
        r#"perl -MPOSIX -e 'syscall(157, 1, 0, 0, 0, 0); fork or exec split / /, "@"; POSIX::_exit(0)' "#,
    ),
    (
        "deep chain",
        r#"perl -e 'for (1..30) { fork and do { sleep 300; exit } } exec split / /, "@"' &"#,
    ),
    (
        "brood",
        "for i in 1 2 3 4 5 6 7 8 9 10; do setsid -f @; done",
    ),
];
