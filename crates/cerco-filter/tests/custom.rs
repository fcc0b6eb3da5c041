//! Custom rules: sample files, what they change, and what they can't.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;

use std::path::PathBuf;

use cerco_filter::{CustomRules, Level, read_and_judge};
use cerco_model::{Command, Dialect, Verdict};

fn samples(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../cases/custom-rules")
        .join(folder);
    let files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.display().to_string(),
                std::fs::read_to_string(path).unwrap(),
            )
        })
        .collect();
    assert!(!files.is_empty());
    files
}

fn level(name: &str) -> Level {
    if name.contains("user") {
        Level::User
    } else {
        Level::Project
    }
}

#[test]
fn valid_samples_load() {
    for (name, text) in samples("valid") {
        assert!(CustomRules::parse(&text, level(&name)).is_ok(), "{name}");
    }
}

#[test]
fn invalid_samples_say_where_and_why() {
    for (name, text) in samples("invalid") {
        let expected = text.lines().next().unwrap().trim_start_matches("# ");
        let errors = CustomRules::parse(&text, level(&name)).unwrap_err();
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(
            told.iter().any(|t| t.contains(expected)
                || expected
                    .split_once(": ")
                    .is_some_and(|(line, why)| t.starts_with(line) && t.contains(why))),
            "{name}: {told:?}"
        );
    }
}

fn verdict(rules: &CustomRules, command: &str) -> Verdict {
    let command = Command::new(command.as_bytes().to_vec(), Dialect::Bash).unwrap();
    let place = common::place(Dialect::Bash, true);
    let (reading, judgement) = read_and_judge(&command, &place);
    rules.apply(&reading, judgement).verdict()
}

#[test]
fn a_project_makes_things_stricter() {
    let (_, text) = samples("valid")
        .into_iter()
        .find(|(n, _)| n.contains("project"))
        .unwrap();
    let rules = CustomRules::parse(&text, Level::Project).unwrap();
    assert_eq!(
        verdict(&rules, "timeout 5 terraform apply"),
        Verdict::Refused
    );
    assert_eq!(verdict(&rules, "npm install x"), Verdict::Asked);
    assert_eq!(verdict(&rules, "npm ci"), Verdict::Allowed);
    assert_eq!(
        verdict(&rules, "npm \"$(cat x)\""),
        Verdict::Asked,
        "what isn't known may be the word"
    );
}

#[test]
fn a_person_allows_kinds_but_no_refusal() {
    let (_, text) = samples("valid")
        .into_iter()
        .find(|(n, _)| n.contains("user"))
        .unwrap();
    let rules = CustomRules::parse(&text, Level::User).unwrap();
    assert_eq!(verdict(&rules, "git commit -m x"), Verdict::Allowed);
    assert_eq!(verdict(&rules, "rm a.txt"), Verdict::Allowed);
    assert_eq!(verdict(&rules, "git push"), Verdict::Asked);
    assert_eq!(verdict(&rules, "rm -rf /"), Verdict::Refused);
    assert_eq!(verdict(&rules, "git commit"), Verdict::Refused);
    assert_eq!(rules.hosts(), ["npm.example.org", "*.corp.example"]);
}

#[test]
fn every_kind_that_an_ask_shows_can_be_allowed() {
    let mut seen = 0;
    for file in ["filter.jsonl", "filter-more.jsonl", "filter-wide.jsonl"] {
        for case in common::cases(file) {
            let Ok(command) = Command::new(
                common::expand(&case.command).into_bytes(),
                common::dialect(&case.dialect),
            ) else {
                continue;
            };
            let place = common::place(command.dialect(), true);
            let (_, judgement) = read_and_judge(&command, &place);
            let kinds = judgement.findings().iter().filter_map(|f| f.kind.as_ref());
            for kind in kinds.filter(|kind| kind.is_grantable()) {
                seen += 1;
                let text = format!("[allow]\nkinds = [{:?}]\n", kind.as_str());
                let rules = CustomRules::parse(&text, Level::User);
                assert!(rules.is_ok(), "{}: {:?}", case.command, rules.err());
            }
        }
    }
    assert!(seen > 100, "only {seen} kinds were seen");
}
