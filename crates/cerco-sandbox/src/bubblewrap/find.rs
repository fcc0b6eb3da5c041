//! Finds the bubblewrap that is used, and none that a command could have put there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::features::{self, Features, Privilege, Unusable};
use super::memory;

/// Where systems install it. Not PATH: that is a variable of whoever started us.
const PLACES: &[&str] = &[
    "/usr/bin/bwrap",
    "/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
    "/run/wrappers/bin/bwrap",
    "/nix/var/nix/profiles/default/bin/bwrap",
    "/home/linuxbrew/.linuxbrew/bin/bwrap",
];
/// Below the home: `nix profile install` without root.
const PLACES_AT_HOME: &[&str] = &[
    ".nix-profile/bin/bwrap",
    ".local/state/nix/profile/bin/bwrap",
];

/// A bubblewrap that may be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bubblewrap {
    /// Its canonical path.
    pub program: PathBuf,
    /// What it can do.
    pub features: Features,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// Nowhere.
    Nowhere,
    /// There is one, but it can't be used.
    Unusable(PathBuf, Unusable),
}

/// Looks in the system's folders, then in `home`. One that lies in `project` is never
/// used, nor one that others may write. What it can do is remembered in `folder`.
pub(crate) fn find(
    project: &Path,
    home: Option<&Path>,
    folder: Option<&Path>,
) -> Result<Bubblewrap, NotFound> {
    let system = PLACES.iter().map(PathBuf::from);
    let own = home
        .into_iter()
        .flat_map(|home| PLACES_AT_HOME.iter().map(|p| home.join(p)));
    let mut refused = NotFound::Nowhere;
    for place in system.chain(own) {
        let Ok(program) = fs::canonicalize(&place) else {
            continue;
        };
        let Ok(facts) = fs::metadata(&program) else {
            continue;
        };
        let others_write = facts.mode() & 0o002 != 0;
        if !facts.is_file() || program.starts_with(project) || others_write {
            continue;
        }
        let privilege = if facts.mode() & 0o4000 == 0 {
            Privilege::None
        } else {
            Privilege::SetUserId
        };
        if let Some(features) = folder.and_then(|folder| memory::recall(folder, &facts)) {
            return Ok(Bubblewrap { program, features });
        }
        match features::probe(&program, privilege) {
            Ok(features) => {
                if let Some(folder) = folder {
                    memory::keep(folder, &facts, features);
                }
                return Ok(Bubblewrap { program, features });
            }
            Err(why) => refused = NotFound::Unusable(program, why),
        }
    }
    Err(refused)
}
