//! The path that a program is written by, and the folder that it starts in.

use std::ops::Not;

use cerco_model::Rule;
use cerco_reader::Directory;

use super::whole::{judge_from, refusal};
use super::{ABOUT, Access};
use crate::paths;
use crate::rules::{Case, Findings, windows};
use crate::table::Meaning;

/// Folders where programs are installed: a program written by its path there is just that program.
const PROGRAM_FOLDERS: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
];

/// The path a program is written by.
pub(crate) fn judge_name(case: &Case<'_>, out: &mut Findings) {
    if paths::windows::is_windows(case.place) {
        return windows::judge_name(case, out);
    }
    let name = &case.start.name;
    let start = name.text.known_prefix();
    if !start.contains('/')
        || start.contains("://")
        || case.bound().levels.is_empty() && start.starts_with('@')
    {
        return;
    }
    let installed = PROGRAM_FOLDERS.iter().any(|folder| {
        start
            .strip_prefix(folder)
            .is_some_and(|rest| !rest.contains('/'))
    });
    if !installed {
        judge_from(
            case,
            &name.text,
            Access::Read,
            name.part,
            &case.start.directory,
            out,
        );
    }
}

/// A program that starts in a folder it may not look at, without a path of its own that leads
/// elsewhere: `cd; ls` lists the home.
pub(crate) fn judge_start(case: &Case<'_>, out: &mut Findings) {
    let Directory::Known(directory) = &case.start.directory else {
        return;
    };
    let place = case.place;
    if paths::windows::is_windows(place)
        || *directory == place.directory
        || case.start.name.text.known_prefix().is_empty()
        || case.is_in_container()
        || is_deaf(case)
    {
        return;
    }
    let scope = paths::scope(directory, place);
    if let Some(why) = refusal(scope, Access::List, place.sandbox) {
        out.refuse(
            Rule::Path,
            case.start.part,
            format!("it would start in `{directory}`, which is {why}"),
            Some(ABOUT.instead.into()),
        );
    }
}

/// Whether it doesn't matter where it starts: it only handles text, moves on, or is given
/// absolute paths.
fn is_deaf(case: &Case<'_>) -> bool {
    let bound = case.bound();
    let text_only = bound.last().is_some_and(|row| {
        row.files.not()
            && row.args.is_some_and(|slots| {
                slots
                    .iter()
                    .all(|slot| matches!(slot.meaning, Meaning::Text | Meaning::None))
            })
            && bound.levels.len() == 1
            && row.time.is_none()
            && row.subs.is_empty()
    });
    let moves = bound
        .row()
        .is_some_and(|row| matches!(row.name, "cd" | "popd" | "export" | "declare"));
    let elsewhere = bound.directory.is_some()
        || bound.uses.iter().any(|used| {
            let text = used.value.text(&case.start.args);
            used.option.is_none() && text.known_prefix().starts_with(['/', '~'])
        });
    text_only || moves || elsewhere
}
