//! Rule `permissions`: Changing or gaining permissions.

use cerco_model::{Rule, Verdict};

use super::About;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Permissions,
    verdict: Verdict::Refused,
    sentence: "Changing or gaining permissions.",
    reason: "`{}` changes or gains permissions",
    instead: "run a script through its program (`node x.js`, `python3 x.py`), or ask a person to change the permission",
    matches: &["chmod +x run.sh", "sudo make install"],
    not: &["git log --author=sudo", "ls -l run.sh"],
};
