//! What this session's commands led to: their output for `read_output`, their asks for
//! `list_asks_mine`. Bounded; the journal is the durable record, not this.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

/// How many runs are remembered.
const KEPT: usize = 32;
/// How much of a stream a result shows, in bytes; the rest is for `read_output`.
pub(super) const SHOWN: usize = 64 << 10;

#[derive(Clone, Debug)]
struct Past {
    entry: String,
    stdout: String,
    stderr: String,
}

#[derive(Clone, Debug)]
struct PastAsk {
    number: u64,
    command: String,
    state: String,
    entry: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct History {
    runs: VecDeque<Past>,
    asks: VecDeque<PastAsk>,
    next: u64,
}

impl History {
    /// A command has to be asked about.
    pub(super) fn asked(&mut self, command: &str) -> u64 {
        self.next += 1;
        push(
            &mut self.asks,
            PastAsk {
                number: self.next,
                command: command.to_owned(),
                state: "open".into(),
                entry: None,
            },
        );
        self.next
    }

    /// What became of it, in the words of the journal.
    pub(super) fn settled(&mut self, number: u64, answer: Option<&Map<String, Value>>) {
        let Some(ask) = self.asks.iter_mut().find(|ask| ask.number == number) else {
            return;
        };
        let word = |key: &str| answer.and_then(|a| a.get(key)).and_then(Value::as_str);
        ask.entry = word("entry_id").map(str::to_owned);
        ask.state = match (word("decision"), word("decision_source")) {
            (Some("allow"), Some(source)) => format!("allowed ({source})"),
            (_, Some(source)) => source.to_owned(),
            _ => "failed".to_owned(),
        };
    }

    pub(super) fn asks(&self) -> Value {
        let asks: Vec<Value> = self
            .asks
            .iter()
            .map(|ask| json!({ "command": ask.command, "state": ask.state, "entry_id": ask.entry }))
            .collect();
        json!({ "asks": asks })
    }

    /// Remembers a run's output and leaves in `answer` as much as a result shows.
    pub(super) fn keep(&mut self, answer: &mut Map<String, Value>) {
        let text = |answer: &Map<String, Value>, key: &str| {
            answer
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let (stdout, stderr) = (text(answer, "stdout"), text(answer, "stderr"));
        for (key, whole) in [("stdout", &stdout), ("stderr", &stderr)] {
            let short = shortened(whole);
            if short.len() != whole.len() {
                answer.insert("truncated".into(), true.into());
            }
            answer.insert(key.into(), short.into());
        }
        let entry = text(answer, "entry_id");
        push(
            &mut self.runs,
            Past {
                entry,
                stdout,
                stderr,
            },
        );
    }

    pub(super) fn output(&self, entry: &str, stream: &str, offset: usize) -> Option<Value> {
        let past = self.runs.iter().rev().find(|past| past.entry == entry)?;
        let whole = match stream {
            "stdout" => &past.stdout,
            "stderr" => &past.stderr,
            _ => return None,
        };
        let start = boundary(whole, offset);
        let end = boundary(whole, start.saturating_add(SHOWN));
        let text = whole.get(start..end).unwrap_or_default();
        let next = (end < whole.len()).then_some(end);
        Some(json!({ "text": text, "offset": start, "next_offset": next, "total": whole.len() }))
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T) {
    if list.len() >= KEPT {
        list.pop_front();
    }
    list.push_back(item);
}

/// Head and tail with a mark between, where it is long.
fn shortened(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let head = boundary(text, SHOWN / 2);
    let tail = boundary(text, text.len() - SHOWN / 2);
    let (first, last) = (
        text.get(..head).unwrap_or_default(),
        text.get(tail..).unwrap_or_default(),
    );
    format!(
        "{first}\n[… {} bytes left out; read_output has them, from offset {head} …]\n{last}",
        tail - head
    )
}

/// The nearest end of a character at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_is_shown_in_part_and_read_in_pieces() {
        let mut history = History::default();
        let whole = "é".repeat(SHOWN);
        let mut answer = Map::from_iter([
            ("entry_id".to_owned(), Value::from("e1")),
            ("stdout".to_owned(), whole.clone().into()),
        ]);
        history.keep(&mut answer);
        let shown = answer["stdout"].as_str().unwrap();
        assert!(
            shown.len() < SHOWN + 200 && shown.contains("left out"),
            "{}",
            shown.len()
        );
        assert_eq!(answer["truncated"], true);
        let (mut got, mut at) = (String::new(), Some(0));
        while let Some(offset) = at {
            let piece = history.output("e1", "stdout", offset).unwrap();
            got += piece["text"].as_str().unwrap();
            at = piece["next_offset"]
                .as_u64()
                .map(|n| usize::try_from(n).unwrap());
        }
        assert_eq!(got, whole);
        assert_eq!(history.output("e2", "stdout", 0), None);
        assert_eq!(history.output("e1", "stdin", 0), None);
    }

    #[test]
    fn an_ask_says_what_became_of_it() {
        let mut history = History::default();
        let number = history.asked("git push");
        assert_eq!(history.asks()["asks"][0]["state"], "open");
        let answer = Map::from_iter([
            ("decision".to_owned(), Value::from("deny")),
            ("decision_source".to_owned(), Value::from("no_window")),
        ]);
        history.settled(number, Some(&answer));
        assert_eq!(history.asks()["asks"][0]["state"], "no_window");
    }
}
