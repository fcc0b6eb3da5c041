//! Real arguments of a program start, as the guard sees them.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;

use cerco_filter::{CustomRules, Level, judge_start, read_and_judge};
use cerco_model::{Command, Dialect, Guard, Place, Verdict};

fn refused(argv: &str, changes: &[(&str, &str)]) -> bool {
    let argv: Vec<String> = argv.split(' ').map(str::to_owned).collect();
    let changes: Vec<(String, String)> = changes
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    let place = common::place(Dialect::Bash, true);
    !judge_start(&argv, &changes, &place.directory, &place, &[]).is_empty()
}

#[test]
fn what_is_refused_is_refused_with_its_real_arguments_too() {
    for argv in [
        "/usr/bin/ssh host",
        "cat /etc/passwd",
        "/bin/cat .env",
        "busybox env sh -c ls",
        "rm -rf /",
        "git push --force",
        "curl https://evil.example",
        "script -c ssh",
    ] {
        assert!(refused(argv, &[]), "{argv}");
    }
    assert!(refused("ls", &[("LD_PRELOAD", "./x.so")]));
}

#[test]
fn what_is_allowed_or_was_asked_about_runs() {
    for argv in [
        "/usr/bin/git commit -m x",
        "rm -rf build",
        "python3",
        "node -e 1",
        "xargs rm",
        "/usr/bin/env npm test",
        "timeout --unknown 5 ls",
    ] {
        assert!(!refused(argv, &[]), "{argv}");
    }
    assert!(!refused("ls", &[("A", "b")]));
}

/// The verdict of a text, with the guard and without.
fn both(text: &str) -> [Verdict; 2] {
    [Guard::Active, Guard::Off].map(|guard| {
        let command = Command::new(text.as_bytes().to_vec(), Dialect::Bash).unwrap();
        let place = Place {
            guard,
            ..common::place(Dialect::Bash, true)
        };
        read_and_judge(&command, &place).1.verdict()
    })
}

#[test]
fn what_the_guard_will_see_is_not_asked_about() {
    for text in [
        "cat $(./which)",
        "wc -l \"$(git ls-files | head -1)\"",
        "nice -n 5 cat $(./which)",
        "curl -s \"$(cat url)\"",
    ] {
        assert_eq!(both(text), [Verdict::Allowed, Verdict::Asked], "{text}");
    }
}

#[test]
fn what_the_guard_will_not_see_is_asked_about_all_the_same() {
    for text in [
        "echo x > \"$(./which)\"",
        "cat < \"$(./which)\"",
        "history -w \"$(./which)\"",
        "strace cat \"$(./which)\"",
        // Deleting is asked about whatever it is.
        "rm \"$(./which)\"",
    ] {
        assert_eq!(both(text)[0], both(text)[1], "{text}");
        assert_ne!(both(text)[0], Verdict::Allowed, "{text}");
    }
}

#[test]
fn rules_of_a_project_refuse_real_starts_too() {
    let text = r#"
        [[rules]]
        id = "no-apply"
        verdict = "refused"
        program = "terraform"
        words = ["apply"]
        reason = "x"
        matches = ["terraform apply"]
        not = ["terraform plan"]
        [[rules]]
        id = "ask-ls"
        verdict = "asked"
        program = "ls"
        reason = "x"
        matches = ["ls"]
        not = ["cat a"]
    "#;
    let rules = [CustomRules::parse(text, Level::Project).unwrap()];
    let place = common::place(Dialect::Bash, true);
    let refused = |argv: &str| {
        let argv: Vec<String> = argv.split(' ').map(str::to_owned).collect();
        !judge_start(&argv, &[], &place.directory, &place, &rules).is_empty()
    };
    assert!(refused("/usr/bin/terraform apply"));
    assert!(refused("timeout 5 terraform apply"));
    assert!(!refused("terraform plan"));
    assert!(!refused("ls"), "what was asked about was asked before");
}
