//! The inner stage: the first process of Cerco inside the sandbox. It proves that the
//! sandbox is what was planned, sets the limits, and becomes the command. It starts
//! nothing else, and a proof that fails ends it.

mod letter;
mod proof;
mod proxy;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use cerco_sys::{fds, landlock, limits};

use crate::look::stand_in;
use crate::request::Limits;
use crate::self_test;

pub(crate) use letter::Letter;

/// The hidden word that makes Cerco's program an inner stage.
pub(crate) const WORD: &str = "__stage";
/// In the place of a descriptor that isn't there.
pub(crate) const NONE: &str = "-";
/// Said to the launcher when every proof holds and the command is about to start.
pub(crate) const GO: &[u8] = b"G";
/// Says through the gate that the command may start.
pub const OPEN: &[u8] = b"O";
/// Cerco failed or the sandbox isn't ready.
const FAILED: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Puts the guard into this process: the descriptor is the socket its listener goes to.
pub type InstallGuard = fn(OwnedFd) -> std::io::Result<()>;

/// To be called first thing in `main`: where this process was started as an inner stage
/// it becomes the command, and returns only if it can't; where it was started as a part of
/// the self-test, or as a stand-in for the look after a run, it plays that. Nothing where it was neither.
#[must_use]
pub fn enter(install_guard: InstallGuard) -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let word = arguments.next()?;
    if word != WORD && word != self_test::WORD && word != stand_in::WORD {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    if word == stand_in::WORD {
        return Some(stand_in::enter(&arguments));
    }
    if word == self_test::WORD {
        return Some(self_test::enter(&arguments));
    }
    let (code, why) = stage(&arguments, install_guard);
    // The launcher tells the person; here nobody may be listening any more.
    if let Some(mut status) = arguments.get(1).and_then(descriptor) {
        let _ = write!(status, "{code}\n{why}");
    }
    Some(ExitCode::from(code))
}

/// Returns only with the reason why it did not become the command.
fn stage(arguments: &[OsString], install_guard: InstallGuard) -> (u8, String) {
    match prepare(arguments, install_guard) {
        Ok(command) => become_command(&command, arguments.get(1).and_then(descriptor)),
        Err(why) => (FAILED, why),
    }
}

fn prepare(arguments: &[OsString], install_guard: InstallGuard) -> Result<Vec<OsString>, String> {
    let mut bytes = Vec::new();
    let mut file = arguments
        .first()
        .and_then(descriptor)
        .ok_or("it was started without its letter")?;
    file.read_to_end(&mut bytes)
        .map_err(|e| format!("its letter can't be read: {e}"))?;
    let letter = Letter::decode(&bytes)
        .ok_or("it is another version of Cerco than the one that started it; start Cerco again")?;
    if letter.proves {
        proof::process()?;
        proof::paths(&letter.proofs)?;
        proof::mounts(&letter.writable)?;
        proof::network()?;
    }
    own_null().map_err(|e| format!("its standard input can't be opened: {e}"))?;
    if letter.fences {
        landlock::only_write_below(&letter.writable)
            .map_err(|e| format!("writing can't be fenced in: {e}"))?;
    }
    if let Some(limits) = letter.limits {
        limit(&limits).map_err(|e| format!("a limit can't be set: {e}"))?;
    }
    if let Some(word) = arguments.get(3).filter(|word| *word != NONE) {
        let socket = descriptor(word).ok_or("the proxy's socket is missing")?;
        proxy::open(socket.as_fd()).map_err(|e| format!("the way to registries: {e}"))?;
    }
    let guard = arguments.get(2).filter(|word| *word != NONE);
    if let Some(word) = guard {
        let socket = descriptor(word).ok_or("the guard's socket is missing")?;
        install_guard(socket.into()).map_err(|e| format!("the guard can't be installed: {e}"))?;
    }
    if let Some(word) = arguments.get(4).filter(|word| *word != NONE) {
        let gate = descriptor(word).ok_or("the gate is missing")?;
        let mut heard = Vec::new();
        Read::take(&gate, OPEN.len() as u64)
            .read_to_end(&mut heard)
            .map_err(|e| format!("the gate: {e}"))?;
        if heard != OPEN {
            return Err("its journal entry was not written".to_owned());
        }
    }
    // Last: the letter, the status pipe and whatever the launcher forgot end here.
    fds::close_on_exec_from(3).map_err(|e| format!("descriptors can't be closed: {e}"))?;
    Ok(letter.command)
}

/// Where standard input is the null device, the sandbox's own takes its place: through the
/// machine's, which was opened outside, root could change that one's permissions.
fn own_null() -> std::io::Result<()> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let facts = std::fs::metadata("/proc/self/fd/0")?;
    let null = File::open("/dev/null")?;
    if facts.file_type().is_char_device() && facts.rdev() == null.metadata()?.rdev() {
        rustix::stdio::dup2_stdin(null)?;
    }
    Ok(())
}

fn limit(limits: &Limits) -> std::io::Result<()> {
    use limits::Resource;
    // Here and not outside: a process limit set outside counts the person's whole
    // desktop and makes the launcher's own fork fail.
    limits::set(Resource::Core, 1)?;
    limits::set(Resource::OpenFiles, limits.open_files.min(fair(limits)))?;
    limits::set(Resource::FileSize, limits.file_bytes)?;
    limits::set(Resource::Data, limits.memory_bytes)?;
    limits::set(Resource::Processes, limits.processes)
}

/// How many files each of its processes may open so that all of them together leave half of
/// what the whole machine can (fs.file-max; systemd lifts that, others do not).
fn fair(limits: &Limits) -> u64 {
    /// Less than this and ordinary programs fail.
    const LEAST: u64 = 1024;
    let most = std::fs::read_to_string("/proc/sys/fs/file-max");
    let most = most.ok().and_then(|text| text.trim().parse::<u64>().ok());
    most.map_or(u64::MAX, |most| {
        (most / 2 / limits.processes.max(1)).max(LEAST)
    })
}

fn become_command(command: &[OsString], status: Option<File>) -> (u8, String) {
    let Some((program, arguments)) = command.split_first() else {
        return (FAILED, "there is no command".to_owned());
    };
    let Some(mut status) = status else {
        return (FAILED, "nobody waits for it".to_owned());
    };
    if let Err(e) = status.write_all(GO) {
        return (FAILED, format!("nobody waits for it: {e}"));
    }
    let why = Command::new(program).args(arguments).exec();
    let name = crate::refusal::shown(program.as_ref());
    match why.kind() {
        std::io::ErrorKind::NotFound => (NOT_FOUND, format!("{name}: not found in the sandbox")),
        std::io::ErrorKind::ArgumentListTooLong => (
            FAILED,
            "the command or its environment is too long for the kernel. Put it in a script file and run that".to_owned(),
        ),
        _ => (NOT_EXECUTABLE, format!("{name}: {why}")),
    }
}

/// A copy of an inherited descriptor, given as its number.
fn descriptor(word: &OsString) -> Option<File> {
    let number = word.to_str()?.parse().ok()?;
    fds::inherited(number).ok().map(File::from)
}
