//! More than a command may have. Each attempt stops by itself a little above the limit.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;

use super::{WORD, done};
use crate::plan::STAGE;
use crate::request::Limits;
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "limits.processes",
        what: "the number of processes is limited",
        make: processes,
        look: None,
    },
    Attempt {
        id: "limits.memory",
        what: "a process's memory is limited",
        make: |_| {
            let too_much = usize::try_from(Limits::default().memory_bytes + (64 << 20));
            let too_much = too_much.map_err(|e| e.to_string())?;
            // Only asked for, never touched.
            match Vec::<u8>::new().try_reserve_exact(too_much) {
                Err(_) => Ok(()),
                Ok(()) => Err(format!("{too_much} bytes were given")),
            }
        },
        look: None,
    },
    Attempt {
        id: "limits.open-files",
        what: "the number of open files is limited",
        make: |_| {
            let limit = Limits::default().open_files;
            let mut held = Vec::new();
            for _ in 0..=limit {
                match File::open("/dev/null") {
                    Ok(file) => held.push(file),
                    Err(_) => return Ok(()),
                }
            }
            Err(format!("{} files could be opened", held.len()))
        },
        look: None,
    },
    Attempt {
        id: "limits.file-size",
        what: "the size of a file is limited",
        make: file_size,
        look: None,
    },
    Attempt {
        id: "limits.scratch",
        what: "temporary files, which take memory, are limited",
        make: |_| full(Path::new("/tmp")),
        look: None,
    },
];

fn processes(_: &Names) -> Found {
    let wanted = Limits::default().processes + 8;
    let mut held = Vec::new();
    let stopped = 'all: {
        for _ in 0..wanted {
            let barrier = Arc::new(Barrier::new(2));
            let waits = Arc::clone(&barrier);
            let started = thread::Builder::new().stack_size(16 << 10).spawn(move || {
                waits.wait();
            });
            match started {
                Ok(thread) => held.push((thread, barrier)),
                Err(_) => break 'all true,
            }
        }
        false
    };
    let count = held.len();
    for (thread, barrier) in held {
        barrier.wait();
        let _ = thread.join();
    }
    if stopped {
        return Ok(());
    }
    Err(format!("could be started: {count}"))
}

/// The kernel ends who grows a file too far, so somebody else does it.
fn file_size(names: &Names) -> Found {
    let file = names.own.join("large");
    let limit = Limits::default().file_bytes;
    let grown = Command::new(STAGE)
        .args([WORD, "grow"])
        .arg(&file)
        .arg((limit + 1).to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    done("growing it", grown)?;
    let facts = done("its file", fs::metadata(&file))?;
    let _ = fs::remove_file(&file);
    if facts.len() > limit {
        return Err(format!("{} bytes were taken", facts.len()));
    }
    Ok(())
}

/// Makes a sparse file of the size asked for, which takes no room on the disk.
pub(super) fn grow(words: &[OsString]) -> ExitCode {
    let [file, bytes] = words else {
        return ExitCode::FAILURE;
    };
    let bytes = bytes.to_str().and_then(|text| text.parse().ok());
    let made = File::create(PathBuf::from(file)).and_then(|f| f.set_len(bytes.unwrap_or(0)));
    if made.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Twice of what the self-test's own request gives to the private `/tmp`.
fn full(folder: &Path) -> Found {
    let path = folder.join("filler");
    let mut file = done("a file", File::create(&path))?;
    let block = vec![1; 1 << 20];
    let fits = (0..8).all(|_| file.write_all(&block).is_ok());
    let _ = fs::remove_file(&path);
    if fits {
        return Err(format!("8 MiB fit into {}", folder.display()));
    }
    Ok(())
}
