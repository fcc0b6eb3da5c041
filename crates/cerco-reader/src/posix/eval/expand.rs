//! Words → what the shell makes of them: tilde, parameters, substitutions, splitting,
//! globs, in the shell's order.

use cerco_model::{Dialect, Part};
use compact_str::CompactString;
use smallvec::SmallVec;

use super::variables::{DIRECTORY, concat, is_name, scalar};
use super::{Eval, brace, glob};
use crate::posix::state::{Val, unknown};
use crate::posix::tree::{Frag, Quote, Subst, Word as Written};
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
pub(super) struct Fields {
    pub(super) out: Vec<Word>,
    part: Part,
    bits: SmallVec<[Bit; 2]>,
    /// Quotes make a word even out of nothing.
    present: bool,
    spreads: bool,
    /// Whether unquoted values are split and globs expanded.
    splits: bool,
    /// Whether braces made the word: then it doesn't count as an assignment any more.
    braced: bool,
}

impl Fields {
    fn new(part: Part, splits: bool, out: Vec<Word>) -> Self {
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
                let mut fields = Fields::new(word.part, false, Vec::new());
                if i > 0 {
                    fields.literal(":", Quote::Double);
                }
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
                Bit::Lit(text, quote) => {
                    out.extend(text.chars().map(|c| (c, *quote == Quote::Double)));
                }
                Bit::Glob(_) | Bit::Unknown => return None,
            }
        }
        fields.out.is_empty().then_some(out)
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

    fn bare(&mut self, text: &str, first: bool, last: bool, fields: &mut Fields) {
        if first
            && fields.bits.is_empty()
            && let Some(after) = text.strip_prefix('~')
        {
            let (user, rest) = match after.find('/') {
                Some(at) => after.split_at(at),
                None if last => (after, ""),
                // `~"x"` and `~$x` are no tilde.
                None => return fields.literal(text, Quote::Bare),
            };
            match self.tilde(user) {
                Some(home) => {
                    fields.whole(&home, Quote::Double);
                    fields.literal(rest, Quote::Bare);
                }
                None => fields.literal(text, Quote::Bare),
            }
            return;
        }
        // bash does it for arguments that look like assignments, too.
        if first
            && fields.bits.is_empty()
            && let Some((name, value)) = text.split_once('=')
            && self.dialect != Dialect::Sh
            && !fields.braced
            && value.contains('~')
            && is_name(name)
        {
            fields.literal(name, Quote::Double);
            let count = value.split(':').count();
            for (i, piece) in value.split(':').enumerate() {
                fields.literal(if i == 0 { "=" } else { ":" }, Quote::Double);
                let Some(after) = piece.strip_prefix('~') else {
                    fields.literal(piece, Quote::Bare);
                    continue;
                };
                let (user, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
                let ends = last || i + 1 < count || !rest.is_empty();
                match self.tilde(user).filter(|_| ends) {
                    Some(home) => {
                        fields.whole(&home, Quote::Double);
                        fields.literal(rest, Quote::Bare);
                    }
                    None => fields.literal(piece, Quote::Bare),
                }
            }
            return;
        }
        fields.literal(text, Quote::Bare);
    }

    fn tilde(&mut self, user: &str) -> Option<Text> {
        let home = |path: &str| Some(Text::Known(path.into()));
        match user {
            "" => match self.value("HOME") {
                Val::Unset => home(&self.place.home),
                val => scalar(val),
            },
            "+" | "-" if self.dialect == Dialect::Sh => None,
            "+" => scalar(self.value(DIRECTORY)),
            "-" => scalar(self.value("OLDPWD")),
            _ if user == self.place.user => home(&self.place.home),
            "root" => home("/root"),
            _ if user
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) =>
            {
                Some(unknown())
            }
            _ => None,
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

    fn split(&mut self, text: &str, separators: &str, fields: &mut Fields) {
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

/// Unquoted text that is only itself.
fn is_inert(text: &str) -> bool {
    !text
        .bytes()
        .any(|b| matches!(b, b'*' | b'?' | b'[' | b'{' | b'~' | b'\\'))
        && !text.is_empty()
}

/// The bits as one text, without looking for patterns in them.
fn plain_text(bits: SmallVec<[Bit; 2]>) -> Text {
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
