//! Single protections, and whether they are on. They always are: only a test build (feature
//! `mutations`) has a way to switch one off, to see an attempt succeed without it.

use crate::bubblewrap::Flag;
use crate::step::Why;

/// One protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// A flag of the launcher.
    Flag(Flag),
    /// The mounts of one reason.
    Mounts(Why),
    /// That the machine's root and the project take no writes.
    ReadOnly,
    /// The system call filter.
    Filter,
    /// The limits.
    Limits,
    /// What the inner stage proves.
    Proofs,
    /// The mount namespace that hears nothing from outside, and the watch in its place.
    PrivateMounts,
    /// The empty standard input.
    EmptyInput,
    /// The fence around what may be opened for writing.
    Fence,
    /// The watch over what is covered.
    CoverWatch,
    /// What is taken out of git's sight after the run.
    HoldBack,
}

/// The protections of one launcher.
#[cfg(not(feature = "mutations"))]
#[derive(Clone, Debug)]
pub(crate) struct Switches;

#[cfg(not(feature = "mutations"))]
impl Switches {
    pub(crate) fn all_on() -> Self {
        Self
    }
    /// Always.
    #[expect(
        clippy::unused_self,
        reason = "the same call in test builds looks at the value"
    )]
    pub(crate) fn is_on(&self, _: Protection) -> bool {
        true
    }
}

/// The protections of one launcher, some of them off.
#[cfg(feature = "mutations")]
#[derive(Clone, Debug, Default)]
pub struct Switches {
    /// What is off.
    pub off: Vec<Protection>,
}

#[cfg(feature = "mutations")]
impl Switches {
    pub(crate) fn all_on() -> Self {
        Self::default()
    }
    /// Whether nobody switched it off.
    pub(crate) fn is_on(&self, protection: Protection) -> bool {
        !self.off.contains(&protection)
    }
}
