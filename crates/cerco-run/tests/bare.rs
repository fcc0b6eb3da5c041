//! What a run without the sandbox gives back: ending, output, resources.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod support;

use std::time::{Duration, Instant};

use cerco_model::{Ending, TimeClass};
use cerco_run::{Cancel, NoSink, Options, Sink, Spill, Stream, Times};
use support::{cleared, cleared_as, id, options, run, run_with, text};

#[test]
fn endings_are_told_apart() {
    let rows = [
        ("exit 7", Ending::Exit(7), 7),
        ("uname -s", Ending::Exit(0), 0),
        ("kill -9 $$", Ending::Signal(9), 137),
        ("kill -15 $$", Ending::Signal(15), 143),
        (
            "no-such-program-anywhere --flag",
            Ending::NotStarted(127),
            127,
        ),
        ("no-such-program-anywhere | cat; exit 3", Ending::Exit(3), 3),
        ("./no-such-file", Ending::Exit(127), 127),
        ("/tmp", Ending::Exit(126), 126),
    ];
    for (command, ending, code) in rows {
        let outcome = run(command);
        assert_eq!(outcome.ending, ending, "{command}: {outcome:?}");
        assert_eq!(outcome.ending.exit_code(), code, "{command}");
        assert_eq!(outcome.stopped, 0, "{command}");
    }
}

#[test]
fn streams_are_told_apart_and_bytes_are_any() {
    let outcome = run(r"printf 'a\377\0b'; printf err >&2");
    assert_eq!(outcome.stdout.head, b"a\xff\0b");
    assert_eq!(outcome.stderr.head, b"err");
}

#[test]
fn standard_input_is_empty_unless_some_is_given() {
    assert_eq!(run("cat").ending, Ending::Exit(0));
    let with = Options {
        stdin: Some(b"given".to_vec()),
        ..options()
    };
    assert_eq!(run_with("cat", &with, &mut NoSink).stdout.head, b"given");
    // It can be read again, and not written to.
    let outcome = run_with(
        "echo x > /dev/stdin; cat /proc/self/fd/0",
        &with,
        &mut NoSink,
    );
    assert_eq!(
        outcome.stdout.head,
        b"given",
        "{}",
        text(&outcome.stderr.head)
    );
}

#[test]
fn the_environment_is_the_judged_one_and_the_shell_is_bare() {
    let outcome = run("env -0 | tr '\\0' '\\n'; set -o | grep -c on$; declare -F; echo $0");
    let said = text(&outcome.stdout.head);
    assert!(said.contains("CERCO_RUN=test-"), "{said}");
    assert!(said.contains("GIT_TERMINAL_PROMPT=0"), "{said}");
    assert!(!said.contains("CARGO_BIN_EXE_KEY"), "{said}");
    assert!(said.ends_with("bash\n") || said.ends_with("sh\n"), "{said}");
}

#[test]
fn only_the_standard_streams_are_inherited() {
    let file = std::fs::File::open("/").unwrap();
    // As a program would that forgot to mark its descriptor.
    let outcome = run("ls -l /proc/self/fd | tail -n +2 | wc -l");
    drop(file);
    // 0, 1, 2 and the folder that ls itself reads.
    assert_eq!(text(&outcome.stdout.head).trim(), "4");
}

#[test]
fn a_command_has_no_terminal() {
    let outcome = run("exec 3<>/dev/tty && echo opened");
    assert_eq!(outcome.stdout.head, b"");
}

#[test]
fn resources_are_counted() {
    let outcome = run("i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; sleep 0.2");
    assert!(outcome.usage.wall >= Duration::from_millis(200));
    assert!(
        outcome.usage.cpu >= Duration::from_millis(20),
        "{:?}",
        outcome.usage
    );
    let small = run("uname").usage.peak_memory;
    assert!((500_000..20_000_000).contains(&small), "{small}");
    let big = run("head -c 60000000 /dev/zero | tail -c 50000000 >/dev/null")
        .usage
        .peak_memory;
    assert!(big > 40_000_000, "{big}");
}

