//! Goes through the commands and adds every program start to the reading.
//!
//! What a branch or a loop changes is unknown behind it, and a loop's body is read with
//! what it changes unknown, so that no order of running shows it other values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cerco_model::Part;

use super::chars::{self, Char};
use super::expand::{self, Source};
use super::parse::{self, After, For, Kind, Node, Redirect};
use super::values::{Held, Variables};
use super::words::{self, Cut};
use crate::windows::path;
use crate::windows::starts::{Draft, Entry, Starts};
use crate::{Assignment, Directory, Output, Programs, Redirection, StartedBy, Stdin, Text, Word};

/// How many settled values of a `for` are read one by one.
const MAX_ROUNDS: usize = 16;
/// How much is read with each settled value of a `for` by itself.
const MAX_WORK: usize = 1 << 20;
/// How deep `for` and `call` may make new text.
const MAX_DEPTH: u32 = 24;

/// The standard streams of what is read.
#[derive(Clone)]
struct Streams {
    stdin: Stdin,
    output: Output,
}

pub(super) struct Walker<'a, 'p, P: Programs> {
    starts: Starts<'a, 'p, P>,
    entry: Entry,
    variables: Variables,
    /// `for` variables and what they stand for.
    loops: BTreeMap<char, Vec<Char>>,
    /// In the body of a `for /f`, later letters may hold further columns.
    has_columns: bool,
    directory: Directory,
    pushed: Vec<Directory>,
    is_batch: bool,
    bodies: u32,
    depth: u32,
    /// How many characters of commands were read: past a limit `for` is read once, its
    /// variable unknown.
    work: usize,
}

impl<'a, 'p, P: Programs> Walker<'a, 'p, P> {
    pub(super) fn new(starts: Starts<'a, 'p, P>, entry: Entry) -> Self {
        Self {
            starts,
            directory: entry.directory.clone(),
            depth: entry.depth,
            entry,
            variables: Variables::default(),
            loops: BTreeMap::new(),
            has_columns: false,
            pushed: Vec::new(),
            is_batch: false,
            bodies: 0,
            work: 0,
        }
    }

