//! `find … -exec program {} ;` and `fd … -x program`: what they start for each file.

use cerco_reader::{Call, Inner, Piece, Text, Word};
use compact_str::CompactString;

use super::bound::Bound;
use super::inner::replace;

const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Every `-exec` of a find. The word `{}` becomes a path below the start folders whose last
/// part is what `-name` asks for, so that `find . -name .env -exec cat {} +` names a secret.
pub(super) fn push(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let args = call.args;
    let pattern = args
        .iter()
        .zip(args.iter().skip(1))
        .filter(|(option, _)| matches!(option.text.known(), Some("-name" | "-iname")))
        .find_map(|(_, value)| value.text.known());
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
        if roots.is_empty() {
            push_run(run, &found(".", pattern), inner);
        }
        for root in roots {
            match root.text.known() {
                Some(root) => push_run(run, &found(root, pattern), inner),
                None => push_run(run, &[Piece::Unknown], inner),
            }
        }
    }
    let _ = bound;
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
    let found = found(".", None);
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
