//! Hidden files that have another name: a cover holds a name, not a file.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::facts::{Found, Identity, Kind};
use crate::refusal::Refusal;
use crate::walk::{self, Linked, Seen, When, identity};

/// How many entries of a hidden folder are looked at for files with several names.
const MOST: usize = 2000;

/// The other names of what is `hidden`, in the loop's folder (which `before` shows) and in
/// the project. The project is looked through only where there is such a file, and not all
/// of its names are known yet.
pub(crate) fn second_names(
    hidden: &[Found],
    own: &Path,
    project: &Path,
    before: &Seen,
) -> Result<Vec<Found>, Refusal> {
    let mut wanted: HashMap<Identity, u64> = HashMap::new();
    let mut known: BTreeMap<PathBuf, Identity> = BTreeMap::new();
    for found in hidden {
        collect(&found.path, &mut wanted, &mut known);
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let others_of = |linked: &[Linked]| -> BTreeMap<PathBuf, Identity> {
        let wanted = linked
            .iter()
            .filter(|name| wanted.contains_key(&name.identity) && !known.contains_key(&name.path));
        wanted
            .map(|name| (name.path.clone(), name.identity))
            .collect()
    };
    let mut others = others_of(&before.linked);
    let all_known = wanted.iter().all(|(which, names)| {
        let seen = known.values().chain(others.values());
        seen.filter(|other| *other == which).count() as u64 >= *names
    });
    if !all_known {
        let seen = walk::walk(project, &[own], When::Before).map_err(|_| Refusal::TooLarge {
            path: project.to_owned(),
            limit: walk::MAX_ENTRIES,
        })?;
        others.extend(others_of(&seen.linked));
    }
    Ok(others
        .into_iter()
        .map(|(path, identity)| Found {
            path,
            kind: Kind::File,
            identity,
        })
        .collect())
}

/// The files at and below `path` with more than one name.
fn collect(
    path: &Path,
    wanted: &mut HashMap<Identity, u64>,
    known: &mut BTreeMap<PathBuf, Identity>,
) {
    let mut pending = vec![path.to_owned()];
    let mut entries = 0;
    while let Some(path) = pending.pop() {
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        if facts.is_dir() {
            for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                entries += 1;
                if entries > MOST {
                    return;
                }
                pending.push(entry.path());
            }
        } else if facts.nlink() > 1 {
            wanted.insert(identity(&facts), facts.nlink());
            known.insert(path, identity(&facts));
        }
    }
}
