//! The side of the self-test that runs in the sandbox: each attempt in a process of its
//! own, so that none can spoil the next.

pub(super) mod files;
pub(super) mod git;
pub(super) mod kernel;
pub(super) mod limits;
pub(super) mod network;
pub(super) mod processes;
pub(super) mod secrets;
pub(super) mod works;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::names::Names;
use super::table::{self, Found};
use crate::plan::STAGE;

/// The hidden word that makes Cerco's program a part of the self-test.
pub(crate) const WORD: &str = "__self-test";
/// An attempt that takes longer is given up: it counts as not tried.
const CLOCK: Duration = Duration::from_secs(2);
/// What stays on purpose stays no longer than so, whatever goes wrong.
const STAY: Duration = Duration::from_secs(20);

/// What this process is in the self-test, by its arguments after [`WORD`].
pub(crate) fn enter(words: &[OsString]) -> ExitCode {
    let Some((first, rest)) = words.split_first() else {
        return ExitCode::FAILURE;
    };
    match first.to_str() {
        Some("all") => all(rest),
        Some("one") => one(rest),
        Some("grow") => limits::grow(rest),
        Some("victim") => victim(),
        Some("stay") => stay(rest),
        _ => ExitCode::FAILURE,
    }
}

/// Makes every attempt and tells each result as a line.
fn all(names: &[OsString]) -> ExitCode {
    for attempt in table::attempts() {
        let line = match apart(attempt.id, names) {
            Ok(told) if told == "ok" => format!("{}\tok\n", attempt.id),
            Ok(told) if !told.is_empty() => format!("{}\tno\t{told}\n", attempt.id),
            // Told nothing: left out, so that the outside knows that nobody knows.
            Ok(_) | Err(_) => continue,
        };
        if io::stdout().write_all(line.as_bytes()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// One attempt in a process of its own; what it told, on one line.
fn apart(id: &str, names: &[OsString]) -> io::Result<String> {
    let mut child = Command::new(STAGE)
        .args([WORD, "one", id])
        .args(names)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > CLOCK {
            child.kill()?;
            child.wait()?;
            return Err(ErrorKind::TimedOut.into());
        }
        thread::sleep(Duration::from_micros(200));
    }
    let mut told = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        // Not to its end: an attempt may have left somebody who holds the pipe.
        let mut buffer = [0; 1024];
        let count = stdout.read(&mut buffer)?;
        told = String::from_utf8_lossy(buffer.get(..count).unwrap_or_default()).into_owned();
    }
    Ok(told.replace(['\n', '\t'], " ").trim().to_owned())
}

fn one(words: &[OsString]) -> ExitCode {
    let Some((id, names)) = words.split_first() else {
        return ExitCode::FAILURE;
    };
    let attempt = table::attempts().find(|attempt| *id == attempt.id);
    let (Some(attempt), Some(names)) = (attempt, Names::decode(names)) else {
        return ExitCode::FAILURE;
    };
    let told = match (attempt.make)(&names) {
        Ok(()) => "ok".to_owned(),
        Err(why) => why,
    };
    let _ = writeln!(io::stdout(), "{told}");
    ExitCode::SUCCESS
}

/// The process outside that attempts aim at: lives until its input ends.
fn victim() -> ExitCode {
    thread::spawn(|| {
        thread::sleep(STAY);
        std::process::abort();
    });
    let _ = io::stdin().read(&mut [0]);
    ExitCode::SUCCESS
}

/// A process that wants to outlive the run: leaves its session twice over, ignores polite
/// requests. With a mark, it starts another like itself first.
fn stay(words: &[OsString]) -> ExitCode {
    cerco_sys::signals::ignore_polite_signals();
    if let [mark] = words {
        let _ = start_staying(&[mark.clone(), "child".into()]);
    } else {
        let _ = cerco_sys::harden::leave_terminal();
    }
    thread::sleep(STAY);
    ExitCode::SUCCESS
}

/// Starts a process that stays, with `words` as its arguments.
fn start_staying(words: &[OsString]) -> io::Result<()> {
    Command::new(STAGE)
        .args([WORD, "stay"])
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}

/// It must not have worked.
fn refused<T>(what: &str, done: io::Result<T>) -> Found {
    done.map_or(Ok(()), |_| Err(format!("worked: {what}")))
}

/// It must have worked.
fn done<T>(what: &str, done: io::Result<T>) -> Result<T, String> {
    done.map_err(|e| format!("failed ({e}): {what}"))
}
