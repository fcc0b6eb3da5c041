//! Builtins that give a name a value from somewhere: `read`, `getopts`, `printf -v`, `wait -p`.

use cerco_model::Dialect;
use compact_str::CompactString;

use crate::posix::eval::variables::is_name;
use crate::posix::eval::{Eval, fold};
use crate::posix::state::Val;
use crate::{Programs, Word};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn printf(&mut self, args: &[Word], quiet: &mut bool) -> Option<CompactString> {
        if self.dialect == Dialect::Sh {
            // No `-v` there.
            return Self::known_words(args).and_then(|words| fold::printf(&words, self.dialect));
        }
        if let [first, name, ..] = args
            && first.text.known() == Some("-v")
        {
            *quiet = true;
            self.no_subscript(&name.text, name.part);
            let rest = args.get(2..).unwrap_or_default();
            let text = Self::known_words(rest).and_then(|words| fold::printf(&words, self.dialect));
            match name.text.known() {
                Some(name) if is_name(name) => {
                    let name = CompactString::from(name);
                    let text = Self::text_of(text);
                    self.set_value(&name, Val::Text(text));
                }
                Some(name) => self.set_element(name),
                None => self.doubt(name.part, "what this sets isn't known before it runs"),
            }
            return None;
        }
        if let Some(first) = args.first()
            && first.text.known().is_none_or(|t| t.starts_with("-v"))
            && first.text.known() != Some("-v")
        {
            if first.text.known().is_some() {
                self.doubt(first.part, "`-v` must stand apart from its name to be read");
            }
            // What is empty, or an option, before it runs isn't settled.
            let prefix = first.text.known_prefix();
            if prefix.is_empty() || prefix.starts_with('-') {
                for word in args {
                    self.no_written_subscript(word);
                }
            }
            return None;
        }
        Self::known_words(args).and_then(|words| fold::printf(&words, self.dialect))
    }

    /// `wait -p name` sets the name, like `read` does.
    pub(super) fn wait(&mut self, args: &[Word]) {
        let mut sets = false;
        for word in args {
            self.no_subscript(&word.text, word.part);
            let flag = word.text.known().filter(|t| t.starts_with('-'));
            let name = match flag.and_then(|t| t.split_once('p')) {
                Some((_, "")) => {
                    sets = true;
                    continue;
                }
                Some((_, name)) => Some(name),
                None if sets => word.text.known(),
                None => continue,
            };
            sets = false;
            match name {
                Some(name) if is_name(name) => {
                    let name = CompactString::from(name);
                    self.set_value(&name, Val::any_text());
                }
                Some(name) => self.set_element(name),
                None => self.doubt(word.part, "what this sets isn't known before it runs"),
            }
        }
    }

    /// `name[1]` gets a value: whatever else it holds.
    pub(super) fn set_element(&mut self, name: &str) {
        let base = name.split('[').next().unwrap_or_default();
        if is_name(base) {
            self.set_value(base, Val::Unknown);
        }
    }

    pub(super) fn reads(&mut self, name: &str, args: &[Word]) {
        let with_value = if name == "read" {
            "adinNptu"
        } else {
            "dnOsuCc"
        };
        let mut skip = false;
        let mut named = false;
        for (at, word) in args.iter().enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            let Some(text) = word.text.known() else {
                self.doubt(word.part, "what this sets isn't known before it runs");
                continue;
            };
            if name == "getopts" && at == 0 {
                continue;
            }
            if let Some(flags) = text
                .strip_prefix('-')
                .filter(|f| !f.is_empty() && name != "getopts")
            {
                if let Some(at) = flags.find(|c| with_value.contains(c)) {
                    let flag = flags.get(at..at + 1).unwrap_or_default();
                    let rest = flags.get(at + 1..).unwrap_or_default();
                    skip = rest.is_empty();
                    if flag == "C" {
                        self.doubt(word.part, "`-C` runs a command");
                    }
                    if flag == "a" && name == "read" {
                        skip = false;
                        if !rest.is_empty() {
                            named = true;
                            let array = CompactString::from(rest);
                            self.set_value(&array, Val::Unknown);
                        }
                    }
                }
                continue;
            }
            named = true;
            self.no_subscript(&word.text, word.part);
            self.set_element(text);
        }
        match name {
            "read" if !named => self.set_value("REPLY", Val::any_text()),
            "mapfile" | "readarray" if !named => self.set_value("MAPFILE", Val::Unknown),
            "getopts" => {
                self.set_value("OPTARG", Val::Unknown);
                self.set_value("OPTIND", Val::any_text());
            }
            _ => {}
        }
    }
}
