//! Options of the shell and its positional parameters: `set`, `shopt`, `shift`.

use cerco_model::Part;

use crate::posix::eval::Eval;
use crate::posix::eval::variables::POSITIONAL;
use crate::posix::state::{Val, Var};
use crate::{Programs, Word};

/// Options that `set` may change without changing how the text is read.
const PLAIN_SET: &str = "euxvCbhmnEHT";

impl<P: Programs> Eval<'_, P> {
    pub(super) fn set(&mut self, args: &[Word], part: Part) {
        let mut args = args;
        let mut replaced = false;
        while let [first, rest @ ..] = args {
            let Some(text) = first.text.known() else {
                if first.text.known_prefix().starts_with(['-', '+']) {
                    self.doubt(part, "this option changes how text is read");
                }
                break;
            };
            if text == "--" || text == "-" {
                replaced = text == "--" || !rest.is_empty();
                args = rest;
                break;
            }
            let Some(flags) = text.strip_prefix(['-', '+']) else {
                break;
            };
            args = rest;
            for flag in flags.chars() {
                match flag {
                    'o' => {
                        let option = args.first().map(|w| w.text.known());
                        args = args.get(1..).unwrap_or_default();
                        self.errexit |= option == Some(Some("errexit"));
                        match option {
                            None
                            | Some(Some(
                                "pipefail" | "errexit" | "nounset" | "xtrace" | "errtrace"
                                | "functrace" | "noclobber" | "monitor" | "verbose" | "notify"
                                | "noexec" | "nolog" | "vi" | "emacs" | "histexpand",
                            )) => {}
                            Some(Some("noglob")) => self.odd_globs = true,
                            Some(_) => self.doubt(part, "this option changes how text is read"),
                        }
                    }
                    'f' => self.odd_globs = true,
                    'e' => self.errexit = true,
                    c if PLAIN_SET.contains(c) => {}
                    _ => self.doubt(part, "this option changes how text is read"),
                }
            }
        }
        if !args.is_empty() || replaced {
            let spread = args.iter().any(|w| w.spreads);
            let list = args.iter().map(|w| w.text.clone()).collect();
            let val = if spread {
                Val::Unknown
            } else {
                Val::Array(list)
            };
            self.set_var(POSITIONAL, Var::of(val));
        }
        self.status = Some(true);
    }

    pub(super) fn shift(&mut self, args: &[Word]) {
        let count = match args.first() {
            None => Some(1),
            Some(word) => word.text.known().and_then(|n| n.parse::<usize>().ok()),
        };
        let val = match (self.value(POSITIONAL), count) {
            (Val::Array(list), Some(count)) if count <= list.len() => {
                Val::Array(list.into_iter().skip(count).collect())
            }
            (Val::Array(list), Some(_)) => Val::Array(list),
            _ => Val::Unknown,
        };
        self.set_var(POSITIONAL, Var::of(val));
    }

    pub(super) fn shopt(&mut self, args: &[Word], part: Part) {
        let mut changes = false;
        for word in args {
            match word.text.known() {
                Some("-s" | "-u") => changes = true,
                Some("-q" | "-p") => {}
                Some(
                    "nullglob" | "globstar" | "dotglob" | "extglob" | "failglob" | "nocaseglob",
                ) => {
                    if changes {
                        self.odd_globs = true;
                    }
                }
                Some(_) | None => {
                    if changes {
                        self.doubt(part, "this option changes how text is read");
                    }
                }
            }
        }
    }
}
