//! The terminal of `cerco run` as one window of the gateway among others: it shows the
//! command's ask and takes an answer, as long as nobody else was first.
//!
//! It reads from `/dev/tty`, never from standard input: a pipe answers nothing. Who is on
//! the other end is looked at by the gateway.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use cerco_gateway::client::PersonClient;
use cerco_gateway::wire::{Answer, AnswerResult, AskId};

use crate::commands::asks::card;
use crate::out::Out;

/// How often it is looked whether somebody else answered.
const LOOK: Duration = Duration::from_millis(300);

/// A person's terminal that counts as a window from now on.
#[derive(Debug)]
pub(crate) struct Window {
    person: PersonClient,
    keys: File,
    screen: File,
}

impl Window {
    /// Nothing where there is no terminal, or the gateway takes nobody at it for a person.
    pub(crate) fn open(mut person: PersonClient) -> Option<Self> {
        let keys = OpenOptions::new().read(true).open("/dev/tty").ok()?;
        let screen = OpenOptions::new().write(true).open("/dev/tty").ok()?;
        person.asks().ok()?;
        Some(Self {
            person,
            keys,
            screen,
        })
    }

    /// Shows an ask and takes the answer, beside the run. Says whether it is shown here.
    pub(crate) fn ask(mut self, ask: AskId, out: Out) -> bool {
        let Ok(asks) = self.person.asks() else {
            return false;
        };
        let Some(found) = asks.iter().find(|a| a.id == ask) else {
            return false;
        };
        let mut lines = card(found, out);
        lines.push("  a  Allow once".to_owned());
        lines.push("  d  Deny (also: just Enter; words after d go to the agent)".to_owned());
        lines.push(format!(
            "{} s to answer, here or on the page > ",
            found.left_ms / 1000
        ));
        self.write(&lines.join("\n"));
        // It ends with the process, or when the ask is settled.
        std::thread::spawn(move || self.wait(&ask));
        true
    }

    fn wait(mut self, ask: &AskId) {
        let (send, lines) = channel();
        let Ok(keys) = self.keys.try_clone() else {
            return;
        };
        std::thread::spawn(move || {
            for line in BufReader::new(keys).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        loop {
            let line = match lines.recv_timeout(LOOK) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    match self.person.asks() {
                        Ok(asks) if asks.iter().any(|a| a.id == *ask) => continue,
                        Ok(_) => self.write("\ncerco: settled elsewhere, or out of time\n"),
                        Err(_) => {}
                    }
                    return;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let line = line.trim();
            let (word, note) = line.split_once(' ').unwrap_or((line, ""));
            let note = Some(note.to_owned()).filter(|note| !note.is_empty());
            let answered = match word {
                "a" | "o" => self.person.answer(ask.clone(), Answer::AllowOnce, None),
                "" | "d" => self.person.answer(ask.clone(), Answer::Deny, note),
                _ => {
                    self.write("Type a or d and press Enter > ");
                    continue;
                }
            };
            match answered {
                Ok(AnswerResult::TooFast { .. }) => self.write("Too fast; read it, then answer > "),
                Ok(_) => return,
                Err(error) => {
                    self.write(&format!("{error}\n"));
                    return;
                }
            }
        }
    }

    fn write(&mut self, text: &str) {
        // A screen that is gone is noticed by the missing answer.
        let _ = self.screen.write_all(text.as_bytes());
        let _ = self.screen.flush();
    }
}
