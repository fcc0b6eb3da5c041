//! `find … -exec program {} ;` and `fd … -x program`: what they start for each file.

use cerco_reader::{Call, Inner, Piece, Text, Word};
use compact_str::CompactString;

use crate::paths::{expression, secret};

use super::bound::Bound;
use super::inner::replace;

const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Every `-exec` of a find. The word `{}` becomes a path below the start folders whose last
/// part is what `-name` asks for, so that `find . -name .env -exec cat {} +` names a secret.
pub(super) fn push(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let args = call.args;
    let chosen = patterns(args);
    // Files of the first pattern stand for all; of the others one that chooses secrets is
    // enough to refuse.
    let first = chosen.iter().find(|(_, named)| *named);
    let first = first.map_or("*", |(pattern, _)| pattern);
    let secret = chosen.iter().map(|(pattern, _)| pattern.as_str());
    let secret = secret
        .filter(|pattern| *pattern != first)
        .find(|pattern| secret::is_secret(&join(&found(".", Some(pattern)))));
    let patterns: Vec<&str> = std::iter::once(first).chain(secret).collect();
    let mut at = 0;
    while let Some(word) = args.get(at) {
        at += 1;
        if !word.text.known().is_some_and(|t| RUNS.contains(&t)) {
            continue;
        }
        let start = at;
        while args
            .get(at)
            .is_some_and(|w| !matches!(w.text.known(), Some(";" | "+")))
        {
            at += 1;
        }
        let run = args.get(start..at).unwrap_or_default();
        let roots: Vec<&Word> = roots(args);
        for pattern in &patterns {
            if roots.is_empty() {
                push_run(run, &found(".", Some(pattern)), inner);
            }
            for root in &roots {
                match root.text.known() {
                    Some(root) => push_run(run, &found(root, Some(pattern)), inner),
                    None => push_run(run, &[Piece::Unknown], inner),
                }
            }
        }
    }
    let _ = bound;
}

/// The patterns that choose files: what `-name` asks for (true), and what other tests do. What
/// `!` takes away chooses nothing.
fn patterns(args: &[Word]) -> Vec<(String, bool)> {
    let known = |at: usize| args.get(at).and_then(|word| word.text.known());
    let mut patterns = Vec::new();
    for (at, option) in args.iter().enumerate() {
        let is_not = |at: usize| matches!(known(at), Some("!" | "-not"));
        let negated = at > 0 && is_not(at - 1) && !(at > 1 && is_not(at - 2));
        let (Some(option), Some(pattern), false) = (option.text.known(), known(at + 1), negated)
        else {
            continue;
        };
        match option {
            "-name" | "-iname" => patterns.push((pattern.to_owned(), true)),
            "-path" | "-ipath" | "-wholename" | "-iwholename"
                if known(at + 2) != Some("-prune") =>
            {
                patterns.push((pattern.to_owned(), false));
            }
            "-regex" | "-iregex" => {
                // Too many to be written out may be anything, and so a secret.
                let names = expression::names(pattern).unwrap_or_else(|| vec![".env".to_owned()]);
                patterns.extend(names.into_iter().map(|name| (name, false)));
            }
            _ => {}
        }
    }
    patterns
}

/// `fd`: the program behind `-x` gets the found name behind it or in place of `{}`.
pub(super) fn push_fd(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let Some(at) = bound.rest else { return };
    let run = call.args.get(at as usize..).unwrap_or_default();
    let end = run
        .iter()
        .position(|w| w.text.known() == Some(";"))
        .unwrap_or(run.len());
    let run = run.get(..end).unwrap_or_default();
    let placed = run.iter().any(|w| w.text.known_prefix().contains('{'));
    let chosen = chosen_by_fd(call, at as usize);
    let found = found(".", chosen.as_deref());
    let mut words: Vec<Word> = run.to_vec();
    if !placed && let Some(first) = run.first() {
        words.push(Word {
            text: Text::Known(CompactString::const_new("{}")),
            part: first.part,
            spreads: false,
        });
    }
    push_run(&words, &found, inner);
}

/// A pattern of fd's own words, in front of the program at `end`, that chooses secrets:
/// `fd -H '^\.env$'`, `fd -e pem`.
fn chosen_by_fd(call: &Call<'_>, end: usize) -> Option<String> {
    let own = call.args.get(..end).unwrap_or_default();
    let secret = |name: &str| secret::is_secret(&join(&found(".", Some(name))));
    let mut before = "";
    for word in own {
        let text = word.text.known().unwrap_or_default();
        let option = std::mem::replace(&mut before, text);
        if matches!(option, "-E" | "--exclude") {
            continue;
        }
        let ending = match (option, text.strip_prefix("--extension=")) {
            ("-e" | "--extension", _) => Some(text),
            (_, Some(ending)) => Some(ending),
            _ => text.strip_prefix("-e").filter(|ending| !ending.is_empty()),
        };
        let names = match ending {
            Some(ending) => vec![format!("*.{}", ending.trim_start_matches('.'))],
            None if text.starts_with('-') => continue,
            None => expression::names(text).unwrap_or_else(|| vec![".env".to_owned()]),
        };
        if let Some(name) = names
            .into_iter()
            .find(|name| name.len() > 1 && secret(name))
        {
            return Some(name);
        }
    }
    None
}

/// The start folders: the words in front of the first test.
fn roots(args: &[Word]) -> Vec<&Word> {
    args.iter()
        .skip_while(|w| matches!(w.text.known(), Some("-L" | "-H" | "-P")))
        .take_while(|w| !w.text.known_prefix().starts_with(['-', '(', '!']))
        .collect()
}

fn found(root: &str, pattern: Option<&str>) -> Vec<Piece> {
    let root = root.strip_suffix('/').unwrap_or(root);
    let mut pieces = vec![Piece::Known(format!("{root}/").into())];
    match pattern {
        Some(name) if !name.contains(['*', '?', '[', '/']) => {
            pieces.push(Piece::Known(name.into()));
        }
        Some(name) => pieces.push(Piece::Glob(name.into())),
        None => pieces.push(Piece::Glob(CompactString::const_new("*"))),
    }
    pieces
}

fn push_run(run: &[Word], found: &[Piece], inner: &mut Vec<Inner>) {
    let words: Vec<Word> = run
        .iter()
        .map(|word| match word.text.known() {
            Some("{}") => Word {
                text: join(found),
                part: word.part,
                spreads: false,
            },
            _ => replace(word, "{}", &Piece::Unknown),
        })
        .collect();
    if !words.is_empty() {
        inner.push(Inner::Program {
            words,
            assignments: Vec::new(),
            directory: None,
            appended: cerco_reader::Appended::Nothing,
        });
    }
}

fn join(pieces: &[Piece]) -> Text {
    let mut known = CompactString::default();
    for piece in pieces {
        match piece {
            Piece::Known(text) => known.push_str(text),
            Piece::Glob(_) | Piece::Unknown => {
                return Text::Partly(pieces.to_vec().into_boxed_slice());
            }
        }
    }
    Text::Known(known)
}
