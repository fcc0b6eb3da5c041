//! `if` and `for`.

use cerco_model::Part;

use super::chars::{self, Char};
use super::parse::Parser;
use super::tree::{For, Kind, Node, Trouble};

impl Parser<'_> {
    /// A word of a condition, quotes kept, up to a blank, `==` or a bracket.
    fn condition_word(&mut self) -> Vec<Char> {
        while self
            .peek()
            .is_some_and(|c| c.is_blank() || matches!(c.c, Some(',' | ';')))
        {
            self.at += 1;
        }
        let mut out = Vec::new();
        let mut quoted = false;
        while let Some(char) = self.peek() {
            if char.is('\n') {
                break;
            }
            if char.is('"') {
                quoted = !quoted;
            } else if !quoted {
                if char.is('^') {
                    self.at += 1;
                    self.escaped(&mut out);
                    continue;
                }
                if char.is_delimiter() || char.is('&') || char.is('|') {
                    break;
                }
            }
            out.push(char);
            self.at += 1;
        }
        out
    }

    pub(super) fn if_command(&mut self) -> Result<Kind, Trouble> {
        let mut exists = None;
        loop {
            let word = self.condition_word();
            let text = chars::known(&word).map(|t| t.to_ascii_lowercase());
            match text.as_deref() {
                Some("/i" | "not") => {}
                Some("exist") => {
                    exists = Some(self.condition_word());
                    break;
                }
                Some("defined" | "errorlevel" | "cmdextversion") => {
                    self.condition_word();
                    break;
                }
                Some("") => return self.trouble("a condition is missing"),
                Some(_) | None => {
                    self.spaces();
                    if self.peek().is_some_and(|c| c.c == Some('=')) {
                        self.blanks();
                    } else {
                        self.condition_word();
                    }
                    self.condition_word();
                    break;
                }
            }
        }
        let mut bodies = vec![self.body()?];
        let back = self.at;
        self.lines();
        let (word, length) = self.word();
        if word == "else" && matches!(bodies.first().map(|b| &b.kind), Some(Kind::Group(_))) {
            self.at += length;
            bodies.push(self.body()?);
        } else {
            self.at = back;
        }
        Ok(Kind::If { exists, bodies })
    }

    fn lines(&mut self) {
        while self.peek().is_some_and(|c| c.is_blank() || c.is('\n')) {
            self.at += 1;
        }
    }

    /// Whether no command can start here.
    pub(super) fn ends_here(&self) -> bool {
        self.peek()
            .is_none_or(|c| ['\n', '&', '|', ')'].iter().any(|sign| c.is(*sign)))
    }

    fn body(&mut self) -> Result<Node, Trouble> {
        self.blanks();
        if self.ends_here() {
            return self.trouble("a command is missing");
        }
        self.element()
    }

    pub(super) fn for_command(&mut self) -> Result<Kind, Trouble> {
        let mut switch = None;
        let mut options = Vec::new();
        let variable = loop {
            self.spaces();
            let word = self.condition_word();
            let text = chars::known(&word);
            match text.as_deref() {
                Some("") | None => return self.trouble("this form of `for` can't be read"),
                Some(text) => {
                    let mut rest = text.chars();
                    match (rest.next(), rest.next(), rest.next(), rest.next()) {
                        (Some('/'), Some(letter), None, None) if switch.is_none() => {
                            switch = Some(letter.to_ascii_lowercase());
                        }
                        (Some('%'), Some('%'), Some(letter), None)
                        | (Some('%'), Some(letter), None, None) => break letter,
                        _ => {
                            options.extend(word);
                            options.push(Char::new(' ', Part::default()));
                        }
                    }
                }
            }
        };
        self.spaces();
        let (word, length) = self.word();
        if word != "in" {
            return self.trouble("`in` is missing");
        }
        self.at += length;
        self.spaces();
        if !self.next_is(0, '(') {
            return self.trouble("a `(` is missing");
        }
        self.at += 1;
        let set = self.set()?;
        self.spaces();
        let (word, length) = self.word();
        if word != "do" {
            return self.trouble("`do` is missing");
        }
        self.at += length;
        let body = self.body()?;
        Ok(Kind::For(Box::new(For {
            switch,
            options,
            variable,
            set,
            body,
        })))
    }

    /// What stands between the parentheses of `for`; they may nest in `/f` commands.
    fn set(&mut self) -> Result<Vec<Char>, Trouble> {
        let mut out = Vec::new();
        let (mut quoted, mut open) = (false, 0usize);
        while let Some(char) = self.peek() {
            self.at += 1;
            if char.is('"') {
                quoted = !quoted;
            } else if !quoted {
                if char.is('^') {
                    // Kept: a command in the set is parsed again.
                    out.push(char);
                    if let Some(next) = self.peek() {
                        out.push(next);
                        self.at += 1;
                    }
                    continue;
                }
                if char.is('(') {
                    open += 1;
                } else if char.is(')') {
                    if open == 0 {
                        return Ok(out);
                    }
                    open -= 1;
                }
            }
            out.push(char);
        }
        self.trouble("a `(` is not closed")
    }
}
