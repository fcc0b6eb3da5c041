//! The look through a loop's folder after a run: what the command left that programs
//! outside would run, and what is done about it.

use crate::launch::Sandbox;
use crate::look::stand_in::StandIn;
use crate::startable::{self, Planted};
use crate::survey::Survey;
use crate::switches::Protection;

impl Sandbox {
    /// What the command left that programs outside would run; a note where not all of it
    /// could be looked at. What git would run is taken out of its sight: to be called once
    /// nothing of the command is left, and before its result is given to anybody.
    #[must_use]
    pub fn left_behind(&self, survey: &Survey, notes: &mut Vec<String>) -> Vec<Planted> {
        let after = survey.look.see(notes);
        notes.extend(survey.linked_since(&after));
        notes.extend(survey.stand_in().iter().flat_map(StandIn::held));
        let mut planted = startable::planted(&survey.before, &after);
        if !self.is_on(Protection::HoldBack) {
            return planted;
        }
        for done in survey.look.hold_back(&after) {
            match planted.iter_mut().find(|known| known.path == done.path) {
                Some(known) => known.why = format!("{}; {}", known.why, done.what),
                None => planted.push(Planted {
                    path: done.path,
                    why: done.what,
                }),
            }
        }
        planted.sort_by(|a, b| a.path.cmp(&b.path));
        planted
    }
}
