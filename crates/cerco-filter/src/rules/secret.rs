//! Rule `secret`: a file that looks like a secret. The names are in `paths::secret`.

use cerco_model::{Part, Rule, Verdict};

use super::{About, Findings, reason};

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Secret,
    verdict: Verdict::Refused,
    sentence: "A file that looks like a secret: by name, letter case, pattern, redirection or git path.",
    reason: "`{}` looks like a file that holds a secret",
    instead: "use an example file (`.env.example`), or ask a person for the one value that is needed",
    matches: &[
        "cat .env",
        "cat .e*",
        "git show HEAD:.env",
        "cp keys/id_ed25519 x",
    ],
    not: &[
        "cat .env.example",
        "grep -n '.env' .gitignore",
        "cat src/env.ts",
    ],
};

/// A secret is named.
pub(crate) fn named(shown: &str, part: Part, out: &mut Findings) {
    out.refuse(
        Rule::Secret,
        part,
        reason(&ABOUT, shown),
        Some(ABOUT.instead.into()),
    );
}
