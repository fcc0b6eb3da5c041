//! The terminal that Cerco was started in as a window: shows an ask, takes the answer.
//!
//! It speaks through `/dev/tty`, never through standard input: a pipe answers nothing.
//! What counts as an answer is the desk's business.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use cerco_decide::{Answer, Ask, AskId, Desk, Event, Moment, Now, WindowId};
use cerco_gateway::wire::NetworkSetting;
use cerco_model::{Kind, SandboxState};

use crate::commands::log::unix_ms;
use crate::inside;
use crate::out::{Out, shown};
use crate::report::findings;

/// The desk's clock, from when this process began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
    pub(crate) fn now(self) -> Now {
        Now {
            moment: Moment(self.0.elapsed()),
            unix_ms: unix_ms(),
        }
    }
}

/// A person's terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    screen: File,
    lines: Receiver<String>,
    network: NetworkSetting,
}

/// What a line means.
enum Said {
    Answer(Answer),
    Nothing,
}

impl Terminal {
    /// The terminal; nothing where there is none, or where an agent's command speaks.
    /// `network` is what the sandbox would leave a command.
    pub(crate) fn open(network: NetworkSetting) -> Option<Self> {
        if inside::a_run() {
            return None;
        }
        let path = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };
        let keys = OpenOptions::new().read(true).open(path).ok()?;
        let screen = if cfg!(windows) { "CONOUT$" } else { "/dev/tty" };
        let screen = OpenOptions::new().write(true).open(screen).ok()?;
        let (send, lines) = channel();
        // The thread ends with the process; a blocked read of a terminal can't be ended.
        thread::spawn(move || {
            for line in BufReader::new(keys).lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Some(Self {
            screen,
            lines,
            network,
        })
    }

    /// Shows the ask and waits until it is settled. `cancelled` is asked now and then.
    pub(crate) fn ask(
        &mut self,
        desk: &mut Desk,
        id: AskId,
        window: WindowId,
        clock: Clock,
        out: Out,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Event> {
        let card = desk
            .ask(id)
            .map(|ask| (card(ask, self.network, clock, out), always(ask)))?;
        self.write(&card.0);
        // What was typed before the question was there is no answer to it.
        while self.lines.try_recv().is_ok() {}
        desk.shown(id, window, clock.now());
        loop {
            let now = clock.now();
            desk.beat(window, now);
            if cancelled() {
                return desk.withdraw(id, now);
            }
            if let Some(event) = desk.tick(now).into_iter().next() {
                self.write("\nNobody answered in time: refused.\n");
                return Some(event);
            }
            let line = match self.lines.recv_timeout(Duration::from_millis(200)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                // The terminal is gone; the time will run out.
                Err(RecvTimeoutError::Disconnected) => {
                    desk.close_window(window, now);
                    thread::sleep(Duration::from_millis(200));
                    continue;
                }
            };
            match said(&line, &card.1) {
                Said::Nothing => self.write("Type a, s or d and press Enter: "),
                Said::Answer(answer) => match desk.answer(id, window, answer, clock.now()) {
                    Ok(events) => return events.into_iter().next(),
                    Err(error) => self.write(&format!("{error}\n> ")),
                },
            }
        }
    }

    fn write(&mut self, text: &str) {
        // A screen that is gone is noticed by the missing answer.
        let _ = self.screen.write_all(text.as_bytes());
        let _ = self.screen.flush();
    }
}

/// The kinds that "always" would grant.
fn always(ask: &Ask) -> Vec<Kind> {
    let grantable = ask.kinds().iter().filter(|k| k.grantable && !k.granted);
    grantable.map(|k| k.kind.clone()).collect()
}

fn card(ask: &Ask, network: NetworkSetting, clock: Clock, out: Out) -> String {
    let request = ask.request();
    let text = request.command().text();
    let mut lines = vec![
        String::new(),
        format!(
            "Cerco asks: {} in loop {} wants to run",
            shown(&request.who().role.name().0),
            shown(&request.who().loop_name)
        ),
        format!("  {}", shown(text)),
    ];
    if shown(text).has_hidden() {
        lines.push("  (contains hidden characters, shown as ⟦…⟧)".to_owned());
    }
    lines.extend(findings(text, request.judgement(), |style, t| {
        out.styled_talk(style, t)
    }));
    let sandbox = match (request.sandbox(), network) {
        (SandboxState::On, NetworkSetting::Off) => "on, no network",
        (SandboxState::On, NetworkSetting::RegistriesOnly) => "on, package registries only",
        (SandboxState::Off, _) => "off",
    };
    lines.push(format!(
        "  folder {}   sandbox {sandbox}",
        shown(request.directory())
    ));
    if ask.is_repeated() {
        lines.push(format!("  refused {} times before", ask.refused_before()));
    }
    lines.push("  a  Allow once".to_owned());
    let kinds = always(ask);
    if !kinds.is_empty() {
        let names: Vec<String> = kinds.iter().map(|k| shown(k).to_string()).collect();
        lines.push(format!(
            "  s  Allow always this session: {}",
            names.join(", ")
        ));
    }
    lines.push("  d  Deny (also: just Enter; words after d go to the agent)".to_owned());
    let left = ask.time_left(clock.now().moment).as_secs();
    lines.push(format!("{left} s to answer > "));
    lines.join("\n")
}

fn said(line: &str, always: &[Kind]) -> Said {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let deny = |note: &str| {
        Said::Answer(Answer::Deny {
            note: (!note.is_empty()).then(|| note.to_owned()),
        })
    };
    match (word.to_ascii_lowercase().as_str(), rest) {
        ("" | "d" | "n" | "deny" | "no", note) => deny(note),
        // The same letters as on the page, where `s` is the wider answer.
        ("a" | "o" | "once", "") => Said::Answer(Answer::AllowOnce),
        ("s" | "always", "") if !always.is_empty() => Said::Answer(Answer::AllowAlways {
            ticked: always.to_vec(),
        }),
        _ => Said::Nothing,
    }
}
