//! What reading and judging a command costs: `cargo bench -p cerco-filter`.
//!
//! Prints, over all posix cases of `cases/filter.jsonl`, the median and the 99th percentile of
//! the best of several runs a command, the slowest command, and how the time grows with length.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    reason = "a measurement prints its figures"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use cerco_filter::{Table, read_and_judge};
use cerco_model::{Command, Dialect, Place};

/// Runs a command; the best one counts, since the machine is shared.
const RUNS: usize = 30;

fn main() {
    let place = common::place(Dialect::Bash, true);
    let commands: Vec<Command> = common::cases("filter.jsonl")
        .iter()
        .filter(|case| case.dialect == "posix")
        .filter_map(|case| {
            Command::new(common::expand(&case.command).into_bytes(), Dialect::Bash).ok()
        })
        .collect();
    report("read and judge", &commands, |command| {
        black_box(read_and_judge(command, &place));
    });
    report("read alone", &commands, |command| {
        black_box(cerco_reader::read(command, &place, &Table));
    });
    for (what, unit, count) in [
        ("sub-commands", "git log --oneline -- src/a.ts; ", 10_000),
        ("words", "src/file-with-a-name.ts ", 20_000),
    ] {
        let one = grown(unit, count, &place);
        let two = grown(unit, 2 * count, &place);
        let ratio = two.as_secs_f64() / one.as_secs_f64();
        println!("{count} {what}: {one:?}; twice as many: {two:?} ({ratio:.2} times)");
    }
}

fn grown(unit: &str, count: usize, place: &Place<'_>) -> Duration {
    let mut text = String::from("ls ");
    text.push_str(&unit.repeat(count));
    let command = Command::new(text.into_bytes(), Dialect::Bash).unwrap();
    best(3, || {
        black_box(read_and_judge(&command, place));
    })
}

fn best(runs: usize, mut run: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn report(what: &str, commands: &[Command], mut run: impl FnMut(&Command)) {
    let mut times: Vec<(Duration, &str)> = commands
        .iter()
        .map(|command| (best(RUNS, || run(command)), command.text()))
        .collect();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].0;
    let (slowest, text) = times[times.len() - 1];
    println!(
        "{what}: {} commands, median {:?}, p99 {:?}, slowest {slowest:?} ({:.60})",
        times.len(),
        at(50),
        at(99),
        text.replace('\n', " ")
    );
    for (time, text) in times.iter().rev().take(6) {
        println!("    {time:?} {:.90}", text.replace('\n', " "));
    }
}
