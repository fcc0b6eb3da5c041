//! The only place that writes: data to standard output, talk to standard error, and all
//! text of others through [`Shown`].

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use cerco_model::{Part, Shown};

use crate::cli::{ColorWhen, OutputArgs};
use crate::failure::Failure;

/// How this run of Cerco speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub(crate) json: bool,
    paints_data: bool,
    paints_talk: bool,
}

/// How a stretch of text looks. Meaning never hangs on it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Ask,
    Bad,
}

impl Out {
    pub(crate) fn new(args: OutputArgs) -> Self {
        let set = |name: &str| env::var_os(name).is_some_and(|v| !v.is_empty());
        let wanted = |terminal: bool| match args.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto if set("NO_COLOR") => false,
            ColorWhen::Auto if env::var("CLICOLOR_FORCE").is_ok_and(|v| v != "0") => true,
            ColorWhen::Auto => terminal && env::var("TERM").is_ok_and(|t| t != "dumb"),
        };
        Self {
            json: args.json,
            paints_data: wanted(io::stdout().is_terminal()) && !args.json,
            paints_talk: wanted(io::stderr().is_terminal()),
        }
    }

    /// A line of data. A reader that went away (`| head`) ends Cerco quietly.
    #[expect(
        clippy::unused_self,
        reason = "to write is the right of who holds an `Out`"
    )]
    pub(crate) fn data(self, line: impl Display) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match writeln!(out, "{line}") {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::quiet()),
            Err(error) => Err(Failure::own(format!(
                "standard output can't be written: {error}"
            ))),
            Ok(()) => Ok(()),
        }
    }

    /// A JSON value as a line of data.
    pub(crate) fn json(self, value: &impl serde::Serialize) -> Result<(), Failure> {
        match serde_json::to_string(value) {
            Ok(text) => self.data(text),
            Err(error) => Err(Failure::own(error)),
        }
    }

    /// A line of talk.
    #[expect(
        clippy::unused_self,
        reason = "to write is the right of who holds an `Out`"
    )]
    pub(crate) fn say(self, line: impl Display) {
        // Nobody to hear it is no reason to stop.
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// `text` in a style, for [`Out::data`].
    pub(crate) fn styled(self, style: Style, text: impl Display) -> String {
        paint(self.paints_data, style, text)
    }

    /// `text` in a style, for [`Out::say`].
    pub(crate) fn styled_talk(self, style: Style, text: impl Display) -> String {
        paint(self.paints_talk, style, text)
    }
}

fn paint(on: bool, style: Style, text: impl Display) -> String {
    let code = match style {
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Good => "32",
        Style::Ask => "33",
        Style::Bad => "1;31",
    };
    if on {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_string()
    }
}

/// Anything, safe to show.
pub(crate) fn shown(text: impl Display) -> Shown {
    Shown::of(&text.to_string())
}

/// How much of a command is shown around a part.
const AROUND: usize = 70;

/// Two lines: the command (or the stretch of it around `part`) and marks below the part.
pub(crate) fn underlined(command: &str, part: Part) -> [String; 2] {
    let shown = Shown::of(command);
    let range = shown.range_of(part);
    let text = shown.to_string();
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let position = |byte: usize| chars.partition_point(|(at, _)| *at < byte);
    let (start, end) = (
        position(range.start),
        position(range.end).max(position(range.start)),
    );
    let from = start.saturating_sub(AROUND / 2);
    let from = if from < 8 { 0 } else { from };
    let to = chars.len().min(end.min(start + AROUND) + AROUND / 2);
    let piece = |a: usize, b: usize| -> String {
        chars
            .iter()
            .skip(a)
            .take(b.saturating_sub(a))
            .map(|(_, c)| *c)
            .collect()
    };
    let width = |text: &str| unicode_width::UnicodeWidthStr::width(text);
    let before = if from > 0 { "…" } else { "" };
    let after = if to < chars.len() { "…" } else { "" };
    let marked = piece(start, end.min(to));
    let blank = width(&piece(from, start)) + width(before);
    [
        format!("{before}{}{after}", piece(from, to)),
        format!("{}{}", " ".repeat(blank), "^".repeat(width(&marked).max(1))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, word: &str, expected: [&str; 2]) {
        let start = command.find(word).unwrap();
        let part = Part::new(start, start + word.len());
        assert_eq!(underlined(command, part), expected);
    }

    #[test]
    fn marks_stand_below_their_part() {
        check(
            "npm test && git push",
            "git push",
            ["npm test && git push", "            ^^^^^^^^"],
        );
        check(
            "echo 文件; ssh h",
            "ssh",
            ["echo 文件; ssh h", "           ^^^"],
        );
        check("a\u{202e}b", "\u{202e}", ["a⟦U+202E⟧b", " ^^^^^^^^"]);
        let long = format!("{} ssh h {}", "x".repeat(200), "y".repeat(200));
        let [line, marks] = underlined(&long, Part::new(201, 204));
        assert!(line.starts_with("…x") && line.ends_with("y…") && line.chars().count() < 120);
        assert_eq!(line.chars().position(|c| c == 's'), marks.find('^'));
    }
}
