//! Words → what the shell makes of them: tilde, parameters, substitutions, splitting,
//! globs, in the shell's order.

use cerco_model::Dialect;
use compact_str::CompactString;

use super::fields::{Bit, Fields, plain_text};
use super::variables::{concat, scalar};
use super::{Eval, brace};
use crate::posix::state::{Val, unknown};
use crate::posix::tree::{Frag, Quote, Subst, Word as Written};
use crate::{Programs, Text, Word};

impl<P: Programs> Eval<'_, P> {
    /// Expands a word to any number of words.
    pub(super) fn expand(&mut self, word: &Written, out: &mut Vec<Word>) {
        if let [Frag::Bare(text) | Frag::Quoted(text)] = word.frags.as_slice()
            && (matches!(word.frags.first(), Some(Frag::Quoted(_))) || is_inert(text))
        {
            out.push(Word {
                text: Text::Known(text.clone()),
                part: self.at.unwrap_or(word.part),
                spreads: false,
            });
            return;
        }
        let part = self.at.unwrap_or(word.part);
        let mut fields = Fields::new(part, true, std::mem::take(out));
        let expanded = match self.dialect {
            Dialect::Sh => None,
            Dialect::Bash | Dialect::PowerShell | Dialect::Cmd => brace::expand(&word.frags),
        };
        match expanded {
            None => {
                self.frags(&word.frags, &mut fields);
                self.end_word(&mut fields);
            }
            Some(Err(())) => {
                self.doubt(
                    part,
                    "its braces make too many words, or none that is clear",
                );
                fields.unknown(Quote::Bare);
                self.end_word(&mut fields);
            }
            Some(Ok(words)) => {
                fields.braced = true;
                for parts in &words {
                    self.braced(parts, &mut fields);
                    self.end_word(&mut fields);
                }
            }
        }
        *out = fields.out;
    }

    /// One of the words that braces made. They are expanded on the written text, before
    /// everything else: what they bring together is read as if it had been written so.
    fn braced(&mut self, parts: &[brace::Part<'_>], fields: &mut Fields) {
        let last = parts.len().saturating_sub(1);
        let mut taken = 0;
        for (i, piece) in parts.iter().enumerate() {
            match piece {
                brace::Part::Bare(text) => {
                    if brace::makes_dollar(text, i == last) {
                        self.doubt(fields.part, "the braces make new expansions");
                    }
                    let text = text.get(std::mem::take(&mut taken)..).unwrap_or_default();
                    self.bare(text, i == 0, i == last, fields);
                }
                brace::Part::Frag(frag) => match (brace::longer(frag, parts.get(i + 1)), frag) {
                    (Some((param, more)), Frag::Param(_, quote)) => {
                        self.param(&param, *quote, fields);
                        taken = more;
                    }
                    _ => self.frag(frag, fields),
                },
            }
        }
    }

    /// Expands a word to one text: no splitting, no globs (an assignment, `case`, `[[`).
    pub(super) fn one(&mut self, word: &Written) -> Text {
        match word.frags.as_slice() {
            [] => return Text::Known(CompactString::default()),
            [Frag::Quoted(text)] => return Text::Known(text.clone()),
            [Frag::Bare(text)] if !text.contains('~') => return Text::Known(text.clone()),
            _ => {}
        }
        let mut fields = Fields::new(word.part, false, Vec::new());
        self.frags(&word.frags, &mut fields);
        let mut whole = Text::Known(CompactString::default());
        // `"$@"` without splitting is joined by blanks.
        for (i, word) in fields.out.drain(..).enumerate() {
            if i > 0 {
                whole = concat(whole, &Text::Known(CompactString::const_new(" ")));
            }
            whole = concat(whole, &word.text);
        }
        let last = plain_text(std::mem::take(&mut fields.bits));
        if whole.known() == Some("") {
            return last;
        }
        concat(
            concat(whole, &Text::Known(CompactString::const_new(" "))),
            &last,
        )
    }

    /// The value of an assignment: one text, with a tilde behind every colon.
    pub(super) fn assigned(&mut self, word: &Written) -> Text {
        if let [Frag::Bare(text)] = word.frags.as_slice()
            && text.contains('~')
        {
            let mut whole = Text::Known(CompactString::default());
            for (i, piece) in text.split(':').enumerate() {
                if i > 0 {
                    whole = concat(whole, &Text::Known(CompactString::const_new(":")));
                }
                let mut fields = Fields::new(word.part, false, Vec::new());
                self.bare(piece, true, true, &mut fields);
                whole = concat(whole, &plain_text(fields.bits));
            }
            return whole;
        }
        self.one(word)
    }

    /// A pattern: its characters, and whether each is quoted; nothing when not settled.
    pub(super) fn pattern_of(&mut self, word: &Written) -> Option<Vec<(char, bool)>> {
        let mut fields = Fields::new(word.part, false, Vec::new());
        self.frags(&word.frags, &mut fields);
        let mut out = Vec::new();
        for bit in &fields.bits {
            match bit {
                // A backslash in a value quotes what follows, in some places.
                Bit::Lit(text, Quote::Bare) if text.contains('\\') => return None,
                Bit::Lit(text, quote) => {
                    out.extend(text.chars().map(|c| (c, *quote == Quote::Double)));
                }
                Bit::Glob(_) | Bit::Unknown => return None,
            }
        }
        // What `[^a]` is differs between shells.
        let caret = |pair: &[(char, bool)]| pair == [('[', false), ('^', false)];
        let settled = self.dialect != Dialect::Sh || !out.windows(2).any(caret);
        (settled && fields.out.is_empty()).then_some(out)
    }

    pub(super) fn frags(&mut self, frags: &[Frag], fields: &mut Fields) {
        let last = frags.len().saturating_sub(1);
        for (i, frag) in frags.iter().enumerate() {
            match frag {
                Frag::Bare(text) => self.bare(text, i == 0, i == last, fields),
                other @ (Frag::Quoted(_)
                | Frag::Opaque
                | Frag::Param(..)
                | Frag::Command(..)
                | Frag::Arith(..)
                | Frag::Process(_)) => self.frag(other, fields),
            }
        }
    }

    fn frag(&mut self, frag: &Frag, fields: &mut Fields) {
        match frag {
            Frag::Bare(text) => fields.literal(text, Quote::Bare),
            Frag::Quoted(text) => fields.literal(text, Quote::Double),
            Frag::Opaque => fields.unknown(Quote::Double),
            Frag::Param(param, quote) => self.param(param, *quote, fields),
            Frag::Command(subst, quote) => {
                let text = self.substituted(subst);
                self.put(&text, *quote, fields);
            }
            Frag::Arith(arith, quote) => {
                let text = match self.arith(arith) {
                    Some(value) => Text::Known(compact_str::format_compact!("{value}")),
                    None => unknown(),
                };
                self.put(&text, *quote, fields);
            }
            // `<()` around nothing is nothing.
            Frag::Process(subst) if subst.body.is_empty() => {}
            Frag::Process(subst) => {
                let key = std::ptr::from_ref(&**subst) as usize;
                if !self.folded.iter().any(|(k, _)| *k == key) {
                    self.folded.push((key, smallvec::smallvec![Val::Unset]));
                    let capture = self.capture.take();
                    self.nested(|e| e.subshell(|e| e.list(&subst.body)));
                    self.capture = capture;
                }
                let before = self
                    .folded
                    .iter()
                    .take_while(|(k, _)| *k != key)
                    .filter(|(_, alts)| matches!(alts.as_slice(), [Val::Unset]))
                    .count();
                let fd = 63_usize.saturating_sub(before);
                fields.literal(&compact_str::format_compact!("/dev/fd/{fd}"), Quote::Double);
            }
        }
    }

    /// Something inside a word that runs commands: its own choices, one level deeper.
    pub(super) fn nested(&mut self, run: impl FnOnce(&mut Self)) {
        let choices = std::mem::take(&mut self.choices);
        let folded = std::mem::take(&mut self.folded);
        let status = self.status;
        run(self);
        self.status = status;
        self.choices = choices;
        self.folded = folded;
    }

    fn substituted(&mut self, subst: &Subst) -> Text {
        let key = std::ptr::from_ref(subst) as usize;
        if let Some((_, alts)) = self.folded.iter().find(|(k, _)| *k == key) {
            return alts
                .first()
                .cloned()
                .and_then(scalar)
                .unwrap_or_else(unknown);
        }
        let mut text = None;
        self.nested(|e| {
            text = e.captured(|e| e.subshell(|e| e.list(&subst.body)));
        });
        let text = text.map(|t| CompactString::from(t.trim_end_matches('\n')));
        let text = Self::text_of(text);
        self.folded
            .push((key, smallvec::smallvec![Val::Text(text.clone())]));
        text
    }
}

/// Unquoted text that is only itself.
fn is_inert(text: &str) -> bool {
    !text
        .bytes()
        .any(|b| matches!(b, b'*' | b'?' | b'[' | b'{' | b'~' | b'\\'))
        && !text.is_empty()
}
