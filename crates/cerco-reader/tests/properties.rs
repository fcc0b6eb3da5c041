//! What holds of every reading, on any text.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod common;

use cerco_model::Dialect;
use cerco_reader::Reading;
use common::{read_text, usual_place};
use proptest::prelude::*;

/// Texts made of what shells react to, and of anything.
fn texts() -> impl Strategy<Value = String> {
    let bit = prop_oneof![
        4 => prop::sample::select(vec![
            "$", "(", ")", "{", "}", "'", "\"", "`", "\\", "\n", ";", "&", "|", "<", ">", "&&",
            "||", "$(", "$((", "))", "${", "<(", "<<", "#", "~", "*", "[", "]", "!", "=", " ",
            "evil", "x=", "$x", "if ", "then ", "fi", "for x in ", "do ", "done", "case ", "in ",
            "esac", "f() ", "[[ ", " ]]", "{a,b}", "$'", "é", "<<E\n", "\nE\n", "cd ..", "echo ",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_filter("no NUL in a command", |c| *c != '\0').prop_map(String::from),
    ];
    prop::collection::vec(bit, 0..24).prop_map(|bits| bits.concat())
}

fn names(reading: &Reading<()>) -> Vec<String> {
    reading
        .starts
        .iter()
        .map(|s| common::show(&s.name.text))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_part_lies_in_the_text(text in texts(), sh in any::<bool>()) {
        let dialect = if sh { Dialect::Sh } else { Dialect::Bash };
        let reading = read_text(&text, dialect, &usual_place());
        let parts = reading.starts.iter().flat_map(|s| {
            [s.part, s.name.part].into_iter().chain(s.args.iter().map(|a| a.part))
        });
        let parts = parts
            .chain(reading.doubts.iter().map(|d| d.part))
            .chain(reading.assignments.iter().map(|a| a.part))
            .chain(reading.endless_loops.iter().copied());
        for part in parts {
            prop_assert!(part.of(&text).is_some(), "{part:?} in {text:?}");
        }
    }

    /// Appending a command never takes away what was found, as long as the text is read.
    #[test]
    fn a_command_behind_it_hides_nothing(text in texts()) {
        // A backslash at the end would quote the separator.
        prop_assume!(!text.ends_with('\\'));
        let place = usual_place();
        let before = read_text(&text, Dialect::Bash, &place);
        let after = read_text(&format!("{text}; last one"), Dialect::Bash, &place);
        if after.doubts.is_empty() {
            prop_assert!(before.doubts.is_empty(), "{text:?} {:?}", before.doubts);
            let after = names(&after);
            for name in names(&before) {
                prop_assert!(after.contains(&name), "{name} in {text:?}");
            }
        }
    }
}

#[test]
fn bombs_end_in_a_doubt_or_are_read() {
    let place = usual_place();
    for (open, count) in [
        ("(", 20_000),
        ("$(", 5_000),
        ("${x:-", 5_000),
        ("{ ", 5_000),
        ("if ", 3_000),
        ("[[ (", 5_000),
        ("\"$(", 3_000),
        ("$((((", 5_000),
        ("a | ", 20_000),
        ("a && ", 20_000),
        ("${a[${b:-", 5_000),
        ("`\\", 5_000),
        ("{a,b}", 60),
        ("x=$x$x;", 2_000),
        ("for i in 1 2; do x=$x$i;", 50),
        ("f() { f; }; f;", 2_000),
        ("eval 'eval ", 500),
        ("<<E ", 2_000),
        ("cat <<'' <<''\nx\n\n\n", 1),
        ("cat <<E\nx\nE\n", 20_000),
    ] {
        let text = open.repeat(count);
        let began = std::time::Instant::now();
        let reading = read_text(&text, Dialect::Bash, &place);
        assert!(
            !reading.doubts.is_empty()
                || !reading.starts.is_empty()
                || !reading.assignments.is_empty(),
            "{open:?} × {count} was read as nothing"
        );
        assert!(
            began.elapsed().as_secs() < 10,
            "{open:?} × {count} took too long"
        );
    }
}
