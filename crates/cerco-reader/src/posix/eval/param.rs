//! `$x` and all its forms.

use cerco_model::Dialect;
use compact_str::CompactString;

use super::Eval;
use super::edit::{change_case, replace, strip};
use super::fields::Fields;
use super::variables::{POSITIONAL, is_name, may_inject, scalar};
use crate::posix::state::{Val, unknown};
use crate::posix::tree::{Index, Param, ParamOp, Quote, Word as Written};
use crate::{Programs, Text};

/// What a parameter holds before its operator works on it.
pub(super) enum Held {
    One(Option<Text>),
    /// `$@`, `${a[@]}`; `joined` for `*`.
    Many {
        list: Vec<Text>,
        joined: bool,
    },
    /// Any number of any texts.
    Any,
}

impl<P: Programs> Eval<'_, P> {
    pub(super) fn param(&mut self, param: &Param, quote: Quote, fields: &mut Fields) {
        let held = self.held(param);
        match &param.op {
            ParamOp::Get => self.put_held(held, quote, fields),
            ParamOp::Default { kind, colon, word } => {
                self.default(param, held, (*kind, *colon), word, quote, fields);
            }
            ParamOp::Length => {
                let count = match held {
                    Held::One(None) => Some(0),
                    Held::One(Some(Text::Known(text))) => Some(text.chars().count()),
                    Held::Many { list, .. } => Some(list.len()),
                    Held::One(Some(Text::Partly(_))) | Held::Any => None,
                };
                let text = count.map(|n| compact_str::format_compact!("{n}"));
                let text = Self::text_of(text);
                self.put(&text, quote, fields);
            }
            ParamOp::Keys => match held {
                Held::Many { list, .. } => {
                    let keys: Vec<Text> = (0..list.len())
                        .map(|i| Text::Known(compact_str::format_compact!("{i}")))
                        .collect();
                    self.put_list(&keys, quote, fields);
                }
                Held::One(_) | Held::Any => fields.any(),
            },
            ParamOp::NamesWith => fields.any(),
            ParamOp::Indirect(operand) => {
                self.indirect(param, held, operand.as_ref(), quote, fields);
            }
            ParamOp::Slice { offset, length } => {
                let (from, count) = self.if_reached(|e| {
                    let from = e.arith(offset);
                    (from, length.as_ref().map(|length| e.arith(length)))
                });
                // `None` in it: a number that isn't settled.
                let range = match (from, count) {
                    (Some(from), None) => Some((from, None)),
                    (Some(from), Some(Some(count))) => Some((from, Some(count))),
                    (None, _) | (_, Some(None)) => None,
                };
                let of_arguments = param.name == POSITIONAL || param.name == "*";
                self.slice(held, range, of_arguments, quote, fields);
            }
            ParamOp::Strip {
                suffix,
                longest,
                pattern,
            } => {
                let pattern = self.if_reached(|e| e.pattern_of(pattern));
                self.mapped(held, quote, fields, |text| {
                    strip(text, pattern.as_deref()?, *suffix, *longest)
                });
            }
            ParamOp::Replace { all, pattern, with } => {
                let (pattern, with) = self.if_reached(|e| (e.pattern_of(pattern), e.one(with)));
                self.mapped(held, quote, fields, |text| {
                    // `&` stands for the match in newer shells.
                    let by = with.known().filter(|w| !w.contains('&'))?;
                    replace(text, pattern.as_deref()?, by, *all)
                });
            }
            ParamOp::Case {
                upper,
                all,
                pattern,
            } => {
                let plain = match pattern {
                    None => true,
                    Some(word) => self.if_reached(|e| e.one(word)).known() == Some(""),
                };
                self.mapped(held, quote, fields, |text| {
                    change_case(text, *upper, *all).filter(|_| plain)
                });
            }
            ParamOp::Transform(op) => {
                if matches!(op, 'A' | 'K' | 'k') {
                    // Of a list it is any number of words.
                    return fields.any();
                }
                match op {
                    'P' => self.doubt(param.part, "`@P` runs what the value says"),
                    'E' | 'L' | 'Q' | 'U' | 'a' | 'u' => {}
                    _ => self.fails(),
                }
                self.mapped(held, quote, fields, |text| match op {
                    'U' => change_case(text, true, true),
                    'L' => change_case(text, false, true),
                    'u' => change_case(text, true, false),
                    _ => None,
                });
            }
        }
    }

    fn held(&mut self, param: &Param) -> Held {
        match param.name.as_str() {
            "@" | "*" => {
                return match self.value(POSITIONAL) {
                    Val::Array(list) => Held::Many {
                        list,
                        joined: param.name == "*",
                    },
                    Val::Unset | Val::Text(_) | Val::Unknown => Held::Any,
                };
            }
            "#" => {
                return Held::One(Some(match self.value(POSITIONAL) {
                    Val::Array(list) => Text::Known(compact_str::format_compact!("{}", list.len())),
                    Val::Unset | Val::Text(_) | Val::Unknown => unknown(),
                }));
            }
            _ => {}
        }
        let val = self.value(&param.name);
        match &param.index {
            None => Held::One(scalar(val)),
            Some(Index::At | Index::Star)
                if matches!(val, Val::Text(_))
                    && self.store.get(&param.name).is_some_and(|var| var.listed) =>
            {
                Held::Any
            }
            Some(index @ (Index::At | Index::Star)) => match val {
                Val::Array(list) => Held::Many {
                    list,
                    joined: matches!(index, Index::Star),
                },
                Val::Unset => Held::Many {
                    list: Vec::new(),
                    joined: matches!(index, Index::Star),
                },
                Val::Text(text) => Held::Many {
                    list: vec![text],
                    joined: matches!(index, Index::Star),
                },
                Val::Unknown => Held::Any,
            },
            Some(Index::Of(index)) => {
                let at = self.if_reached(|e| e.arith(index));
                match (val, at) {
                    (Val::Array(list), Some(at)) => {
                        let count = i64::try_from(list.len()).unwrap_or(i64::MAX);
                        let at = if at < 0 { at + count } else { at };
                        Held::One(
                            usize::try_from(at)
                                .ok()
                                .and_then(|at| list.into_iter().nth(at)),
                        )
                    }
                    (Val::Text(text), Some(0)) => Held::One(Some(text)),
                    (Val::Unset, _) => Held::One(None),
                    (Val::Text(_) | Val::Array(_) | Val::Unknown, _) => Held::One(Some(unknown())),
                }
            }
        }
    }

    pub(super) fn put_held(&mut self, held: Held, quote: Quote, fields: &mut Fields) {
        match held {
            Held::One(None) => fields.literal("", quote),
            Held::One(Some(text)) => self.put(&text, quote, fields),
            Held::Any => fields.any(),
            Held::Many { list, joined } => {
                // bash joins them as well where nothing is split.
                let whole =
                    quote == Quote::Double || (!fields.splits && self.dialect != Dialect::Sh);
                if joined && whole {
                    let Some(separators) = self.separators() else {
                        return fields.any();
                    };
                    let by = separators.chars().next();
                    fields.literal("", quote);
                    for (i, text) in list.iter().enumerate() {
                        if i > 0
                            && let Some(by) = by
                        {
                            fields.literal(by.encode_utf8(&mut [0; 4]), quote);
                        }
                        self.put(text, quote, fields);
                    }
                } else {
                    self.put_list(&list, quote, fields);
                }
            }
        }
    }

    fn indirect(
        &mut self,
        param: &Param,
        held: Held,
        operand: Option<&Written>,
        quote: Quote,
        fields: &mut Fields,
    ) {
        if let Some(operand) = operand {
            self.if_reached(|e| e.one(operand));
        }
        let Held::One(Some(name)) = held else {
            if self.goes_on && matches!(held, Held::One(None)) {
                self.fails();
            }
            return fields.any();
        };
        if may_inject(&name, self.armed) {
            self.doubt(param.part, "`${!x}` may run what the value says");
        }
        let plain = |name: &str| is_name(name) || is_number(name);
        let stands_for = |name: &str| {
            plain(name.split('[').next().unwrap_or_default()) || matches!(name, "@" | "*" | "#")
        };
        if self.goes_on && name.known().is_some_and(|name| !stands_for(name)) {
            self.fails();
        }
        match name.known() {
            Some(name) if operand.is_none() && plain(name) => {
                let val = self.value(name);
                self.put_held(Held::One(scalar(val)), quote, fields);
            }
            _ => fields.any(),
        }
    }

    fn mapped(
        &mut self,
        held: Held,
        quote: Quote,
        fields: &mut Fields,
        map: impl Fn(&str) -> Option<CompactString>,
    ) {
        let one = |text: &Text| match text.known().and_then(&map) {
            Some(text) => Text::Known(text),
            None => unknown(),
        };
        let held = match held {
            Held::One(None) => Held::One(None),
            Held::One(Some(text)) => Held::One(Some(one(&text))),
            Held::Many { list, joined } => Held::Many {
                list: list.iter().map(one).collect(),
                joined,
            },
            Held::Any => Held::Any,
        };
        self.put_held(held, quote, fields);
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
