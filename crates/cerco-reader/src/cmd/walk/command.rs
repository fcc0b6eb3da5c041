//! One command: the ones built in, calls of labels, and the starts of programs.

use cerco_model::Part;

use super::expansion::is_settled;
use super::state::{path_words, value_length};
use super::{MAX_DEPTH, Streams, Walker};
use crate::cmd::chars::Char;
use crate::cmd::words::Cut;
use crate::cmd::{chars, expand, words};
use crate::windows::starts::Draft;
use crate::{Output, Programs, Redirection, StartedBy, Stdin, Word};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn simple(
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

    pub(super) fn add(
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

    /// `start ["title"] [/options] program arguments`
    pub(super) fn start(
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
        let opened = words::of_program(rest).into_iter().next().filter(|word| {
            word.text
                .known_prefix()
                .trim_start_matches('"')
                .contains("://")
        });
        if rest.is_empty() {
            // `start` alone opens a cmd window.
            self.add("start", part, Vec::new(), redirections, streams, part);
        } else if let Some(address) = opened {
            // No program: what the system opens addresses with.
            self.add("start", part, vec![address], redirections, streams, part);
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

    /// `call` replaces `%NAME%` once more and runs what comes out.
    pub(super) fn call(
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
}

pub(super) fn is_drive(lower: &str) -> bool {
    let mut chars = lower.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.as_str() == ":"
}

pub(super) fn trimmed(chars: &[Char]) -> &[Char] {
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

pub(super) fn unquoted(chars: &[Char]) -> &[Char] {
    match (chars.first(), chars.last()) {
        (Some(first), Some(last))
            if chars.len() >= 2 && first.c == Some('"') && last.c == Some('"') =>
        {
            chars.get(1..chars.len() - 1).unwrap_or(&[])
        }
        _ => chars,
    }
}
