//! The rules `path` and `secret` where paths are those of Windows.
//!
//! Which words are paths is the program table's matter; here is what they may name.

use cerco_model::{Guard, Part, Rule};
use cerco_reader::windows_path::WindowsPath;
use cerco_reader::{Directory, Text};

use super::path::{ABOUT, Access};
use super::{Case, Findings, delete, secret, shell_state};
use crate::paths::{Scope, Shape, shape, windows};
use crate::table::{Meaning, Use};
use crate::text::{shown, tail};

/// The path a program is written by.
pub(crate) fn judge_name(case: &Case<'_>, out: &mut Findings) {
    let name = &case.start.name;
    let Some(written) = name.text.known() else {
        return;
    };
    let lower = written.to_ascii_lowercase();
    if !written.contains(['\\', '/']) || lower.starts_with("microsoft.") || written.starts_with('[')
    {
        return;
    }
    if written.contains("://") {
        return;
    }
    let installed = [
        "c:\\windows\\",
        "c:\\program files\\",
        "c:\\program files (x86)\\",
    ]
    .iter()
    .any(|folder| lower.replace('/', "\\").starts_with(folder))
        && !lower.contains("..");
    if !installed {
        judge_where(
            case,
            &name.text,
            Access::Read,
            name.part,
            &case.start.directory,
            false,
            out,
        );
    }
}

/// One argument that is, or may be, a path. Whether it was judged here.
pub(crate) fn judge_use(case: &Case<'_>, used: &Use, out: &mut Findings) -> bool {
    let text = used.value.text(&case.start.args);
    match used.meaning {
        Meaning::General | Meaning::Pathspec => {
            general(case, text, used.part, out);
            used.meaning == Meaning::General
        }
        Meaning::Assign => {
            if let Some((_, value)) = text.known_prefix().split_once('=')
                && is_rooted(value)
            {
                let skip = text.known_prefix().len() - value.len();
                path(case, &tail(text, skip), Access::Read, used.part, out);
            }
            true
        }
        _ => false,
    }
}

/// A value of a variable that is a path.
pub(crate) fn variable(case: &Case<'_>, value: &Text, part: Part, out: &mut Findings) {
    let start = value.known_prefix();
    if is_rooted(start) && !start.contains(';') {
        path(case, value, Access::Read, part, out);
    }
}

fn path(case: &Case<'_>, text: &Text, access: Access, part: Part, out: &mut Findings) {
    let guarded = case.place.guard == Guard::Active;
    judge_where(case, text, access, part, case.directory(), guarded, out);
}

/// Whether it begins like a path that doesn't start in the directory.
fn is_rooted(text: &str) -> bool {
    let mut chars = text.chars();
    let on_drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && (chars.as_str().is_empty() || chars.as_str().starts_with(['\\', '/', '.']));
    on_drive
        || text.starts_with('\\')
        || text == "~"
        || text.starts_with("~\\")
        || text.starts_with("~/")
        || text.starts_with("//")
}

/// A word whose meaning isn't in the table: a path if it looks like one.
fn general(case: &Case<'_>, text: &Text, part: Part, out: &mut Findings) {
    let start = text.known_prefix();
    let skip = match start.chars().next() {
        // `--out=C:\x`, `/out:C:\x`
        Some('-' | '/') => start.find(['=', ':']).map(|at| at + 1),
        _ => start
            .split_once('=')
            .filter(|(name, _)| {
                name.chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
            })
            .map(|(name, _)| name.len() + 1),
    };
    let value = match skip {
        Some(skip) => tail(text, skip),
        None if start.starts_with('-') => return,
        None => text.clone(),
    };
    let start = value.known_prefix();
    if start.contains("://") || start.contains(char::is_whitespace) && !is_rooted(start) {
        return;
    }
    // `/s` is a switch; `\\server` and `C:\x` are not.
    let climbs = start == ".."
        || start.starts_with("..\\")
        || start.starts_with("../")
        || start.contains("\\..")
        || start.contains("/..");
    let on_provider = ["hklm:", "hkcu:", "cert:", "registry::"].iter().any(|p| {
        start
            .get(..p.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(p))
    });
    if is_rooted(start) || climbs || on_provider || start.contains('\\') {
        path(case, &value, Access::Read, part, out);
    } else if windows::is_secret(start) && value.known().is_some() {
        secret::named(&shown(&value), part, out);
    }
}

