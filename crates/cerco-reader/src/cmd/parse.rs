//! Commands, groups, `if` and `for` of an expanded text.
//!
//! Carets and quotes are taken into account here; what a command's words are is not.

use cerco_model::Part;

use super::chars::{self, Char};
use super::tree::{After, Kind, Node, Redirect, Trouble};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 40;

/// Reads a whole text: what was understood, and the trouble that ended it.
pub(super) fn program(text: &[Char]) -> (Vec<Node>, Option<Trouble>) {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
    };
    let mut nodes = Vec::new();
    let trouble = parser.list(&mut nodes, false).err();
    (nodes, trouble)
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a [Char],
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<Char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn next_is(&self, offset: usize, c: char) -> bool {
        self.text
            .get(self.at + offset)
            .is_some_and(|char| char.is(c))
    }

    pub(super) fn trouble<T>(&self, why: &'static str) -> Result<T, Trouble> {
        let at = self.peek().or_else(|| self.text.last().copied());
        Err(Trouble {
            part: at.map(|c| c.part).unwrap_or_default(),
            why,
        })
    }

    pub(super) fn blanks(&mut self) {
        while self.peek().is_some_and(Char::is_delimiter) {
            self.at += 1;
        }
    }

    fn list(&mut self, nodes: &mut Vec<Node>, in_group: bool) -> Result<(), Trouble> {
        let mut after = After::Always;
        loop {
            self.blanks();
            match self.peek() {
                None if in_group => return self.trouble("a `(` is not closed"),
                None => return Ok(()),
                Some(c) if c.is(')') && in_group => {
                    self.at += 1;
                    return Ok(());
                }
                Some(c) if c.is('\n') => {
                    self.at += 1;
                    after = After::Always;
                }
                Some(c) if c.is('&') => {
                    self.at += 1;
                    after = After::Always;
                    if self.next_is(0, '&') {
                        self.at += 1;
                        after = After::Perhaps;
                    }
                }
                Some(c) if c.is('|') => {
                    if !self.next_is(1, '|') {
                        return self.trouble("a pipe has nothing in front of it");
                    }
                    self.at += 2;
                    after = After::Perhaps;
                }
                Some(_) => {
                    let mut node = self.pipe()?;
                    node.after = after;
                    after = After::Always;
                    nodes.push(node);
                }
            }
        }
    }

    fn pipe(&mut self) -> Result<Node, Trouble> {
        let first = self.element()?;
        let mut elements = vec![first];
        loop {
            self.spaces();
            if !self.next_is(0, '|') || self.next_is(1, '|') {
                break;
            }
            self.at += 1;
            self.blanks();
            if self.ends_here() {
                return self.trouble("a pipe has nothing behind it");
            }
            elements.push(self.element()?);
        }
        if elements.len() == 1
            && let Some(only) = elements.pop()
        {
            return Ok(only);
        }
        let part = elements
            .iter()
            .map(|e| e.part)
            .reduce(Part::cover)
            .unwrap_or_default();
        Ok(Node {
            kind: Kind::Pipe(elements),
            redirections: Vec::new(),
            after: After::Always,
            part,
        })
    }

    pub(super) fn spaces(&mut self) {
        while self.peek().is_some_and(Char::is_blank) {
            self.at += 1;
        }
    }

    pub(super) fn element(&mut self) -> Result<Node, Trouble> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.trouble("it is nested more deeply than is read");
        }
        while self.peek().is_some_and(|c| c.is('@') || c.is_delimiter()) {
            self.at += 1;
        }
        let start = self.at;
        let mut redirections = Vec::new();
        while self.redirection(&mut redirections) {
            self.blanks();
        }
        let kind = if self.next_is(0, '(') {
            self.at += 1;
            let mut nodes = Vec::new();
            self.list(&mut nodes, true)?;
            Kind::Group(nodes)
        } else {
            let (word, length) = self.word();
            match word.as_str() {
                "rem" => {
                    self.comment(length);
                    Kind::Group(Vec::new())
                }
                "if" => {
                    self.at += length;
                    self.if_command()?
                }
                "for" => {
                    self.at += length;
                    self.for_command()?
                }
                _ if word.starts_with(':') => {
                    // Inside brackets a label ends where a command would.
                    let in_group = self.depth > 1;
                    while self.peek().is_some_and(|c| {
                        let ends = in_group && ['&', '|', ')'].iter().any(|sign| c.is(*sign));
                        !ends && !c.is('\n')
                    }) {
                        self.at += 1;
                    }
                    Kind::Group(Vec::new())
                }
                _ => Kind::Simple(self.simple(&mut redirections)),
            }
        };
        if matches!(kind, Kind::Group(_)) {
            loop {
                self.spaces();
                if !self.redirection(&mut redirections) {
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(Node {
            kind,
            redirections,
            after: After::Always,
            part: chars::part_of(self.text.get(start..self.at).unwrap_or(&[])),
        })
    }

    /// The lower-case word that comes next, carets taken out, and its length.
    pub(super) fn word(&self) -> (String, usize) {
        let mut word = String::new();
        let mut length = 0;
        while let Some(char) = self.text.get(self.at + length) {
            if char.is('^') {
                length += 1;
                continue;
            }
            match char.c {
                Some(c)
                    if !char.is_delimiter()
                        && !matches!(c, '&' | '|' | '<' | '>' | '(' | ')' | '/' | '"' | '\n')
                        && word.len() < 32 =>
                {
                    word.push(c.to_ascii_lowercase());
                    length += 1;
                }
                _ => break,
            }
        }
        (word, length)
    }

    /// `rem` swallows the line behind its first word; an `&` in front of that still acts.
    fn comment(&mut self, length: usize) {
        self.at += length;
        self.spaces();
        while self
            .peek()
            .is_some_and(|c| !c.is_blank() && !c.is('\n') && !c.is('&') && !c.is('|'))
        {
            self.at += 1;
        }
        if self.peek().is_some_and(Char::is_blank) {
            while self.peek().is_some_and(|c| !c.is('\n')) {
                self.at += 1;
            }
        }
    }

    /// The characters of a command up to the next sign that ends it.
    fn simple(&mut self, redirections: &mut Vec<Redirect>) -> Vec<Char> {
        let mut out: Vec<Char> = Vec::new();
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
                if char.is('&') || char.is('|') || (char.is(')') && self.depth > 1) {
                    break;
                }
                let follows_gap = out.last().is_none_or(|c| c.is_delimiter());
                if self.redirection_here(follows_gap) && self.redirection(redirections) {
                    out.push(Char::new(' ', char.part));
                    continue;
                }
            }
            out.push(char);
            self.at += 1;
        }
        out
    }

    /// What stands behind a caret, its meaning taken away.
    pub(super) fn escaped(&mut self, out: &mut Vec<Char>) {
        let Some(mut next) = self.peek() else { return };
        self.at += 1;
        if next.c == Some('\n') {
            // A continued line; its first character is escaped too.
            let Some(first) = self.peek() else { return };
            next = first;
            self.at += 1;
        }
        next.is_plain = true;
        out.push(next);
    }
}
