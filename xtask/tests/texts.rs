//! What must never stand in a committed file, and how files must begin.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use xtask::{files, root};

/// Registry hosts, kept apart here as they are in the product: label by label.
const HOSTS: &[&[&str]] = &[
    &["registry", "npmjs", "org"],
    &["pypi", "org"],
    &["files", "pythonhosted", "org"],
    &["static", "crates", "io"],
    &["index", "crates", "io"],
    &["deb", "debian", "org"],
    &["proxy", "golang", "org"],
];

fn is_rust(name: &str) -> bool {
    std::path::Path::new(name)
        .extension()
        .is_some_and(|e| e == "rs")
}

fn texts() -> Vec<(String, String)> {
    files()
        .unwrap()
        .into_iter()
        .filter_map(|name| {
            let text = std::fs::read_to_string(root().join(&name)).ok()?;
            Some((name, text))
        })
        .collect()
}

#[test]
fn no_registry_host_is_spelled_out() {
    let texts = texts();
    assert!(
        texts.len() > 20,
        "only {} files: the check would pass on nothing",
        texts.len()
    );
    for labels in HOSTS {
        let host = labels.join(".");
        for (name, text) in &texts {
            assert!(
                !text.contains(&host),
                "{name} spells out {host}: use the registry table"
            );
        }
    }
}

#[test]
fn the_npm_lock_file_records_no_download_address() {
    let mut lock_files = 0;
    for (name, text) in texts()
        .iter()
        .filter(|(name, _)| name.ends_with("package-lock.json"))
    {
        lock_files += 1;
        assert!(
            !text.contains("\"resolved\": \"http"),
            "{name} records download addresses"
        );
    }
    let has_page = root().join("web/package.json").exists();
    assert!(lock_files > 0 || !has_page, "the page has no lock file");
}

#[test]
fn rust_files_say_what_they_are_for() {
    for (name, text) in texts() {
        let is_product = name.contains("/src/");
        let is_rust = std::path::Path::new(&name)
            .extension()
            .is_some_and(|e| e == "rs");
        if is_product && is_rust {
            assert!(
                text.starts_with("//!"),
                "{name} does not begin with a `//!` header"
            );
        }
    }
}

#[test]
fn no_test_is_switched_off() {
    let marks = [
        concat!("#[", "ignore"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
    ];
    for (name, text) in texts().iter().filter(|(name, _)| is_rust(name)) {
        for mark in marks {
            assert!(!text.contains(mark), "{name} has {mark}");
        }
    }
}

#[test]
fn unsafe_lives_in_cerco_sys_only() {
    for (name, text) in texts()
        .iter()
        .filter(|(name, _)| name.ends_with("/src/lib.rs"))
    {
        if !name.starts_with("crates/cerco-sys/") {
            assert!(
                text.contains("#![forbid(unsafe_code)]"),
                "{name} does not forbid unsafe code"
            );
        }
    }
}
