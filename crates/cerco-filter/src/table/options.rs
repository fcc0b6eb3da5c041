//! Finding the row of an option as it is written on the command line.

use smallvec::SmallVec;

use super::{OptionRow, Row, Style, Takes};

/// What an option's name stands for.
pub(super) enum Found {
    /// Nothing that the table lists.
    Nothing,
    /// This option.
    One(&'static OptionRow),
    /// An abbreviation of several: all of them are taken to be there.
    Several(SmallVec<[&'static OptionRow; 4]>),
}

/// The options that count at this point, the innermost level first.
fn rows<'a>(levels: &'a [&'static Row]) -> impl Iterator<Item = &'static OptionRow> + 'a {
    let last = levels.len().saturating_sub(1);
    levels
        .iter()
        .enumerate()
        .rev()
        .flat_map(move |(index, row)| {
            let before: &'static [OptionRow] = if index == last { row.before } else { &[] };
            row.options.iter().chain(before)
        })
}

/// The option with exactly this name.
pub(super) fn exact(levels: &[&'static Row], name: &str) -> Option<&'static OptionRow> {
    rows(levels).find(|option| option.names.contains(&name))
}

/// The option whose short name is `-letter`.
pub(super) fn short(levels: &[&'static Row], letter: char) -> Option<&'static OptionRow> {
    rows(levels).find(|option| {
        option.names.iter().any(|name| {
            name.strip_prefix('-')
                .is_some_and(|rest| rest.chars().eq([letter]))
        })
    })
}

/// The option of several letters behind one dash that `word` begins with, and takes a value.
pub(super) fn begins(
    levels: &[&'static Row],
    word: &str,
) -> Option<(&'static OptionRow, &'static str)> {
    rows(levels)
        .filter(|option| option.takes == Takes::Value)
        .find_map(|option| {
            let named = |name: &&&str| {
                name.len() > 2
                    && !name.starts_with("--")
                    && word.len() > name.len()
                    && word.starts_with(**name)
            };
            option.names.iter().find(named).map(|name| (option, *name))
        })
}

/// A long option, abbreviated where the style allows it.
pub(super) fn long(levels: &[&'static Row], name: &str, style: Style) -> Found {
    if let Some(row) = exact(levels, name) {
        return Found::One(row);
    }
    if style == Style::Words {
        return match name
            .strip_prefix('-')
            .and_then(|short| exact(levels, short))
        {
            Some(row) => Found::One(row),
            None => Found::Nothing,
        };
    }
    if !matches!(style, Style::Gnu | Style::Tar) || name.len() < 3 || name == "--help" {
        return Found::Nothing;
    }
    let several: SmallVec<[&'static OptionRow; 4]> = rows(levels)
        .filter(|option| option.names.iter().any(|n| n.starts_with(name)))
        .collect();
    match several.as_slice() {
        [] => Found::Nothing,
        [row] => Found::One(row),
        _ => Found::Several(several),
    }
}
