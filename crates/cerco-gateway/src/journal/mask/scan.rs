//! Reading a text for secrets, word by word, in whatever pieces it comes.
//!
//! What may still become a secret is held back until its word ends: at most [`LIMIT`] bytes.

use std::ops::Range;

use super::word::{asks_for_secret, awaits_value, bare, is_name, secrets_in};

/// So much of a word is held back. In a longer one what stands before is looked at alone.
const LIMIT: usize = 8 * 1024;
/// So much of a longer word is looked at again with what follows: names and tokens are
/// shorter.
const OVERLAP: usize = 512;
/// No private key is longer; a text that only quotes the beginning of one is not lost whole.
const KEY: usize = 16 * 1024;

/// Takes the text apart.
pub(super) trait Out {
    /// The next bytes, no secret.
    fn plain(&mut self, bytes: &[u8]);
    /// The next bytes, a secret.
    fn secret(&mut self, bytes: &[u8]);
}

/// What the words so far say of the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    /// Nothing.
    #[default]
    Plain,
    /// A secret's name stood there: behind `=` or `:` is the secret.
    Named,
    /// It is the secret.
    Secret,
}

/// Where a private key's armour is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Armour {
    #[default]
    None,
    /// `-----BEGIN` was there.
    Begun,
    /// … and `PRIVATE`.
    Private,
    /// The key itself, and how much of it there was.
    Key(usize),
}

/// The reading.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    word: Vec<u8>,
    quote: Option<u8>,
    next: Next,
    armour: Armour,
    /// The word was longer than the limit, and its secret goes on.
    goes_on: bool,
}

impl Scanner {
    /// The next piece of the text.
    pub(super) fn feed(&mut self, mut rest: &[u8], out: &mut impl Out) {
        loop {
            if self.word.is_empty() {
                let gap = rest.iter().take_while(|b| is_gap(**b)).count();
                let (between, after) = rest.split_at(gap);
                if gap > 0 {
                    self.goes_on = false;
                    out.plain(between);
                }
                rest = after;
            }
            let Some(first) = rest.first() else { return };
            self.open_quote(*first);
            let stop = |b: &u8| match self.quote {
                Some(quote) => *b == quote,
                None => is_gap(*b) || is_quote(*b),
            };
            let at = rest.iter().take(LIMIT).position(stop);
            let (more, after) = rest.split_at(at.unwrap_or(rest.len().min(LIMIT)));
            self.word.extend_from_slice(more);
            rest = after;
            if let (Some(_), Some((stop, after))) = (at, rest.split_first()) {
                if is_quote(*stop) {
                    self.quote = match self.quote {
                        Some(_) => None,
                        None => awaits_value(&self.word).then_some(*stop),
                    };
                    self.word.push(*stop);
                    rest = after;
                } else {
                    self.end_word(out);
                }
            }
            if self.word.len() > LIMIT {
                self.spill(out);
            }
        }
    }

    /// The text is over.
    pub(super) fn finish(&mut self, out: &mut impl Out) {
        if !self.word.is_empty() {
            self.end_word(out);
        }
    }

    /// A secret that begins with a quote goes to its closing one. A quote with a blank behind
    /// it closes what began before.
    fn open_quote(&mut self, next: u8) {
        if self.next == Next::Secret
            && let [quote] = *self.word
            && is_quote(quote)
            && !is_gap(next)
            && next != quote
        {
            self.quote = Some(quote);
        }
    }

    fn end_word(&mut self, out: &mut impl Out) {
        let word = std::mem::take(&mut self.word);
        self.quote = None;
        if std::mem::take(&mut self.goes_on) {
            out.secret(&word);
            self.next = Next::Plain;
        } else if !self.armoured(&word, out) {
            self.judge(&word, out);
        }
        // The room is kept for the next word.
        self.word = word;
        self.word.clear();
    }

