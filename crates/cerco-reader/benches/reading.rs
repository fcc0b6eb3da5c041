//! How long reading takes: per command over the posix cases, the parser's share apart,
//! and whether twice the text takes twice the time.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement prints what it measured and fails by panicking"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use cerco_model::Dialect;
use shuck_parser::ShellDialect;
use shuck_parser::parser::Parser;

fn main() {
    let path = format!("{}/../../cases/filter.jsonl", env!("CARGO_MANIFEST_DIR"));
    let place = common::usual_place();
    let cases: Vec<String> = std::fs::read_to_string(path)
        .expect("the cases")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a case"))
        .filter(|case| case["dialect"] == "posix")
        .map(|case| {
            case["command"]
                .as_str()
                .expect("a command")
                .replace(char::from(0), "")
        })
        .collect();
    let per_case = |run: &dyn Fn(&str)| {
        let mut times: Vec<f64> = cases
            .iter()
            .map(|text| {
                (0..15)
                    .map(|_| {
                        let began = Instant::now();
                        run(text);
                        began.elapsed().as_secs_f64() * 1e6
                    })
                    .fold(f64::MAX, f64::min)
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let show = |name: &str, times: &[f64]| {
        println!(
            "{name}: median {:.1} µs, p99 {:.1} µs, max {:.1} µs over {} commands",
            times[times.len() / 2],
            times[times.len() * 99 / 100],
            times[times.len() - 1],
            times.len()
        );
    };
    let parse = per_case(&|text| {
        std::hint::black_box(Parser::with_dialect(text, ShellDialect::Bash).parse());
    });
    show("parser alone", &parse);
    let whole = per_case(&|text| {
        std::hint::black_box(common::read_text(text, Dialect::Bash, &place));
    });
    show("reading", &whole);
    for (name, one) in [
        ("list", "git status; "),
        ("chain", "git add a && "),
        ("pipes", "cat a | grep b; "),
        ("text", "echo 'some text that is only text' x y z\n"),
        ("values", "x=a$x; "),
    ] {
        let time = |count: usize| {
            let text = format!("{}true", one.repeat(count));
            let (took, reading) = least(&text, &place);
            (took, reading.starts.len(), reading.doubts.len(), text.len())
        };
        let (a, ..) = time(5_000);
        let (b, starts, doubts, bytes) = time(10_000);
        println!(
            "{name}: 10000 commands, {bytes} bytes: {b:.1} ms ({:.2} × half of it), {starts} starts, {doubts} doubts",
            b / a
        );
    }
    let long = |bytes: usize| {
        let text = "grep -rn 'some words' src/ | head -20; ls -la \"$HOME\"\n".repeat(bytes / 55);
        let (took, reading) = least(&text, &place);
        (took, reading.doubts.len())
    };
    let (half, _) = long(1 << 19);
    let (whole, doubts) = long((1 << 20) - 100);
    println!(
        "1 MiB: {whole:.0} ms ({:.2} × half of it), {doubts} doubts",
        whole / half
    );
}

/// The least of some readings' times in milliseconds: what other work on the machine adds is no
/// part of the reading.
fn least(text: &str, place: &cerco_model::Place<'_>) -> (f64, cerco_reader::Reading<()>) {
    let once = || {
        let began = Instant::now();
        let reading = common::read_text(text, Dialect::Bash, place);
        (began.elapsed().as_secs_f64() * 1e3, reading)
    };
    (0..7)
        .map(|_| once())
        .fold(once(), |a, b| if a.0 <= b.0 { a } else { b })
}
