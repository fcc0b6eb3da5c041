//! The rules of SPEC §3.2, one file each. A rule is a pure function over a program start (or
//! another thing that was read) that may add findings; none can take one away.

pub(crate) mod address;
pub(crate) mod delete;
pub(crate) mod endless;
pub(crate) mod git;
pub(crate) mod inline_code;
pub(crate) mod kinds;
pub(crate) mod marks;
pub(crate) mod path;
pub(crate) mod permissions;
pub(crate) mod process;
pub(crate) mod proxies;
pub(crate) mod publish;
pub(crate) mod remote;
pub(crate) mod runs_program;
pub(crate) mod secret;
pub(crate) mod shell;
pub(crate) mod shell_state;
pub(crate) mod tools;
pub(crate) mod unreadable;
pub(crate) mod windows;

use std::borrow::Cow;

use cerco_model::{Finding, Guard, Kind, Part, Place, Rule, Verdict};
use cerco_reader::{Directory, Reading, Start, StartedBy};

use crate::table::{Bound, Facts, Row};

/// What a rule is, for people: its sentence, its way out, and commands that show it.
#[derive(Debug)]
pub struct About {
    /// The rule.
    pub rule: Rule,
    /// What it says of a command it applies to.
    pub verdict: Verdict,
    /// What it is about, in one sentence.
    pub sentence: &'static str,
    /// Why a command is stopped; `{}` stands for what was written.
    pub reason: &'static str,
    /// What to do instead.
    pub instead: &'static str,
    /// Commands it applies to.
    pub matches: &'static [&'static str],
    /// Commands it doesn't apply to, though they look alike.
    pub not: &'static [&'static str],
}

/// Every rule, in the order of SPEC §3.2.
#[must_use]
pub fn all() -> [&'static About; 16] {
    [
        &shell::ABOUT,
        &shell_state::ABOUT,
        &remote::ABOUT,
        &process::ABOUT,
        &permissions::ABOUT,
        &git::DESTRUCTIVE,
        &publish::ABOUT,
        &path::ABOUT,
        &secret::ABOUT,
        &address::ABOUT,
        &endless::ABOUT,
        &unreadable::ABOUT,
        &git::CHANGE,
        &delete::ABOUT,
        &inline_code::ABOUT,
        &runs_program::ABOUT,
    ]
}

/// What is known of a rule.
pub(crate) fn about(rule: &Rule) -> Option<&'static About> {
    all().into_iter().find(|about| about.rule == *rule)
}

/// A program start with everything around it that rules look at.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) reading: &'a Reading<Bound>,
    pub(crate) start: &'a Start<Bound>,
    pub(crate) place: &'a Place<'a>,
}

impl<'a> Case<'a> {
    pub(crate) fn bound(&self) -> &'a Bound {
        &self.start.bound
    }

    pub(crate) fn facts(&self) -> Facts<'a> {
        Facts {
            bound: &self.start.bound,
            args: &self.start.args,
            assignments: &self.start.assignments,
            stdin: &self.start.stdin,
            output: Some(self.start.output),
        }
    }

    /// Whether the guard will see this start with its real arguments: one that the shell
    /// makes, or a program that it starts to pass them on. It sees no builtin, and of what
    /// a script of the project starts it judges nothing.
    pub(crate) fn is_guarded(&self) -> bool {
        self.place.guard == Guard::Active
            && match self.start.by {
                StartedBy::Shell => true,
                StartedBy::Builtin => false,
                StartedBy::Start(_) => self.parents().all(|parent| {
                    let name = parent.name.text.known().unwrap_or_default();
                    let name = name.rsplit('/').next().unwrap_or_default();
                    crate::guard::PASS_ON.contains(&name)
                }),
            }
    }

    /// The start that started this one, and the one before, outwards.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &'a Start<Bound>> {
        let reading = self.reading;
        let mut by = self.start.by;
        // A parent stands in front of its children, so this ends; the count makes sure.
        let mut left = reading.starts.len();
        std::iter::from_fn(move || {
            let StartedBy::Start(index) = by else {
                return None;
            };
            left = left.checked_sub(1)?;
            let start = reading.starts.get(index as usize)?;
            by = start.by;
            Some(start)
        })
    }

    /// Whether it sees another file system than ours.
    pub(crate) fn is_in_container(&self) -> bool {
        self.parents()
            .any(|start| start.bound.levels.iter().any(|row| row.container))
    }

    /// Whether its unknown arguments come from the input of `xargs` or `parallel`.
    pub(crate) fn is_fed(&self) -> bool {
        self.parents().any(|start| {
            start
                .bound
                .row()
                .is_some_and(|row| matches!(row.name, "xargs" | "parallel"))
        })
    }

    /// The directory that its relative paths begin in.
    pub(crate) fn directory(&self) -> &'a Directory {
        self.start
            .bound
            .directory
            .as_ref()
            .unwrap_or(&self.start.directory)
    }

    pub(crate) fn last_row(&self) -> Option<&'static Row> {
        self.start.bound.last()
    }

    /// The program and its sub-commands, as a person would say it: by the name that was
    /// written, since a row may stand for many programs.
    pub(crate) fn words(&self) -> String {
        let bound = self.bound();
        let first = bound.row().map_or("", |row| row.name);
        match bound.last().and_then(|row| row.kind.strip_prefix(first)) {
            Some(subs) if subs.is_empty() || subs.starts_with(' ') => {
                format!("{}{subs}", bound.name)
            }
            _ => bound.name.to_string(),
        }
    }
}

/// The findings of one command.
#[derive(Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Refuses.
    pub(crate) fn refuse(
        &mut self,
        rule: Rule,
        part: Part,
        reason: impl Into<Cow<'static, str>>,
        remedy: Option<Cow<'static, str>>,
    ) {
        self.push(Finding {
            rule,
            verdict: Verdict::Refused,
            part,
            reason: reason.into(),
            remedy,
            kind: None,
        });
    }

    /// Asks.
    pub(crate) fn ask(
        &mut self,
        rule: Rule,
        part: Part,
        reason: impl Into<Cow<'static, str>>,
        kind: Kind,
    ) {
        self.push(Finding {
            rule,
            verdict: Verdict::Asked,
            part,
            reason: reason.into(),
            remedy: None,
            kind: Some(kind),
        });
    }

    /// Asks about an argument that isn't known before the command runs. Never grantable.
    pub(crate) fn unclear(&mut self, part: Part, what: &str) {
        self.ask(
            Rule::Unreadable,
            part,
            format!("{what} isn't known before the command runs"),
            Kind::UNCLEAR,
        );
    }

    fn push(&mut self, finding: Finding) {
        let same = |old: &Finding| {
            old.rule == finding.rule
                && old.part == finding.part
                && old.kind == finding.kind
                && old.verdict == finding.verdict
        };
        // Only the last ones: looking through all would make a long command quadratic.
        if !self.list.iter().rev().take(8).any(same) {
            self.list.push(finding);
        }
    }

    /// The findings in the order of the text.
    pub(crate) fn into_sorted(self) -> Vec<Finding> {
        let mut list = self.list;
        list.sort_by_key(|finding| (finding.part.start, finding.part.end));
        list
    }
}

/// `about.reason` with what was written in it.
pub(crate) fn reason(about: &About, written: &str) -> String {
    about.reason.replace("{}", written)
}
