//! Which folders a set of paths needs, and what is still seen of one.

use std::path::{Path, PathBuf};

use super::MAX_OUTWARD_FILES;
use crate::facts::{Found, Identity, Kind};
use crate::step::Step;

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
pub(super) fn visible(steps: &[Step], path: &Path) -> bool {
    let above = steps
        .iter()
        .rev()
        .find(|step| path.starts_with(step.mount.at()));
    above.is_some_and(|step| step.mount.shows())
}
