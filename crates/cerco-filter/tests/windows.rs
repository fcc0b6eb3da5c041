//! PowerShell and cmd: the worked cases, further ones, and the examples of Windows' own rows.

mod common;

use cerco_filter::table;
use cerco_model::Dialect;

fn run(file: &str, at_least: usize) {
    let cases: Vec<common::Case> = common::cases(file)
        .into_iter()
        .filter(|case| matches!(case.dialect.as_str(), "powershell" | "cmd"))
        .collect();
    assert!(cases.len() >= at_least, "only {} cases", cases.len());
    let wrong: Vec<String> = cases.iter().filter_map(common::check).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} wrong\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_worked_windows_case_is_right() {
    run("filter.jsonl", 190);
}

#[test]
fn further_windows_cases_are_right() {
    run("filter-windows.jsonl", 150);
}

#[test]
fn windows_cases_among_many_are_right() {
    run("filter-wide.jsonl", 60);
    run("filter-fresh.jsonl", 100);
    run("filter-unseen.jsonl", 400);
    run("filter-second.jsonl", 100);
}

#[test]
fn examples_of_windows_rows_hold() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, row) in table::programs() {
        let dialect = match name.split_once(':').map(|(front, _)| front) {
            Some("ps") => Dialect::PowerShell,
            Some("cmd" | "win") => Dialect::Cmd,
            _ => continue,
        };
        let subs = row.subs.iter().map(|(_, sub)| *sub);
        for row in std::iter::once(*row).chain(subs) {
            for (wanted, example) in row.examples {
                count += 1;
                let (got, why) = common::judge(example, dialect, true);
                if got != *wanted {
                    wrong.push(format!(
                        "{name}: {example}: {wanted:?}, got {got:?} | {why}"
                    ));
                }
            }
        }
    }
    wrong.dedup();
    assert!(count > 100, "only {count} examples");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