    fn judge(&mut self, word: &[u8], out: &mut impl Out) {
        if word.is_empty() {
            return;
        }
        if self.next == Next::Secret && !word.starts_with(b"-") {
            // `Authorization: Bearer x`: the scheme is no secret, what follows is.
            if is_scheme(word) {
                out.plain(word);
            } else {
                out.secret(word);
                self.next = Next::Plain;
            }
            return;
        }
        self.give(word, secrets_in(word), out);
    }

    /// Gives out a word with the secrets that were found in it.
    fn give(&mut self, word: &[u8], found: Vec<Range<usize>>, out: &mut impl Out) {
        let is_between = matches!(word, b"=" | b":" | b"=>" | b":=");
        self.next = if self.next == Next::Named && is_between {
            Next::Secret
        } else if !found.is_empty() {
            Next::Plain
        } else if asks_for_secret(word) {
            Next::Secret
        } else if is_name(bare(word)) {
            Next::Named
        } else {
            Next::Plain
        };
        let mut at = 0;
        for range in found {
            out.plain(word.get(at..range.start).unwrap_or_default());
            out.secret(word.get(range.clone()).unwrap_or_default());
            at = range.end;
        }
        out.plain(word.get(at..).unwrap_or_default());
    }

    /// The beginning of a word that is longer than can be held back.
    fn spill(&mut self, out: &mut impl Out) {
        self.quote = None;
        let word = std::mem::take(&mut self.word);
        let is_whole = self.goes_on || self.next == Next::Secret || self.armour != Armour::None;
        let mut found = secrets_in(&word);
        let last = found.last().cloned();
        if is_whole || last.as_ref().is_some_and(|last| last.end == word.len()) {
            let before = last.filter(|_| !is_whole).map_or(0, |last| last.start);
            let (plain, secret) = word.split_at(before);
            found.pop();
            found.retain(|range| range.end <= before);
            self.give(plain, found, out);
            out.secret(secret);
            self.goes_on = true;
            self.next = Next::Plain;
            return;
        }
        let cut = (word.len() - OVERLAP).max(last.map_or(0, |last| last.end));
        let (looked_at, kept) = word.split_at(cut);
        self.give(looked_at, found, out);
        self.next = Next::Plain;
        self.word = kept.to_vec();
    }

    /// Whether the word belongs to a private key, and was given out as such.
    fn armoured(&mut self, word: &[u8], out: &mut impl Out) -> bool {
        let is_title = word.iter().all(u8::is_ascii_uppercase);
        let begun = if word.ends_with(b"-----BEGIN") {
            Armour::Begun
        } else {
            Armour::None
        };
        let mut from = 0;
        self.armour = match (self.armour, find(word, b"-----")) {
            (Armour::Begun, _) if word == b"PRIVATE" => Armour::Private,
            (now @ (Armour::Begun | Armour::Private), _) if is_title => now,
            (Armour::Private, Some(dashes)) => {
                from = dashes + 5;
                Armour::Key(0)
            }
            (Armour::Key(seen), _) if seen < KEY => Armour::Key(seen + word.len()),
            (Armour::None | Armour::Begun | Armour::Private | Armour::Key(_), _) => begun,
        };
        if !matches!(self.armour, Armour::Key(_)) {
            return false;
        }
        let (title, body) = word.split_at(from);
        let end = find(body, b"-----END");
        if end.is_some() {
            self.armour = Armour::None;
        }
        let (key, after) = body.split_at(end.unwrap_or(body.len()));
        out.plain(title);
        if !key.is_empty() {
            out.secret(key);
        }
        out.plain(after);
        self.next = Next::Plain;
        true
    }
}

fn is_scheme(word: &[u8]) -> bool {
    matches!(
        bare(word),
        b"Bearer" | b"Basic" | b"Token" | b"bearer" | b"token"
    )
}

/// What stands between words: blanks and what separates commands.
fn is_gap(byte: u8) -> bool {
    matches!(
        byte,
        b'\t'..=b'\r' | b' ' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>'
    )
}

fn is_quote(byte: u8) -> bool {
    byte == b'\'' || byte == b'"'
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|at| at == what)
}
