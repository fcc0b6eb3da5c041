//! Scripts of the project's own files (`npm run X`, `make X`): looked up and judged for what
//! the sandbox can't answer, by the same reader.

mod names;

use cerco_model::{Place, Rule};
use cerco_reader::Reading;

use crate::rules::{Case, Findings, about, reason};
use crate::table::{Bound, Meaning};

/// Judges every script that a start runs.
pub(crate) fn judge(reading: &Reading<Bound>, place: &Place<'_>, out: &mut Findings) {
    for start in &reading.starts {
        let case = Case {
            reading,
            start,
            place,
        };
        let (info, ends) = crate::rules::marks::quiet(&case);
        if info {
            continue;
        }
        let timed = ends || crate::rules::endless::is_timed(&case);
        for used in start
            .bound
            .uses
            .iter()
            .filter(|u| u.meaning == Meaning::Script)
        {
            let Some(name) = used.value.text(&start.args).known() else {
                continue;
            };
            for rule in names::rules(name) {
                if *rule == Rule::Endless && timed {
                    continue;
                }
                let Some(about) = about(rule) else { continue };
                let words = format!("{} {name}", case.words());
                out.refuse(
                    rule.clone(),
                    used.part,
                    reason(about, &words),
                    Some(about.instead.into()),
                );
            }
        }
    }
}
