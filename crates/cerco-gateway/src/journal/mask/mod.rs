//! Secrets in text that is stored: values of variables and options that are named like a
//! secret, passwords in addresses, tokens by their well-known beginnings, private keys.
//!
//! One reading of the text for the journal (which keeps a mark) and for kept output (which
//! keeps its length). Masking too much costs a word in a log; masking too little writes a
//! password to disk.

mod names;
mod scan;
mod stream;
mod word;

use std::ops::Range;

use cerco_model::Part;

pub(crate) use stream::Blackout;

use scan::{Out, Scanner};

/// What stands in a secret's place.
const MARK: &str = "***";

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
    let mut taken = Taken::default();
    let mut scanner = Scanner::default();
    scanner.feed(text.as_bytes(), &mut taken);
    scanner.finish(&mut taken);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in &taken.gone {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(MARK);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Masked {
        text: out,
        gone: taken.gone,
    }
}

/// Where the secrets are. They begin and end at ASCII characters, so no character is cut.
#[derive(Default)]
struct Taken {
    at: usize,
    gone: Vec<Range<usize>>,
}

impl Out for Taken {
    fn plain(&mut self, bytes: &[u8]) {
        self.at += bytes.len();
    }

    fn secret(&mut self, bytes: &[u8]) {
        let range = self.at..self.at + bytes.len();
        self.at = range.end;
        match self.gone.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.gone.push(range),
        }
    }
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
            (
                "mysql --password 'a b c' -u root",
                "mysql --password *** -u root",
            ),
            ("grep 'token: ' f && ls", "grep 'token: *** f && ls"),
            ("echo x='y API_KEY=abc'", "echo x='y API_KEY=***"),
            ("curl --data=token=abc h", "curl --data=token=*** h"),
            ("password = hunter2", "password = ***"),
            (
                r#"{"user":"a","password":"h u n","port":1}"#,
                r#"{"user":"a","password":***,"port":1}"#,
            ),
            (
                r#"{\"token\":\"abc\",\"n\":1}"#,
                r#"{\"token\":***,\"n\":1}"#,
            ),
            (
                "src/token::Kind and key::Pair",
                "src/token::Kind and key::Pair",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAb+/==\n-----END RSA PRIVATE KEY-----\nx",
                "-----BEGIN RSA PRIVATE KEY-----\n***\n***\n-----END RSA PRIVATE KEY-----\nx",
            ),
            (
                r"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
                r"-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----",
            ),
            (
                "-----BEGIN CERTIFICATE-----\nMIIE",
                "-----BEGIN CERTIFICATE-----\nMIIE",
            ),
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