    /// Reads a whole text.
    pub(super) fn text(mut self, text: &str) {
        let at = self.entry.at;
        let text: Cow<'_, str> = if text.contains('\r') {
            // A lone carriage return is shown as nothing and read as a separator.
            Cow::Owned(text.replace("\r\n", " \n").replace('\r', " "))
        } else {
            Cow::Borrowed(text)
        };
        self.is_batch = text.trim_end().contains('\n');
        for (offset, group, lines) in groups(&text) {
            let raw = chars::of_text(group, offset, at);
            let source = Source {
                variables: &self.variables,
                place: self.starts.place,
                directory: &self.directory,
                is_batch: self.is_batch,
                group: (lines > 1).then_some(group),
            };
            let expanded = expand::percent(&raw, &source);
            self.run(&expanded);
        }
    }

    fn run(&mut self, expanded: &[Char]) {
        let (nodes, trouble) = parse::program(expanded);
        let streams = Streams {
            stdin: Stdin::Inherited,
            output: Output::Inherited,
        };
        self.nodes(&nodes, &streams);
        if let Some(trouble) = trouble {
            self.starts
                .doubt(trouble.part, format!("can't be read: {}", trouble.why));
        }
    }

    fn nodes(&mut self, nodes: &[Node], streams: &Streams) {
        for node in nodes {
            let before = self.directory.clone();
            let variables = (node.after == After::Perhaps).then(|| self.variables.clone());
            self.node(node, streams);
            if node.after == After::Perhaps {
                self.rejoin(&before, variables.as_ref());
            }
        }
    }

    /// Where what was read may not have run.
    fn rejoin(&mut self, before: &Directory, variables: Option<&Variables>) {
        if self.directory != *before {
            self.directory = Directory::Unknown;
        }
        if let Some(variables) = variables {
            self.variables.join(variables);
        }
    }

    fn node(&mut self, node: &Node, streams: &Streams) {
        match &node.kind {
            Kind::Simple(command) => {
                let redirections = self.redirections(&node.redirections);
                self.simple(command, redirections, streams, node.part);
            }
            Kind::Group(nodes) => {
                let redirections = self.redirections(&node.redirections);
                self.starts.out.redirections.extend(redirections);
                self.nodes(nodes, streams);
            }
            Kind::Pipe(nodes) => self.pipe(nodes, streams),
            Kind::If { exists, bodies } => {
                if let Some(exists) = exists {
                    let exists = self.settle(exists);
                    let words = words::of_builtin(&exists);
                    self.add("if", node.part, words, Vec::new(), streams, node.part);
                }
                let (before, variables) = (self.directory.clone(), self.variables.clone());
                for body in bodies {
                    self.directory = before.clone();
                    self.bodies += 1;
                    self.node(body, streams);
                    self.bodies -= 1;
                    self.rejoin(&before, Some(&variables));
                }
                if bodies.len() > 1 {
                    self.rejoin(&before, None);
                }
            }
            Kind::For(each) => self.for_command(each, node.part, streams),
        }
    }

    fn pipe(&mut self, nodes: &[Node], streams: &Streams) {
        // Each side runs in a cmd of its own.
        let (directory, variables) = (self.directory.clone(), self.variables.clone());
        let mut stdin = streams.stdin.clone();
        let last = nodes.len().saturating_sub(1);
        for (index, node) in nodes.iter().enumerate() {
            let output = if index == last {
                streams.output
            } else {
                Output::Pipe
            };
            self.node(node, &Streams { stdin, output });
            stdin = Stdin::Pipe(self.echoed(node));
            self.directory = directory.clone();
            self.variables = variables.clone();
        }
    }

    /// What `echo …` puts into a pipe.
    fn echoed(&self, node: &Node) -> Option<Text> {
        let Kind::Simple(command) = &node.kind else {
            return None;
        };
        let command = self.settle(command);
        let cut = words::cut(&command)?;
        let name = chars::known(&cut.name)?;
        if !name.eq_ignore_ascii_case("echo") {
            return None;
        }
        let text = chars::text_of(cut.rest.get(1..).unwrap_or(&[]));
        (!text.has_unknown()).then_some(text)
    }

    fn redirections(&mut self, redirects: &[Redirect]) -> Vec<Redirection> {
        redirects
            .iter()
            .map(|redirect| {
                let target = self.settle(&redirect.target);
                Redirection {
                    kind: redirect.kind,
                    target: words::of_chars(&target, &redirect.target, false),
                    directory: self.directory.clone(),
                }
            })
            .collect()
    }

    fn source(&self) -> Source<'_, 'p> {
        Source {
            variables: &self.variables,
            place: self.starts.place,
            directory: &self.directory,
            is_batch: self.is_batch,
            group: None,
        }
    }

    /// Puts in the values of `for` variables and of `!NAME!`.
    fn settle(&self, text: &[Char]) -> Vec<Char> {
        let looped = if self.loops.is_empty() {
            text.to_vec()
        } else {
            self.loop_values(text)
        };
        expand::delayed(&looped, &self.source())
    }

    fn loop_values(&self, text: &[Char]) -> Vec<Char> {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(&char) = text.get(at) {
            at += 1;
            if char.c != Some('%') {
                out.push(char);
                continue;
            }
            let start = at;
            // `%%i`, as in a batch file.
            if text.get(at).and_then(|c| c.c) == Some('%') {
                at += 1;
            }
            let is_changed = text.get(at).and_then(|c| c.c) == Some('~');
            at += usize::from(is_changed);
            let from = at;
            // `%~nxi`: letters that change the value, then the variable.
            let mut found = None;
            while let Some(letter) = text
                .get(at)
                .and_then(|c| c.c)
                .filter(char::is_ascii_alphabetic)
            {
                at += 1;
                if self.loops.contains_key(&letter) || (self.has_columns && at == from + 1) {
                    found = Some((letter, at - from - 1));
                    break;
                }
                if !is_changed {
                    break;
                }
            }
            match found {
                None => {
                    out.push(char);
                    at = start;
                }
                Some((letter, changes)) => {
                    let part = char
                        .part
                        .cover(chars::part_of(text.get(start..at).unwrap_or(&[])));
                    match self.loops.get(&letter) {
                        // Its base name or folder isn't followed.
                        Some(value) if changes == 0 => {
                            let value = if is_changed { unquoted(value) } else { value };
                            out.extend(value.iter().map(|c| Char { part, ..*c }));
                        }
                        _ => out.push(Char::unknown(part)),
                    }
                }
            }
        }
        out
    }

    // ---- for ----

    fn for_command(&mut self, each: &For, part: Part, streams: &Streams) {
        let set = self.settle(&each.set);
        let outer = self.loops.get(&each.variable).cloned();
        let had_columns = self.has_columns;
        let mut rounds: Vec<Vec<Char>> = Vec::new();
        let unknown = vec![Char::unknown(part)];
        match each.switch {
            Some('f') => {
                self.columns(each, &set, part, streams);
                self.has_columns = true;
                rounds.push(unknown.clone());
            }
            Some('l') => {
                if is_endless(&set) {
                    self.starts.out.endless_loops.push(part);
                }
                rounds.push(unknown.clone());
            }
            // Below the folder given: only its name is known.
            Some('r') => {
                let mut root = words::of_builtin(&each.options);
                if !root.is_empty() {
                    let args = std::mem::take(&mut root);
                    self.add("for", part, args, Vec::new(), streams, part);
                }
                for word in split_set(&set) {
                    rounds.push(word);
                }
            }
            _ => rounds = split_set(&set),
        }
        if rounds.len() > MAX_ROUNDS || (self.bodies > 2 && rounds.len() > 1) {
            rounds = vec![unknown];
        }
        let (before, variables) = (self.directory.clone(), self.variables.clone());
        if changes_state(&each.body) {
            self.directory = Directory::Unknown;
            self.variables.forget();
        }
        self.bodies += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.starts
                .doubt(part, "it is nested more deeply than is read");
        } else {
            let last = rounds.len().saturating_sub(1);
            for (index, value) in rounds.into_iter().enumerate() {
                let is_over = self.work > MAX_WORK && index < last;
                let value = if is_over {
                    vec![Char::unknown(part)]
                } else {
                    value
                };
                self.loops.insert(each.variable, value);
                self.node(&each.body, streams);
                if is_over {
                    break;
                }
            }
        }
        self.depth -= 1;
        self.bodies -= 1;
        self.has_columns = had_columns;
        match outer {
            Some(outer) => self.loops.insert(each.variable, outer),
            None => self.loops.remove(&each.variable),
        };
        self.rejoin(&before, Some(&variables));
    }

    /// What `for /f` reads: a command's output, a file, a string.
    fn columns(&mut self, each: &For, set: &[Char], part: Part, streams: &Streams) {
        let options = chars::known(&each.options).unwrap_or_default();
        let quote = if options.to_ascii_lowercase().contains("usebackq") {
            '`'
        } else {
            '\''
        };
        let trimmed = trimmed(set);
        let first = trimmed.first().and_then(|c| c.c);
        if first == Some(quote) && trimmed.len() >= 2 {
            let code = trimmed.get(1..trimmed.len() - 1).unwrap_or(&[]).to_vec();
            let (directory, variables) = (self.directory.clone(), self.variables.clone());
            let (nodes, trouble) = parse::program(&code);
            let caught = Streams {
                stdin: streams.stdin.clone(),
                output: Output::Pipe,
            };
            self.nodes(&nodes, &caught);
            if let Some(trouble) = trouble {
                self.starts
                    .doubt(trouble.part, format!("can't be read: {}", trouble.why));
            }
            self.directory = directory;
            self.variables = variables;
        } else if first != Some('"') || quote == '`' {
            // The files it reads.
            let words = words::of_builtin(trimmed);
            self.add("type", part, words, Vec::new(), streams, part);
        }
    }

    // ---- commands ----

    fn simple(
        &mut self,
        command: &[Char],
        redirections: Vec<Redirection>,
        streams: &Streams,
        part: Part,
    ) {
        let settled = self.settle(command);
        self.work = self.work.saturating_add(settled.len());
        let part = self.entry.at.unwrap_or(part);
        let Some(Cut { name, rest }) = words::cut(&settled) else {
            self.starts.out.redirections.extend(redirections);
            return;
        };
        let Some(text) = chars::known(&name).filter(|name| is_settled(name)) else {
            self.starts.out.redirections.extend(redirections);
            self.starts.doubt_with(
                part,
                "the program's name isn't known before the command runs",
                Some("write the program's name out"),
            );
            return;
        };
        let lower = text.to_ascii_lowercase();
        let name_part = chars::part_of(&name);
        if is_drive(&lower) {
            let word = words::known(&format!("{text}\\"), name_part);
            let to = self.moved(&lower, std::slice::from_ref(&word));
            self.add("cd", name_part, vec![word], redirections, streams, part);
            self.directory = to;
            return;
        }
        if words::is_builtin(&lower) {
            self.builtin(&lower, name_part, rest, redirections, streams, part);
            return;
        }
        let args = words::of_program(rest);
        self.add(&text, name_part, args, redirections, streams, part);
    }

    fn builtin(
        &mut self,
        name: &str,
        name_part: Part,
        rest: &[Char],
        redirections: Vec<Redirection>,
        streams: &Streams,
        part: Part,
    ) {
        match name {
            "set" => {
                self.starts.out.redirections.extend(redirections);
                self.set(rest, part);
            }
            "call" => self.call(rest, redirections, streams, part),
            "start" => self.start(rest, redirections, streams, part),
            "goto" => {
                let to = chars::known(trimmed(rest)).unwrap_or_default();
                if !to.eq_ignore_ascii_case(":eof") {
                    self.starts.doubt_with(
                        part,
                        "a jump can't be followed",
                        Some("write the commands out in the order in which they run"),
                    );
                }
            }
            "cd" | "chdir" | "pushd" | "popd" => {
                // `cd` takes the rest of the line, blanks included.
                let words = if name == "cd" || name == "chdir" {
                    path_words(rest)
                } else {
                    words::of_builtin(rest)
                };
                let to = self.moved(name, &words);
                self.add(name, name_part, words, redirections, streams, part);
                self.directory = to;
            }
            "endlocal" => {
                self.variables.forget();
                self.add(name, name_part, Vec::new(), redirections, streams, part);
            }
            "echo" | "title" | "prompt" | "path" => {
                let words = words::of_program(rest);
                self.add(name, name_part, words, redirections, streams, part);
            }
            _ => {
                let words = words::of_builtin(rest);
                self.add(name, name_part, words, redirections, streams, part);
            }
        }
    }

    fn add(
        &mut self,
        name: &str,
        name_part: Part,
        args: Vec<Word>,
        redirections: Vec<Redirection>,
        streams: &Streams,
        part: Part,
    ) {
        let output = if redirections.is_empty() {
            streams.output
        } else {
            Output::File
        };
        let stdin = redirections
            .iter()
            .find(|r| r.kind == crate::RedirectionKind::Read)
            .map_or_else(|| streams.stdin.clone(), |r| Stdin::File(r.target.clone()));
        let by = match self.entry.by {
            StartedBy::Shell | StartedBy::Builtin if words::is_builtin(name) => StartedBy::Builtin,
            by => by,
        };
        let draft = Draft {
            name: words::known(name, self.entry.at.unwrap_or(name_part)),
            args,
            assignments: Vec::new(),
            redirections,
            stdin,
            output,
            directory: self.directory.clone(),
            part: self.entry.at.unwrap_or(part),
            by,
        };
        self.starts.push(draft, self.entry.depth);
    }

    fn set(&mut self, rest: &[Char], part: Part) {
        let rest = trimmed(rest);
        let first = chars::known(rest.get(..2).unwrap_or(&[])).map(|t| t.to_ascii_lowercase());
        let is_computed = matches!(first.as_deref(), Some("/a" | "/p"));
        let rest = if is_computed {
            trimmed(rest.get(2..).unwrap_or(&[]))
        } else {
            rest
        };
        let rest = match rest.first() {
            Some(c) if c.c == Some('"') => {
                // Up to the last quote; what stands behind it is dropped.
                let end = rest.iter().rposition(|c| c.c == Some('"')).unwrap_or(0);
                let end = if end == 0 { rest.len() } else { end };
                rest.get(1..end).unwrap_or(&[])
            }
            _ => rest,
        };
        let Some(equals) = rest.iter().position(|c| c.c == Some('=')) else {
            if is_computed {
                self.variables.forget();
            }
            return;
        };
        let Some(name) = chars::known(rest.get(..equals).unwrap_or(&[])) else {
            self.starts.doubt(
                part,
                "the variable that is set isn't known before the command runs",
            );
            self.variables.forget();
            return;
        };
        let value = rest.get(equals + 1..).unwrap_or(&[]);
        let text = if is_computed {
            Text::Partly(Box::new([crate::Piece::Unknown]))
        } else {
            chars::text_of(value)
        };
        let held = match text.known() {
            Some(text) => Held::Known(text.to_owned()),
            None => Held::Unknown,
        };
        // `set /a` may set several: `a=1,b=2`.
        if is_computed {
            self.variables.forget();
        }
        let name = name.trim_end_matches(['+', '-', '*', '/', '%', '&', '|']);
        self.variables.set(name, held);
        self.starts.out.assignments.push(Assignment {
            name: name.into(),
            value: text,
            part,
            exported: true,
        });
    }

    /// `call` replaces `%NAME%` once more and runs what comes out.
    fn call(
        &mut self,
        rest: &[Char],
        redirections: Vec<Redirection>,
        streams: &Streams,
        part: Part,
    ) {
        let mut source = self.source();
        source.is_batch = true;
        let again = expand::percent(rest, &source);
        let again = trimmed(&again).to_vec();
        if again.first().is_some_and(|c| c.c == Some(':')) {
            self.starts.out.redirections.extend(redirections);
            self.starts.doubt_with(
                part,
                "a call of a label can't be followed",
                Some("write the commands out in the order in which they run"),
            );
            return;
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.starts
                .doubt(part, "it is nested more deeply than is read");
        } else {
            self.simple(&again, redirections, streams, part);
        }
        self.depth -= 1;
    }

    /// `start ["title"] [/options] program arguments`
    fn start(
        &mut self,
        rest: &[Char],
        redirections: Vec<Redirection>,
        streams: &Streams,
        part: Part,
    ) {
        let mut rest = trimmed(rest);
        if rest.first().is_some_and(|c| c.c == Some('"')) {
            let end = rest.iter().skip(1).position(|c| c.c == Some('"'));
            rest = trimmed(end.and_then(|end| rest.get(end + 2..)).unwrap_or(&[]));
        }
        let before = self.directory.clone();
        while rest.first().is_some_and(|c| c.c == Some('/')) {
            let end = rest
                .iter()
                .skip(1)
                .position(|c| c.is_blank() || c.c == Some('/'))
                .map_or(rest.len(), |end| end + 1);
            let option = chars::known(rest.get(..end).unwrap_or(&[]))
                .unwrap_or_default()
                .to_ascii_lowercase();
            rest = trimmed(rest.get(end..).unwrap_or(&[]));
            let takes_value = matches!(option.as_str(), "/d" | "/node" | "/affinity" | "/machine");
            if takes_value {
                let words = words::of_program(rest);
                let length = value_length(rest);
                if option == "/d"
                    && let Some(word) = words.into_iter().next()
                {
                    let to = self.moved("cd", std::slice::from_ref(&word));
                    self.add("cd", word.part, vec![word], Vec::new(), streams, part);
                    self.directory = to;
                }
                rest = trimmed(rest.get(length..).unwrap_or(&[]));
            }
        }
        if rest.is_empty() {
            // `start` alone opens a cmd window.
            self.add("start", part, Vec::new(), redirections, streams, part);
        } else {
            let rest = rest.to_vec();
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                self.starts
                    .doubt(part, "it is nested more deeply than is read");
            } else {
                self.simple(&rest, redirections, streams, part);
            }
            self.depth -= 1;
        }
        self.directory = before;
    }

    /// Where a command that moves leads.
    fn moved(&mut self, name: &str, words: &[Word]) -> Directory {
        if name == "popd" {
            return self.pushed.pop().unwrap_or(Directory::Unknown);
        }
        let mut paths = words.iter().filter(|word| {
            !word
                .text
                .known()
                .is_some_and(|t| t.eq_ignore_ascii_case("/d"))
        });
        let Some(path) = paths.next() else {
            return self.directory.clone();
        };
        if name == "pushd" {
            self.pushed.push(self.directory.clone());
        }
        match (&self.directory, path.text.known()) {
            (Directory::Known(from), Some(to)) => path::change(from, "", to)
                .filter(|_| !to.starts_with('~'))
                .map_or(Directory::Unknown, |to| Directory::Known(to.into())),
            (Directory::Unknown, Some(to)) if path::is_absolute(to) && !to.starts_with('~') => {
                path::change("", "", to)
                    .map_or(Directory::Unknown, |to| Directory::Known(to.into()))
            }
            _ => Directory::Unknown,
        }
    }
}

