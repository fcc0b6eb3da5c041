//! `${x:from:length}`, of texts and of lists.

use super::Eval;
use super::edit::{cut, is_backwards};
use super::fields::Fields;
use super::param::Held;
use crate::posix::tree::Quote;
use crate::{Programs, Text};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn slice(
        &mut self,
        held: Held,
        range: Option<(i64, Option<i64>)>,
        of_arguments: bool,
        quote: Quote,
        fields: &mut Fields,
    ) {
        let Some((from, length)) = range else {
            return match held {
                Held::One(_) => fields.unknown(quote),
                Held::Many { .. } | Held::Any => fields.any(),
            };
        };
        let fails = match (&held, length) {
            (Held::One(Some(Text::Known(text))), Some(length)) => {
                is_backwards(text.chars().count(), from, length)
            }
            (Held::Many { .. }, Some(length)) => length < 0,
            _ => false,
        };
        if fails {
            self.fails();
        }
        match held {
            Held::One(None) => fields.literal("", quote),
            Held::One(Some(Text::Known(text))) => {
                let chars: Vec<char> = text.chars().collect();
                let cut: String = cut(&chars, from, length).iter().collect();
                self.put(&Text::Known(cut.into()), quote, fields);
            }
            Held::One(Some(Text::Partly(_))) => fields.unknown(quote),
            // `${@:0}` begins with `$0`, which isn't settled.
            Held::Many { .. } if of_arguments && from <= 0 => fields.any(),
            Held::Many { list, joined } => {
                let from = if of_arguments { from - 1 } else { from };
                let list = cut(&list, from, length).to_vec();
                self.put_held(Held::Many { list, joined }, quote, fields);
            }
            Held::Any => fields.any(),
        }
    }
}
