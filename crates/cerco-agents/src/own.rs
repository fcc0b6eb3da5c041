//! Cerco itself, by its command line: `cerco check --json` and `cerco run --json`.
//!
//! The doors for agents judge and run nothing themselves. They start the program that does,
//! so verdicts, journal, asks and limits are the very same, whoever asks. The child carries
//! the mark of a run ([`MARK`]): it counts as speaking for an agent, so it asks nobody at a
//! terminal that happens to be there, and may do nothing that is a person's.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::presence::{BUBBLE, HOST, Place};

/// The variable that says "an agent speaks".
const MARK: (&str, &str) = ("CERCO_RUN", "agent");

/// How long a stopped run may take to stop politely before it is told again.
const PATIENCE: Duration = Duration::from_secs(4);

/// The largest answer of the program that is read, in bytes.
const MAX_ANSWER: u64 = 64 << 20;

/// Which Cerco, for which bubble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The program.
    pub program: PathBuf,
    /// Words after the verb: `--project`, `--loop`, `--role` with their values.
    pub place: Vec<String>,
    /// The folder that a call without one starts in.
    pub directory: PathBuf,
}

/// Stops a call, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops it; the call returns when everything it had started is gone.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Own {
    /// What the layers say of a command. Nothing runs.
    pub fn check(&self, text: &str, directory: &Path) -> Result<Map<String, Value>, String> {
        let verb = &["check", "--stdin"];
        self.call(verb, text, directory, None, &Stop::default())
    }

    /// What the layers say of a line of `cerco check --jsonl`.
    pub fn check_line(&self, line: &str) -> Result<Map<String, Value>, String> {
        self.call(
            &["check", "--jsonl"],
            line,
            &self.directory,
            None,
            &Stop::default(),
        )
    }

    /// Judges, asks where needed, runs, for the bubble that the agent has in a gateway.
    /// Blocks until it ended or was stopped.
    pub fn run(
        &self,
        text: &str,
        directory: &Path,
        bubble: Option<&Place>,
        stop: &Stop,
    ) -> Result<Map<String, Value>, String> {
        // The call waits in the thread that starts the run, so the run ends with this
        // process, however that ends.
        let own = std::process::id().to_string();
        let verb = ["run", "--ends-with", &own, "--stdin"];
        self.call(&verb, text, directory, bubble, stop)
    }

    fn call(
        &self,
        verb: &[&str],
        text: &str,
        directory: &Path,
        bubble: Option<&Place>,
        stop: &Stop,
    ) -> Result<Map<String, Value>, String> {
        let place = bubble.map(|b| [(BUBBLE, &b.bubble), (HOST, &b.host)]);
        let mut child = Command::new(&self.program)
            // The text goes to standard input: no limit on an argument's length, nothing in `ps`.
            .args(verb)
            .arg("--json")
            .args(&self.place)
            .current_dir(directory)
            .env(MARK.0, MARK.1)
            .envs(place.into_iter().flatten())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| {
                format!(
                    "{} can't be started in {}: {e}",
                    self.program.display(),
                    directory.display()
                )
            })?;
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        if let Some(mut stdin) = child.stdin.take() {
            // A child that ended early doesn't read; what it says below counts.
            let _ = stdin.write_all(text.as_bytes());
        }
        let status =
            wait(&mut child, stop).map_err(|e| format!("the run can't be waited for: {e}"))?;
        let (stdout, stderr) = (joined(stdout), joined(stderr));
        let value: Option<Value> = serde_json::from_slice(&stdout).ok();
        let said = String::from_utf8_lossy(&stderr).trim().to_owned();
        match value {
            Some(Value::Object(mut answer)) if !answer.contains_key("error") => {
                // Why a role may not or nobody could be asked is said in words only.
                if !said.is_empty() {
                    answer.insert("said".into(), said.into());
                }
                Ok(answer)
            }
            _ if said.is_empty() => Err(format!(
                "cerco {} gave no answer ({status})",
                verb.first().unwrap_or(&"")
            )),
            _ => Err(said),
        }
    }
}

fn wait(child: &mut Child, stop: &Stop) -> std::io::Result<std::process::ExitStatus> {
    let mut told: Option<Instant> = None;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.is_stopped() && told.is_none_or(|at| at.elapsed() > PATIENCE) {
            told = Some(Instant::now());
            interrupt(child)?;
        }
        std::thread::sleep(pause);
        // Short runs are answered at once, long ones cost nothing.
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Ctrl-C: the run stops its whole tree and writes the end into the journal. The child has
/// not been waited for, so its number can't be somebody else's yet.
#[cfg(unix)]
fn interrupt(child: &mut Child) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    match pid {
        Some(pid) => Ok(kill_process(pid, Signal::INT)?),
        None => child.kill(),
    }
}

#[cfg(not(unix))]
fn interrupt(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}

type Drain = Option<std::thread::JoinHandle<Vec<u8>>>;

/// Reads a pipe in a thread of its own, so that a full one never stalls the child.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Drain {
    let pipe = pipe?;
    let reader = std::thread::Builder::new()
        .name("pipe".into())
        .spawn(move || {
            let mut bytes = Vec::new();
            // What was read before an error is what there is.
            let _ = pipe.take(MAX_ANSWER).read_to_end(&mut bytes);
            bytes
        });
    reader.ok()
}

fn joined(drain: Drain) -> Vec<u8> {
    drain
        .and_then(|handle| handle.join().ok())
        .unwrap_or_default()
}
