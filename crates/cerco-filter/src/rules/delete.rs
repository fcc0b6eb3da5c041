//! Rule `delete`: deleting inside the loop's folder.

use cerco_model::{Kind, Part, Rule, Verdict};

use super::{About, Findings, reason};

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Delete,
    verdict: Verdict::Asked,
    sentence: "Deleting inside the loop's folder.",
    reason: "`{}` would be deleted",
    instead: "clean with the build tool (`cargo clean`, `make clean`), which isn't asked about",
    matches: &[
        "rm old.ts",
        "find . -name '*.tmp' -delete",
        "npx rimraf dist",
    ],
    not: &["cargo clean", "git clean -n", "echo rm -rf build"],
};

/// A path inside the loop's folder is deleted.
pub(crate) fn inside(shown: &str, part: Part, out: &mut Findings) {
    out.ask(
        Rule::Delete,
        part,
        reason(&ABOUT, shown),
        Kind::DELETE_FILES,
    );
}
