//! A command that passed every layer: the only thing the runner accepts.

use std::marker::PhantomData;

use crate::{Command, Judgement, Kind, Place, SandboxState, TimeClass, Verdict};

/// Marks a cleared command that must run in the sandbox.
#[derive(Clone, Copy, Debug)]
pub enum Sandboxed {}
/// Marks a cleared command that runs without the sandbox.
#[derive(Clone, Copy, Debug)]
pub enum Bare {}

/// Where a cleared command has to run. Implemented by [`Sandboxed`] and [`Bare`] only;
/// the runner has one entry for each, so "run it without the sandbox" doesn't compile.
pub trait Containment: sealed::Sealed {
    /// The state of the sandbox that the command was judged with.
    const STATE: SandboxState;
}
impl Containment for Sandboxed {
    const STATE: SandboxState = SandboxState::On;
}
impl Containment for Bare {
    const STATE: SandboxState = SandboxState::Off;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Sandboxed {}
    impl Sealed for super::Bare {}
}

/// On whose word an asked command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authority {
    /// Nobody had to be asked.
    Rule,
    /// A person allowed exactly these kinds for this one command.
    Person(Vec<Kind>),
    /// Grants of the session cover these kinds.
    Grants(Vec<Kind>),
    /// The board's Full Auto switch.
    FullAuto,
}

/// Why a command was not cleared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCleared {
    /// The judgement is a refusal. No authority changes that.
    #[error("the command is refused")]
    Refused,
    /// The authority does not cover every asked kind.
    #[error("nobody allowed: {}", .0.iter().map(Kind::as_str).collect::<Vec<_>>().join(", "))]
    NotCovered(Vec<Kind>),
    /// It was judged for another state of the sandbox than it is to run in.
    #[error("judged for another sandbox state than it would run in")]
    WrongContainment,
}

/// A command that passed the tools, the filter and, where asked, a person.
///
/// It carries what it was judged with (directory, environment), so that what runs is
/// what was judged. It can't be cloned: one clearance, one run.
#[derive(Debug)]
pub struct Cleared<C> {
    command: Command,
    directory: String,
    environment: Vec<(String, String)>,
    time: TimeClass,
    authority: Authority,
    containment: PhantomData<C>,
}

impl<C: Containment> Cleared<C> {
    /// Issues a clearance. Only `cerco-decide` may call this (a house check sees to it);
    /// whoever calls it, a refused judgement can't be cleared and an asked one only with
    /// an authority that covers every kind it asks for.
    pub fn issue(
        command: Command,
        place: &Place<'_>,
        judgement: &Judgement,
        authority: Authority,
    ) -> Result<Self, NotCleared> {
        if place.sandbox != C::STATE {
            return Err(NotCleared::WrongContainment);
        }
        match judgement.verdict() {
            Verdict::Refused => return Err(NotCleared::Refused),
            Verdict::Allowed => {}
            Verdict::Asked => {
                let missing = uncovered(&judgement.asked_kinds(), &authority);
                if !missing.is_empty() {
                    return Err(NotCleared::NotCovered(missing));
                }
            }
        }
        Ok(Self {
            command,
            directory: place.directory.clone(),
            environment: place
                .environment
                .iter()
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
            time: judgement.time,
            authority,
            containment: PhantomData,
        })
    }

    /// The text to run.
    #[must_use]
    pub fn command(&self) -> &Command {
        &self.command
    }
    /// The directory to run it in.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.directory
    }
    /// The whole environment to run it with, sorted by name.
    #[must_use]
    pub fn environment(&self) -> &[(String, String)] {
        &self.environment
    }
    /// How long it may run.
    #[must_use]
    pub fn time(&self) -> TimeClass {
        self.time
    }
    /// On whose word it runs.
    #[must_use]
    pub fn authority(&self) -> &Authority {
        &self.authority
    }
}

fn uncovered(asked: &[Kind], authority: &Authority) -> Vec<Kind> {
    let covered: &dyn Fn(&Kind) -> bool = match authority {
        Authority::Rule => &|_| false,
        Authority::Person(kinds) => &|kind| kinds.contains(kind),
        // A grant can't hold an ungrantable kind; were one forged, it would still not count.
        Authority::Grants(kinds) => &|kind| kind.is_grantable() && kinds.contains(kind),
        Authority::FullAuto => &|_| true,
    };
    asked
        .iter()
        .filter(|kind| !covered(kind))
        .cloned()
        .collect()
}
