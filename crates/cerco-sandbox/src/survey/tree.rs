//! What lies in the loop's folder and is not its own: sockets, files with a name elsewhere,
//! other file systems.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::paths::found;
use crate::facts::{Found, Identity, Kind};
use crate::machine;
use crate::refusal::Refusal;
use crate::walk::{self, Linked, Seen, When};

/// Socket files that must be covered: those whose name the kernel knows, those in the
/// loop's folder, and, where somebody bound one by a name that doesn't say where it is,
/// those beside that name and those anywhere in the project. A dead one is left to the command, which may have to
/// remove it.
pub(super) fn sockets(
    project: &Path,
    own: &Path,
    before: &Seen,
    protected: &[Found],
) -> Result<Vec<PathBuf>, Refusal> {
    let known = crate::sockets::sockets().map_err(|why| Refusal::Start {
        doing: "looking for sockets of this machine",
        why,
    })?;
    let mut all = known.files;
    let mut unsure = before.sockets.clone();
    unsure.extend(crate::sockets::beside(&known.lost));
    let lost_here = known.lost.iter().any(|path| path.starts_with(project));
    if known.has_relative || lost_here {
        let seen = walk::walk(project, &[own], When::Before).map_err(|_| Refusal::TooLarge {
            path: project.to_owned(),
            limit: walk::MAX_ENTRIES,
        })?;
        unsure.extend(seen.sockets);
    }
    // Another loop's folder within takes no writes, and a FIFO takes them all the same. (The
    // fence doesn't: it can only open what lies in an open folder.)
    for within in protected.iter().filter(|f| f.path.starts_with(own)) {
        let seen = walk::walk(&within.path, &[], When::Before).map_err(|_| Refusal::TooLarge {
            path: within.path.clone(),
            limit: walk::MAX_ENTRIES,
        })?;
        unsure.extend(seen.sockets);
        all.extend(seen.fifos);
    }
    all.extend(
        unsure
            .into_iter()
            .filter(|path| crate::sockets::is_held(path)),
    );
    Ok(all.into_iter().collect())
}

/// Names whose file has a name that the pass did not see: outside of the loop's folder, or
/// in a protected part of it. Writing the one would write the other.
pub(super) fn outward(linked: &[Linked], git: &[Found]) -> Vec<Found> {
    let mut inside: HashMap<Identity, u64> = HashMap::new();
    let is_gits = |name: &&Linked| git.iter().any(|part| name.path.starts_with(&part.path));
    for name in linked.iter().filter(|name| !is_gits(name)) {
        *inside.entry(name.identity).or_default() += 1;
    }
    linked
        .iter()
        .filter(|name| !is_gits(name))
        .filter(|name| inside.get(&name.identity).is_none_or(|n| *n < name.names))
        .map(|name| Found {
            path: name.path.clone(),
            kind: Kind::File,
            identity: name.identity,
        })
        .collect()
}

/// File systems mounted below the loop's folder: not part of its folder, and a bind mount
/// among them may lead anywhere.
pub(super) fn nested_mounts(
    mounts: &[machine::Mount],
    loop_folder: &Path,
) -> Result<Vec<Found>, Refusal> {
    let mut points: Vec<&Path> = mounts
        .iter()
        .map(|mount| mount.at.as_path())
        .filter(|at| at.starts_with(loop_folder) && *at != loop_folder)
        .collect();
    points.sort();
    points.dedup();
    points
        .into_iter()
        .map(|at| found("the mount", at))
        .collect()
}
