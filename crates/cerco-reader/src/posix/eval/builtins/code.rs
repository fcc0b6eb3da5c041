//! Builtins that run code or a command they are given: `eval`, `exec`, `command`.

use cerco_model::{Dialect, Part};
use compact_str::CompactString;

use crate::posix::eval::call::Expanded;
use crate::posix::eval::redirect::Redirected;
use crate::posix::eval::{Eval, MAX_INNER, names};
use crate::{Programs, StartedBy, Word};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn eval(&mut self, args: &[Word], part: Part) {
        let args = match args {
            [first, rest @ ..]
                if first.text.known() == Some("--") && self.dialect != Dialect::Sh =>
            {
                rest
            }
            all => all,
        };
        let Some(words) = Self::known_words(args) else {
            return self.doubt_with(
                part,
                "the commands in this text aren't known before it runs",
                Some("write the commands out"),
            );
        };
        let text = words.join(" ");
        if !self.spend(text.len() + 64, part) || self.depth > 24 {
            return self.doubt(part, "texts in texts are nested too deeply");
        }
        let list = self.parse(&text, part);
        let at = self.at.replace(self.at.unwrap_or(part));
        self.depth += 8;
        let goes_on = std::mem::replace(&mut self.goes_on, true);
        self.nested(|e| e.list(&list));
        self.goes_on = goes_on;
        self.depth -= 8;
        self.at = at;
        self.status = None;
    }

    /// The command behind `exec`, `command`, `builtin`.
    pub(super) fn wrapped(
        &mut self,
        args: &[Word],
        valued: &[&str],
        flags: &str,
        index: u32,
        part: Part,
    ) {
        let mut args = args;
        while let [first, rest @ ..] = args {
            let Some(text) = first.text.known() else {
                break;
            };
            if text == "--" {
                args = rest;
                break;
            }
            let Some(letters) = text.strip_prefix('-').filter(|l| !l.is_empty()) else {
                break;
            };
            args = rest;
            if valued.contains(&text) {
                args = args.get(1..).unwrap_or_default();
            } else if !letters.chars().all(|c| flags.contains(c)) {
                return self.doubt(first.part, "an option that isn't known");
            }
        }
        let [name, rest @ ..] = args else { return };
        let Some(known) = name.text.known().filter(|_| !name.spreads) else {
            return self.doubt_with(
                name.part,
                "which program this starts isn't known before it runs",
                Some("write the program's name out"),
            );
        };
        let known = CompactString::from(known);
        if self.inner_depth >= MAX_INNER {
            return self.doubt(part, "programs that start programs are nested too deeply");
        }
        self.inner_depth += 1;
        let call = Expanded {
            name: name.clone(),
            args: rest.to_vec(),
            assignments: Vec::new(),
            redirected: Redirected::default(),
            part,
        };
        if names::is_builtin(&known, self.dialect) && !valued.contains(&"-a") {
            self.builtin(&known, call, &[]);
        } else {
            self.program(call, StartedBy::Start(index));
        }
        self.inner_depth -= 1;
    }
}
