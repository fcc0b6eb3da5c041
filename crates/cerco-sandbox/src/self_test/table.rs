//! Every attempt, in the order in which they are made and told.

use super::ground::Ground;
use super::inside::{files, git, kernel, limits, network, processes, secrets, works};
use super::names::Names;

/// What was found: nothing amiss, or what.
pub(crate) type Found = Result<(), String>;

/// One attempt, or several of a kind.
pub(crate) struct Attempt {
    /// `protection.name`.
    pub(crate) id: &'static str,
    /// What must hold.
    pub(crate) what: &'static str,
    /// Makes it, inside, in a process of its own; says what got through.
    pub(crate) make: fn(&Names) -> Found,
    /// Looks for its traces, outside, afterwards. Nothing where success shows inside.
    pub(crate) look: Option<fn(&Ground) -> Found>,
}

/// What the second run shows.
pub(super) const TIME: (&str, &str) = (
    "limits.time",
    "when a command's time is up, everything it started is stopped",
);
/// What planning shows, without a run.
pub(super) const LINK: (&str, &str) =
    ("files.link", "a loop's folder that is a link is not run in");

/// Those that are made inside.
pub(super) fn attempts() -> impl Iterator<Item = &'static Attempt> {
    [
        files::ATTEMPTS,
        secrets::ATTEMPTS,
        network::ATTEMPTS,
        processes::ATTEMPTS,
        kernel::ATTEMPTS,
        git::ATTEMPTS,
        limits::ATTEMPTS,
        works::ATTEMPTS,
    ]
    .into_iter()
    .flatten()
}

/// Name and sentence of everything that is told.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    attempts()
        .map(|attempt| (attempt.id, attempt.what))
        .chain([LINK, TIME])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_said_once() {
        let mut ids: Vec<_> = all().map(|(id, _)| id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(ids.iter().all(|id| id.contains('.')));
    }
}
