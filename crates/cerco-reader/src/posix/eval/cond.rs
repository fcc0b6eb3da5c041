//! `[[ … ]]`: what it starts, and how it ends where that is settled.

use cerco_model::{Dialect, Part};

use super::Eval;
use super::call::Expanded;
use super::redirect::Redirected;
use super::variables::{is_name, scalar};
use crate::posix::state::Val;
use crate::posix::tree::Cond;
use crate::{Programs, StartedBy, Text, Word};

/// Tests of `[[` that look at a file.
const FILE_TESTS: &str = "abcdefghkprsuwxGLNOS";

impl<P: Programs> Eval<'_, P> {
    pub(super) fn cond(&mut self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Word(word) => self.one(word).known().map(|text| !text.is_empty()),
            Cond::Not(inner) => self.cond(inner).map(|ok| !ok),
            Cond::And(a, b) => {
                let a = self.cond(a);
                let b = self.if_reached(|e| e.cond(b));
                match (a, b) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Cond::Or(a, b) => {
                let a = self.cond(a);
                let b = self.if_reached(|e| e.cond(b));
                match (a, b) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Cond::Unary(flag, inner) => {
                let Cond::Word(word) = &**inner else {
                    self.cond(inner);
                    return None;
                };
                let text = self.one(word);
                if FILE_TESTS.contains(*flag) {
                    self.file_test(*flag, text.clone(), word.part);
                }
                match flag {
                    'n' => text.known().map(|t| !t.is_empty()),
                    'z' => text.known().map(str::is_empty),
                    'v' | 'R' => {
                        self.no_subscript(&text, word.part);
                        None
                    }
                    _ => None,
                }
            }
            Cond::Match {
                left,
                pattern,
                negated,
            } => {
                let (Cond::Word(left), Cond::Word(pattern)) = (&**left, &**pattern) else {
                    self.cond(left);
                    self.cond(pattern);
                    return None;
                };
                let left = self.one(left);
                let pattern = self.pattern_of(pattern)?;
                let text: Vec<char> = left.known()?.chars().collect();
                super::pattern::matches(&pattern, &text).map(|hit| hit != *negated)
            }
            Cond::Compare(a, b) => {
                for side in [a, b] {
                    if let Cond::Word(word) = &**side {
                        let text = self.one(word);
                        self.operand_as_number(&text, word.part);
                    } else {
                        self.cond(side);
                    }
                }
                None
            }
            Cond::Other(a, b) => {
                self.cond(a);
                self.cond(b);
                // `=~` leaves what it found.
                self.set_value("BASH_REMATCH", Val::Unknown);
                None
            }
        }
    }

    /// `[[ x -eq 1 ]]`: a name in it is a variable, whose text is read as well.
    fn operand_as_number(&mut self, text: &Text, part: Part) {
        self.text_as_number(text, part);
        if let Some(name) = text.known()
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && let Some(value) = scalar(self.value(name))
        {
            self.text_as_number(&value, part);
        }
    }

    /// `[[ -e path ]]` looks at a file, as the builtin `[` does, and is written down like it.
    fn file_test(&mut self, flag: char, path: Text, part: Part) {
        let word = |text| Word {
            text,
            part,
            spreads: false,
        };
        // `-a` is `-e`, but for `[`, where it joins two tests.
        let flag = if flag == 'a' { 'e' } else { flag };
        let flag = Text::Known(compact_str::format_compact!("-{flag}"));
        let call = Expanded {
            name: word(Text::Known("[[".into())),
            args: vec![word(flag), word(path)],
            assignments: Vec::new(),
            redirected: Redirected::default(),
            part,
        };
        self.start(call, StartedBy::Builtin);
    }

    /// The same of a word that is seldom a name: it must be written out, or may hold what is.
    pub(super) fn no_written_subscript(&mut self, word: &Word) {
        if word.text.known().map_or(self.armed, super::is_injection) {
            self.no_subscript(&word.text, word.part);
        }
    }

    /// A variable's name in an argument: a subscript in it is arithmetic.
    pub(super) fn no_subscript(&mut self, text: &Text, part: Part) {
        if super::variables::may_inject(text, self.armed) {
            self.doubt(part, "a subscript in this name may run what it says");
        }
        let sets = |(name, subscript): (&str, &str)| {
            is_name(name)
                && (subscript.contains('=') || subscript.contains("++") || subscript.contains("--"))
        };
        if self.dialect != Dialect::Sh && text.known_prefix().split_once('[').is_some_and(sets) {
            self.doubt(part, "a subscript in this name sets a variable");
        }
    }
}
