//! What the filter found in a command.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Kind, Part, Rule, Verdict};

/// One reason why a command is asked about or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule it comes from.
    pub rule: Rule,
    /// What this finding alone would make of the command; never [`Verdict::Allowed`].
    pub verdict: Verdict,
    /// The part of the text that decided.
    pub part: Part,
    /// One sentence a person understands.
    pub reason: Cow<'static, str>,
    /// What to do instead, in words an agent can act on.
    pub remedy: Option<Cow<'static, str>>,
    /// For asked findings, what a grant would cover.
    pub kind: Option<Kind>,
}

/// How long a command may run (SPEC §4): decided by the strictest reading of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeClass {
    /// Two minutes.
    #[default]
    Quick,
    /// Ten minutes: a part is a package manager, a compiler, a build tool or a test runner.
    Long,
}

/// One program start as it is shown to people and written to JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Started {
    /// The program's name as the shell would look it up; `?` stands for what isn't known.
    pub name: String,
    /// The arguments after it; `?` stands for what isn't known.
    pub args: Vec<String>,
    /// The directory it starts in, or nothing where that isn't known.
    pub directory: Option<String>,
    /// The part of the text that starts it.
    pub part: Part,
}

/// The filter's answer to one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    findings: Vec<Finding>,
    /// Every program the command would start, in the order of the text.
    pub programs: Vec<Started>,
    /// How long it may run.
    pub time: TimeClass,
}

impl Judgement {
    /// Puts a judgement together; the verdict follows from the findings and can't be set.
    #[must_use]
    pub fn new(findings: Vec<Finding>, programs: Vec<Started>, time: TimeClass) -> Self {
        Self {
            findings,
            programs,
            time,
        }
    }

    /// The worst of its findings; [`Verdict::Allowed`] only when there are none.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.findings
            .iter()
            .map(|f| f.verdict)
            .fold(Verdict::Allowed, Verdict::worst)
    }

    /// What was found, in the order of the text.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The kinds that would have to be answered, each once, in the order of the text.
    /// Empty unless the verdict is [`Verdict::Asked`].
    #[must_use]
    pub fn asked_kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        if self.verdict() == Verdict::Asked {
            for finding in &self.findings {
                // An asked finding without a kind can't be granted, so it counts as unclear.
                let kind = finding.kind.clone().unwrap_or(Kind::UNCLEAR);
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        kinds
    }
}
