//! What a host may have left behind: a process whose starter ended hangs below whoever
//! adopts it, and its line of parents says no more where it came from.
//!
//! What it can't shed by that is its control group, and that it started after the host did.
//! So who hangs right below a forebear of a host, started after it and is in its group, is
//! taken for one that it left, unless that forebear is seen to have started it itself. A
//! host that has ended is remembered: what it left may still be there.

use std::collections::{HashMap, HashSet};

use cerco_sys::peer::{self, Process, ProcessId};

/// More control groups than this are looked through for those that nobody is in any more.
const MANY: usize = 256;

/// Hosts of one control group, as far as their orphans are to be known by them.
#[derive(Debug)]
struct Family {
    /// When the first of them started.
    since: u64,
    /// Forebears of any of them: one of these adopts what they leave.
    above: HashSet<ProcessId>,
}

/// The hosts that came in, by control group; an unknown group counts as one.
#[derive(Debug, Default)]
pub(super) struct Families(HashMap<Option<String>, Family>);

impl Families {
    /// Remembers a host; `above` are its forebears, nearest first.
    pub(super) fn note(&mut self, host: Process, above: &[Process]) {
        if self.0.len() >= MANY {
            let all = peer::processes().unwrap_or_default();
            let living: HashSet<_> = all.iter().map(|p| peer::control_group(p.id.pid)).collect();
            self.0.retain(|group, _| living.contains(group));
        }
        let group = peer::control_group(host.id.pid);
        let family = self.0.entry(group).or_insert_with(|| Family {
            since: host.id.started,
            above: HashSet::new(),
        });
        family.since = family.since.min(host.id.started);
        family.above.retain(|id| is_alive(*id));
        family.above.extend(above.iter().map(|p| p.id));
    }

    /// The process in this line of parents (nearest first) that a host may have left.
    pub(super) fn in_line(&self, chain: &[Process]) -> Option<Process> {
        let pairs = chain.iter().zip(chain.iter().skip(1));
        pairs
            .filter(|(process, parent)| self.may_be_left(process, parent))
            .map(|(process, _)| *process)
            .next()
    }

    /// Of all processes, those that a host may have left.
    pub(super) fn among(&self, all: &[Process]) -> HashSet<ProcessId> {
        let by_number: HashMap<u32, &Process> = all.iter().map(|p| (p.id.pid, p)).collect();
        let left = all.iter().filter(|process| {
            let parent = by_number.get(&process.parent);
            parent.is_some_and(|parent| self.may_be_left(process, parent))
        });
        left.map(|p| p.id).collect()
    }

    fn may_be_left(&self, process: &Process, parent: &Process) -> bool {
        let after_and_below =
            |f: &Family| process.id.started > f.since && f.above.contains(&parent.id);
        if !self.0.values().any(after_and_below) {
            return false;
        }
        let group = peer::control_group(process.id.pid);
        let known = |g: &Option<String>| group.is_none() || g.is_none() || *g == group;
        self.0.iter().any(|(g, f)| known(g) && after_and_below(f)) && !started_it(parent, process)
    }
}

/// Whether the parent is seen to have started the process itself. A shell and the login
/// program adopt nobody (they never ask the kernel for it); who else holds the other side of
/// the process's terminal has made that terminal. The first process adopts everybody.
fn started_it(parent: &Process, process: &Process) -> bool {
    if parent.id.pid == 1 {
        return false;
    }
    let name = peer::name(parent.id.pid).unwrap_or_default();
    let known = [
        "sh",
        "bash",
        "dash",
        "zsh",
        "fish",
        "ksh",
        "sshd",
        "sshd-session",
        "login",
    ];
    known.contains(&name.as_str()) || peer::holds_terminal(parent.id.pid, process.terminal)
}

fn is_alive(id: ProcessId) -> bool {
    peer::process(id.pid).is_some_and(|p| p.id == id)
}
