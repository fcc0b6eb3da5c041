//! `cerco asks` and `cerco answer`: a terminal as a window of the gateway.
//!
//! The gateway looks at who is on the other end; nothing here is a check.

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use cerco_gateway::client::PersonClient;
use cerco_gateway::wire::{Answer, AnswerResult, AskCard, AskId, ShownText};
use serde_json::json;

use crate::cli::{AnswerArgs, AnswerWord, AsksArgs};
use crate::failure::{Failure, code};
use crate::inside;
use crate::out::{Out, Style, shown};
use crate::report::SCHEMA_VERSION;

use super::gateway::{connected, said};

/// How often a waiting terminal looks for asks. It is its sign of life as well.
const LOOK: Duration = Duration::from_millis(300);

pub(crate) fn list(args: &AsksArgs, out: Out) -> Result<u8, Failure> {
    inside::persons_only("listing the asks")?;
    let mut person = connected()?;
    if args.wait {
        return wait(&mut person, out);
    }
    let asks = person.asks().map_err(said)?;
    if out.json {
        for ask in &asks {
            out.json(&json!({ "schema_version": SCHEMA_VERSION, "ask": ask }))?;
        }
        return Ok(0);
    }
    for ask in &asks {
        for line in card(ask, out) {
            out.data(line)?;
        }
    }
    if asks.is_empty() {
        out.say("cerco: nothing waits for an answer");
    }
    Ok(0)
}

pub(crate) fn answer(args: &AnswerArgs, out: Out) -> Result<u8, Failure> {
    inside::persons_only("answering")?;
    if args.note.is_some() && args.answer != AnswerWord::Deny {
        return Err(Failure::usage("--note goes with deny"));
    }
    let mut person = connected()?;
    let asks = person.asks().map_err(said)?;
    let Some(ask) = asks.iter().find(|ask| ask.id.0 == args.ask) else {
        return Err(Failure::usage(format!(
            "no ask {} waits; see: cerco asks",
            shown(&args.ask)
        )));
    };
    for line in card(ask, out) {
        out.say(line);
    }
    let answer = match args.answer {
        AnswerWord::Once => Answer::AllowOnce,
        AnswerWord::Deny => Answer::Deny,
    };
    let result = put(&mut person, &ask.id, answer, args.note.as_deref())?;
    if out.json {
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "ask": ask.id, "result": result }))?;
    } else if result == AnswerResult::Settled {
        out.data("answered")?;
    }
    match result {
        AnswerResult::Settled => Ok(0),
        AnswerResult::TooLate { .. } => Err(Failure {
            code: code::REFUSED,
            what: Some(
                "it was settled before: answered elsewhere, out of time, or taken back".to_owned(),
            ),
        }),
        AnswerResult::TooFast { .. }
        | AnswerResult::EditRefused { .. }
        | AnswerResult::AskedAgain => Err(Failure::own("the answer was not taken; try again")),
    }
}

/// Sends an answer as soon as the gateway takes one: an answer that comes faster than a
/// person reads is none.
fn put(
    person: &mut PersonClient,
    ask: &AskId,
    answer: Answer,
    note: Option<&str>,
) -> Result<AnswerResult, Failure> {
    let mut say = || {
        let note = note.map(str::to_owned);
        person.answer(ask.clone(), answer, note).map_err(said)
    };
    let mut result = say()?;
    for _ in 0..3 {
        let AnswerResult::TooFast { retry_in_ms } = result else {
            break;
        };
        std::thread::sleep(Duration::from_millis(retry_in_ms.min(2000) + 50));
        result = say()?;
    }
    Ok(result)
}

/// Stays, and takes an answer to each ask as it comes.
fn wait(person: &mut PersonClient, out: Out) -> Result<u8, Failure> {
    let lines = typed();
    let mut on_screen: Option<AskId> = None;
    out.say("cerco: waiting for asks; Ctrl-C ends it");
    loop {
        let asks = person.asks().map_err(said)?;
        if let Some(id) = &on_screen
            && !asks.iter().any(|ask| ask.id == *id)
        {
            out.say("cerco: settled elsewhere, or out of time");
            on_screen = None;
        }
        if on_screen.is_none()
            && let Some(ask) = asks.first()
        {
            for line in card(ask, out) {
                out.say(line);
            }
            prompt("  a Allow once, d Deny (words after d go to the agent) > ");
            // What was typed before the question was there is no answer to it.
            while lines.try_recv().is_ok() {}
            on_screen = Some(ask.id.clone());
        }
        let line = match lines.recv_timeout(LOOK) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(0),
        };
        let Some(ask) = &on_screen else { continue };
        let (word, note) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let result = match word {
            "a" | "o" => person.answer(ask.clone(), Answer::AllowOnce, None),
            "d" => {
                let note = Some(note.to_owned()).filter(|n| !n.is_empty());
                person.answer(ask.clone(), Answer::Deny, note)
            }
            _ => {
                prompt("  Type a or d and press Enter > ");
                continue;
            }
        };
        match result.map_err(said)? {
            AnswerResult::Settled | AnswerResult::EditRefused { .. } | AnswerResult::AskedAgain => {
                on_screen = None;
            }
            AnswerResult::TooFast { .. } => prompt("  Too fast; read it, then answer > "),
            AnswerResult::TooLate { .. } => {}
        }
    }
}

/// Lines from standard input. The thread ends with the process.
fn typed() -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn prompt(text: &str) {
    let mut screen = std::io::stderr().lock();
    // A screen that is gone takes no answer either.
    let _ = screen
        .write_all(text.as_bytes())
        .and_then(|()| screen.flush());
}

/// An ask as lines, all of it safe to show: the gateway's texts are shown ones already, and
/// go through the same door here once more.
pub(crate) fn card(ask: &AskCard, out: Out) -> Vec<String> {
    let mut lines = vec![
        format!(
            "ask {}: {} ({}) in loop {} of {}, {} s left",
            shown(&ask.id.0),
            shown(&ask.bubble_name),
            shown(&ask.role),
            shown(&ask.loop_name),
            shown(&ask.board.0),
            ask.left_ms / 1000
        ),
        format!("  {}", out.styled_talk(Style::Bold, text(&ask.command))),
    ];
    if ask.command.has_hidden {
        lines.push("  (contains hidden characters, shown as marks)".to_owned());
    }
    if ask.command.left_out > 0 {
        let left = ask.command.left_out;
        lines.push(format!("  (and {left} bytes more: look at it on the page)"));
    }
    for finding in &ask.findings {
        let kind = finding
            .kind
            .as_ref()
            .map_or_else(String::new, |k| format!(" [{}]", shown(k)));
        lines.push(format!(
            "  {}{kind}: {}",
            shown(&finding.rule),
            shown(&finding.reason)
        ));
    }
    let sandbox = match (ask.sandbox.on, &ask.sandbox.backend) {
        (false, _) => "off".to_owned(),
        (true, backend) => format!("on ({})", shown(backend.as_deref().unwrap_or("?"))),
    };
    lines.push(format!(
        "  folder {}   sandbox {sandbox}",
        shown(&ask.folder)
    ));
    if ask.repeats > 0 {
        lines.push(format!("  refused {} times before", ask.repeats));
    }
    lines
}

fn text(command: &ShownText) -> String {
    let pieces = command.pieces.iter().map(|p| p.text.as_str());
    shown(pieces.collect::<String>()).to_string()
}
