//! The proxy at work: accepts on the socket that came out of the sandbox, and serves each
//! connection on a thread of its own until the run is over.

use std::io::{self, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cerco_sys::poll;

use crate::connection;
use crate::live::Live;
use crate::route::{Internet, Route};

/// Connections at a time. More wait in the kernel's queue: a command that opens many
/// slows down nobody but itself.
const MOST: usize = 64;
/// How often a full proxy looks for a free place.
const PAUSE: Duration = Duration::from_millis(20);
/// A connection's stack in bytes: it holds two buffers and a greeting.
pub(crate) const STACK: usize = 256 << 10;
/// Refusals that are told and kept. A loop that asks for ever must not fill the journal.
const MOST_TOLD: usize = 100;

/// Which hosts are let through, and how they are found.
#[derive(Clone)]
pub struct Egress {
    allowed_hosts: Vec<String>,
    route: Arc<dyn Route>,
}

impl std::fmt::Debug for Egress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Egress({:?})", self.allowed_hosts)
    }
}

/// A request that was not let through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// `host:port`, or what stood there instead.
    pub target: String,
    /// One sentence a person understands.
    pub reason: String,
}

impl Egress {
    /// To package registries, and the hosts that a person allowed besides.
    #[must_use]
    pub fn registries(allowed_hosts: Vec<String>) -> Self {
        Self::by(allowed_hosts, Arc::new(Internet::default()))
    }

    /// The same with other routes.
    #[must_use]
    pub fn by(allowed_hosts: Vec<String>, route: Arc<dyn Route>) -> Self {
        Self {
            allowed_hosts,
            route,
        }
    }

    /// Serves `listener` until `stop` closes; then every connection ends. Refusals are
    /// said to `says`, a line each, and answered.
    pub fn serve(
        &self,
        listener: OwnedFd,
        says: Box<dyn Write + Send>,
        stop: BorrowedFd<'_>,
    ) -> io::Result<Vec<Refused>> {
        let listener = TcpListener::from(listener);
        listener.set_nonblocking(true)?;
        let shared = Arc::new(Shared {
            allowed_hosts: self.allowed_hosts.clone(),
            route: Arc::clone(&self.route),
            live: Live::default(),
            log: Mutex::new(Log {
                says: Some(says),
                refused: Vec::new(),
            }),
        });
        let served = accept_all(&listener, &shared, stop);
        shared.live.end();
        let mut log = shared.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.says = None;
        served.map(|()| std::mem::take(&mut log.refused))
    }
}

/// What all connections of one run have.
pub(crate) struct Shared {
    allowed_hosts: Vec<String>,
    pub(crate) route: Arc<dyn Route>,
    pub(crate) live: Live,
    log: Mutex<Log>,
}

struct Log {
    /// Gone when the run is over.
    says: Option<Box<dyn Write + Send>>,
    refused: Vec<Refused>,
}

impl Shared {
    pub(crate) fn allows(&self, host: &str) -> bool {
        cerco_filter::is_known_host(host, &self.allowed_hosts)
    }

    /// Tells and keeps a refusal, the same one once.
    pub(crate) fn refused(&self, target: &str, reason: &str) {
        let refused = Refused {
            target: target.to_owned(),
            reason: reason.to_owned(),
        };
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.refused.len() >= MOST_TOLD || log.refused.contains(&refused) {
            return;
        }
        if let Some(says) = &mut log.says {
            let line = format!("cerco: {target} was not reached (address): {reason}\n");
            // A run that no longer listens is over.
            let _ = says.write_all(line.as_bytes());
        }
        log.refused.push(refused);
    }
}

fn accept_all(
    listener: &TcpListener,
    shared: &Arc<Shared>,
    stop: BorrowedFd<'_>,
) -> io::Result<()> {
    loop {
        let full = shared.live.connections() >= MOST;
        let ready = if full {
            poll::wait(&[stop], Some(PAUSE))?
        } else {
            poll::wait(&[stop, listener.as_fd()], None)?
        };
        if ready.first().is_some_and(|ready| ready.is_ready()) {
            return Ok(());
        }
        if full {
            continue;
        }
        let Ok((client, _)) = listener.accept() else {
            // Gone again before it was looked at, or no descriptor free just now.
            thread::sleep(PAUSE);
            continue;
        };
        let theirs = Arc::clone(shared);
        let started = thread::Builder::new()
            .name("egress".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                let _counted = theirs.live.count();
                connection::serve(client, &theirs);
            });
        // No thread to be had: the client sees its connection close.
        if started.is_err() {
            thread::sleep(PAUSE);
        }
    }
}
