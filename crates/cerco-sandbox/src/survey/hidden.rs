//! What nothing of may be read, under every name that it has.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::paths::found;
use crate::facts::Found;
use crate::machine;
use crate::refusal::Refusal;
use crate::request::Request;
use crate::second_names::second_names;
use crate::walk::{Seen, identity};

/// Everything that is hidden.
pub(super) fn hidden(
    request: &Request,
    mounts: &[machine::Mount],
    loop_folder: &Path,
    project: &Path,
    before: &Seen,
) -> Result<Vec<Found>, Refusal> {
    let mut hidden = real(request.hidden.iter().chain(&request.records), mounts)?;
    // Cerco's own folder has no file with two names, and many files.
    let own = request.records.as_deref();
    let is_own = |found: &&Found| {
        own.is_some_and(|own| own.starts_with(&found.path) || found.path.starts_with(own))
    };
    let theirs = hidden.iter().filter(|found| !is_own(found)).cloned();
    let theirs: Vec<Found> = theirs.collect();
    hidden.extend(second_names(&theirs, loop_folder, project, before)?);
    Ok(hidden)
}

/// What is to be hidden and isn't there.
pub(super) fn absent(request: &Request) -> Vec<PathBuf> {
    let hidden = request.hidden.iter();
    let absent = hidden.filter(|path| fs::symlink_metadata(path).is_err());
    absent.cloned().collect()
}

/// What is hidden, and every other place it can be seen at through a bind mount. A path
/// that doesn't exist has nothing to hide.
fn real<'a>(
    asked: impl Iterator<Item = &'a PathBuf>,
    mounts: &[machine::Mount],
) -> Result<Vec<Found>, Refusal> {
    let mut all: Vec<Found> = Vec::new();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for path in asked {
        let real = match found("the hidden path", path) {
            Ok(found) => found,
            Err(Refusal::Missing { .. }) => continue,
            Err(other) => return Err(other),
        };
        let aliases = machine::aliases(&real.path, mounts);
        for alias in std::iter::once(real.path.clone()).chain(aliases) {
            let same = fs::metadata(&alias).is_ok_and(|facts| identity(&facts) == real.identity);
            if same && seen.insert(alias.clone()) {
                all.push(Found {
                    path: alias,
                    ..real.clone()
                });
            }
        }
    }
    Ok(all)
}
