//! Who is speaking (UX.md §9 C): whether the process on the other end of a connection
//! descends from a command that we started or from a host that came in by the agents' door.
//!
//! The gateway adopts orphans, so a command that forks twice, calls `setsid` and empties
//! its environment still descends from it. Everything below the gateway is suspect but the
//! person's own terminals, and below those too whatever descends from a host. What a host
//! left behind when the starter ended hangs elsewhere: that is [`super::orphans`].

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use cerco_sys::peer::{self, Holds, Process, ProcessId};

use super::Refused;
use super::orphans::Families;

/// What is known of processes that must not speak for a person.
#[derive(Debug)]
pub struct Speakers {
    own: u32,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Hosts that live, and what they came in with.
    hosts: HashSet<ProcessId>,
    families: Families,
}

impl Speakers {
    /// Nobody is known yet. `own` is the gateway's process.
    #[must_use]
    pub fn new(own: u32) -> Self {
        Self {
            own,
            known: Mutex::default(),
        }
    }

    /// A program came in by the agents' door as a hook or MCP server: what started it is a
    /// host. A shell in between (`sh -c "cerco hook …"`) is skipped.
    pub fn note_host(&self, pid: u32) {
        let Some(chain) = peer::ancestry(pid) else {
            return;
        };
        let mut known = self.lock();
        // Entries of processes that ended only cost memory.
        let living = |id: &ProcessId| peer::process(id.pid).is_some_and(|p| p.id == *id);
        known.hosts.retain(living);
        let is_host = |p: &Process| p.id.pid > 1 && p.id.pid != self.own;
        let reach = chain.iter().take_while(|p| is_host(p)).count();
        // The program that came in, wrapping shells, and what started those.
        let wrapped = chain.iter().take(reach).skip(1);
        let shells = wrapped.take_while(|p| is_wrapping_shell(p.id.pid)).count();
        let host = (shells + 1).min(reach.saturating_sub(1));
        known
            .hosts
            .extend(chain.iter().take(host + 1).map(|p| p.id));
        if let (Some(host), Some(above)) = (chain.get(host), chain.get(host + 1..)) {
            known.families.note(*host, above);
        }
    }

    /// Whether this process may speak for a person. `terminals` are the shells of the
    /// person's own terminals.
    pub fn check_process(&self, pid: u32, terminals: &[u32]) -> Result<(), Refused> {
        let chain = peer::ancestry(pid).ok_or(Refused::UnknownSpeaker)?;
        let known = self.lock();
        if let Some(host) = chain.iter().find(|p| known.hosts.contains(&p.id)) {
            return Err(agent(pid, host.id.pid));
        }
        let below_us = chain
            .iter()
            .position(|p| p.id.pid == self.own)
            .and_then(|at| at.checked_sub(1))
            .and_then(|at| chain.get(at));
        match below_us {
            Some(child) if terminals.contains(&child.id.pid) => return Ok(()),
            Some(child) => return Err(agent(pid, child.id.pid)),
            None => {}
        }
        match known.families.in_line(&chain) {
            Some(orphan) => Err(Refused::LeftBehind(orphan.id.pid)),
            None => Ok(()),
        }
    }

    /// Whether the process on the other end of a TCP connection may speak for a person.
    ///
    /// Looks at the suspects, not for the speaker: a browser may not let us look into it,
    /// while a suspect that doesn't is refused.
    pub fn check_tcp(
        &self,
        near: SocketAddr,
        far: SocketAddr,
        user: u32,
        terminals: &[u32],
    ) -> Result<(), Refused> {
        let unknown = |_| Refused::UnknownSpeaker;
        // Seen from the other end, its own address comes first.
        let end = peer::tcp_end(far, near)
            .map_err(unknown)?
            .ok_or(Refused::UnknownSpeaker)?;
        if end.user != user {
            return Err(Refused::Agent(format!("user {}", end.user)));
        }
        let all = peer::processes().map_err(unknown)?;
        let (suspects, left) = self.suspects(&all, terminals);
        let mut hidden = None;
        for suspect in &suspects {
            let pid = suspect.id.pid;
            match peer::holds(pid, end.inode) {
                Holds::No => {}
                Holds::Hidden => hidden = hidden.or(Some(pid)),
                Holds::Yes if left.contains(&suspect.id) => return Err(Refused::LeftBehind(pid)),
                Holds::Yes => return Err(agent(pid, pid)),
            }
        }
        let Some(hidden) = hidden else { return Ok(()) };
        // A suspect that shows nothing may hold it; not where somebody else is seen to.
        let numbers: HashSet<ProcessId> = suspects.iter().map(|p| p.id).collect();
        let others = all.iter().filter(|p| !numbers.contains(&p.id));
        let mut holders = others.map(|p| peer::holds(p.id.pid, end.inode));
        if holders.any(|holds| holds == Holds::Yes) {
            return Ok(());
        }
        Err(agent(hidden, hidden))
    }

    /// Processes that must not speak for a person, and which of them a host left behind.
    fn suspects(&self, all: &[Process], terminals: &[u32]) -> (Vec<Process>, HashSet<ProcessId>) {
        let known = self.lock();
        let orphans = known.families.among(all);
        let ours = |p: &Process| p.parent == self.own && !terminals.contains(&p.id.pid);
        // A process that has ended holds nothing and shows nothing.
        let below = |roots: &dyn Fn(&Process) -> bool| {
            let found = peer::descendants(all, |p| !p.ended && roots(p)).into_iter();
            found.filter(|p| !p.ended).collect::<Vec<_>>()
        };
        let left = below(&|p| orphans.contains(&p.id));
        let suspects =
            below(&|p| ours(p) || known.hosts.contains(&p.id) || orphans.contains(&p.id));
        (suspects, left.into_iter().map(|p| p.id).collect())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a process sits at a terminal, in its foreground. An agent's shell tool doesn't.
pub fn at_a_terminal(pid: u32) -> Result<(), Refused> {
    let process = peer::process(pid).ok_or(Refused::UnknownSpeaker)?;
    if process.terminal != 0 && process.foreground == Some(process.group) {
        return Ok(());
    }
    Err(Refused::Agent(format!(
        "process {pid} is not in the foreground of a terminal"
    )))
}

fn agent(pid: u32, below: u32) -> Refused {
    Refused::Agent(format!("process {pid}, below {below}"))
}

/// Whether this is a shell that only runs one line for its parent (`sh -c …`).
fn is_wrapping_shell(pid: u32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else {
        return false;
    };
    let mut words = line.split(|b| *b == 0);
    let program = words.next().unwrap_or_default();
    let name = program.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let shell = matches!(name, b"sh" | b"bash" | b"dash" | b"zsh" | b"fish" | b"ksh");
    shell
        && words
            .next()
            .is_some_and(|word| word.starts_with(b"-") && word.contains(&b'c'))
}
