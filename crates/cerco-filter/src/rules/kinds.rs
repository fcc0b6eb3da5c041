//! Which kinds there are: the words that an ask may show and a person may allow beforehand.

use std::collections::BTreeSet;

use cerco_model::Verdict;

use super::about;
use super::inline_code::KINDS;
use crate::table::{Mark, Row, Says, programs};

/// Kinds that rules give without the table.
const OTHERS: [&str; 2] = ["delete files", "git hooks folder"];

/// Whether an ask can show `words`.
pub(crate) fn exists(words: &str) -> bool {
    // A custom rule's own kind; an option that names a program (`rg --pre`).
    let rule = words.strip_prefix("rule ").is_some_and(|id| !id.is_empty());
    let option = [" -", " +", " /"].iter().find_map(|sign| words.find(sign));
    let variable = words.rfind(' ').filter(|_| words.ends_with('='));
    let option = option.or(variable);
    let program = words.get(..option.unwrap_or(words.len())).unwrap_or(words);
    rule || all().contains(words) || all().contains(program)
}

/// The kind that `words` is a misspelling of, if it is close to one.
pub(crate) fn close_to(words: &str) -> Option<&'static str> {
    let near = all().into_iter().map(|kind| (distance(kind, words), kind));
    near.filter(|(far, _)| *far <= 2)
        .min()
        .map(|(_, kind)| kind)
}

fn all() -> BTreeSet<&'static str> {
    let mut kinds = BTreeSet::new();
    for (_, row) in programs() {
        collect(row, &mut kinds);
    }
    kinds.extend(OTHERS);
    kinds.extend(KINDS);
    kinds
}

/// A row's own words, and the kinds that its marks give.
fn collect(row: &'static Row, kinds: &mut BTreeSet<&'static str>) {
    kinds.insert(row.kind);
    let options = row.options.iter().chain(row.before);
    let marks = options.flat_map(|option| option.marks);
    kinds.extend(marks.chain(row.marks).chain(row.other).filter_map(asked));
    for (_, sub) in row.subs {
        collect(sub, kinds);
    }
}

fn asked(mark: &'static Mark) -> Option<&'static str> {
    let Says::Rule(rule) = &mark.says else {
        return None;
    };
    let is_asked = about(rule).is_some_and(|about| about.verdict == Verdict::Asked);
    mark.kind.filter(|_| is_asked)
}

/// How many letters have to be put in, left out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, c) in a.chars().enumerate() {
        let mut before = at;
        let mut last = at + 1;
        for (other, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let here = (before + usize::from(c != *other))
                .min(last + 1)
                .min(*cell + 1);
            before = *cell;
            *cell = here;
            last = here;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
