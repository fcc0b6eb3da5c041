//! What a path leads to, and what may be done there.

use cerco_model::{Part, Rule, SandboxState};
use cerco_reader::{Directory, Text};

use super::{ABOUT, Access, judge_text};
use crate::paths::scope::holds_project;
use crate::paths::{self, Scope, Shape, shape};
use crate::rules::{Case, Findings, delete, secret, windows};
use crate::table::Ecosystem;
use crate::text::shown;

pub(super) fn judge_from(
    case: &Case<'_>,
    text: &Text,
    access: Access,
    part: Part,
    directory: &Directory,
    out: &mut Findings,
) {
    let guarded = case.is_guarded();
    judge_where(case, text, access, part, directory, guarded, out);
}

pub(super) fn judge_where(
    case: &Case<'_>,
    text: &Text,
    access: Access,
    part: Part,
    directory: &Directory,
    guarded: bool,
    out: &mut Findings,
) {
    if case.is_in_container() {
        return;
    }
    if paths::windows::is_windows(case.place) {
        return windows::judge_where(case, text, access, part, directory, guarded, out);
    }
    let place = case.place;
    let is_pattern = text.known().is_none();
    if !(access == Access::List && is_pattern) && paths::secret::is_secret(text) {
        secret::named(&shown(text), part, out);
    } else if is_pattern && access != Access::List {
        secret::fed(case, access, part, out);
    }
    let (path, whole) = match shape(text) {
        Shape::Whole(path) => (path, true),
        Shape::Begins(path) => (path, false),
    };
    if whole && (path.is_empty() || path == "-") {
        if path.is_empty() && access == Access::Delete {
            delete::inside("", part, out);
        }
        return;
    }
    let absolute = path.starts_with(['/', '~']) || path.starts_with("file:");
    let from = match directory {
        Directory::Known(from) => from.as_str(),
        Directory::Unknown if absolute => "/",
        Directory::Unknown => {
            if access == Access::Delete {
                delete::inside(&shown(text), part, out);
            }
            if !guarded {
                out.unclear(part, "the directory that this path begins in");
            }
            return;
        }
    };
    let mut full = paths::join(from, &path, &place.home);
    if !whole {
        // What follows may finish the last name: only the folder is certain.
        if !path.ends_with('/') {
            let cut = full.rfind('/').unwrap_or(0);
            full.truncate(cut);
        }
        if full.is_empty() {
            full.push('/');
        }
        let begun = !path.is_empty();
        let certain =
            begun && paths::scope(&full, place) == Scope::Outside && !holds_project(&full, place);
        if !certain {
            if access == Access::Delete {
                delete::inside(&shown(text), part, out);
            }
            // What `xargs` is fed is names of files; reading and changing those isn't asked about.
            let fed = case.is_fed() && access != Access::Delete;
            if !guarded && !fed {
                out.unclear(part, "a path");
            }
            return;
        }
    }
    let scope = paths::scope(&full, place);
    if let Some(why) = refusal(scope, access, place.sandbox) {
        let shown = shown(text);
        out.refuse(
            Rule::Path,
            part,
            format!("`{shown}` is {why}"),
            Some(ABOUT.instead.into()),
        );
    } else if access == Access::Delete && scope != Scope::Device {
        delete::inside(&shown(text), part, out);
    }
}

pub(crate) fn refusal(scope: Scope, access: Access, sandbox: SandboxState) -> Option<&'static str> {
    let changes = matches!(access, Access::Write | Access::Delete);
    match scope {
        Scope::OtherLoop if changes => Some("inside another loop's folder"),
        Scope::Project if changes => {
            Some("outside the loop's folder, which is all that may be changed")
        }
        Scope::Project if sandbox == SandboxState::Off => {
            Some("outside the loop's folder; without the sandbox nothing else may be touched")
        }
        Scope::Loop | Scope::Scratch | Scope::Device | Scope::OtherLoop | Scope::Project => None,
        Scope::Outside => Some("outside the project"),
    }
}

/// A package or remote that turned out to be a path.
pub(crate) fn judge_str(case: &Case<'_>, path: &str, part: Part, out: &mut Findings) {
    judge_text(case, &Text::Known(path.into()), Access::Read, part, out);
}

/// Ecosystems whose package words may be folders with a version behind `@`.
pub(crate) fn without_version(path: &str, ecosystem: Ecosystem) -> &str {
    match ecosystem {
        Ecosystem::Go => path.split('@').next().unwrap_or(path),
        Ecosystem::Pip => path.split('[').next().unwrap_or(path),
        Ecosystem::Npm
        | Ecosystem::Cargo
        | Ecosystem::Gem
        | Ecosystem::Composer
        | Ecosystem::Other => path,
    }
}
