//! `xargs`, `parallel` and `concurrently`: programs that are run with what comes in, or with
//! lists of words.

use cerco_reader::{Call, CodeLanguage, Inner, Piece, Stdin, Text, Word};
use compact_str::CompactString;

use super::bound::Bound;
use super::inner::{program, replace, unknown};

/// Most lines of a settled input that are turned into runs of their own.
const MOST_RUNS: usize = 64;

/// `xargs [options] program words`: what comes in is put behind or in place of `{}`.
pub(super) fn xargs(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
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
            let among = among(call).split_ascii_whitespace().map(|word| Word {
                text: Text::Known(word.into()),
                part: first.part,
                spreads: false,
            });
            let appended = Word {
                text: unknown(),
                part: first.part,
                spreads: true,
            };
            let more = among.take(MOST_RUNS).chain([appended]);
            push(words.iter().cloned().chain(more).collect());
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
            for line in among(call).lines().take(MOST_RUNS) {
                let line = Piece::Known(line.trim_start().into());
                push(words.iter().map(|w| replace(w, &mark, &line)).collect());
            }
            push(
                words
                    .iter()
                    .map(|w| replace(w, &mark, &Piece::Unknown))
                    .collect(),
            );
        }
    }
}

/// What is certainly among what comes in, where not all of it is settled:
/// `{ echo /etc/passwd; cat names; } | xargs cat`.
fn among<'a>(call: &Call<'a>) -> &'a str {
    match call.stdin {
        Stdin::Pipe(Some(Text::Partly(pieces))) => match pieces.first() {
            Some(Piece::Known(text)) => text,
            Some(Piece::Glob(_) | Piece::Unknown) | None => "",
        },
        Stdin::Pipe(_) | Stdin::Text(_) | Stdin::Inherited | Stdin::File(_) => "",
    }
}

/// `parallel program words ::: values`: without a placeholder the value is put behind.
pub(super) fn parallel(call: &Call<'_>, bound: &Bound, inner: &mut Vec<Inner>) {
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

/// `gcc -wrapper program,word`
pub(super) fn by_commas(word: Word) -> Vec<Word> {
    let Some(text) = word.text.known() else {
        return vec![word];
    };
    let words = text.split(',').map(|text| Text::Known(text.into()));
    words
        .map(|text| Word {
            text,
            ..word.clone()
        })
        .collect()
}

/// Whether `concurrently` takes `text` for the name of a script.
pub(super) fn is_short(text: &Text) -> bool {
    short_script(text).is_some()
}

/// `npm run dev` of `npm:dev`.
pub(super) fn written_out(text: &Text) -> Text {
    Text::Known(short_script(text).unwrap_or_default().into())
}

/// `npm:dev`, as `concurrently` writes `npm run dev`.
fn short_script(text: &Text) -> Option<String> {
    let (manager, script) = text.known()?.split_once(':')?;
    let verb = match manager {
        "npm" | "pnpm" | "yarn" | "bun" => "run",
        "node" => "--run",
        "deno" => "task",
        _ => return None,
    };
    Some(format!("{manager} {verb} {script}"))
}
