//! What a call starts besides itself, told to the reader.

use cerco_model::Place;
use cerco_reader::{
    Appended, Assignment, Call, CodeLanguage, Directory, Inner, Piece, Stdin, Text, Word,
};
use compact_str::CompactString;

use super::bound::{Bound, Use, Value};
use super::{Language, Meaning, find};
use crate::code;

/// Most lines of a settled input that are turned into runs of their own.
const MOST_RUNS: usize = 64;

/// Pushes everything that `bound` says is started.
pub(super) fn push(call: &Call<'_>, bound: &Bound, place: &Place<'_>, inner: &mut Vec<Inner>) {
    let Some(row) = bound.row() else { return };
    match row.name {
        "find" => return find::push(call, bound, inner),
        "fd" => return find::push_fd(call, bound, inner),
        "xargs" => return xargs(call, bound, inner),
        "parallel" => return parallel(call, bound, inner),
        _ => {}
    }
    let directory = bound
        .directory
        .clone()
        .or_else(|| (row.container).then_some(Directory::Unknown));
    for used in &bound.uses {
        let text = used.value.text(call.args);
        let word = || Word {
            text: text.clone(),
            part: used.part,
            spreads: false,
        };
        match used.meaning {
            // `--entrypoint` takes the words of the image's own program.
            Meaning::Run if bound.uses.iter().any(|u| u.meaning == Meaning::Entrypoint) => {}
            Meaning::Run => {
                let words = rest(call, used);
                program(words, assignments(call, bound), directory.clone(), inner);
            }
            Meaning::Split | Meaning::Entrypoint => {
                let mut words = split(text, used);
                let at = bound.rest.unwrap_or(u32::MAX) as usize;
                words.extend_from_slice(call.args.get(at..).unwrap_or_default());
                program(words, assignments(call, bound), directory.clone(), inner);
            }
            Meaning::Tool => {
                let mut words = rest(call, used);
                if let Some(first) = words.first_mut() {
                    if text.known().is_some_and(code::is_address_like) {
                        // A package from elsewhere: rule `address` judges where from.
                        continue;
                    }
                    strip_version(first);
                }
                program(words, assignments(call, bound), directory.clone(), inner);
            }
            Meaning::Module => program(rest(call, used), Vec::new(), directory.clone(), inner),
            Meaning::Program
                if text
                    .known()
                    .is_some_and(|t| t.contains(char::is_whitespace)) =>
            {
                inner.push(Inner::Code {
                    language: CodeLanguage::Sh,
                    text: word(),
                    directory: directory.clone(),
                });
            }
            Meaning::Program => program(vec![word()], Vec::new(), directory.clone(), inner),
            Meaning::Command => inner.push(Inner::Code {
                language: CodeLanguage::Sh,
                text: word(),
                directory: directory.clone(),
            }),
            Meaning::Action => {
                if let Some(text) = action(text) {
                    inner.push(Inner::Code {
                        language: CodeLanguage::Sh,
                        text: Word { text, ..word() },
                        directory: directory.clone(),
                    });
                }
            }
            Meaning::Code(language) => code_text(language, &word(), directory.as_ref(), inner),
            Meaning::Config => config(&word(), directory.as_ref(), inner),
            _ => {}
        }
    }
    let _ = place;
}

fn code_text(
    language: Language,
    word: &Word,
    directory: Option<&Directory>,
    inner: &mut Vec<Inner>,
) {
    let shell = match language {
        Language::Sh => CodeLanguage::Sh,
        Language::Bash => CodeLanguage::Bash,
        Language::Powershell => CodeLanguage::PowerShell,
        Language::Cmd => CodeLanguage::Cmd,
        _ => {
            let Some(text) = word.text.known() else {
                return;
            };
            for command in code::commands(language, text) {
                inner.push(Inner::Code {
                    language: CodeLanguage::Sh,
                    text: Word {
                        text: command,
                        part: word.part,
                        spreads: false,
                    },
                    directory: directory.cloned(),
                });
            }
            return;
        }
    };
    inner.push(Inner::Code {
        language: shell,
        text: word.clone(),
        directory: directory.cloned(),
    });
}

/// The command of `exec=COMMAND`; of a text that isn't known, nobody knows.
pub(crate) fn action(text: &Text) -> Option<Text> {
    let start = text.known_prefix();
    if start.starts_with("exec=") {
        return Some(crate::text::tail(text, "exec=".len()));
    }
    (text.known().is_none() && "exec=".starts_with(start)).then(unknown)
}

