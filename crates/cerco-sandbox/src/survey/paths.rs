//! What single paths of a request are, whatever links lie on the way.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::facts::{Found, Kind};
use crate::refusal::Refusal;
use crate::request::Request;
use crate::walk::identity;

/// The folder at `path`, its links resolved.
pub(super) fn folder(what: &'static str, path: &Path) -> Result<Found, Refusal> {
    let found = found(what, path)?;
    if found.kind == Kind::Folder {
        return Ok(found);
    }
    Err(Refusal::Special {
        what,
        path: path.to_owned(),
    })
}

/// What stands at `path`, its links resolved.
pub(crate) fn found(what: &'static str, path: &Path) -> Result<Found, Refusal> {
    let refused = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => Refusal::Missing {
            what,
            path: path.to_owned(),
        },
        _ => Refusal::Unreadable {
            what,
            path: path.to_owned(),
            why: e.to_string(),
        },
    };
    let real = fs::canonicalize(path).map_err(refused)?;
    let facts = fs::metadata(&real).map_err(refused)?;
    Ok(Found {
        kind: if facts.is_dir() {
            Kind::Folder
        } else {
            Kind::File
        },
        identity: identity(&facts),
        path: real,
    })
}

/// The first component of `path` below `base` that is a link or leads upwards. A run could
/// have put it there, and a mount would follow it. Nothing when `path` isn't written below
/// `base`: then its canonical form decides.
pub(super) fn link_below(base: &Path, path: &Path) -> Option<PathBuf> {
    let mut at = base.to_owned();
    for part in path.strip_prefix(base).ok()?.components() {
        at.push(part);
        let is_link = fs::symlink_metadata(&at).is_ok_and(|facts| facts.is_symlink());
        if is_link || part == Component::ParentDir {
            return Some(at);
        }
    }
    None
}

/// Other loops inside the loop's folder, and the request's read-only folders.
pub(super) fn protected(request: &Request, loop_folder: &Path) -> Result<Vec<Found>, Refusal> {
    let mut all: Vec<Found> = Vec::new();
    let asked = request
        .other_loops
        .iter()
        .map(|p| ("another loop's folder", p));
    let asked = asked.chain(
        request
            .read_only
            .iter()
            .map(|p| ("the read-only folder", p)),
    );
    for (what, path) in asked {
        let is_link = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink());
        let below = link_below(&request.loop_folder, path);
        if is_link || below.is_some() {
            let path = below.unwrap_or_else(|| path.clone());
            return Err(Refusal::Link { what, path });
        }
        let found = found(what, path)?;
        // Another loop's folder elsewhere in the project is read-only with the project.
        let needed = what != "another loop's folder" || found.path.starts_with(loop_folder);
        if needed && !all.contains(&found) && found.path != loop_folder {
            all.push(found);
        }
    }
    Ok(all)
}
