//! Reading a held start out of its process.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use cerco_sys::memory::{self, Memory as Mem};
use cerco_sys::notify::Held;
use cerco_sys::processes::{self, Pid};
use cerco_sys::remote::{self, Found};

use super::{Memory, RealStart, Starter};

/// What a held start turned out to be.
pub(super) enum Seen {
    Start(RealStart),
    /// Its program does not exist; the start would fail.
    NoSuchFile,
}

pub(super) fn at(held: &Held, by: Starter) -> io::Result<Seen> {
    let pid = held.pid;
    let memory = Mem::open(pid)?;
    let path = PathBuf::from(OsString::from_vec(memory.string(held.path, 4096)?));
    let directory = fs::read_link(format!("/proc/{pid}/cwd"))?;
    let path = absolute(pid, held.at, &path, &directory)?;
    let file = match remote::find(pid, &path)? {
        Found::Missing => return Ok(Seen::NoSuchFile),
        Found::At(file) => Some(file),
        Found::Unclear => None,
    };
    let arguments = memory.strings(held.arguments, memory::MAX_BYTES)?;
    let environment = memory.strings(held.environment, memory::MAX_BYTES)?;
    Ok(Seen::Start(RealStart {
        by,
        path,
        file,
        arguments: arguments.into_iter().map(OsString::from_vec).collect(),
        environment: environment.iter().filter_map(|entry| pair(entry)).collect(),
        directory,
        memory: match processes::threads(pid) {
            Some(1) => Memory::Own,
            _ => Memory::Shared,
        },
    }))
}

/// The path from the root on. An empty one with a descriptor means that descriptor's file.
fn absolute(
    pid: Pid,
    at: Option<(i32, u64)>,
    path: &Path,
    directory: &Path,
) -> io::Result<PathBuf> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    // AT_FDCWD is negative; so is nothing else that could work.
    match at {
        Some((descriptor, _)) if descriptor >= 0 => {
            let base = fs::read_link(format!("/proc/{pid}/fd/{descriptor}"))?;
            Ok(if path.as_os_str().is_empty() {
                base
            } else {
                base.join(path)
            })
        }
        Some(_) | None => Ok(directory.join(path)),
    }
}

fn pair(entry: &[u8]) -> Option<(OsString, OsString)> {
    let at = entry.iter().position(|byte| *byte == b'=')?;
    let (name, value) = entry.split_at_checked(at)?;
    Some((
        OsString::from_vec(name.to_vec()),
        OsString::from_vec(value.get(1..)?.to_vec()),
    ))
}
