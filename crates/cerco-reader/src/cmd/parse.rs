//! Commands, groups, `if` and `for` of an expanded text.
//!
//! Carets and quotes are taken into account here; what a command's words are is not.

use cerco_model::Part;

use super::chars::{self, Char};
use crate::RedirectionKind;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 40;

/// Something to run.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) redirections: Vec<Redirect>,
    /// How it is joined to what came before.
    pub(super) after: After,
    pub(super) part: Part,
}

/// How a command is joined to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The first one, `&`, a new line.
    Always,
    /// `&&`, `||`
    Perhaps,
}

/// What it is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A command: its characters, carets taken out.
    Simple(Vec<Char>),
    Group(Vec<Node>),
    Pipe(Vec<Node>),
    If {
        /// The file of `if exist`.
        exists: Option<Vec<Char>>,
        bodies: Vec<Node>,
    },
    For(Box<For>),
}

/// `for … %v in (set) do body`
#[derive(Clone, Debug)]
pub(super) struct For {
    /// Letter of `/d`, `/r`, `/l`, `/f`, or nothing.
    pub(super) switch: Option<char>,
    /// What stands between the switch and the variable.
    pub(super) options: Vec<Char>,
    pub(super) variable: char,
    pub(super) set: Vec<Char>,
    pub(super) body: Node,
}

/// `> file`
#[derive(Clone, Debug)]
pub(super) struct Redirect {
    pub(super) kind: RedirectionKind,
    pub(super) target: Vec<Char>,
}

/// Why reading stopped.
pub(super) struct Trouble {
    pub(super) part: Part,
    pub(super) why: &'static str,
}

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

struct Parser<'a> {
    text: &'a [Char],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Char> {
        self.text.get(self.at).copied()
    }

    fn next_is(&self, offset: usize, c: char) -> bool {
        self.text
            .get(self.at + offset)
            .is_some_and(|char| char.is(c))
    }

    fn trouble<T>(&self, why: &'static str) -> Result<T, Trouble> {
        let at = self.peek().or_else(|| self.text.last().copied());
        Err(Trouble {
            part: at.map(|c| c.part).unwrap_or_default(),
            why,
        })
    }

    fn blanks(&mut self) {
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

    fn spaces(&mut self) {
        while self.peek().is_some_and(Char::is_blank) {
            self.at += 1;
        }
    }

    fn element(&mut self) -> Result<Node, Trouble> {
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
    fn word(&self) -> (String, usize) {
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
    fn escaped(&mut self, out: &mut Vec<Char>) {
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

    fn redirection_here(&self, follows_gap: bool) -> bool {
        let Some(char) = self.peek() else {
            return false;
        };
        char.is('<')
            || char.is('>')
            || (follows_gap
                && char.c.is_some_and(|c| c.is_ascii_digit())
                && (self.next_is(1, '<') || self.next_is(1, '>')))
    }

    /// Takes a redirection, if one comes next.
    fn redirection(&mut self, redirections: &mut Vec<Redirect>) -> bool {
        if !self.redirection_here(true) {
            return false;
        }
        if self
            .peek()
            .is_some_and(|c| c.c.is_some_and(|c| c.is_ascii_digit()))
        {
            self.at += 1;
        }
        let mut kind = RedirectionKind::Read;
        if self.next_is(0, '>') {
            kind = RedirectionKind::Write;
            if self.next_is(1, '>') {
                self.at += 1;
                kind = RedirectionKind::Append;
            }
        }
        self.at += 1;
        if self.next_is(0, '&') {
            self.at += 1;
            self.spaces();
            if self
                .peek()
                .is_some_and(|c| c.c.is_some_and(|c| c.is_ascii_digit()))
            {
                self.at += 1;
            }
            return true;
        }
        self.blanks();
        let mut target = Vec::new();
        let mut quoted = false;
        while let Some(char) = self.peek() {
            if char.is('\n') {
                break;
            }
            if char.is('"') {
                quoted = !quoted;
                self.at += 1;
                continue;
            }
            if !quoted {
                if char.is('^') {
                    self.at += 1;
                    self.escaped(&mut target);
                    continue;
                }
                let ends = char.is_delimiter()
                    || ['&', '|', '<', '>'].iter().any(|c| char.is(*c))
                    || (char.is(')') && self.depth > 1);
                if ends {
                    break;
                }
            }
            target.push(char);
            self.at += 1;
        }
        redirections.push(Redirect { kind, target });
        true
    }

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

    fn if_command(&mut self) -> Result<Kind, Trouble> {
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
    fn ends_here(&self) -> bool {
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

    fn for_command(&mut self) -> Result<Kind, Trouble> {
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