/// Judges a path that is used in a given way from a given directory.
pub(crate) fn judge_where(
    case: &Case<'_>,
    text: &Text,
    access: Access,
    part: Part,
    directory: &Directory,
    guarded: bool,
    out: &mut Findings,
) {
    let place = case.place;
    let (written, whole) = match shape(text) {
        Shape::Whole(path) => (path, true),
        Shape::Begins(path) => (path, false),
    };
    if whole && (written.is_empty() || written == "-") {
        return;
    }
    if whole && windows::is_secret(&written) {
        secret::named(&shown(text), part, out);
    }
    let unclear = |out: &mut Findings, what: &str| {
        if access == Access::Delete {
            delete::inside(&shown(text), part, out);
        }
        if !guarded {
            out.unclear(part, what);
        }
    };
    let from = match directory {
        Directory::Known(from) => from.as_str(),
        Directory::Unknown if is_rooted(&written) => place.directory.as_str(),
        Directory::Unknown => return unclear(out, "the directory that this path begins in"),
    };
    if !whole && written.is_empty() {
        return unclear(out, "a path");
    }
    // `C:name` starts from a directory of that drive that only the shell knows.
    let is_drive_relative = written.get(1..2) == Some(":")
        && written.len() > 2
        && !written
            .get(2..)
            .is_some_and(|rest| rest.starts_with(['\\', '/', ':']));
    let refuse = |out: &mut Findings, why: &str| {
        out.refuse(
            Rule::Path,
            part,
            format!("`{}` is {why}", shown(text)),
            Some(ABOUT.instead.into()),
        );
    };
    if is_drive_relative {
        return refuse(
            out,
            "written from a drive's own directory; start with the folder",
        );
    }
    match windows::resolve(&written, from, &place.home) {
        WindowsPath::Null => {}
        WindowsPath::Network(_) => refuse(out, "on another machine"),
        WindowsPath::Device(_) => refuse(out, "a device"),
        WindowsPath::OtherDrive(_) => refuse(out, "on another drive"),
        WindowsPath::Provider { drive, rest } => {
            let rest = rest.trim_start_matches(['\\', '/']);
            provider(&drive, rest, access, text, part, out);
        }
        WindowsPath::Disk {
            path,
            has_stream,
            has_short_name,
            climbs_over_root,
        } => {
            if whole && windows::is_secret(&path) {
                secret::named(&shown(text), part, out);
            }
            if has_stream {
                return refuse(out, "a stream hidden behind a file");
            }
            if has_short_name {
                return refuse(
                    out,
                    "a short name, which may stand for any file; write the long one",
                );
            }
            if climbs_over_root {
                return refuse(out, "outside the project");
            }
            let path = if whole || written.ends_with(['\\', '/']) {
                path
            } else {
                // What follows may finish the last name: only the folder is certain.
                match path.rsplit_once('\\') {
                    Some((folder, _)) if folder.len() > 2 => folder.to_owned(),
                    _ => path.get(..3).unwrap_or(&path).to_owned(),
                }
            };
            let scope = windows::scope(&path, place);
            if !whole {
                let holds = windows::is_within(&place.project, &path);
                if scope != Scope::Outside || holds {
                    return unclear(out, "a path");
                }
            }
            if let Some(why) = super::path::refusal(scope, access, place.sandbox) {
                refuse(out, why);
            } else if access == Access::Delete {
                delete::inside(&shown(text), part, out);
            }
        }
    }
}

/// A drive of `PowerShell` that isn't the file system.
fn provider(drive: &str, rest: &str, access: Access, text: &Text, part: Part, out: &mut Findings) {
    let changes = matches!(access, Access::Write | Access::Delete);
    let shown = shown(text);
    match drive {
        "env" | "variable" | "function" | "alias" if !changes => {}
        "env" if !steers(rest) => {
            let value = Text::Partly(Box::new([cerco_reader::Piece::Unknown]));
            shell_state::judge_variable(&rest.to_ascii_uppercase(), &value, part, false, out);
        }
        "env" | "variable" | "function" | "alias" => out.refuse(
            Rule::ShellState,
            part,
            format!("`{shown}` changes the shell itself"),
            Some(shell_state::ABOUT.instead.into()),
        ),
        "cert" => secret::named(&shown, part, out),
        _ => out.refuse(
            Rule::Path,
            part,
            format!("`{shown}` is no file of the project"),
            Some(ABOUT.instead.into()),
        ),
    }
}

/// How many seconds a call waits by itself, where it is one that does.
pub(crate) fn waits(case: &Case<'_>) -> Option<f64> {
    let bound = case.bound();
    let number = |name: &str| -> Option<f64> {
        bound
            .value_of(name, &case.start.args)?
            .known()?
            .parse()
            .ok()
    };
    let word = || -> Option<f64> {
        let at = bound.words.first()?;
        case.start
            .args
            .get(*at as usize)?
            .text
            .known()?
            .parse()
            .ok()
    };
    match bound.row()?.name {
        "ps:start-sleep" => {
            let milliseconds = number("-milliseconds").map(|n| n / 1000.0);
            milliseconds.or_else(|| number("-seconds")).or_else(word)
        }
        "cmd:timeout" => number("/t").or_else(word),
        "win:ping" => number("/n"),
        _ => None,
    }
}

/// Whether changing the variable of this name steers which code runs on Windows, where the
/// names of variables are case-blind.
pub(crate) fn steers(name: &str) -> bool {
    name.starts_with('$')
        || [
            "PATHEXT",
            "COMSPEC",
            "PSMODULEPATH",
            "PROMPT",
            "__PSLOCKDOWNPOLICY",
            "SYSTEMROOT",
            "WINDIR",
        ]
        .iter()
        .any(|n| name.eq_ignore_ascii_case(n))
}