/// `git -c alias.x=!command`: git runs it through a shell.
fn config(word: &Word, directory: Option<&Directory>, inner: &mut Vec<Inner>) {
    let Some((_, value)) = word.text.known().and_then(|text| text.split_once('=')) else {
        return;
    };
    if let Some(command) = value.strip_prefix('!') {
        inner.push(Inner::Code {
            language: CodeLanguage::Sh,
            text: Word {
                text: Text::Known(command.into()),
                part: word.part,
                spreads: false,
            },
            directory: directory.cloned(),
        });
    }
}

fn program(
    words: Vec<Word>,
    assignments: Vec<Assignment>,
    directory: Option<Directory>,
    inner: &mut Vec<Inner>,
) {
    if !words.is_empty() {
        inner.push(Inner::Program {
            words,
            assignments,
            directory,
            appended: Appended::Nothing,
        });
    }
}

/// The words from `used` to the end; `env -S` puts the words of its text in front.
fn rest(call: &Call<'_>, used: &Use) -> Vec<Word> {
    match used.value {
        Value::Arg(at) => call.args.get(at as usize..).unwrap_or_default().to_vec(),
        Value::Own(ref text) => split(text, used),
    }
}

/// The blanks-separated words of a text with no quotes in it; else one word that isn't known.
fn split(text: &Text, used: &Use) -> Vec<Word> {
    let word = |text| Word {
        text,
        part: used.part,
        spreads: false,
    };
    match text.known() {
        Some(known) if !known.contains(['\'', '"', '\\', '$', '#']) => known
            .split_ascii_whitespace()
            .map(|w| word(Text::Known(w.into())))
            .collect(),
        _ => vec![word(unknown())],
    }
}

fn unknown() -> Text {
    Text::Partly(Box::new([Piece::Unknown]))
}

fn assignments(call: &Call<'_>, bound: &Bound) -> Vec<Assignment> {
    let assigned = bound.uses.iter().filter(|u| u.meaning == Meaning::Assign);
    assigned
        .filter_map(|used| {
            let text = used.value.text(call.args);
            let (name, _) = text.known_prefix().split_once('=')?;
            Some(Assignment {
                name: name.into(),
                value: crate::text::tail(text, name.len() + 1),
                part: used.part,
                exported: true,
            })
        })
        .collect()
}

/// `kill-port@2` is `kill-port`, `@scope/tool@1` is `tool`.
fn strip_version(word: &mut Word) {
    if let Some(name) = word.text.known() {
        let from = usize::from(name.starts_with('@'));
        let end = name
            .get(from..)
            .and_then(|n| n.find('@'))
            .map_or(name.len(), |at| at + from);
        word.text = Text::Known(name.get(..end).unwrap_or(name).into());
    }
}

/// `xargs [options] program words`: what comes in is put behind or in place of `{}`.
fn xargs(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let Some(at) = bound.rest else { return };
    let words = call.args.get(at as usize..).unwrap_or_default();
    let Some(first) = words.first() else { return };
    let mark = ["-I", "-J", "-i", "--replace"]
        .iter()
        .find(|name| bound.has(name))
        .map(|name| match bound.value_of(name, call.args) {
            Some(text) => text.known().unwrap_or("{}").to_owned(),
            None => "{}".to_owned(),
        });
    // A file that is read by `-a` can't be known; delimiters of its own aren't followed.
    let special = ["-a", "--arg-file", "-d", "--delimiter", "-0", "--null"];
    let settled = match call.stdin {
        Stdin::Pipe(Some(text)) => text.known(),
        Stdin::Text(word) => word.text.known(),
        Stdin::Inherited | Stdin::Pipe(None) | Stdin::File(_) => None,
    }
    .filter(|text| !text.contains(['\'', '"', '\\']) && !special.iter().any(|o| bound.has(o)));
    let mut push = |words: Vec<Word>| program(words, Vec::new(), bound.directory.clone(), inner);
    match (mark, settled) {
        (None, None) => {
            let appended = Word {
                text: unknown(),
                part: first.part,
                spreads: true,
            };
            push(words.iter().cloned().chain([appended]).collect());
        }
        (None, Some(text)) => {
            let more = text.split_ascii_whitespace().map(|w| Word {
                text: Text::Known(w.into()),
                part: first.part,
                spreads: false,
            });
            push(words.iter().cloned().chain(more).collect());
        }
        (Some(mark), Some(text)) if text.lines().count() <= MOST_RUNS => {
            for line in text.lines() {
                push(
                    words
                        .iter()
                        .map(|w| replace(w, &mark, &Piece::Known(line.trim_start().into())))
                        .collect(),
                );
            }
        }
        (Some(mark), _) => {
            push(
                words
                    .iter()
                    .map(|w| replace(w, &mark, &Piece::Unknown))
                    .collect(),
            );
        }
    }
}

