//! What the guard costs: a thousand program starts of a shell, judged by the filter's own
//! rules, beside the same without it, in turns. At most 1.3 times is promised.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints and may stop at the first surprise"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Duration;

use cerco_model::SandboxState;
use cerco_run::{Judge, NoSink, Options, Rules, Times};

const ROUNDS: usize = 9;

fn main() {
    let rules = Rules::at(&support::place("bench", "/tmp", SandboxState::Off));
    for (name, start) in [
        ("a program alone", "/bin/true"),
        ("with arguments", "/bin/true -a --long=x file-$i other/$i"),
        ("found on PATH", "env true $i"),
    ] {
        let command = format!("i=0; while [ $i -lt 1000 ]; do {start}; i=$((i+1)); done");
        let once = |guard: Option<&dyn Judge>| {
            let with = Options {
                guard,
                times: Times {
                    quick: Duration::from_mins(2),
                    ..Times::default()
                },
                ..support::options()
            };
            let outcome = support::run_with(&command, &with, &mut NoSink);
            assert_eq!(outcome.guard_refusals, []);
            outcome.usage.wall
        };
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            without.push(once(None));
            with.push(once(Some(&rules)));
        }
        without.sort();
        with.sort();
        let (a, b) = (without[ROUNDS / 2], with[ROUNDS / 2]);
        println!(
            "{name:16} median {a:.2?} without, {b:.2?} with: {:.2} times; least {:.2?} and {:.2?}",
            b.as_secs_f64() / a.as_secs_f64(),
            without[0],
            with[0]
        );
    }
}
