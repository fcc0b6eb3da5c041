//! Real arguments of a program start, as the guard sees them.

mod common;

use cerco_filter::judge_start;
use cerco_model::Dialect;

fn refused(argv: &str, changes: &[(&str, &str)]) -> bool {
    let argv: Vec<String> = argv.split(' ').map(str::to_owned).collect();
    let changes: Vec<(String, String)> = changes
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    let place = common::place(Dialect::Bash, true);
    !judge_start(&argv, &changes, &place.directory, &place).is_empty()
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
