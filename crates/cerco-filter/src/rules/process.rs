//! Rule `process`: Ending processes or the machine.

use cerco_model::{Rule, Verdict};

use super::About;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Process,
    verdict: Verdict::Refused,
    sentence: "Ending processes or the machine.",
    reason: "`{}` ends processes or the machine",
    instead: "start things so that they end by themselves (`timeout 20 …`); Cerco stops what a command left behind",
    matches: &["kill -9 1234", "npx kill-port 3000", "shutdown -h now"],
    not: &["grep -n kill src/a.c", "npm install kill-port --save-dev"],
};
