//! The whole output of each run, on disk: two files an entry, for their owner only.
//!
//! A run never waits for the disk for long and never fills it: past the limit the rest is
//! counted, not kept. Secrets are stars there, byte for byte, so that a place in what is kept
//! is the same place in what the command wrote.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::feed::Feed;
use crate::engine::OutputSink;
use crate::folders::{FoldersError, private_folder};
use crate::journal::{self, Blackout};
use crate::wire::{EntryId, Stream};

/// The most that is kept of one stream, in bytes.
const MAX_KEPT: u64 = 64 * 1024 * 1024;

/// Its name in the state folder.
pub(crate) const FOLDER: &str = "output";

/// The folder of kept output.
#[derive(Clone, Debug)]
pub struct Outputs(PathBuf);

impl Outputs {
    /// In the state folder.
    pub fn open(state: &Path) -> Result<Self, FoldersError> {
        let folder = state.join(FOLDER);
        private_folder(&folder)?;
        Ok(Self(folder))
    }

    fn path(&self, entry: &EntryId, stream: Stream) -> PathBuf {
        let end = match stream {
            Stream::Stdout => "out",
            Stream::Stderr => "err",
        };
        // An id is letters and digits of our own making; anything else names no file.
        let name: String = entry
            .0
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        self.0.join(format!("{name}.{end}"))
    }

    /// A range of a stream: the bytes, and how long the kept stream is.
    pub fn range(
        &self,
        entry: &EntryId,
        stream: Stream,
        from: u64,
        length: u64,
    ) -> std::io::Result<(Vec<u8>, u64)> {
        let mut file = match File::open(self.path(entry, stream)) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok((Vec::new(), 0));
            }
            Err(error) => return Err(error),
        };
        let total = file.metadata()?.len();
        file.seek(SeekFrom::Start(from.min(total)))?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        Ok((bytes, total))
    }

    /// Removes the kept output of entries that are gone.
    pub fn sweep(&self, is_kept: impl Fn(journal::EntryId) -> bool) {
        let Ok(list) = fs::read_dir(&self.0) else {
            return;
        };
        for entry in list.flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|n| n.rsplit_once('.'));
            let id = id.and_then(|(id, _)| id.parse().ok());
            if id.is_some_and(|id| !is_kept(id)) {
                // One that can't be removed is tried again the next time.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Where a run's output goes: to disk, to the agent, to the windows that watch it.
    #[must_use]
    pub fn sink(&self, entry: EntryId, windows: Windows, agent: AgentSink) -> Arc<RunSink> {
        Arc::new(RunSink {
            stdout: Mutex::new(Kept::new(self.path(&entry, Stream::Stdout))),
            stderr: Mutex::new(Kept::new(self.path(&entry, Stream::Stderr))),
            entry,
            windows,
            agent,
        })
    }
}

/// Bytes for a JSON line.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The feeds of the windows that are open now.
pub type Windows = Arc<Mutex<Vec<Feed>>>;
/// Takes output for the agent; must not wait.
pub type AgentSink = Box<dyn Fn(Stream, &[u8]) + Send + Sync>;

struct Kept {
    path: PathBuf,
    file: Option<File>,
    blackout: Blackout,
    /// So much came.
    seen: u64,
    /// So much of it was given on to be kept; a word that hasn't ended is held back.
    given: u64,
    /// So much of it is kept.
    written: u64,
}

impl Kept {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            blackout: Blackout::default(),
            seen: 0,
            given: 0,
            written: 0,
        }
    }

    /// Keeps the bytes and says where in the stream they begin.
    fn add(&mut self, bytes: &[u8]) -> u64 {
        let at = self.seen;
        self.seen += bytes.len() as u64;
        // Past the limit nothing is looked at: a flood costs no more than it must.
        if self.given < MAX_KEPT {
            let mut blackout = std::mem::take(&mut self.blackout);
            self.write(blackout.feed(bytes));
            self.blackout = blackout;
        }
        at
    }

    /// The stream is over. Says how many secrets it had.
    fn finish(&mut self) -> usize {
        let mut blackout = std::mem::take(&mut self.blackout);
        self.write(blackout.finish());
        blackout.secrets()
    }

    fn write(&mut self, bytes: &[u8]) {
        let at = self.given;
        self.given += bytes.len() as u64;
        let room = usize::try_from(MAX_KEPT.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let kept = bytes.get(..bytes.len().min(room)).unwrap_or_default();
        if kept.is_empty() || at != self.written {
            return;
        }
        if self.file.is_none() {
            self.file = create(&self.path).ok();
        }
        // A full disk loses output, never the run; what is missing shows in the range.
        if let Some(file) = &mut self.file
            && file.write_all(kept).is_ok()
        {
            self.written += kept.len() as u64;
        }
    }
}

