//! Rule `publish`: Publishing a package, or undoing that.

use cerco_model::{Rule, Verdict};

use super::About;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Publish,
    verdict: Verdict::Refused,
    sentence: "Publishing a package, or undoing that.",
    reason: "`{}` publishes a package or undoes that",
    instead: "let a person publish it from the terminal; `npm pack --dry-run` shows what would go out",
    matches: &[
        "npm publish",
        "cargo yank serde --version 1.0.0",
        "docker push org/app:1.0",
    ],
    not: &["npm pack --dry-run", "node scripts/publish-docs.js"],
};
