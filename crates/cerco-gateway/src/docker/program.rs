//! The `docker` program: found where no command of an agent's could have put it, asked with
//! a clock.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(10);
/// The longest answer that is read: manifests of many platforms have some hundred KiB.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;

/// A `docker` that may be asked.
#[derive(Clone, Debug)]
pub(super) struct Docker {
    program: PathBuf,
}

impl Docker {
    /// The first in the gateway's own PATH that others can't write.
    pub(super) fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .filter_map(|folder| std::fs::canonicalize(folder.join("docker")).ok())
            .find(|file| {
                let facts = std::fs::metadata(file);
                facts.is_ok_and(|f| f.is_file() && f.mode() & 0o002 == 0 && f.mode() & 0o111 != 0)
            })
            .map(|program| Self { program })
    }

    /// A call of it that asks nothing back: no input, and nobody is prompted.
    pub(super) fn call(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What it says to `words`, or why it doesn't. Ends it when `clock` is up.
    pub(super) fn ask(&self, words: &[&str], clock: Duration) -> Result<String, String> {
        let mut child = self.call(words).spawn().map_err(|e| e.to_string())?;
        let said = child.stdout.take().map(reading);
        let complained = child.stderr.take().map(reading);
        let began = Instant::now();
        let ended = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if began.elapsed() < clock => std::thread::sleep(PAUSE),
                Ok(None) => break Err(format!("no answer within {} s", clock.as_secs())),
                Err(error) => break Err(error.to_string()),
            }
        };
        let status = match ended {
            Ok(status) => status,
            Err(why) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(why);
            }
        };
        let text = |reader: Option<std::thread::JoinHandle<String>>| {
            reader.and_then(|r| r.join().ok()).unwrap_or_default()
        };
        if status.success() {
            Ok(text(said))
        } else {
            Err(text(complained).trim().to_owned())
        }
    }
}

/// Reads beside the waiting, so that a long answer doesn't fill its pipe.
fn reading(from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.take(MAX_ANSWER).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