/// The lines of a text, those together that a bracket or a caret holds together: where
/// each group starts, its text, and how many lines it has.
fn groups(text: &str) -> Vec<(usize, &str, usize)> {
    let mut groups = Vec::new();
    let (mut start, mut open, mut lines, mut at) = (0usize, 0usize, 0usize, 0usize);
    for line in text.split_inclusive('\n') {
        at += line.len();
        lines += 1;
        let mut quoted = false;
        let mut escaped = false;
        for c in line.chars() {
            match c {
                _ if escaped => escaped = false,
                '^' if !quoted => escaped = true,
                '"' => quoted = !quoted,
                '(' if !quoted => open += 1,
                ')' if !quoted => open = open.saturating_sub(1),
                _ => {}
            }
        }
        let continues = open > 0 || line.trim_end_matches(['\n', ' ']).ends_with('^');
        if !continues {
            groups.push((start, text.get(start..at).unwrap_or(""), lines));
            (start, lines) = (at, 0);
        }
    }
    if start < text.len() {
        groups.push((start, text.get(start..).unwrap_or(""), lines));
    }
    groups
}

/// Whether a name is one: nothing in it that cmd would still replace.
fn is_settled(name: &str) -> bool {
    !name.is_empty() && !name.contains(['%', '*', '?']) && !has_delayed(name)
}

