//! The look through a loop's folder after a run: what the command planted for programs
//! OUTSIDE to run is taken out of git's sight, before anybody outside can call git.
//!
//! No mount can hold a name that doesn't exist yet, and a place-holder would be litter; and
//! the kernel drops a cover when somebody outside renames what is covered. So what stood
//! there is read-only during the run ([`crate::repository`]) and written down before it
//! ([`baseline`]), and whatever is otherwise afterwards is looked through here. Nothing is
//! deleted.

pub(crate) mod baseline;
mod during;
mod folder;
mod folders;
mod hold_back;
mod letter;
mod locks;
pub(crate) mod records;
mod rest;
pub(crate) mod stand_in;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::walk::{self, Seen, TooLarge, When};
use crate::ways::People;

pub(crate) use baseline::Baseline;
pub(crate) use hold_back::Done;

/// Everything that a look needs to know of the time before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// The loop's folder, canonical.
    pub(crate) own: PathBuf,
    /// Other loops' folders in it, which are not looked into.
    pub(crate) skip: Vec<PathBuf>,
    /// Whose settings git obeys there beside the repositories' own.
    pub(crate) people: People,
    /// What stood there.
    pub(crate) baseline: Baseline,
}

impl Look {
    /// What is in the loop's folder now. Folders that the command closed are opened again.
    pub(crate) fn see(&self, notes: &mut Vec<String>) -> Seen {
        let skip: Vec<&Path> = self.skip.iter().map(PathBuf::as_path).collect();
        let after = walk::walk(&self.own, &skip, When::After).unwrap_or_else(|cut| {
            notes.push(
                "it left more files than can be looked through: look at what it left before you use git there"
                    .to_owned(),
            );
            let TooLarge(seen) = cut;
            *seen
        });
        if !after.unread.is_empty() {
            notes.push(format!(
                "{} folders it left can't be looked into",
                after.unread.len()
            ));
        }
        after
    }

    /// Holds back what `after` shows beyond what stood there.
    pub(crate) fn hold_back(&self, after: &Seen) -> Vec<Done> {
        hold_back::hold_back(self, after)
    }
}
