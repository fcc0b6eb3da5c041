//! Which part of the world a Windows path lies in.
//!
//! The spelling is `cerco_reader::windows_path`'s matter. Letter case never counts here.

use cerco_model::Place;
use cerco_reader::windows_path::{self, WindowsPath};
use cerco_reader::{Piece, Text};

use super::{Scope, secret};

/// Whether the place is one on Windows: its project lies on a drive.
#[must_use]
pub fn is_windows(place: &Place<'_>) -> bool {
    has_drive(&place.project)
}

fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.as_str().starts_with(":\\")
}

/// The absolute path that `to` names in the directory `from`; nothing where `from` isn't on
/// a drive or `to` isn't a file of one.
pub(crate) fn join(from: &str, to: &str, home: &str) -> Option<String> {
    if !has_drive(from) {
        return None;
    }
    Some(windows_path::change(from, home, to).unwrap_or_else(|| to.to_owned()))
}

/// Whether `path` is `folder` or lies below it; both absolute and normal.
#[must_use]
pub fn is_within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('\\');
    path.get(..folder.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(folder))
        && path
            .get(folder.len()..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
}

/// Where the file `path` (absolute, normal) lies once every link on the way is followed.
#[must_use]
pub fn scope(path: &str, place: &Place<'_>) -> Scope {
    let Some(real) = place.tree.resolve(path) else {
        return Scope::Outside;
    };
    let real = real.strip_prefix("\\\\?\\").unwrap_or(&real);
    let (first, second) = (lexical(path, place), lexical(real, place));
    if rank(first) >= rank(second) {
        first
    } else {
        second
    }
}

fn rank(scope: Scope) -> u8 {
    match scope {
        Scope::Device => 0,
        Scope::Scratch => 1,
        Scope::Loop => 2,
        Scope::OtherLoop => 3,
        Scope::Project => 4,
        Scope::Outside => 5,
    }
}

fn lexical(path: &str, place: &Place<'_>) -> Scope {
    let within = |folder: &str| !folder.is_empty() && is_within(path, folder);
    let scratch = place.environment.get("TMPDIR");
    if place.other_loops.iter().any(|other| within(other)) {
        Scope::OtherLoop
    } else if within(&place.loop_folder) {
        Scope::Loop
    } else if scratch.is_some_and(|dir| within(dir)) {
        Scope::Scratch
    } else if within(&place.project) {
        Scope::Project
    } else {
        Scope::Outside
    }
}

/// Whether `path` names a secret, or is a pattern that could match one. `*` and `?` can't
/// be in a name on Windows: they always are patterns, in quotes too.
#[must_use]
pub fn is_secret(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let path = path.trim_matches('"');
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) => (folder, name),
        None => ("", path),
    };
    // `.env::$DATA` and `.env. ` open `.env`.
    let name = name.split(':').next().unwrap_or(name);
    let name = name.trim_end_matches([' ', '.']);
    if !name.contains(['*', '?', '[']) {
        return secret::is_secret_name(&format!("{folder}/{name}"));
    }
    let pattern = name.to_ascii_lowercase();
    let mut pieces = Vec::new();
    let mut known = String::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let operator = match c {
            '*' | '?' => c.to_string(),
            '[' => {
                let mut class = String::from(c);
                for inner in rest.by_ref() {
                    class.push(inner);
                    if inner == ']' {
                        break;
                    }
                }
                class
            }
            c => {
                known.push(c);
                continue;
            }
        };
        if !known.is_empty() {
            pieces.push(Piece::Known(std::mem::take(&mut known).into()));
        }
        pieces.push(Piece::Glob(operator.into()));
    }
    if !known.is_empty() {
        pieces.push(Piece::Known(known.into()));
    }
    secret::is_secret(&Text::Partly(pieces.into_boxed_slice()))
}

/// What `path` names in `directory`.
pub(crate) fn resolve(path: &str, directory: &str, home: &str) -> WindowsPath {
    windows_path::resolve(path, directory, home)
}
