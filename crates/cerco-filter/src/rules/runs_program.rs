//! Rule `runs-program`: an option that names a program to run, where the program itself is allowed.

use cerco_model::{Kind, Rule, Verdict};

use super::{About, Case, Findings, reason};
use crate::table::{Meaning, action, name_and_row};
use crate::text::shown;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::RunsProgram,
    verdict: Verdict::Asked,
    sentence: "An option that names a program to run.",
    reason: "it makes the program run `{}`",
    instead: "run that program by itself, in a command of its own",
    matches: &["rg --pre ./x foo", "sort --compress-program=./x a.txt"],
    not: &[
        "tar -xf a.tar --use-compress-program=zstd",
        "find . -type f -exec wc -l {} +",
    ],
};

/// Programs that only pack and unpack what is piped through them.
const COMPRESSORS: &[&str] = &[
    "gzip", "gunzip", "pigz", "unpigz", "bzip2", "bunzip2", "pbzip2", "lbzip2", "xz", "unxz",
    "pixz", "zstd", "unzstd", "zstdmt", "pzstd", "lz4", "lzop", "lzma", "brotli", "compress",
    "cat",
];

/// Looks at options that name programs.
pub(crate) fn judge(case: &Case<'_>, out: &mut Findings) {
    for used in &case.bound().uses {
        let text = used.value.text(&case.start.args);
        let runs = match used.meaning {
            Meaning::Program | Meaning::Command => true,
            Meaning::Action => action(text).is_some(),
            _ => false,
        };
        if !runs {
            continue;
        }
        let first = text.known().and_then(|t| t.split_ascii_whitespace().next());
        let harmless = first.is_some_and(|name| {
            !name.contains('/') && COMPRESSORS.contains(&name_and_row(name).0.as_str())
        });
        if text.known() == Some("") || harmless {
            continue;
        }
        let option = used.option.and_then(|o| o.names.first()).unwrap_or(&"");
        let words = case.last_row().map_or("", |row| row.kind);
        let kind = format!("{words} {option}");
        out.ask(
            Rule::RunsProgram,
            used.part,
            reason(&ABOUT, &shown(text)),
            Kind::named(kind.trim_end()),
        );
    }
}
