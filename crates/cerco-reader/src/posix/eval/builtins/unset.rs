//! `unset`: variables and functions that are no more.

use compact_str::CompactString;

use crate::posix::eval::variables::is_name;
use crate::posix::eval::{Eval, Hidden};
use crate::posix::state::{Val, Var};
use crate::{Programs, Text, Word};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn unset(&mut self, args: &[Word]) {
        let mut succeeds = true;
        for word in args {
            match word.text.known() {
                Some("-f") => {
                    // Later calls may reach a program of that name.
                    let functions = std::rc::Rc::make_mut(&mut self.functions);
                    for definition in functions.values_mut() {
                        definition.certain = false;
                    }
                }
                Some(flag) if flag.starts_with('-') => succeeds &= flag == "-v",
                Some(name) => {
                    let name = CompactString::from(name);
                    if is_name(&name) {
                        self.unset_name(&name);
                    } else {
                        succeeds = false;
                        self.no_subscript(&Text::Known(name.clone()), word.part);
                        self.set_element(&name);
                    }
                    let functions = std::rc::Rc::make_mut(&mut self.functions);
                    if let Some(definition) = functions.get_mut(&name) {
                        definition.certain = false;
                    }
                }
                None => self.doubt(word.part, "what this unsets isn't known before it runs"),
            }
        }
        self.status = succeeds.then_some(true);
    }

    /// What a caller of the function has for itself, or was given for one command, goes, and
    /// what it hid is seen again.
    fn unset_name(&mut self, name: &CompactString) {
        let hides = |frame: &Vec<Hidden>| frame.iter().any(|hidden| hidden.name == *name);
        let (own, callers) = match self.locals.split_last() {
            Some((own, callers)) => (hides(own), callers.iter().any(hides)),
            None => (false, false),
        };
        let uncovers = callers || self.given.contains(name);
        if uncovers && !own {
            self.set_value(name, Val::Unknown);
        } else {
            self.set_var(name, Var::of(Val::Unset));
        }
    }
}
