//! Rule `unreadable`: what can't be read can't be judged.

use cerco_model::{Rule, Verdict};
use cerco_reader::{Doubt, Reading};

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

/// Every doubt of the reader refuses.
pub(crate) fn judge(reading: &Reading<Bound>, out: &mut Findings) {
    for Doubt {
        part,
        reason,
        remedy,
    } in &reading.doubts
    {
        let remedy = remedy.clone().or(Some(ABOUT.instead.into()));
        out.refuse(Rule::Unreadable, *part, reason.clone(), remedy);
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
