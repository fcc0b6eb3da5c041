//! Reads cmd text. Until the grammar is here the whole text is a doubt: never silence.

use std::borrow::Cow;

use cerco_model::{Part, Place};

use crate::{Doubt, Programs, Reading};

/// Reads `text`; `at` is the part every finding gets when the text stands inside another.
pub(crate) fn read<P: Programs>(
    text: &str,
    at: Option<Part>,
    place: &Place<'_>,
    programs: &P,
) -> Reading<P::Bound> {
    let _ = (place, programs);
    let part = at.unwrap_or_else(|| Part::new(0, text.len()));
    Reading {
        doubts: vec![Doubt {
            part,
            reason: Cow::Borrowed("text in this language can't be read yet"),
            remedy: None,
        }],
        ..Reading::default()
    }
}
