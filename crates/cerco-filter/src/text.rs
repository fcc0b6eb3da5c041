//! Cutting and joining texts that may not be settled.

use cerco_reader::{Piece, Text};
use compact_str::CompactString;

/// `text` without the first `bytes` bytes of its known beginning.
pub(crate) fn tail(text: &Text, bytes: usize) -> Text {
    match text {
        Text::Known(known) => Text::Known(known.get(bytes..).unwrap_or_default().into()),
        Text::Partly(pieces) => {
            let mut rest: Vec<Piece> = pieces.to_vec();
            if let Some(Piece::Known(first)) = rest.first_mut() {
                let left = CompactString::from(first.get(bytes..).unwrap_or_default());
                if left.is_empty() {
                    rest.remove(0);
                } else {
                    *first = left;
                }
            }
            Text::Partly(rest.into_boxed_slice())
        }
    }
}

/// `text` with what isn't known shown as `?`, for people.
pub(crate) fn shown(text: &Text) -> CompactString {
    match text {
        Text::Known(known) => known.clone(),
        Text::Partly(pieces) => {
            let mut out = CompactString::default();
            for piece in pieces {
                match piece {
                    Piece::Known(text) | Piece::Glob(text) => out.push_str(text),
                    Piece::Unknown => out.push('?'),
                }
            }
            out
        }
    }
}
