//! What a plan is refused for before a mount is laid.

use std::path::Path;

use crate::facts::Facts;
use crate::refusal::Refusal;

/// Refuses facts that no mounts could hold.
pub(super) fn validate(facts: &Facts) -> Result<(), Refusal> {
    let (project, own) = (&facts.project.path, &facts.loop_folder.path);
    if own == project {
        return Err(Refusal::Whole(project.clone()));
    }
    if !own.starts_with(project) {
        return Err(Refusal::Outside {
            loop_folder: own.clone(),
            project: project.clone(),
        });
    }
    if let Some(scratch) = &facts.scratch
        && !is_private(scratch)
    {
        return Err(Refusal::Scratch(scratch.clone()));
    }
    if !facts.directory.starts_with(project) {
        return Err(Refusal::Directory(facts.directory.clone()));
    }
    if let Some(home) = facts.home.as_ref().filter(|home| home.starts_with(project)) {
        return Err(Refusal::HoldsHome {
            project: project.clone(),
            home: home.clone(),
        });
    }
    if let Some(found) = facts
        .hidden
        .iter()
        .find(|found| own.starts_with(&found.path))
    {
        return Err(Refusal::HidesWork(found.path.clone()));
    }
    Ok(())
}

/// Whether `scratch` is a new name right in the sandbox's own `/tmp`.
fn is_private(scratch: &Path) -> bool {
    let plain = scratch.file_name().is_some_and(|name| name != "..");
    plain && scratch.parent() == Some(Path::new("/tmp"))
}