fn create(path: &Path) -> std::io::Result<File> {
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// One run's output.
pub struct RunSink {
    entry: EntryId,
    stdout: Mutex<Kept>,
    stderr: Mutex<Kept>,
    windows: Windows,
    agent: AgentSink,
}

impl RunSink {
    /// The run has ended: what was held back is kept too. Says how many secrets are stars in
    /// what is kept.
    pub fn finish(&self) -> usize {
        [&self.stdout, &self.stderr]
            .map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner).finish())
            .iter()
            .sum()
    }
}

impl OutputSink for RunSink {
    fn output(&self, stream: Stream, bytes: &[u8]) {
        let kept = match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => &self.stderr,
        };
        let at = kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(bytes);
        (self.agent)(stream, bytes);
        let windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        for feed in windows.iter() {
            feed.output(&self.entry, stream, at, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_and_streams_stay_apart() {
        let state = std::env::temp_dir().join(format!("cerco-output-{}", std::process::id()));
        let outputs = Outputs::open(&state).unwrap();
        let entry = EntryId("0001".to_owned());
        let sink = outputs.sink(entry.clone(), Windows::default(), Box::new(|_, _| {}));
        for word in ["one ", "two ", "three"] {
            sink.output(Stream::Stdout, word.as_bytes());
        }
        sink.output(Stream::Stderr, b"err");
        sink.finish();
        let range = |stream, from, length| outputs.range(&entry, stream, from, length).unwrap();
        assert_eq!(range(Stream::Stdout, 4, 3), (b"two".to_vec(), 13));
        assert_eq!(range(Stream::Stdout, 99, 3), (Vec::new(), 13));
        assert_eq!(range(Stream::Stderr, 0, 99), (b"err".to_vec(), 3));
        let other = EntryId("../../etc/passwd".to_owned());
        assert_eq!(outputs.range(&other, Stream::Stdout, 0, 9).unwrap().1, 0);
        outputs.sweep(|id| id.0 == 1);
        assert_eq!(range(Stream::Stdout, 4, 3).1, 13);
        outputs.sweep(|id| id.0 == 2);
        assert_eq!(fs::read_dir(state.join(FOLDER)).unwrap().count(), 0);
        fs::remove_dir_all(&state).unwrap();
    }

    /// What is on the disk has no secret, whatever the pieces it came in; places stay.
    #[test]
    fn secrets_are_not_kept() {
        let state = std::env::temp_dir().join(format!("cerco-output-s-{}", std::process::id()));
        let _ = fs::remove_dir_all(&state);
        let outputs = Outputs::open(&state).unwrap();
        let text = b"start GITHUB_TOKEN=hush-hush end\n".repeat(3);
        for (number, size) in [1, 7, 9, 4096].into_iter().enumerate() {
            let entry = EntryId(format!("000{number}"));
            let said = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&said);
            let agent =
                Box::new(move |_, bytes: &[u8]| heard.lock().unwrap().extend_from_slice(bytes));
            let sink = outputs.sink(entry.clone(), Windows::default(), agent);
            for piece in text.chunks(size) {
                sink.output(Stream::Stdout, piece);
            }
            assert!(sink.finish() >= 3);
            let (kept, total) = outputs.range(&entry, Stream::Stdout, 33, 33).unwrap();
            assert_eq!(kept, b"start GITHUB_TOKEN=********* end\n");
            assert_eq!(total, text.len() as u64);
            // Who ran it hears what it said.
            assert_eq!(*said.lock().unwrap(), text);
        }
        fs::remove_dir_all(&state).unwrap();
    }
}
