//! `${x:-word}` and its kin: what stands in for a value that may be missing.

use cerco_model::Dialect;

use super::Eval;
use super::fields::Fields;
use super::param::Held;
use super::variables::is_name;
use crate::posix::state::Val;
use crate::posix::tree::{Absent, Frag, Param, Quote, Word as Written};
use crate::{Assignment, Piece, Programs, Text};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn default(
        &mut self,
        param: &Param,
        held: Held,
        (kind, colon): (Absent, bool),
        word: &Written,
        quote: Quote,
        fields: &mut Fields,
    ) {
        let held = match held {
            // A POSIX shell counts no arguments as a value, an empty one.
            Held::Many { list, .. } if list.is_empty() && self.dialect == Dialect::Sh => {
                Held::One(Some(Text::Known("".into())))
            }
            held => held,
        };
        let absent = match &held {
            Held::One(None) => Some(true),
            Held::One(Some(Text::Known(text))) => Some(colon && text.is_empty()),
            Held::One(Some(Text::Partly(pieces))) => {
                let surely = pieces.iter().any(|p| match p {
                    Piece::Known(text) => !text.is_empty(),
                    Piece::Glob(_) => true,
                    Piece::Unknown => false,
                });
                if surely { Some(false) } else { None }
            }
            Held::Many { list, .. } => match list.as_slice() {
                [] => Some(true),
                [one] => one.known().map(|text| colon && text.is_empty()),
                _ => Some(false),
            },
            Held::Any => None,
        };
        let absent = absent.or_else(|| {
            // Both ways: once with the value, once with the word.
            let key = compact_str::format_compact!("\0{}", std::ptr::from_ref(param) as usize);
            self.choices.pick(&key, 2).map(|pick| pick == 1)
        });
        match (kind, absent) {
            (Absent::Use | Absent::Fail | Absent::Assign, Some(false)) => {
                self.put_held(held, quote, fields);
            }
            (Absent::Use, Some(true)) | (Absent::Alternative, Some(false)) => {
                self.put_word(word, quote, fields);
            }
            // `"${@+x}"` of no words is no word.
            (Absent::Alternative, Some(true)) => {
                let no_word =
                    matches!(&held, Held::Many { list, joined: false } if list.is_empty());
                if !no_word {
                    fields.literal("", quote);
                }
            }
            (Absent::Assign, Some(true)) => {
                if !is_name(&param.name) {
                    self.fails();
                }
                let text = self.one(word);
                self.assigned_by_default(param, text.clone());
                self.set_value(&param.name, Val::Text(text.clone()));
                self.put(&text, quote, fields);
            }
            (Absent::Fail, Some(true)) => {
                // The shell ends here; what its message starts is started.
                self.one(word);
                self.leave_shell();
                fields.literal("", quote);
            }
            (Absent::Use | Absent::Assign | Absent::Alternative | Absent::Fail, None) => {
                let text = self.if_reached(|e| e.one(word));
                if kind == Absent::Assign {
                    self.assigned_by_default(param, text);
                    self.set_value(&param.name, Val::Unknown);
                }
                fields.any();
            }
        }
    }

    /// `${PATH:=.}` sets a variable as surely as `PATH=.` does.
    fn assigned_by_default(&mut self, param: &Param, value: Text) {
        let exported = self.var_now(&param.name).exported;
        self.out.assignments.push(Assignment {
            name: param.name.clone(),
            value,
            part: param.part,
            exported,
        });
    }

    /// The word of `${x:-word}` keeps its own quoting.
    fn put_word(&mut self, word: &Written, quote: Quote, fields: &mut Fields) {
        if quote == Quote::Double {
            fields.literal("", quote);
            for frag in &word.frags {
                match frag {
                    Frag::Bare(text) => fields.literal(text, Quote::Double),
                    other @ (Frag::Quoted(_)
                    | Frag::Opaque
                    | Frag::Param(..)
                    | Frag::Command(..)
                    | Frag::Arith(..)
                    | Frag::Process(_)) => {
                        self.frags(std::slice::from_ref(other), fields);
                    }
                }
            }
            return;
        }
        let separators = self.separators();
        let splits = |text: &str| {
            separators
                .as_ref()
                .is_none_or(|s| text.contains(|c| s.contains(c)))
        };
        for frag in &word.frags {
            match frag {
                // Separators written in the word split it like those of a value.
                Frag::Bare(text) if splits(text) => {
                    self.put(&Text::Known(text.clone()), Quote::Bare, fields);
                }
                other @ (Frag::Bare(_)
                | Frag::Quoted(_)
                | Frag::Opaque
                | Frag::Param(..)
                | Frag::Command(..)
                | Frag::Arith(..)
                | Frag::Process(_)) => self.frags(std::slice::from_ref(other), fields),
            }
        }
    }
}
