//! The arrows of DESIGN §2 (ARCHITECTURE.md "Crates"): which crate may use which.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeMap;

use xtask::{dependencies, members, metadata, name};

/// What each crate may use of the workspace in its product code.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("cerco-model", &[] as &[_]),
        ("cerco-reader", &["cerco-model"]),
        ("cerco-filter", &["cerco-model", "cerco-reader"]),
        ("cerco-decide", &["cerco-model"]),
        ("cerco-sys", &["cerco-model"]),
        ("cerco-sandbox", &["cerco-model", "cerco-sys"]),
        (
            "cerco-run",
            &[
                "cerco-model",
                "cerco-sys",
                "cerco-sandbox",
                "cerco-egress",
                "cerco-filter",
            ],
        ),
        ("cerco-egress", &["cerco-filter", "cerco-sys"]),
        ("cerco-files", &["cerco-model", "cerco-sys"]),
        (
            "cerco-gateway",
            &[
                "cerco-model",
                "cerco-filter",
                "cerco-decide",
                "cerco-sys",
                "cerco-sandbox",
                "cerco-run",
                "cerco-files",
            ],
        ),
        ("cerco-agents", &["cerco-model", "cerco-gateway"]),
    ])
}

/// Crates that no pure crate may use: they do IO, keep time or start threads.
const IMPURE: &[&str] = &[
    "tokio",
    "axum",
    "rusqlite",
    "rustix",
    "libc",
    "nix",
    "portable-pty",
];
const PURE: &[&str] = &[
    "cerco-model",
    "cerco-reader",
    "cerco-filter",
    "cerco-decide",
];

#[test]
fn every_arrow_is_in_the_table() {
    let metadata = metadata().unwrap();
    let allowed = allowed();
    let mut wrong = Vec::new();
    for package in members(&metadata) {
        for (dependency, kind) in dependencies(package) {
            let ours = dependency.starts_with("cerco");
            let may = match allowed.get(name(package)) {
                // The binary and the house checks may use everything.
                None => matches!(name(package), "cerco" | "xtask" | "cerco-oracle"),
                Some(list) => list.contains(&dependency),
            };
            if ours && kind == "normal" && !may {
                wrong.push(format!("{} must not use {dependency}", name(package)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pure_crates_use_nothing_that_acts() {
    let metadata = metadata().unwrap();
    let mut seen = 0;
    for package in members(&metadata).filter(|p| PURE.contains(&name(p))) {
        seen += 1;
        for (dependency, kind) in dependencies(package) {
            assert!(
                kind != "normal" || !IMPURE.contains(&dependency),
                "{} is pure and must not use {dependency}",
                name(package)
            );
        }
    }
    assert!(
        seen > 0,
        "no pure crate found: the check would pass on nothing"
    );
}
