//! What a call starts besides itself, told to the reader.

use cerco_model::Place;
use cerco_reader::{Appended, Assignment, Call, CodeLanguage, Directory, Inner, Piece, Text, Word};

use super::bound::{Bound, Use, Value};
use super::feeders::by_commas;
use super::names::name_and_row;
use super::{Language, Meaning, Row, feeders, find};
use crate::code;

/// Pushes everything that `bound` says is started.
pub(super) fn push(call: &Call<'_>, bound: &Bound, place: &Place<'_>, inner: &mut Vec<Inner>) {
    let Some(row) = bound.row() else { return };
    match row.name {
        "find" => return find::push(call, bound, inner),
        "fd" => return find::push_fd(call, bound, inner),
        "xargs" => return feeders::xargs(call, bound, inner),
        "parallel" => return feeders::parallel(call, bound, inner),
        "docker-compose" => return compose(call, bound, inner),
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
            // `env -S 'A=b program'`: its words are words of `env` itself.
            Meaning::Split if row.name == "env" => {
                let words = std::iter::once(call.name.clone());
                let words = words.chain(split(text, used)).chain(behind(call, bound));
                let assigned = assignments(call, bound);
                program(words.collect(), assigned, directory.clone(), inner);
            }
            Meaning::Split | Meaning::Entrypoint => {
                let mut words = split(text, used);
                words.extend(behind(call, bound));
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
            Meaning::Module => program(
                module(call, bound, used),
                Vec::new(),
                directory.clone(),
                inner,
            ),
            // `pnpm eslint` runs the program where the project has no script of that name.
            Meaning::Script if falls_back(row, call, bound, text, place) => {
                program(rest(call, used), Vec::new(), directory.clone(), inner);
            }
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
            Meaning::Program => program(by_commas(word()), vec![], directory.clone(), inner),
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
            // deno runs programs of packages by their address.
            Meaning::Place if text.known_prefix().starts_with("npm:") => {
                let mut words = rest(call, used);
                if let Some(first) = words.first_mut() {
                    first.text = crate::text::tail(text, "npm:".len());
                    strip_version(first);
                }
                program(words, Vec::new(), directory.clone(), inner);
            }
            Meaning::Code(_) if row.name == "concurrently" && feeders::is_short(text) => {
                let words = split(&feeders::written_out(text), used);
                program(words, Vec::new(), directory.clone(), inner);
            }
            Meaning::Code(language) => code_text(language, &word(), directory.as_ref(), inner),
            Meaning::Config => config(&word(), directory.as_ref(), inner),
            _ => {}
        }
    }
}

/// `docker-compose` takes the words of `docker compose`.
fn compose(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
    let words = ["docker", "compose"].map(|text| Word {
        text: Text::Known(text.into()),
        part: call.name.part,
        spreads: false,
    });
    let words = words.into_iter().chain(call.args.iter().cloned());
    program(words.collect(), Vec::new(), bound.directory.clone(), inner);
}

/// `python3 -m module words`; in `python3 -mtwine upload` the words stand behind.
fn module(call: &Call<'_>, bound: &Bound, used: &Use) -> Vec<Word> {
    let mut words = rest(call, used);
    if matches!(used.value, Value::Own(_)) {
        words.extend(behind(call, bound));
    }
    words
}

/// The words behind those that were bound.
fn behind(call: &Call<'_>, bound: &Bound) -> impl Iterator<Item = Word> {
    let at = bound.rest.unwrap_or(u32::MAX) as usize;
    call.args.get(at..).unwrap_or_default().to_vec().into_iter()
}

/// Whether a package manager would take `text` for a program of the project, and it is one
/// that the table knows.
fn falls_back(row: &Row, call: &Call<'_>, bound: &Bound, text: &Text, place: &Place<'_>) -> bool {
    let Some(name) = text.known() else {
        return false;
    };
    let folder = match bound.directory.as_ref().unwrap_or(call.directory) {
        Directory::Known(folder) => Some(folder.as_str()),
        Directory::Unknown => None,
    };
    matches!(row.name, "pnpm" | "yarn" | "bun")
        && bound.levels.len() == 1
        && name_and_row(name).1.is_some()
        && !folder.is_some_and(|folder| crate::scripts::has_package_script(name, folder, place))
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

/// A program that isn't in the table and is told to run another one: `tool run -- program`.
pub(super) fn unlisted(call: &Call<'_>, inner: &mut Vec<Inner>) {
    let mut words = call.args.iter().map(|word| word.text.known());
    let verb = words.find(|word| !word.is_some_and(|w| w.starts_with('-')));
    let end = call.args.iter().position(|w| w.text.known() == Some("--"));
    let (Some(Some("run" | "exec" | "x" | "do" | "shell")), Some(end)) = (verb, end) else {
        return;
    };
    let rest = call.args.get(end + 1..).unwrap_or_default();
    if rest.first().is_some_and(|word| word.text.known().is_some()) {
        program(rest.to_vec(), Vec::new(), None, inner);
    }
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

pub(super) fn program(
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

pub(super) fn unknown() -> Text {
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
