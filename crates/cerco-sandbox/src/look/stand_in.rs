//! Somebody who looks while a command runs, and takes the last look where Cerco itself is
//! killed meanwhile: a process of its own that hears when Cerco is gone.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cerco_sys::exit::Handle;
use cerco_sys::poll;
use cerco_sys::processes::Pid;

use super::Look;
use super::during::{self, Over};

/// The hidden word that makes Cerco's program a stand-in.
pub(crate) const WORD: &str = "__look";
/// Commands that end sooner get none: they are most, and it would cost them as much again.
const PATIENCE: Duration = Duration::from_millis(30);
/// How long the kernel may take to end a sandbox whose Cerco was killed.
const ENDING: Duration = Duration::from_secs(10);

/// A stand-in for one run's look. Its last copy is dropped when the look was taken.
#[derive(Clone, Debug)]
pub struct StandIn(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    record: PathBuf,
    /// Says when the look was taken; closed without a word where Cerco was killed.
    says: Mutex<Option<PipeWriter>>,
    /// What it held back while the command ran: plain sentences.
    held: Arc<Mutex<Vec<String>>>,
}

impl StandIn {
    pub(super) fn of(record: &Path) -> Self {
        Self(Arc::new(Inner {
            record: record.to_owned(),
            says: Mutex::new(None),
            held: Arc::default(),
        }))
    }

    /// The command runs, in the sandbox of `launcher`. Where no stand-in can be started the
    /// look is only taken late, by whoever comes next.
    pub fn begin(&self, launcher: u32) {
        let Ok((hears, says)) = io::pipe() else {
            return;
        };
        let mut place = self.0.says.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(says);
        let (record, held) = (self.0.record.clone(), Arc::clone(&self.0.held));
        // What goes wrong leaves the record to the next command; a limit on threads too.
        let _ = thread::Builder::new().spawn(move || stand_by(&record, launcher, hears, &held));
    }

    /// What was held back while the command ran, for the person.
    pub(crate) fn held(&self) -> Vec<String> {
        let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let says = self.says.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut says) = says.take() {
            // Where nobody hears it there is no stand-in.
            let _ = says.write_all(b".");
        }
    }
}

fn stand_by(
    record: &Path,
    launcher: u32,
    hears: PipeReader,
    held: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let over = poll::wait(&[hears.as_fd()], Some(PATIENCE))?;
    if over.first().is_some_and(|ready| ready.is_ready()) {
        return Ok(());
    }
    let mut stand_in = Command::new("/proc/self/exe")
        .arg0("cerco-look")
        .arg(WORD)
        .arg(record)
        .arg(launcher.to_string())
        .env_clear()
        .current_dir("/")
        // A terminal's signals to Cerco are not for it.
        .process_group(0)
        .stdin(Stdio::from(hears))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    for line in stand_in.stdout.take().into_iter().flat_map(sentences) {
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push(line);
    }
    stand_in.wait()?;
    Ok(())
}

/// Each ends with a NUL byte: the names in them may hold anything else.
fn sentences(from: impl Read) -> impl Iterator<Item = String> {
    let parts = BufReader::new(from).split(0).map_while(Result::ok);
    parts.map(|part| String::from_utf8_lossy(&part).into_owned())
}

/// The stand-in's own program.
pub(crate) fn enter(arguments: &[OsString]) -> ExitCode {
    let Some(record) = arguments.first().map(PathBuf::from) else {
        return ExitCode::FAILURE;
    };
    let launcher = arguments
        .get(1)
        .and_then(|word| word.to_str()?.parse().ok());
    let inner = launcher.and_then(inner);
    let look = fs::read(&record)
        .ok()
        .and_then(|bytes| Look::decode(&bytes));
    let Some(look) = look else {
        return ExitCode::FAILURE;
    };
    // Where it has ended there is nothing to look at before the last look.
    if let Some((pid, handle)) = &inner
        && let Ok(Over::Stop) = during::look(&look, *pid, io::stdin().as_fd(), &mut say)
    {
        let _ = handle.kill();
    }
    let mut said = [0];
    if io::stdin().read(&mut said).unwrap_or_default() > 0 {
        return ExitCode::SUCCESS;
    }
    // At once, for git may be called at once, and again when nobody writes any more.
    take(&look);
    if let Some((_, handle)) = inner {
        let _ = handle.ended_within(ENDING);
    }
    take(&look);
    let _ = fs::remove_file(&record);
    ExitCode::SUCCESS
}

/// To Cerco, if it is still there.
fn say(sentence: &str) {
    let mut out = io::stdout();
    let _ = out
        .write_all(sentence.as_bytes())
        .and_then(|()| out.write_all(&[0]));
    let _ = out.flush();
}

fn take(look: &Look) {
    // There is nobody left to be told.
    let after = look.see(&mut Vec::new());
    let _ = look.hold_back(&after);
}

/// The first process of the sandbox of `launcher`: the kernel lets it end last.
fn inner(launcher: u32) -> Option<(Pid, Handle)> {
    let list = fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children")).ok()?;
    let inner = list.split_whitespace().next()?.parse().ok()?;
    Some((inner, Handle::open(inner).ok()?))
}
