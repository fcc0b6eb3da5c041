//! Patterns in words: found, and matched against the real tree.

use cerco_model::{EntryKind, Tree};
use compact_str::CompactString;

use super::fields::Bit;
use super::pattern::{Pat, matches};
use crate::posix::tree::Quote;
use crate::{Directory, Piece, Text};

/// Entries of one folder that are looked at, and names that a pattern may make.
const MOST: usize = 4_096;

pub(super) enum Pattern {
    /// No pattern in it.
    None(Text),
    /// The text with its operators apart.
    Pieces(Text),
}

/// Takes the live operators of a word apart from its characters.
pub(super) fn text(bits: &[Bit]) -> Pattern {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut globs = false;
    for bit in bits {
        match bit {
            Bit::Lit(text, Quote::Bare) if text.contains(['*', '?', '[']) => {
                globs |= operators(text, &mut pieces);
            }
            Bit::Lit(text, _) => known(text, &mut pieces),
            Bit::Glob(text) => {
                globs = true;
                pieces.push(Piece::Glob(text.clone()));
            }
            Bit::Unknown => pieces.push(Piece::Unknown),
        }
    }
    let text = match pieces.as_mut_slice() {
        [] => Text::Known(CompactString::default()),
        [Piece::Known(text)] => Text::Known(std::mem::take(text)),
        _ => Text::Partly(pieces.into_boxed_slice()),
    };
    if globs {
        Pattern::Pieces(text)
    } else {
        Pattern::None(text)
    }
}

fn known(text: &str, pieces: &mut Vec<Piece>) {
    if let Some(Piece::Known(last)) = pieces.last_mut() {
        last.push_str(text);
    } else if !text.is_empty() {
        pieces.push(Piece::Known(text.into()));
    }
}

/// `*`, `?` and `[…]` of unquoted text. A `[` that nothing closes in the same text is
/// taken as an operator too: quoted characters may stand between.
fn operators(text: &str, pieces: &mut Vec<Piece>) -> bool {
    let mut found = false;
    let mut rest = text;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (before, from) = rest.split_at(at);
        known(before, pieces);
        let width = if from.starts_with('[') {
            if let Some(width) = set_width(from) {
                width
            } else {
                known("[", pieces);
                rest = from.get(1..).unwrap_or_default();
                continue;
            }
        } else {
            1
        };
        let (glob, after) = from.split_at(width);
        pieces.push(Piece::Glob(glob.into()));
        found = true;
        rest = after;
    }
    known(rest, pieces);
    found
}

fn set_width(from: &str) -> Option<usize> {
    let body = from.get(1..)?;
    let skip = usize::from(body.starts_with(['!', '^']));
    let skip = skip + usize::from(body.get(skip..)?.starts_with(']'));
    let close = body.get(skip..)?.find(']')? + skip;
    // A slash can't be in a set: the bracket is then a character.
    (!body.get(..close)?.contains('/')).then_some(close + 2)
}

/// The names that match, sorted, as the shell would put them; nothing where none does
/// or the tree can't say.
pub(super) fn expand(
    bits: &[Bit],
    directory: &Directory,
    tree: &dyn Tree,
) -> Option<Vec<CompactString>> {
    let mut pattern: Vec<Pat> = Vec::new();
    for bit in bits {
        match bit {
            Bit::Lit(text, quote) => {
                pattern.extend(text.chars().map(|c| (c, *quote == Quote::Double)));
            }
            Bit::Glob(_) | Bit::Unknown => return None,
        }
    }
    let absolute = matches!(pattern.first(), Some(('/', _)));
    let base = match (absolute, directory) {
        (true, _) => "",
        (false, Directory::Known(path)) => path.as_str(),
        (false, Directory::Unknown) => return None,
    };
    // Pairs of the path as written and the path on disk.
    let mut found: Vec<(String, String)> = vec![(String::new(), base.to_owned())];
    let mut components = pattern.split(|(c, _)| *c == '/').peekable();
    if absolute {
        components.next();
        found = vec![("/".to_owned(), String::new())];
    }
    while let Some(component) = components.next() {
        let last = components.peek().is_none();
        let mut next = Vec::new();
        for (written, path) in found {
            let slash = if last { "" } else { "/" };
            if !component
                .iter()
                .any(|(c, q)| !q && matches!(c, '*' | '?' | '['))
            {
                let name: String = component.iter().map(|(c, _)| *c).collect();
                let there = format!("{path}/{name}");
                if name.is_empty() || tree.entry(&there).is_some() {
                    next.push((format!("{written}{name}{slash}"), there));
                }
                continue;
            }
            let at = if path.is_empty() { "/" } else { &path };
            let mut names = tree.names(at, MOST)?;
            names.sort_unstable();
            for name in names {
                let hidden = name.starts_with('.') && !matches!(component.first(), Some(('.', _)));
                if hidden {
                    continue;
                }
                let chars: Vec<char> = name.chars().collect();
                if !matches(component, &chars)? {
                    continue;
                }
                let there = format!("{path}/{name}");
                let folder = || {
                    tree.resolve(&there)
                        .and_then(|real| tree.entry(&real))
                        .is_some_and(|kind| kind == EntryKind::Folder)
                };
                if last || folder() {
                    next.push((format!("{written}{name}{slash}"), there));
                }
                if next.len() > MOST {
                    return None;
                }
            }
        }
        found = next;
    }
    if found.is_empty() {
        return None;
    }
    Some(
        found
            .into_iter()
            .map(|(written, _)| written.into())
            .collect(),
    )
}