/// `parallel program words ::: values`: without a placeholder the value is put behind.
fn parallel(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let words = bound.rest.and_then(|at| call.args.get(at as usize..));
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return commands_that_come_in(call, bound, inner);
    };
    let ends = |word: &Word| matches!(word.text.known(), Some(":::" | ":::+" | "::::" | "::::+"));
    let end = words.iter().position(ends).unwrap_or(words.len());
    let template = words.get(..end).unwrap_or_default();
    let files = words
        .get(end)
        .and_then(|w| w.text.known())
        .is_some_and(|m| m.starts_with("::::"));
    let values = words.get(end + 1..).unwrap_or_default();
    let placed = template.iter().any(|w| w.text.known_prefix().contains('{'));
    let run = |value: &Piece| -> Vec<Word> {
        let mut run: Vec<Word> = template.iter().map(|w| replace(w, "{}", value)).collect();
        if !placed && let Some(first) = words.first() {
            let text = match value {
                Piece::Known(text) => Text::Known(text.clone()),
                Piece::Glob(_) | Piece::Unknown => unknown(),
            };
            run.push(Word {
                text,
                part: first.part,
                spreads: false,
            });
        }
        run
    };
    if files || values.is_empty() || values.len() > MOST_RUNS || values.iter().any(ends) {
        return line(run(&Piece::Unknown), inner);
    }
    for value in values {
        let piece = value
            .text
            .known()
            .map_or(Piece::Unknown, |t| Piece::Known(t.into()));
        line(run(&piece), inner);
    }
}

/// `parallel` without a program runs the lines that come in.
fn commands_that_come_in(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let text = match call.stdin {
        Stdin::Pipe(Some(text)) => text.known(),
        Stdin::Text(word) => word.text.known(),
        Stdin::Inherited => return,
        Stdin::Pipe(None) | Stdin::File(_) => None,
    };
    let part = call.name.part;
    if bound.has("--dry-run") {
        return;
    }
    match text.filter(|_| !bound.has("-a")) {
        Some(text) => inner.push(Inner::Code {
            language: CodeLanguage::Sh,
            text: Word {
                text: Text::Known(text.into()),
                part,
                spreads: false,
            },
            directory: None,
        }),
        None => inner.push(Inner::Unreadable {
            part,
            why: "the commands that it runs come in while it runs",
        }),
    }
}

/// `parallel` joins its words by blanks and hands them to a shell.
fn line(words: Vec<Word>, inner: &mut Vec<Inner>) {
    let quoted = words.iter().any(|w| {
        w.text.known().is_none_or(|t| {
            t.contains([
                ' ', ';', '|', '&', '$', '`', '\'', '"', '<', '>', '\\', '\n', '(',
            ])
        })
    });
    let Some(first) = words.first() else { return };
    let part = first.part;
    let unknown_word = words.iter().any(|w| w.text.known().is_none());
    if quoted && !unknown_word {
        let mut text = CompactString::default();
        for word in &words {
            text.push_str(word.text.known().unwrap_or_default());
            text.push(' ');
        }
        inner.push(Inner::Code {
            language: CodeLanguage::Sh,
            text: Word {
                text: Text::Known(text),
                part,
                spreads: false,
            },
            directory: None,
        });
    } else {
        program(words, Vec::new(), None, inner);
    }
}

/// `word` with each `mark` in it replaced.
pub(super) fn replace(word: &Word, mark: &str, by: &Piece) -> Word {
    let Some(text) = word.text.known() else {
        return word.clone();
    };
    if mark.is_empty() || !text.contains(mark) {
        return word.clone();
    }
    let text = if let Piece::Known(by) = by {
        Text::Known(text.replace(mark, by).into())
    } else {
        let mut pieces = Vec::new();
        for (index, piece) in text.split(mark).enumerate() {
            if index > 0 {
                pieces.push(by.clone());
            }
            if !piece.is_empty() {
                pieces.push(Piece::Known(piece.into()));
            }
        }
        Text::Partly(pieces.into_boxed_slice())
    };
    Word {
        text,
        part: word.part,
        spreads: word.spreads,
    }
}
