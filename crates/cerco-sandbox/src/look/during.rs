//! The look while a command still runs: git outside may be called at any moment (an editor
//! asks it every few seconds), and would obey what was planted an instant ago.
//!
//! What is held back here is what git runs by itself: settings that start programs, hooks,
//! and pointers out of the loop's folder. Unfinished operations are left until the end, for
//! the command may be in the middle of one. No kernel can refuse a name: between the planting
//! and this look lie milliseconds, and a command that plants again and again is stopped.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cerco_sys::poll;
use cerco_sys::processes::Pid;

use super::Look;
use super::folders::{Changes, Folders};
use super::hold_back::{Done, Held};
use super::locks::Locks;
use crate::refusal::shown;
use crate::walk::{TooLarge, When, walk};
use crate::ways::{Way, ways};

/// Most commands are over sooner.
const AT_FIRST: Duration = Duration::from_millis(100);
/// Where the kernel tells of no changes the whole folder is looked through, for at most this
/// part of the time.
const SHARE: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);
/// A command that makes the same anew so often does nothing else.
const MOST_TIMES: u32 = 20;

/// How often locks are looked at.
const TURN: Duration = Duration::from_millis(200);

/// Why this look ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// Somebody has to say something at the other end, or is gone.
    Heard,
    /// The command must be stopped; why was said.
    Stop,
}

/// Looks until something is to be heard from `hears`; says what was held back, and what
/// else the person should know, in sentences. `inner` is the sandbox's first process.
pub(super) fn look(
    look: &Look,
    inner: Pid,
    hears: BorrowedFd<'_>,
    say: &mut dyn FnMut(&str),
) -> io::Result<Over> {
    if is_heard(hears, AT_FIRST)? {
        return Ok(Over::Heard);
    }
    let mut looking = Looking {
        look,
        ways: ways(&look.own, &look.people, &[]).unwrap_or_default(),
        locks: Locks::of(inner, &look.own),
        times: HashMap::new(),
        say,
    };
    match Folders::watch(look) {
        Ok((folders, found)) => looking.by_events(folders, &found, hears),
        Err(_) => looking.by_turns(hears),
    }
}

fn is_heard(hears: BorrowedFd<'_>, within: Duration) -> io::Result<bool> {
    let ready = poll::wait(&[hears], Some(within))?;
    Ok(ready.first().is_some_and(|ready| ready.is_ready()))
}

struct Looking<'a> {
    look: &'a Look,
    /// What settings of the person lead git to.
    ways: Vec<Way>,
    locks: Locks<'a>,
    /// How often each was held back.
    times: HashMap<PathBuf, u32>,
    say: &'a mut dyn FnMut(&str),
}

impl Looking<'_> {
    fn by_events(
        &mut self,
        mut folders: Folders,
        found: &[PathBuf],
        hears: BorrowedFd<'_>,
    ) -> io::Result<Over> {
        let mut repositories = found.to_vec();
        loop {
            if self.repositories(&repositories) == Over::Stop {
                return Ok(Over::Stop);
            }
            let ready = poll::wait(&[hears, folders.as_fd()], Some(TURN))?;
            if ready.first().is_some_and(|ready| ready.is_ready()) {
                return Ok(Over::Heard);
            }
            if self.locks() == Over::Stop {
                return Ok(Over::Stop);
            }
            match folders.changes(&self.ways)? {
                Changes::Some {
                    repositories: some,
                    paths,
                } => {
                    repositories = some;
                    if self.paths(&paths) == Over::Stop {
                        return Ok(Over::Stop);
                    }
                }
                // Too many at once, or too many folders by now.
                Changes::Lost => return self.by_turns(hears),
            }
        }
    }

    fn by_turns(&mut self, hears: BorrowedFd<'_>) -> io::Result<Over> {
        loop {
            let began = Instant::now();
            // As it is: folders that the command closed are its own business until it ends, and
            // of a tree that is too large so much is seen as there was.
            let skip: Vec<&Path> = self.look.skip.iter().map(PathBuf::as_path).collect();
            let seen = walk(&self.look.own, &skip, When::Before);
            let seen = seen.unwrap_or_else(|TooLarge(seen)| *seen);
            if self.repositories(&seen.repositories) == Over::Stop {
                return Ok(Over::Stop);
            }
            let ways: Vec<PathBuf> = self.ways.iter().map(|way| way.path.clone()).collect();
            if self.paths(&ways) == Over::Stop {
                return Ok(Over::Stop);
            }
            let next = Instant::now() + PAUSE.max(began.elapsed() * SHARE);
            while Instant::now() < next {
                if is_heard(hears, TURN)? {
                    return Ok(Over::Heard);
                }
                if self.locks() == Over::Stop {
                    return Ok(Over::Stop);
                }
            }
        }
    }

    /// What git would obey in these. A failure is left to the look after the run, which says
    /// it: the command changes things meanwhile.
    fn repositories(&mut self, repositories: &[PathBuf]) -> Over {
        let mut done = Vec::new();
        for path in repositories {
            let _ = Held::while_it_runs(self.look).repository_now(path, &mut done);
        }
        self.told(&done)
    }

    /// What settings of the person lead to, where one of `paths` lies on such a way.
    fn paths(&mut self, paths: &[PathBuf]) -> Over {
        let mut done = Vec::new();
        let is_on = |way: &&Way| paths.iter().any(|path| path.starts_with(&way.path));
        for way in self.ways.iter().filter(is_on) {
            let _ = Held::while_it_runs(self.look).way(way, &mut done);
        }
        self.told(&done)
    }

    fn told(&mut self, done: &[Done]) -> Over {
        for done in done {
            let times = self.times.entry(done.path.clone()).or_default();
            *times += 1;
            let path = shown(&done.path);
            if *times > MOST_TIMES {
                (self.say)(&format!(
                    "it planted {path} for git again and again while it ran, so it was stopped"
                ));
                return Over::Stop;
            }
            // The first time; the same again is no news.
            if *times == 1 {
                (self.say)(&format!("while it ran it left {path}: {}", done.what));
            }
        }
        Over::Heard
    }

    /// Locks on files that it can only read: told, and where a program outside waits for one
    /// the command ends.
    fn locks(&mut self) -> Over {
        for kept in self.locks.look() {
            let path = shown(&kept.path);
            if kept.is_waited_for {
                (self.say)(&format!(
                    "it held a lock on {path}, which it can only read, and a program of this computer waited for it; the command was stopped"
                ));
                return Over::Stop;
            }
            (self.say)(&format!(
                "it held a lock on {path}, which it can only read: programs that wanted one meanwhile were kept from it"
            ));
        }
        Over::Heard
    }
}

/// Whether `text`, found at `path`, leads to something in `own`: whatever that is, it is
/// looked through as well.
pub(super) fn leads_inside(own: &Path, path: &Path, text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let target = text.strip_prefix("gitdir: ").unwrap_or(text);
    let Some(around) = path.parent() else {
        return false;
    };
    let real = std::fs::canonicalize(around.join(target));
    real.is_ok_and(|real| real.starts_with(own))
}
