//! What a run's output and a person's Ctrl-C become in a terminal.

use std::io::{self, Write};
use std::thread;

use cerco_run::{Cancel, Sink, Stream};

use crate::failure::Failure;

/// Passes output on as it comes; with --json it goes into the one object instead.
pub(crate) struct Through {
    is_silent: bool,
    cancel: Cancel,
}

impl Through {
    pub(crate) fn new(is_silent: bool, cancel: Cancel) -> Self {
        Self { is_silent, cancel }
    }
}

impl Sink for Through {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if self.is_silent {
            return;
        }
        let written = match stream {
            Stream::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Stream::Stderr => io::stderr().lock().write_all(bytes),
        };
        if written.is_err() {
            // Nobody reads any more (`| head`): it ends as it would without Cerco.
            self.is_silent = true;
            self.cancel.stop();
        }
    }
}

/// Ctrl-C (or a polite request to end) stops the command, a second one at once.
#[cfg(unix)]
pub(crate) fn cancel_by_signals(cancel: &Cancel) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|e| Failure::own(format!("signals can't be handled: {e}")))?;
    let cancel = cancel.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            if cancel.is_cancelled() {
                cancel.kill();
            } else {
                cancel.stop();
            }
        }
    });
    Ok(())
}
