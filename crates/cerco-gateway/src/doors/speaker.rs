//! Who is speaking (UX.md §9 C): whether the process on the other end of a connection
//! descends from a command that we started or from a host that came in by the agents' door.
//!
//! The gateway adopts orphans, so a command that forks twice, calls `setsid` and empties
//! its environment still descends from it. Everything below the gateway is suspect but the
//! person's own terminals, and below those too whatever descends from a host.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use cerco_sys::peer::{self, Holds, Process, ProcessId};

use super::Refused;

/// What is known of processes that must not speak for a person.
#[derive(Debug)]
pub struct Speakers {
    own: u32,
    hosts: Mutex<HashSet<ProcessId>>,
}

impl Speakers {
    /// Nobody is known yet. `own` is the gateway's process.
    #[must_use]
    pub fn new(own: u32) -> Self {
        Self {
            own,
            hosts: Mutex::default(),
        }
    }

    /// A program came in by the agents' door as a hook or MCP server: what started it is a
    /// host. A shell in between (`sh -c "cerco hook …"`) is skipped.
    pub fn note_host(&self, pid: u32) {
        let Some(chain) = peer::ancestry(pid) else {
            return;
        };
        let mut hosts = self.lock();
        // Entries of processes that ended only cost memory.
        hosts.retain(|id| peer::process(id.pid).is_some_and(|p| p.id == *id));
        hosts.extend(chain.first().map(|p| p.id));
        for ancestor in chain.iter().skip(1) {
            if ancestor.id.pid <= 1 || ancestor.id.pid == self.own {
                return;
            }
            hosts.insert(ancestor.id);
            if !is_wrapping_shell(ancestor.id.pid) {
                return;
            }
        }
    }

    /// Whether this process may speak for a person. `terminals` are the shells of the
    /// person's own terminals.
    pub fn check_process(&self, pid: u32, terminals: &[u32]) -> Result<(), Refused> {
        let chain = peer::ancestry(pid).ok_or(Refused::UnknownSpeaker)?;
        let hosts = self.lock();
        if let Some(host) = chain.iter().find(|p| hosts.contains(&p.id)) {
            return Err(agent(pid, host.id.pid));
        }
        let below_us = chain
            .iter()
            .position(|p| p.id.pid == self.own)
            .and_then(|at| at.checked_sub(1))
            .and_then(|at| chain.get(at));
        match below_us {
            Some(child) if !terminals.contains(&child.id.pid) => Err(agent(pid, child.id.pid)),
            _ => Ok(()),
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
        for suspect in self.suspects(&all, terminals) {
            match peer::holds(suspect.id.pid, end.inode) {
                Holds::No => {}
                Holds::Yes | Holds::Hidden => return Err(agent(suspect.id.pid, suspect.id.pid)),
            }
        }
        Ok(())
    }

    fn suspects(&self, all: &[Process], terminals: &[u32]) -> Vec<Process> {
        let hosts = self.lock();
        peer::descendants(all, |p| {
            let ours = p.parent == self.own && !terminals.contains(&p.id.pid);
            // A process that has ended holds nothing and shows nothing.
            !p.ended && (ours || hosts.contains(&p.id))
        })
        .into_iter()
        .filter(|p| !p.ended)
        .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<ProcessId>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
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
