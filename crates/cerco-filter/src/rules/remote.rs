//! Rule `remote`: Reaching another machine.

use cerco_model::{Rule, Verdict};

use super::About;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Remote,
    verdict: Verdict::Refused,
    sentence: "Reaching another machine.",
    reason: "`{}` reaches another machine",
    instead: "do it in the terminal yourself; in a command, work on files of the loop",
    matches: &[
        "ssh host ls",
        "kubectl exec -it pod -- ls",
        "docker -H ssh://host ps",
    ],
    not: &["git log --grep=ssh", "kubectl get pods", "echo ssh"],
};