fn has_delayed(name: &str) -> bool {
    name.matches('!').count() > 1
}

fn is_drive(lower: &str) -> bool {
    let mut chars = lower.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.as_str() == ":"
}

fn trimmed(chars: &[Char]) -> &[Char] {
    let Some(start) = chars
        .iter()
        .position(|c| !c.is_blank() && c.c != Some('\n'))
    else {
        return &[];
    };
    let end = chars
        .iter()
        .rposition(|c| !c.is_blank() && c.c != Some('\n'))
        .map_or(start, |end| end + 1);
    chars.get(start..end).unwrap_or(&[])
}

fn unquoted(chars: &[Char]) -> &[Char] {
    match (chars.first(), chars.last()) {
        (Some(first), Some(last))
            if chars.len() >= 2 && first.c == Some('"') && last.c == Some('"') =>
        {
            chars.get(1..chars.len() - 1).unwrap_or(&[])
        }
        _ => chars,
    }
}

/// The words of `cd`: `/d`, then everything else as one path.
fn path_words(rest: &[Char]) -> Vec<Word> {
    let mut rest = trimmed(rest);
    let mut words = Vec::new();
    if chars::known(rest.get(..2).unwrap_or(&[])).is_some_and(|t| t.eq_ignore_ascii_case("/d")) {
        words.push(words::known(
            "/d",
            chars::part_of(rest.get(..2).unwrap_or(&[])),
        ));
        rest = trimmed(rest.get(2..).unwrap_or(&[]));
    }
    if !rest.is_empty() {
        let plain: Vec<Char> = rest.iter().filter(|c| c.c != Some('"')).copied().collect();
        words.push(words::of_chars(&plain, rest, false));
    }
    words
}