#[test]
fn long_output_keeps_its_ends_and_the_disk_the_whole() {
    let folder = std::env::temp_dir().join(id());
    std::fs::create_dir(&folder).unwrap();
    let with = Options {
        spill: Some(Spill {
            folder: folder.clone(),
            name: "r".into(),
            limit: Spill::LIMIT,
        }),
        ..options()
    };
    let outcome = run_with("seq 1 400000", &with, &mut NoSink);
    let whole = std::fs::read(folder.join("r.stdout")).unwrap();
    assert!(text(&outcome.stdout.head).starts_with("1\n2\n"));
    assert!(text(&outcome.stdout.tail).ends_with("\n400000\n"));
    let kept = outcome.stdout.head.len() + outcome.stdout.tail.len();
    assert_eq!(kept as u64 + outcome.stdout.omitted, whole.len() as u64);
    assert!(whole.ends_with(b"\n400000\n"));
    assert!(!folder.join("r.stderr").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

/// Notes when which bytes came.
#[derive(Default)]
struct Heard(Vec<(Stream, Instant, Vec<u8>)>);

impl Sink for Heard {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.0.push((stream, Instant::now(), bytes.to_vec()));
    }
}

#[test]
fn output_comes_as_it_is_written() {
    let mut sink = Heard::default();
    run_with("echo one; sleep 0.4; echo two >&2", &options(), &mut sink);
    let [(Stream::Stdout, first, one), (Stream::Stderr, second, two)] = &sink.0[..] else {
        panic!("{:?}", sink.0)
    };
    assert_eq!((&one[..], &two[..]), (&b"one\n"[..], &b"two\n"[..]));
    assert!(*second - *first >= Duration::from_millis(300));
}

#[test]
fn the_run_ends_with_the_command_not_with_its_pipes() {
    let start = Instant::now();
    let outcome = run("sleep 30 & setsid sleep 30 & echo done");
    assert_eq!(outcome.ending, Ending::Exit(0));
    assert_eq!(outcome.stdout.head, b"done\n");
    assert_eq!(outcome.stopped, 2);
    assert!(
        start.elapsed() < support::at_most(Duration::from_secs(5)),
        "{:?}",
        start.elapsed()
    );
}

fn short() -> Options<'static> {
    Options {
        times: Times {
            quick: Duration::from_millis(800),
            long: Duration::from_secs(20),
        },
        ..options()
    }
}

#[test]
fn the_clock_follows_the_class() {
    let start = Instant::now();
    let outcome = run_with("echo before; sleep 30; echo after", &short(), &mut NoSink);
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(outcome.ending.exit_code(), 124);
    assert_eq!(outcome.stdout.head, b"before\n");
    assert!(outcome.stopped >= 1);
    assert!(
        start.elapsed() < support::at_most(Duration::from_secs(2)),
        "{:?}",
        start.elapsed()
    );

    let long = cleared_as(&id(), "sleep 1.2; echo after", TimeClass::Long);
    let outcome = cerco_run::run_bare(long, &short(), &Cancel::default(), &mut NoSink);
    assert_eq!(outcome.ending, Ending::Exit(0));
}

#[test]
fn whoever_wants_to_clean_up_has_two_seconds_and_no_more() {
    let cleans = "trap 'echo cleaned; exit 0' TERM; sleep 30 & wait";
    let outcome = run_with(cleans, &short(), &mut NoSink);
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(outcome.stdout.head, b"cleaned\n");

    let start = Instant::now();
    let outcome = run_with(
        "trap '' TERM; while :; do sleep 1; done",
        &short(),
        &mut NoSink,
    );
    let took = start.elapsed();
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert!(took >= Duration::from_millis(2700), "{took:?}");
    assert!(took < support::at_most(Duration::from_secs(4)), "{took:?}");
}

#[test]
fn a_run_can_be_cancelled_from_elsewhere_and_before_it_starts() {
    let cancel = Cancel::default();
    let other = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        other.stop();
    });
    let start = Instant::now();
    let outcome = cerco_run::run_bare(cleared("sleep 30"), &options(), &cancel, &mut NoSink);
    thread.join().unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_eq!(outcome.ending.exit_code(), 130);
    assert!(start.elapsed() < support::at_most(Duration::from_secs(2)));

    let outcome = cerco_run::run_bare(cleared("sleep 30"), &options(), &cancel, &mut NoSink);
    assert_eq!(outcome.ending, Ending::Cancelled);
}

#[test]
fn a_second_cancel_does_not_wait_for_those_who_do_not_listen() {
    let cancel = Cancel::default();
    let other = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        other.stop();
        std::thread::sleep(Duration::from_millis(200));
        other.kill();
    });
    let start = Instant::now();
    let text = "trap '' TERM; while :; do sleep 1; done";
    let outcome = cerco_run::run_bare(cleared(text), &options(), &cancel, &mut NoSink);
    thread.join().unwrap();
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert!(
        start.elapsed() < support::at_most(Duration::from_millis(1800)),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_text_judged_for_another_shell_or_without_a_run_does_not_run() {
    let shell = cerco_run::Shell::choose(|p| p == std::path::Path::new("/bin/sh")).unwrap();
    let with = Options { shell, ..options() };
    let outcome = run_with("echo a; echo b", &with, &mut NoSink);
    assert_eq!(outcome.ending, Ending::Failed);
    assert!(outcome.failure.unwrap().contains("judge it again"));
    assert_eq!(outcome.stdout.head, b"");
}

#[test]
fn a_text_too_long_for_the_system_is_said_to_be_so() {
    let outcome = run(&format!("echo '{}'", "x".repeat(200_000)));
    assert_eq!(outcome.ending, Ending::Failed);
    assert!(outcome.failure.unwrap().contains("too long"));
}
