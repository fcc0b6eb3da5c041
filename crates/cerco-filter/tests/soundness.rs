//! What must hold for every text: nothing panics, and more text never softens a verdict.

mod common;

use cerco_model::{Dialect, Verdict};
use proptest::prelude::*;

#[test]
fn a_command_behind_softens_nothing() {
    let mut wrong = Vec::new();
    for file in ["filter.jsonl", "filter-more.jsonl"] {
        for case in common::cases(file).iter().filter(|c| c.dialect == "posix") {
            let sandbox = case.sandbox.unwrap_or(true);
            let (alone, _) = common::judge(&case.command, Dialect::Bash, sandbox);
            for more in ["\nls", "\ngit status\necho x"] {
                let text = format!("{}{more}", case.command);
                let (longer, why) = common::judge(&text, Dialect::Bash, sandbox);
                if longer < alone {
                    wrong.push(format!(
                        "{} {alone:?} became {longer:?}: {text:.120} | {why}",
                        case.id
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} softened:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn fragment() -> impl Strategy<Value = String> {
    let known = [
        "ls",
        "git",
        "commit",
        "-m",
        "push",
        "rm",
        "-rf",
        "~",
        "/",
        "..",
        "*",
        "$X",
        "$(",
        ")",
        "`",
        "\"",
        "'",
        "|",
        "&&",
        ";",
        "\n",
        "xargs",
        "-I{}",
        "{}",
        "find",
        "-exec",
        "\\;",
        "+",
        "env",
        "A=b",
        "timeout",
        "5",
        "ssh",
        ".env",
        "https://",
        "github.com",
        "@",
        ":",
        "=",
        "--",
        "--file=",
        "-C",
        "awk",
        "{system(\"x\")}",
        "sed",
        "s/a/b/e",
        "python3",
        "-c",
        "<<EOF\nx\nEOF\n",
        ">",
        "<",
        "2>&1",
        "é",
        "\u{200b}",
        "{a,b}",
        "[",
        "]",
        "npm",
        "run",
        "dev",
        "tar",
        "czf",
        "docker",
        "-v",
        "parallel",
        ":::",
        "curl",
        "-d",
    ];
    proptest::sample::select(known.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_parts_fit(words in proptest::collection::vec((fragment(), any::<bool>()), 0..14)) {
        let text: String = words.iter().map(|(w, blank)| if *blank { format!("{w} ") } else { w.clone() }).collect();
        let Ok(command) = cerco_model::Command::new(text.clone().into_bytes(), Dialect::Bash) else { return Ok(()) };
        let place = common::place(Dialect::Bash, true);
        let (_, judgement) = cerco_filter::read_and_judge(&command, &place);
        for finding in judgement.findings() {
            prop_assert!(finding.part.of(&text).is_some(), "{:?} in {text:?}", finding.part);
        }
    }

    #[test]
    fn a_bad_command_in_front_stays_bad(words in proptest::collection::vec(fragment(), 0..8)) {
        let (verdict, why) = common::judge(&format!("ssh host\n{}", words.join(" ")), Dialect::Bash, true);
        prop_assert_eq!(verdict, Verdict::Refused, "{}", why);
    }
}
