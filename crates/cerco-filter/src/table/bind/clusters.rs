//! Short options: several letters behind one dash, each with what it takes.

use cerco_reader::Word;

use super::{Binder, index};
use crate::table::bound::{Use, Value};
use crate::table::{Meaning, Style, Takes, options};
use crate::text::tail;

impl<'a> Binder<'a, '_> {
    /// A cluster of short options from byte `from` on.
    pub(super) fn cluster(&mut self, at: usize, word: &'a Word, start: &str, from: usize) -> usize {
        if let Some(row) = options::exact(&self.bound.levels, start)
            .filter(|_| start.len() > 2 && word.text.known().is_some())
        {
            return self.take(at, word, row, None);
        }
        if let Some((name, _)) = start.split_once('=').filter(|(name, _)| name.len() > 2)
            && let Some(row) = options::exact(&self.bound.levels, name)
        {
            let value = Value::Own(tail(&word.text, name.len() + 1));
            return self.take(at, word, row, Some(value));
        }
        // `zip -TTcommand`: a name of several letters with its value attached.
        if let Some((row, name)) = options::begins(&self.bound.levels, start) {
            let value = Value::Own(tail(&word.text, name.len()));
            return self.take(at, word, row, Some(value));
        }
        let style = self.bound.style();
        let mut offset = from;
        let letters = start.get(from..).unwrap_or_default();
        for letter in letters.chars() {
            let next = offset + letter.len_utf8();
            let row = options::short(&self.bound.levels, letter);
            if letter.is_ascii_digit() && row.is_none_or(|row| row.takes != Takes::Nothing) {
                // `head -20`, `git log -3`: a number; options may follow (`tail -20f`).
                offset = next;
                continue;
            }
            let Some(row) = row else {
                let cut = self.unlisted_letter(word, offset, start);
                if cut {
                    return at + 1;
                }
                offset = next;
                continue;
            };
            let attached =
                start.len() > next || (start.len() == next && word.text.known().is_none());
            if row.takes == Takes::Nothing {
                self.see(row, None, word);
                offset = next;
                continue;
            }
            let mut from = next;
            let sign = start.get(next..).and_then(|s| s.chars().next());
            if sign == Some('=') || sign == Some(':') && style != Style::Gnu {
                from += 1;
            }
            let value = attached.then(|| Value::Own(tail(&word.text, from)));
            return self.take(at, word, row, value);
        }
        at + 1
    }

    /// `tar czf a.tgz dist`: the first word without its dash. Its values are the next words.
    pub(super) fn bare_cluster(&mut self, word: &'a Word) -> usize {
        let Some(letters) = word.text.known().filter(|t| !t.starts_with('-')) else {
            return 0;
        };
        let mut next = 1;
        for letter in letters.chars() {
            if let Some(row) = options::short(&self.bound.levels, letter) {
                if row.takes == Takes::Value {
                    if let Some(value) = self.call.args.get(next) {
                        self.see(row, Some((value, Value::Arg(index(next)))), word);
                    }
                    next += 1;
                } else {
                    self.see(row, None, word);
                }
            }
        }
        next
    }

    /// Returns whether the rest of the word is its value.
    fn unlisted_letter(&mut self, word: &Word, offset: usize, start: &str) -> bool {
        self.doubt(word);
        let rest = start.get(offset + 1..).unwrap_or_default();
        let path =
            rest.starts_with(['/', '~', '.', '=']) || rest.contains("://") || rest.contains('/');
        if path {
            let skip = usize::from(rest.starts_with('='));
            // `-oFILE` is written also where no row says so.
            let written = start
                .get(offset..)
                .is_some_and(|from| from.starts_with('o'));
            self.bound.uses.push(Use {
                meaning: if written {
                    Meaning::Write
                } else {
                    Meaning::General
                },
                value: Value::Own(tail(&word.text, offset + 1 + skip)),
                part: word.part,
                option: None,
            });
        }
        path
    }
}
