//! Every direct dependency is a decision with a line in DEPENDENCIES.md, and every
//! licence in the tree is one that deny.toml allows.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::collections::BTreeSet;

use serde_json::Value;
use xtask::{dependencies, members, metadata, name, root};

#[test]
fn each_direct_dependency_has_its_line() {
    let metadata = metadata().unwrap();
    let text = std::fs::read_to_string(root().join("DEPENDENCIES.md")).unwrap();
    let listed: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|line| line.split(" |").next())
        .map(|cell| cell.trim_matches('`'))
        .collect();
    let used: BTreeSet<&str> = members(&metadata)
        .flat_map(dependencies)
        .map(|(dependency, _)| dependency)
        .filter(|dependency| !dependency.starts_with("cerco") && *dependency != "xtask")
        .collect();
    let missing: Vec<_> = used.difference(&listed).collect();
    assert!(
        missing.is_empty(),
        "no line in DEPENDENCIES.md: {missing:?}"
    );
}

#[test]
fn every_licence_is_allowed() {
    let metadata = metadata().unwrap();
    let deny: toml::Table = std::fs::read_to_string(root().join("deny.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let allow: BTreeSet<&str> = deny["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|v| v.as_str())
        .collect();
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let licence = package["license"].as_str().unwrap_or_default();
        if !satisfied(licence, &allow) {
            wrong.push(format!("{}: {licence:?}", name(package)));
        }
    }
    assert!(
        wrong.is_empty(),
        "licences that deny.toml does not allow: {wrong:#?}"
    );
}

#[test]
fn every_package_comes_from_the_registry() {
    let metadata = metadata().unwrap();
    let foreign: Vec<&str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|p| !matches!(&p["source"], Value::Null))
        .filter(|p| {
            !p["source"]
                .as_str()
                .unwrap_or_default()
                .starts_with("registry+")
        })
        .map(name)
        .collect();
    assert!(foreign.is_empty(), "not from the registry: {foreign:?}");
}

/// Whether an SPDX expression can be met with the allowed licences. `/` is the old
/// spelling of OR; brackets only ever group alternatives joined by AND in our tree.
fn satisfied(expression: &str, allow: &BTreeSet<&str>) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    expression.split(" AND ").all(|part| {
        part.split(" OR ").any(|licence| {
            let licence = licence.trim();
            allow.contains(licence)
        })
    }) && !expression.trim().is_empty()
}

#[test]
fn the_licence_reader_is_not_fooled() {
    let allow = BTreeSet::from(["MIT", "Unicode-3.0"]);
    for (expression, expected) in [
        ("MIT OR Apache-2.0", true),
        ("Apache-2.0/MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("", false),
    ] {
        assert_eq!(satisfied(expression, &allow), expected, "{expression}");
    }
}
