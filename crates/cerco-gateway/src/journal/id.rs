//! The number of an entry, as people read and type it.

use std::fmt;
use std::str::FromStr;

/// An entry's number; shown in Crockford's letters (`0007`), which can't be misread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub i64);

const LETTERS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = usize::try_from(self.0).unwrap_or_default();
        let mut letters = Vec::new();
        while rest > 0 || letters.len() < 4 {
            letters.push(LETTERS.chars().nth(rest % 32).unwrap_or('0'));
            rest /= 32;
        }
        f.write_str(&letters.iter().rev().collect::<String>())
    }
}

/// No entry has such an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no entry's id; `cerco log` lists them")]
pub struct NoEntryId(String);

impl FromStr for EntryId {
    type Err = NoEntryId;
    fn from_str(text: &str) -> Result<Self, NoEntryId> {
        let bad = || NoEntryId(text.to_owned());
        if text.is_empty() || text.len() > 12 {
            return Err(bad());
        }
        text.chars()
            .try_fold(0i64, |sum, c| {
                let digit = LETTERS.find(c.to_ascii_uppercase())?;
                sum.checked_mul(32)?.checked_add(i64::try_from(digit).ok()?)
            })
            .map(Self)
            .ok_or_else(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back() {
        for (number, text) in [
            (1, "0001"),
            (31, "000Z"),
            (32, "0010"),
            (1_048_576, "10000"),
        ] {
            assert_eq!(EntryId(number).to_string(), text);
            assert_eq!(text.to_lowercase().parse(), Ok(EntryId(number)));
        }
        for text in ["", "U", "00-1", "0123456789ABC", "é"] {
            assert!(text.parse::<EntryId>().is_err(), "{text}");
        }
    }
}
