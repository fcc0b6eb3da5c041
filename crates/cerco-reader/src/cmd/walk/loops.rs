//! `for`: every settled value is read by itself, so that every start is in the list.

use cerco_model::Part;

use super::command::{is_drive, trimmed};
use super::{MAX_DEPTH, MAX_ROUNDS, MAX_WORK, Streams, Walker};
use crate::cmd::chars::Char;
use crate::cmd::tree::{For, Kind, Node};
use crate::cmd::{chars, parse, words};
use crate::{Directory, Output, Programs};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn for_command(&mut self, each: &For, part: Part, streams: &Streams) {
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
            _ => {
                rounds = split_set(&set);
                // A pattern is looked up in its folder.
                let patterns: Vec<_> = words::of_builtin(&set)
                    .into_iter()
                    .filter(|word| word.text.known_prefix().contains(['*', '?']))
                    .collect();
                if !patterns.is_empty() {
                    self.add("for", part, patterns, Vec::new(), streams, part);
                }
            }
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