/// How long the first value is, its quotes included.
fn value_length(rest: &[Char]) -> usize {
    let mut quoted = false;
    rest.iter()
        .position(|c| {
            if c.c == Some('"') {
                quoted = !quoted;
            }
            !quoted && c.is_blank()
        })
        .unwrap_or(rest.len())
}

/// The words of a `for` set, quotes kept.
fn split_set(set: &[Char]) -> Vec<Vec<Char>> {
    let mut words: Vec<Vec<Char>> = Vec::new();
    let mut word = Vec::new();
    let mut quoted = false;
    for char in set {
        if char.c == Some('"') {
            quoted = !quoted;
        }
        if !quoted && (char.is_delimiter() || char.c == Some('\n')) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(*char);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether `(start,step,end)` never gets to its end.
fn is_endless(set: &[Char]) -> bool {
    let Some(text) = chars::known(set) else {
        return false;
    };
    let numbers: Vec<i64> = text
        .split([',', ' ', ';', '='])
        .filter(|n| !n.is_empty())
        .map(|n| n.parse().unwrap_or(0))
        .collect();
    match numbers.as_slice() {
        [from, 0, to] => from <= to,
        // More rounds than any clock allows.
        [from, step, to] => to.saturating_sub(*from) / step > 100_000,
        // Missing numbers count as 0.
        [_] | [] => true,
        [_, step] => *step == 0,
        _ => false,
    }
}

/// Whether a loop's body sets variables or moves.
fn changes_state(node: &Node) -> bool {
    match &node.kind {
        Kind::Simple(command) => {
            let Some(cut) = words::cut(command) else {
                return false;
            };
            chars::known(&cut.name).is_none_or(|name| {
                let name = name.to_ascii_lowercase();
                name.contains(['%', '!'])
                    || is_drive(&name)
                    || matches!(
                        name.as_str(),
                        "set" | "call" | "cd" | "chdir" | "pushd" | "popd" | "endlocal"
                    )
            })
        }
        Kind::Group(nodes) | Kind::Pipe(nodes) => nodes.iter().any(changes_state),
        Kind::If { bodies, .. } => bodies.iter().any(changes_state),
        Kind::For(each) => changes_state(&each.body),
    }
}
