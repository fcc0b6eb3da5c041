//! Every example of the program table and of the rules is judged as it says.
#![allow(clippy::print_stdout, reason = "a test says what it saw")]

mod common;

use cerco_filter::table::{Row, programs};
use cerco_model::{Dialect, Verdict};

fn check(row: &Row, wrong: &mut Vec<String>, count: &mut usize) {
    for (expected, command) in row.examples {
        *count += 1;
        let (verdict, why) = common::judge(command, Dialect::Bash, true);
        if verdict != *expected {
            wrong.push(format!(
                "{}: wants {}, got {}: {command} | {why}",
                row.kind,
                common::word(*expected),
                common::word(verdict)
            ));
        }
    }
    for (_, sub) in row.subs {
        check(sub, wrong, count);
    }
}

#[test]
fn examples_of_programs() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, row) in programs() {
        // Rows for Windows are shown in their own shells: tests/windows.rs.
        if *name == row.name
            && !["ps:", "cmd:", "win:"]
                .iter()
                .any(|front| name.starts_with(front))
        {
            check(row, &mut wrong, &mut count);
        }
    }
    wrong.dedup();
    println!("{} of {count} examples right", count - wrong.len());
    assert!(
        count > 0 && wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn examples_of_rules() {
    let mut wrong = Vec::new();
    for about in cerco_filter::rules() {
        assert!(
            about.matches.len() >= 2 && about.not.len() >= 2,
            "{}: two examples each",
            about.rule
        );
        for command in about.matches {
            let (verdict, why) = common::judge(command, Dialect::Bash, true);
            if verdict < about.verdict || !why.contains(&about.rule.id().into_owned()) {
                wrong.push(format!("{}: {command} is {verdict:?}: {why}", about.rule));
            }
        }
        for command in about.not {
            let (verdict, why) = common::judge(command, Dialect::Bash, true);
            if verdict != Verdict::Allowed && why.contains(&format!("{}@", about.rule)) {
                wrong.push(format!("{}: {command} is {verdict:?}: {why}", about.rule));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
