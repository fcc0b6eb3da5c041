//! The words that an expansion makes, while they are put together.

use cerco_model::Part;
use compact_str::CompactString;
use smallvec::SmallVec;

use super::variables::concat;
use super::{Eval, glob};
use crate::posix::state::unknown;
use crate::posix::tree::Quote;
use crate::{Piece, Programs, Text, Word};

/// A bit of the word that is being put together.
#[derive(Debug)]
pub(super) enum Bit {
    /// Characters; unquoted ones may be pattern operators.
    Lit(CompactString, Quote),
    /// A pattern that a loop variable took over from its word list.
    Glob(CompactString),
    Unknown,
}

/// The words that come out, and the one in hand.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts about the word in hand, independent of each other"
)]
pub(super) struct Fields {
    pub(super) out: Vec<Word>,
    pub(super) part: Part,
    pub(super) bits: SmallVec<[Bit; 2]>,
    /// Quotes make a word even out of nothing.
    pub(super) present: bool,
    pub(super) spreads: bool,
    /// Whether unquoted values are split and globs expanded.
    pub(super) splits: bool,
    /// Whether braces made the word: then it doesn't count as an assignment any more.
    pub(super) braced: bool,
}

impl Fields {
    pub(super) fn new(part: Part, splits: bool, out: Vec<Word>) -> Self {
        Self {
            out,
            part,
            bits: SmallVec::new(),
            present: false,
            spreads: false,
            splits,
            braced: false,
        }
    }

    pub(super) fn literal(&mut self, text: &str, quote: Quote) {
        if quote == Quote::Double {
            self.present = true;
        }
        if text.is_empty() {
            return;
        }
        if let Some(Bit::Lit(last, q)) = self.bits.last_mut()
            && *q == quote
        {
            last.push_str(text);
        } else {
            self.bits.push(Bit::Lit(text.into(), quote));
        }
    }

    /// Any number of words of which nothing is known.
    pub(super) fn any(&mut self) {
        self.unknown(Quote::Bare);
        self.spreads = true;
    }

    pub(super) fn unknown(&mut self, quote: Quote) {
        if quote == Quote::Double {
            self.present = true;
        } else if self.splits {
            self.spreads = true;
        }
        if !matches!(self.bits.last(), Some(Bit::Unknown)) {
            self.bits.push(Bit::Unknown);
        }
    }

    /// A value that is not split any more.
    pub(super) fn whole(&mut self, text: &Text, quote: Quote) {
        match text {
            Text::Known(text) => self.literal(text, quote),
            Text::Partly(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Known(text) => self.literal(text, quote),
                        Piece::Glob(text) => {
                            self.present |= quote == Quote::Double;
                            self.bits.push(Bit::Glob(text.clone()));
                        }
                        Piece::Unknown => self.unknown(quote),
                    }
                }
            }
        }
    }
}

impl<P: Programs> Eval<'_, P> {
    /// A value: split where the shell splits it.
    pub(super) fn put(&mut self, text: &Text, quote: Quote, fields: &mut Fields) {
        if quote == Quote::Double || !fields.splits {
            fields.whole(text, quote);
            return;
        }
        let Some(separators) = self.separators() else {
            fields.unknown(Quote::Bare);
            return;
        };
        match text {
            Text::Known(text) => self.split(text, &separators, fields),
            Text::Partly(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Known(text) => self.split(text, &separators, fields),
                        Piece::Glob(text) => fields.bits.push(Bit::Glob(text.clone())),
                        Piece::Unknown => fields.unknown(Quote::Bare),
                    }
                }
            }
        }
    }

    pub(super) fn split(&mut self, text: &str, separators: &str, fields: &mut Fields) {
        if !text.contains(|c| separators.contains(c)) {
            fields.literal(text, Quote::Bare);
            return;
        }
        let mut rest = text;
        while let Some(at) = rest.find(|c| separators.contains(c)) {
            let (before, from) = rest.split_at(at);
            fields.literal(before, Quote::Bare);
            let run_end = from
                .find(|c: char| !separators.contains(c))
                .unwrap_or(from.len());
            let (run, after) = from.split_at(run_end);
            let hard = run.chars().filter(|c| !" \t\n".contains(*c)).count();
            // Blanks only end a word that is there; others end one that may be empty.
            if hard == 0 {
                self.end_word(fields);
            } else {
                for _ in 0..hard {
                    fields.present = true;
                    self.end_word(fields);
                }
            }
            rest = after;
        }
        fields.literal(rest, Quote::Bare);
    }

    /// Closes the word in hand; globs are expanded here.
    pub(super) fn end_word(&mut self, fields: &mut Fields) {
        let bits = std::mem::take(&mut fields.bits);
        let present = std::mem::replace(&mut fields.present, false);
        let spreads = std::mem::replace(&mut fields.spreads, false);
        if bits.is_empty() && !present {
            return;
        }
        let word = |text, spreads| Word {
            text,
            part: fields.part,
            spreads,
        };
        if !fields.splits {
            fields.out.push(word(plain_text(bits), spreads));
            return;
        }
        match glob::text(&bits) {
            glob::Pattern::None(text) => fields.out.push(word(text, spreads)),
            glob::Pattern::Pieces(text) => {
                let names = if self.tree_touched || self.odd_globs || spreads {
                    None
                } else {
                    let directory = self.directory();
                    glob::expand(&bits, &directory, self.place.tree)
                };
                match names {
                    Some(names) => fields
                        .out
                        .extend(names.into_iter().map(|n| word(Text::Known(n), false))),
                    None => fields.out.push(word(text, spreads || self.odd_globs)),
                }
            }
        }
    }

    /// Several values as several words (`"$@"`).
    pub(super) fn put_list(&mut self, list: &[Text], quote: Quote, fields: &mut Fields) {
        for (i, text) in list.iter().enumerate() {
            if i > 0 {
                self.end_word(fields);
            }
            self.put(text, quote, fields);
        }
    }
}

/// The bits as one text, without looking for patterns in them.
pub(super) fn plain_text(bits: SmallVec<[Bit; 2]>) -> Text {
    let mut whole: Option<Text> = None;
    for bit in bits {
        let text = match bit {
            Bit::Lit(text, _) => Text::Known(text),
            Bit::Glob(text) => Text::Partly(Box::new([Piece::Glob(text)])),
            Bit::Unknown => unknown(),
        };
        whole = Some(match whole {
            None => text,
            Some(whole) => concat(whole, &text),
        });
    }
    whole.unwrap_or_else(|| Text::Known(CompactString::default()))
}
