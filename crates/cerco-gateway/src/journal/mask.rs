//! Secrets in text that is stored: values of variables and options that are named like a
//! secret, passwords in addresses, tokens by their well-known beginnings.
//!
//! Masking too much costs a word in a log; masking too little writes a password to disk.

use std::ops::Range;

use cerco_model::Part;

/// What stands in a secret's place.
const MARK: &str = "***";

/// The words of SPEC §4, and those that tools use in option names.
const NAMES: &[&str] = &[
    "KEY",
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "CREDENTIAL",
    "PRIVATE",
    "PASSWD",
    "PASSPHRASE",
    "APIKEY",
    "AUTHORIZATION",
];

/// Beginnings of tokens, and how many more letters make one.
const TOKENS: &[(&str, usize)] = &[
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("npm_", 20),
    ("pypi-", 20),
    ("sk-", 16),
    ("sk_live_", 10),
    ("rk_live_", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("eyJ", 30),
    ("dop_v1_", 20),
    ("hf_", 20),
    ("SG.", 20),
];

/// Text without its secrets, and where its parts went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    text: String,
    /// Source ranges that were replaced, in order.
    gone: Vec<Range<usize>>,
}

impl Masked {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, kept.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Where a part of the source stands now; a part that cuts a secret takes all its mark.
    #[must_use]
    pub fn part(&self, part: Part) -> Part {
        let moved = |at: u32, end: bool| {
            let at = at as usize;
            let mut shift = 0isize;
            for gone in &self.gone {
                if gone.end <= at {
                    shift += MARK.len().cast_signed() - gone.len().cast_signed();
                } else if gone.start < at {
                    let edge = if end {
                        gone.start + MARK.len()
                    } else {
                        gone.start
                    };
                    return edge.saturating_add_signed(shift);
                }
            }
            at.saturating_add_signed(shift)
        };
        Part::new(moved(part.start, false), moved(part.end, true))
    }
}

/// Takes the secrets out of `text`. Linear in its length.
#[must_use]
pub fn mask(text: &str) -> Masked {
    let mut gone: Vec<Range<usize>> = Vec::new();
    let mut hide = |range: Range<usize>| {
        if range.is_empty() {
            return;
        }
        match gone.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => gone.push(range),
        }
    };
    let mut next_is_secret = false;
    for word in words(text) {
        let written = text.get(word.clone()).unwrap_or_default();
        if next_is_secret && !written.starts_with('-') {
            // `Authorization: Bearer x`: the scheme is no secret, what follows is.
            next_is_secret = matches!(
                bare(written),
                "Bearer" | "Basic" | "Token" | "bearer" | "token"
            );
            if !next_is_secret {
                hide(word);
            }
            continue;
        }
        let range = secret_in(written);
        next_is_secret = range.is_none() && asks_for_secret(written);
        if let Some(range) = range {
            hide(word.start + range.start..word.start + range.end);
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in &gone {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(MARK);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Masked { text: out, gone }
}

/// The words of a text: stretches without blanks, quotes and separators. A quoted secret
/// with blanks is several words; each is masked by what stands before it or not at all, so
/// a quoted value after a secret's name is taken to its closing quote.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let skipped = rest.find(|c: char| !c.is_whitespace() && !";|&()<>".contains(c))?;
        let start = at + skipped;
        let mut quote = None;
        let mut end = text.len();
        for (offset, c) in text.get(start..)?.char_indices() {
            match quote {
                Some(open) if c == open => quote = None,
                // A quote keeps a word together only behind `=` or `:`, where it is a value.
                None if "'\"".contains(c) && is_value(text, start + offset) => quote = Some(c),
                None if c.is_whitespace() || ";|&()<>".contains(c) => {
                    end = start + offset;
                    break;
                }
                Some(_) | None => {}
            }
        }
        at = end;
        Some(start..end)
    })
}

fn is_value(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with('='))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c| "'\"".contains(c))
}

/// The secret's bytes in a word.
fn secret_in(word: &str) -> Option<Range<usize>> {
    let value_end = word.trim_end_matches(['\'', '"']).len();
    if let Some(at) = word.find('=')
        && is_secret_name(word.get(..at)?)
        && at + 1 < word.len()
    {
        return Some(at + 1..word.len());
    }
    if let Some(scheme) = word.find("://") {
        let rest = word.get(scheme + 3..)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if let Some(user) = authority.rfind('@') {
            let colon = authority.get(..user)?.find(':').map_or(0, |c| c + 1);
            return Some(scheme + 3 + colon..scheme + 3 + user);
        }
    }
    for (beginning, more) in TOKENS {
        for (at, _) in word.match_indices(beginning) {
            let fresh = word
                .get(..at)
                .and_then(|before| before.chars().next_back())
                .is_none_or(|c| !c.is_ascii_alphanumeric());
            let tail = word
                .get(at + beginning.len()..value_end)
                .unwrap_or_default();
            let length = tail
                .find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
                .unwrap_or(tail.len());
            if fresh && length >= *more {
                return Some(at..at + beginning.len() + length);
            }
        }
    }
    None
}

/// `--password`, `-token`, `Authorization:`: the next word is the secret.
fn asks_for_secret(word: &str) -> bool {
    let word = bare(word);
    let option = word.starts_with('-') && is_secret_name(word);
    option || word.strip_suffix(':').is_some_and(is_secret_name)
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // A whole run of letters: `--keep` and `monkey` are no keys, `API_KEY` and `accessToken` are.
    NAMES.iter().any(|secret| {
        name.ends_with(secret)
            || name
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|part| part == *secret)
    }) && !matches!(
        name.trim_start_matches('-'),
        "MONKEY" | "DONKEY" | "TURKEY" | "HOTKEY"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(mask(text).text(), expected, "{text}");
    }

    #[test]
    fn secrets_go_and_the_rest_stays() {
        for (text, expected) in [
            ("git status", "git status"),
            ("API_KEY=abc make", "API_KEY=*** make"),
            ("API_KEY='a b c' make", "API_KEY=*** make"),
            ("export GITHUB_TOKEN=x; ls", "export GITHUB_TOKEN=***; ls"),
            (
                "mysql --password hunter2 -u root",
                "mysql --password *** -u root",
            ),
            ("mysql --password=hunter2", "mysql --password=***"),
            (
                "curl -H \"Authorization: Bearer abc.def\" x",
                "curl -H \"Authorization: Bearer *** x",
            ),
            (
                "git clone https://u:p4ss@host/x",
                "git clone https://u:***@host/x",
            ),
            (
                "git clone https://tok@host/x",
                "git clone https://***@host/x",
            ),
            ("echo ghp_0123456789012345678901234567890123", "echo ***"),
            (
                "git commit -m 'sk-learn is fine'",
                "git commit -m 'sk-learn is fine'",
            ),
            ("tar --keep-old-files", "tar --keep-old-files"),
            ("sort --key=2 f", "sort --key=*** f"),
            ("echo a=b", "echo a=b"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn parts_follow() {
        let text = "API_KEY=abcdefgh git push";
        let masked = mask(text);
        for (part, expected) in [
            ("git push", "git push"),
            ("abcdefgh", "***"),
            ("API_KEY=abc", "API_KEY=***"),
        ] {
            let start = text.find(part).unwrap();
            let moved = masked.part(Part::new(start, start + part.len()));
            assert_eq!(moved.of(masked.text()), Some(expected), "{part}");
        }
    }
}
