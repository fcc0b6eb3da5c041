//! Ending a process tree for good, with the kernel's proof that it is empty.
//!
//! Because the keeper adopts orphans, a process of the tree is always a child of the
//! keeper or of another process of the tree. "No child" is therefore "nobody left".

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use cerco_sys::clock::since_boot;
use cerco_sys::exit::Handle;
use cerco_sys::poll;
use cerco_sys::processes::{self, Pid};
use cerco_sys::signals::{self, Signal, Waited};

use crate::job::Leader;

/// How long a sweep goes on. Only a process that the kernel itself can't end (waiting
/// for a disk) or another user's outlasts it.
const LONGEST: Duration = Duration::from_secs(5);

fn me() -> Pid {
    Pid::try_from(std::process::id()).unwrap_or_default()
}

/// The command's own living processes among the keeper's descendants.
pub(super) fn members(leader: Leader, leader_pid: Pid) -> Vec<Pid> {
    let all = processes::all();
    let mut members = processes::descendants(&all, me());
    if leader == Leader::Launcher {
        // The launcher and its first process inside, which only waits for the others; once
        // the launcher has ended, the keeper is its parent. Nobody else of the sandbox
        // comes to the keeper: orphans inside go to that first process.
        let own = |pid: &Pid| {
            let parents = [me(), leader_pid];
            all.iter()
                .any(|p| p.pid == *pid && parents.contains(&p.parent))
        };
        members.retain(|pid| !own(pid));
    }
    members
}

/// Ends every descendant of the keeper, and whoever else carries `mark`. Answers how many
/// could not be ended.
pub(super) fn clear(events: &OwnedFd, mark: Option<&str>) -> usize {
    let until = since_boot() + LONGEST;
    let mut first = true;
    loop {
        match drain() {
            Some(Waited::NoChild) => break,
            _ if since_boot() > until => {
                return processes::descendants(&processes::all(), me()).len();
            }
            _ => {}
        }
        if !first {
            freeze();
        }
        first = false;
        for pid in processes::descendants(&processes::all(), me()) {
            let _ = signals::send(pid, Signal::Kill);
        }
        catch_hoppers();
        let _ = poll::wait(&[events.as_fd()], Some(Duration::from_millis(2)));
        signals::drain_child_events(events);
    }
    if let Some(mark) = mark {
        net(mark);
    }
    0
}

/// Freezes descendants until a look finds nobody new: frozen ones start no more, and
/// don't wait for others, so no number is used again before it is killed.
fn freeze() {
    let mut frozen = HashSet::new();
    // A tree that starts processes faster than it can be looked at never has a look
    // without a new one; the kill that follows thins it out.
    for _ in 0..16 {
        let new: Vec<Pid> = processes::descendants(&processes::all(), me())
            .into_iter()
            .filter(|pid| frozen.insert(*pid))
            .collect();
        if new.is_empty() {
            return;
        }
        for pid in new {
            let _ = signals::send(pid, Signal::Stop);
        }
    }
}

/// A process that does nothing but fork and end has another number at each look at
/// everybody. When it ends its child falls to the keeper, whose own children can be
/// listed and killed faster than they fork.
fn catch_hoppers() {
    for _ in 0..64 {
        let children = processes::own_children();
        if children.is_empty() {
            return;
        }
        for pid in children {
            let _ = signals::send(pid, Signal::Kill);
        }
        if matches!(drain(), Some(Waited::NoChild)) {
            return;
        }
    }
}

fn drain() -> Option<Waited> {
    loop {
        match signals::wait_any() {
            Ok(Waited::Ended(_)) => {}
            Ok(other) => return Some(other),
            Err(_) => return None,
        }
    }
}

/// Ends whoever carries the run's mark in its environment without being a descendant:
/// started by somebody else (a server that was asked to) in the run's name.
pub(crate) fn net(mark: &str) -> usize {
    let mut ended = 0;
    for pid in processes::with_mark(mark) {
        // Not our child: hold it first, so that the number can't change its meaning
        // between the look and the signal.
        let Ok(handle) = Handle::open(pid) else {
            continue;
        };
        if processes::has_mark(pid, mark) && handle.kill().is_ok() {
            ended += 1;
        }
    }
    ended
}
