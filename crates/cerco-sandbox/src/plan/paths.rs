//! Which paths a plan has to do with: what is pinned, watched, taken together, seen.

use std::path::{Path, PathBuf};

use super::lay::MAX_OUTWARD_FILES;
use crate::facts::{Facts, Found, Identity, Kind};
use crate::step::{Step, Why};
use crate::watch::Covered;

/// Every folder strictly between `own` and a held path. Mounted UNDER the writable folder
/// they can't be renamed or removed (the kernel answers EBUSY), and no path ever crosses
/// them, so renames across them still work.
pub(super) fn pins<'a>(own: &Path, held: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let mut pins: Vec<PathBuf> = held
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|folder| folder.starts_with(own) && *folder != own)
        .map(Path::to_owned)
        .collect();
    pins.sort();
    pins.dedup();
    pins
}

/// What would be open inside were it made anew outside: hidden paths, also those that aren't
/// there yet, and other loops' folders. (Of git's files the look after the run sees what
/// became of them: a person who works beside an agent changes those.)
pub(super) fn covered(facts: &Facts, steps: &[Step]) -> Vec<Covered> {
    let own = &facts.loop_folder.path;
    let inside = facts.protected.iter().filter(|f| f.path.starts_with(own));
    let there = facts.hidden.iter().chain(&facts.credentials).chain(inside);
    let is_covered = |found: &&Found| {
        let kind = |why| matches!(why, Why::Hidden | Why::Credentials | Why::Protected);
        let mut covers = steps.iter().filter(|step| kind(step.why));
        covers.any(|step| step.mount.at() == found.path)
    };
    let there = there.filter(is_covered).map(|found| Covered {
        path: found.path.clone(),
        identity: Some(found.identity),
    });
    let absent = facts.absent.iter().filter(|path| visible(steps, path));
    let absent = absent.map(|path| Covered {
        path: path.clone(),
        identity: None,
    });
    there.chain(absent).collect()
}

/// Few folders inside `own` that hold all of `files`: their own folders, then the folders
/// of these, until they are few. `own` itself where that is what it takes.
pub(super) fn folders_of(files: &[Found], own: &Path) -> Vec<Found> {
    let mut paths: Vec<PathBuf> = files.iter().map(|f| f.path.clone()).collect();
    while paths.len() > MAX_OUTWARD_FILES {
        let deepest = paths.iter().map(|p| p.components().count()).max();
        paths = paths
            .into_iter()
            .map(|path| {
                let is_deepest = Some(path.components().count()) == deepest;
                match path.parent() {
                    Some(parent) if is_deepest && path != own => parent.to_owned(),
                    _ => path,
                }
            })
            .collect();
        paths.sort();
        paths.dedup();
        if paths.iter().any(|path| path == own) {
            break;
        }
    }
    paths
        .into_iter()
        .map(|path| {
            let file = files.iter().find(|f| f.path == path);
            Found {
                kind: file.map_or(Kind::Folder, |f| f.kind),
                identity: file.map_or(Identity::UNKNOWN, |f| f.identity),
                path,
            }
        })
        .collect()
}

/// Whether the real `path` can still be seen after `steps`: the last mount at or above it
/// decides.
pub(crate) fn visible(steps: &[Step], path: &Path) -> bool {
    let above = steps
        .iter()
        .rev()
        .find(|step| path.starts_with(step.mount.at()));
    above.is_some_and(|step| step.mount.shows())
}
