//! What the desk's tests share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "each test file uses its own part of it, and a test may stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use cerco_decide::{BoardId, Moment, Now, Request, Who};
use cerco_model::{
    Command, Dialect, Finding, Guard, Judgement, Kind, NoTree, Part, Place, Role, Rule,
    SandboxState, TimeClass, Verdict,
};

pub(crate) fn now(ms: u64) -> Now {
    Now {
        moment: Moment(Duration::from_millis(ms)),
        unix_ms: ms,
    }
}

pub(crate) fn board() -> BoardId {
    BoardId("site".into())
}

/// A judgement that asks for `kinds`, or refuses.
pub(crate) fn judgement(kinds: &[&'static str], refused: bool) -> Judgement {
    let finding = |verdict, kind| Finding {
        rule: Rule::GitChange,
        verdict,
        part: Part::default(),
        reason: "".into(),
        remedy: None,
        kind,
    };
    let mut findings: Vec<Finding> = kinds
        .iter()
        .map(|k| finding(Verdict::Asked, Some(Kind::fixed(k))))
        .collect();
    if refused {
        findings.push(finding(Verdict::Refused, None));
    }
    Judgement::new(findings, Vec::new(), TimeClass::Quick)
}

pub(crate) fn request(role: usize, kinds: &[&'static str], refused: bool, text: &str) -> Request {
    let place = Place {
        project: "/p".into(),
        loop_folder: "/p/a".into(),
        directory: "/p/a".into(),
        other_loops: Vec::new(),
        home: "/home/u".into(),
        user: "u".into(),
        environment: BTreeMap::from([("PATH".into(), "/usr/bin".into())]),
        sandbox: SandboxState::On,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    };
    let who = Who {
        board: board(),
        loop_name: "a".into(),
        bubble: "b1".into(),
        role: Role::built_in().into_iter().nth(role).unwrap(),
    };
    let command = Command::new(text.into(), Dialect::Bash).unwrap();
    Request::new(who, command, &place, judgement(kinds, refused))
}
