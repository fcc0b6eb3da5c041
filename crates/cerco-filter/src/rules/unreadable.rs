//! Rule `unreadable`: what can't be read can't be judged.

use cerco_model::{Command, Part, Rule, Verdict};
use cerco_reader::{Doubt, Reading, Start, StartedBy};

use super::{About, Findings};
use crate::table::Bound;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Unreadable,
    verdict: Verdict::Refused,
    sentence: "Text that can't be read, a program whose name isn't known before it runs, characters that hide.",
    reason: "`{}` can't be read",
    instead: "write the names out",
    matches: &["$(cat tool.txt) build", "echo \"unterminated"],
    not: &["X=ls; $X", "echo \"$(date)\""],
};

/// Every doubt of the reader refuses, and so does a program's name that stands elsewhere than
/// it seems: behind a variable that is empty, or put together by braces.
pub(crate) fn judge(reading: &Reading<Bound>, command: &Command, out: &mut Findings) {
    for Doubt {
        part,
        reason,
        remedy,
    } in &reading.doubts
    {
        let remedy = remedy.clone().or(Some(ABOUT.instead.into()));
        out.refuse(Rule::Unreadable, *part, reason.clone(), remedy);
    }
    for start in &reading.starts {
        if start.name.text.known() == Some("") {
            let why = "the program's name is empty";
            out.refuse(
                Rule::Unreadable,
                start.part,
                why,
                Some(ABOUT.instead.into()),
            );
        }
    }
    if !command.text().contains(['$', '{']) || command.dialect().is_windows() {
        return;
    }
    for start in &reading.starts {
        named_elsewhere(start, command.text(), out);
    }
}

/// Whether the word in front of `part`, in the same command, is a variable.
fn follows_variable(part: Part, assigned: u32, text: &str) -> bool {
    let Some(before) = text.get(..part.start as usize) else {
        return false;
    };
    let trimmed = before.trim_end_matches([' ', '\t']);
    if trimmed.len() == before.len() || assigned > part.start {
        return false;
    }
    let word = trimmed
        .rsplit([' ', '\t', '\n', ';', '|', '&', '(', ')', '`'])
        .next()
        .unwrap_or_default();
    word.starts_with('$') || word.starts_with("\"$")
}

/// `$EMPTY rm x` runs `rm`, `nohup $EMPTY rm x` does too, `{a,b}c` runs `ac`.
fn named_elsewhere(start: &Start<Bound>, text: &str, out: &mut Findings) {
    let name = start.name.part;
    let before = Part {
        start: start.part.start,
        end: name.start,
    };
    let mut gaps = vec![before];
    if let Some(rest) = start.bound.rest
        && let Some(program) = start.args.get(rest as usize)
    {
        let last = match rest.checked_sub(1) {
            Some(at) => start.args.get(at as usize).map_or(name, |w| w.part),
            None => name,
        };
        gaps.push(Part {
            start: last.end,
            end: program.part.start,
        });
    }
    // Assignments in front of a program are read on their own.
    let assigned = start
        .assignments
        .iter()
        .map(|a| a.part.end)
        .max()
        .unwrap_or(0);
    let vanished = gaps.iter().any(|gap| {
        let from = Part {
            start: gap.start.max(assigned),
            end: gap.end,
        };
        from.start < from.end
            && from.of(text).is_some_and(|gap| {
                gap.contains('$') && !gap.contains(['<', '>', '(', ';', '|', '&', '=', '\n'])
            })
    });
    let vanished = vanished
        || matches!(start.by, StartedBy::Shell | StartedBy::Builtin)
            && follows_variable(start.part, assigned, text);
    let braces = name.of(text).is_some_and(|written| {
        written.contains('{') && written.contains(',') && !written.contains(['$', '\'', '"'])
    });
    if vanished || braces {
        out.refuse(
            Rule::Unreadable,
            start.part,
            "the program's name isn't written where the program's name stands",
            Some(ABOUT.instead.into()),
        );
    }
}

/// Whether a program's name has characters that can't be seen or change the direction.
pub(crate) fn hides(name: &str) -> bool {
    name.chars().any(|c| {
        c.is_control()
            || matches!(c, '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
                | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
    })
}
