//! `docs/rules.md` is what the rules say of themselves; `UPDATE=1` writes it anew.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write;
use std::path::PathBuf;

#[test]
fn the_rule_reference_is_true() {
    let mut text = String::from(
        "# Rules\n\nGenerated from the rules themselves (`UPDATE=1 cargo test -p cerco-filter --test reference`). The verdict of a command is the worst of its parts.\n",
    );
    for about in cerco_filter::rules() {
        let _ = write!(
            text,
            "\n## {} ({})\n\n{}\n\nInstead: {}.\n\nApplies to:\n\n",
            about.rule,
            about.verdict.word(),
            about.sentence,
            about.instead
        );
        for example in about.matches {
            let _ = writeln!(text, "    {example}");
        }
        text.push_str("\nDoesn't apply to:\n\n");
        for example in about.not {
            let _ = writeln!(text, "    {example}");
        }
    }
    let names = cerco_filter::table::programs();
    let _ = write!(
        text,
        "\n## Programs\n\n{} names are in the program table:\n\n",
        names.len()
    );
    for (name, row) in names {
        if *name == row.name {
            let _ = writeln!(text, "- `{name}`: {}", row.about);
        }
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        text,
        "run with UPDATE=1"
    );
}
