//! Moves over a `PowerShell` text one character at a time.
//!
//! It knows the character classes of the language (curly quotes count as quotes, long
//! dashes as dashes: an attack that looks like text) and nothing of its grammar.

use cerco_model::Part;

/// Why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) part: Part,
    pub(super) why: &'static str,
}

/// The deepest nesting that is read. Past it the command is refused.
const MAX_DEPTH: u32 = 48;

/// A place in the text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) at: usize,
    depth: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn peek_second(&self) -> Option<char> {
        let mut chars = self.rest().chars();
        chars.next();
        chars.next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Steps over `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(super) fn part_from(&self, start: usize) -> Part {
        Part::new(start, self.at)
    }

    pub(super) fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    pub(super) fn trouble<T>(&self, why: &'static str) -> Result<T, Trouble> {
        let end = self.at + self.peek().map_or(0, char::len_utf8);
        Err(Trouble {
            part: Part::new(self.at, end),
            why,
        })
    }

    /// Enters a nested construct; [`Cursor::leave`] must follow.
    pub(super) fn enter(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.trouble("it is nested more deeply than is read");
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Steps over blanks, comments and continued lines, not over line ends.
    pub(super) fn blanks(&mut self) -> Result<(), Trouble> {
        loop {
            match self.peek() {
                Some(c) if is_blank(c) => {
                    self.bump();
                }
                Some('`') if matches!(self.peek_second(), Some('\n' | '\r')) => {
                    self.bump();
                    if !self.eat("\r\n") {
                        self.bump();
                    }
                }
                Some('#') => {
                    while self.peek().is_some_and(|c| !is_line_end(c)) {
                        self.bump();
                    }
                }
                Some('<') if self.rest().starts_with("<#") => {
                    let Some(length) = self.rest().find("#>") else {
                        return self.trouble("a comment is not closed");
                    };
                    self.at += length + 2;
                }
                Some(_) | None => return Ok(()),
            }
        }
    }

    /// Steps over blanks and line ends.
    pub(super) fn lines(&mut self) -> Result<(), Trouble> {
        loop {
            self.blanks()?;
            if !self.peek().is_some_and(is_line_end) {
                return Ok(());
            }
            self.bump();
        }
    }

    /// The letters, digits and underscores that come next, not taken.
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{b}' | '\u{c}' | '\u{85}') || (c.is_whitespace() && !is_line_end(c))
}

pub(super) fn is_single_quote(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}')
}

pub(super) fn is_double_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}')
}

pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

/// Whether a bare word ends before `c`.
pub(super) fn ends_word(c: char) -> bool {
    is_blank(c)
        || is_line_end(c)
        || matches!(c, '(' | ')' | '{' | '}' | ';' | ',' | '|' | '&' | '<' | '>')
}
