//! Goes through the commands and adds every program start to the reading.
//!
//! What a branch or a loop changes is unknown behind it, and a loop's body is read with
//! what it changes unknown, so that no order of running shows it other values.

mod command;
mod expansion;
mod loops;
mod state;

use std::borrow::Cow;
use std::collections::BTreeMap;

use expansion::groups;

use crate::cmd::chars::Char;
use crate::cmd::expand::Source;
use crate::cmd::tree::{After, Kind, Node, Redirect};
use crate::cmd::values::Variables;
use crate::cmd::{chars, expand, parse, words};
use crate::windows::starts::{Entry, Starts};
use crate::{Directory, Output, Programs, Redirection, Stdin, Text};

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
}
