//! Where a path leads: joined, `.` and `..` taken out, links resolved on the real tree.

pub(crate) mod expression;
pub mod scope;
pub mod secret;
pub mod windows;

use cerco_reader::{Piece, Text};

pub use scope::{Scope, scope};

/// The absolute path that `to` names for a process in `from`, with `.` and `..` taken out.
/// A `~` that the shell left (it stood in quotes or behind `=`) is taken for the home.
#[must_use]
pub fn join(from: &str, to: &str, home: &str) -> String {
    if let Some(path) = windows::join(from, to, home) {
        return path;
    }
    let to = to
        .strip_prefix("file://localhost")
        .or_else(|| to.strip_prefix("file://"))
        .or_else(|| to.strip_prefix("file:"))
        .unwrap_or(to);
    let mut parts: Vec<&str> = Vec::new();
    if to.starts_with('/') {
        add(&mut parts, to);
    } else if let Some(rest) = to.strip_prefix('~') {
        if rest.is_empty() || rest.starts_with('/') {
            add(&mut parts, home);
            add(&mut parts, rest);
        } else {
            // `~user`: some other home.
            let name = rest.split('/').next().unwrap_or(rest);
            add(&mut parts, if name == "root" { "/root" } else { "/home" });
            add(&mut parts, rest);
        }
    } else {
        add(&mut parts, from);
        add(&mut parts, to);
    }
    let mut path = String::with_capacity(from.len() + to.len() + 1);
    for part in &parts {
        path.push('/');
        path.push_str(part);
    }
    if path.is_empty() {
        path.push('/');
    }
    path
}

fn add<'a>(parts: &mut Vec<&'a str>, path: &'a str) {
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
}

/// Whether `path` is `folder` or lies below it; both absolute and normal.
#[must_use]
pub fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder == "/")
}

/// A path's text as far as it can be judged.
pub(crate) enum Shape<'a> {
    /// Settled, or with patterns that stay as written: one name each.
    Whole(std::borrow::Cow<'a, str>),
    /// It begins like this; then comes something that isn't known.
    Begins(std::borrow::Cow<'a, str>),
}

/// The shape of `text`. A pattern stands for one name in its folder: `/???/passwd` can only
/// lie outside, whatever it matches.
pub(crate) fn shape(text: &Text) -> Shape<'_> {
    match text {
        Text::Known(known) => Shape::Whole(known.as_str().into()),
        Text::Partly(pieces) => {
            let mut out = String::new();
            for piece in pieces {
                match piece {
                    Piece::Known(text) | Piece::Glob(text) => out.push_str(text),
                    Piece::Unknown => return Shape::Begins(out.into()),
                }
            }
            Shape::Whole(out.into())
        }
    }
}
