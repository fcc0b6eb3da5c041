//! What the program table says of a program, its sub-commands and its options.

use cerco_model::{Kind, Part, Rule, Verdict};

use super::{Case, Findings, about, reason};
use crate::table::{Mark, Says};

/// Rules that don't apply to a call that only prints something.
fn info_cancels(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Endless
            | Rule::Publish
            | Rule::Secret
            | Rule::GitChange
            | Rule::GitDestructive
            | Rule::Delete
    )
}

/// Every mark that holds, with the part it stands at.
fn holding<'a>(case: &'a Case<'a>) -> impl Iterator<Item = (&'static Mark, Part)> + 'a {
    let bound = case.bound();
    let facts = case.facts();
    let start = case.start;
    let rows = bound
        .last()
        .into_iter()
        .flat_map(move |row| row.marks.iter().map(move |m| (m, start.part)));
    let options = bound
        .seen
        .iter()
        .flat_map(|seen| seen.row.marks.iter().map(move |m| (m, seen.part)));
    let other = bound.unknown_sub.iter().flat_map(move |_| {
        let marks = bound.last().map_or(&[] as &[Mark], |row| row.other);
        marks.iter().map(move |m| (m, start.part))
    });
    rows.chain(options)
        .chain(other)
        .filter(move |(mark, _)| mark.condition.holds(facts))
}

/// Whether the call only prints something, and whether it ends by itself.
pub(crate) fn quiet(case: &Case<'_>) -> (bool, bool) {
    let mut info = false;
    let mut ends = false;
    for (mark, _) in holding(case) {
        info |= matches!(mark.says, Says::Info);
        ends |= matches!(mark.says, Says::Ends);
    }
    (info, ends || info)
}

/// Whether words of its own may take back that it is only tried out: of two that say opposite
/// things the last one wins, and npm reads `--dry-run false` as one.
fn may_take_back(case: &Case<'_>) -> bool {
    case.start.args.iter().any(|word| {
        word.text.known().is_none_or(|text| {
            matches!(text, "false" | "no" | "off" | "0")
                || text.starts_with("--no-dry")
                || text.split_once('=').is_some_and(|(_, value)| {
                    text.starts_with("--dry") && !matches!(value, "true" | "yes" | "on" | "1")
                })
        })
    })
}

/// Adds what the marks say.
pub(crate) fn judge(case: &Case<'_>, info: bool, ends: bool, out: &mut Findings) {
    for (mark, part) in holding(case) {
        let Says::Rule(rule) = &mark.says else {
            continue;
        };
        let cancels =
            |rule: &Rule| info_cancels(rule) && !(*rule == Rule::Publish && may_take_back(case));
        if info && cancels(rule) || ends && *rule == Rule::Endless {
            continue;
        }
        let Some(about) = about(rule) else { continue };
        let why = match mark.reason {
            Some(own) => own.to_owned(),
            None => reason(about, &case.words()),
        };
        if about.verdict == Verdict::Refused {
            let remedy = mark.remedy.unwrap_or(about.instead);
            out.refuse(rule.clone(), part, why, Some(remedy.into()));
        } else {
            let kind = match (mark.kind, case.last_row()) {
                (Some(kind), _) => Kind::fixed(kind),
                (None, _) if *rule == Rule::Delete => Kind::DELETE_FILES,
                (None, Some(row)) => Kind::fixed(row.kind),
                (None, None) => Kind::UNCLEAR,
            };
            out.ask(rule.clone(), part, why, kind);
        }
    }
}
