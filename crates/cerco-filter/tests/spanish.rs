//! Every sentence that a person may read has its Spanish one in `spanish.txt`: those of the
//! rules and the program table, and whatever the worked cases bring about.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cerco_model::Command;
use common::{cases, dialect, expand, place};

/// An English sentence with its gaps, and the Spanish one.
type Pair = (String, String);

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn table() -> Vec<Pair> {
    let text = std::fs::read_to_string(here("spanish.txt")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    lines
        .split(|line| line.is_empty())
        .filter(|block| !block.is_empty())
        .map(|block| match block {
            [english, spanish] => ((*english).to_owned(), (*spanish).to_owned()),
            other => panic!("an English line and a Spanish one belong together: {other:?}"),
        })
        .collect()
}

/// Whether the text is the sentence with its gaps filled; a `{…}` with a sentence of the table.
fn fits(table: &[Pair], sentence: &str, text: &str) -> bool {
    if let Some(front) = sentence.strip_suffix("{…}") {
        // What is written in the gaps may itself look like the sentence: any end will do.
        return (0..=text.len())
            .filter_map(|at| text.split_at_checked(at))
            .any(|(head, rest)| fits(&[], front, head) && is_known(table, rest));
    }
    let Some((front, rest)) = sentence.split_once("{}") else {
        return sentence == text;
    };
    let Some(text) = text.strip_prefix(front) else {
        return false;
    };
    (0..=text.len())
        .filter_map(|at| text.split_at_checked(at))
        .any(|(_, after)| fits(table, rest, after))
}

fn is_known(table: &[Pair], text: &str) -> bool {
    table.iter().any(|(english, _)| fits(table, english, text))
}

/// What the cases bring about.
fn of_cases() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for file in [
        "filter.jsonl",
        "filter-more.jsonl",
        "filter-probes.jsonl",
        "filter-wide.jsonl",
        "filter-windows.jsonl",
    ] {
        for case in cases(file) {
            let dialect = dialect(&case.dialect);
            let Ok(command) = Command::new(expand(&case.command).into_bytes(), dialect) else {
                continue;
            };
            let (_, judgement) =
                cerco_filter::read_and_judge(&command, &place(dialect, case.sandbox == Some(true)));
            for finding in judgement.findings() {
                all.insert(finding.reason.to_string());
                all.extend(finding.remedy.as_ref().map(ToString::to_string));
            }
        }
    }
    all
}

/// What the rows of the program table say themselves.
fn of_table() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut folders = vec![here("programs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for key in [" reason = ", " remedy = "] {
                for rest in text.split(key).skip(1) {
                    // A TOML string, which JSON reads alike; `--reason = text` is none.
                    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                    all.extend(values.next().and_then(Result::ok));
                }
            }
        }
    }
    all
}

#[test]
fn every_sentence_has_its_spanish_one() {
    let table = table();
    let rules = cerco_filter::rules();
    let mut all = of_table();
    assert!(all.len() > 40, "the table's sentences aren't found");
    for about in rules {
        all.insert(about.reason.replace("{}", "x"));
        all.insert(about.instead.to_owned());
    }
    // An address's reason is only what was found out about it.
    all.remove("x");
    all.extend(of_cases());
    let missing: Vec<&String> = all.iter().filter(|text| !is_known(&table, text)).collect();
    assert!(
        missing.is_empty(),
        "crates/cerco-filter/spanish.txt lacks {}:\n{missing:#?}",
        missing.len()
    );
}

#[test]
fn a_sentence_stands_once_and_keeps_its_gaps() {
    let table = table();
    let mut seen = BTreeSet::new();
    for (english, spanish) in &table {
        assert!(seen.insert(english), "twice: {english}");
        for gap in ["{}", "{…}"] {
            assert_eq!(
                english.matches(gap).count(),
                spanish.matches(gap).count(),
                "{english}"
            );
        }
    }
}
