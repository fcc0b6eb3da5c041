//! The hook as a process: its input is bounded, its time is its own, and a panic blocks.
//! A host whose clock runs out first lets the command run, so ours is shorter.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::{Answer, Host, Judge, Options, answer, reply};

/// The longest input of a host, in bytes; a command is at most 1 MiB.
pub const MAX_INPUT: u64 = 8 << 20;

/// Reads the host's input, answers within `time`, and blocks on any trouble. The caller
/// writes the answer out and ends the process with its exit code, which also ends the
/// thread that may still be waiting for a person.
pub fn serve(
    host: Host,
    input: impl Read + Send + 'static,
    options: Options,
    judge: Arc<dyn Judge>,
    time: Duration,
) -> Answer {
    let (sender, receiver) = channel();
    let worker = std::thread::Builder::new()
        .name("hook".into())
        .spawn(move || {
            let mut bytes = Vec::new();
            let answer = match input.take(MAX_INPUT + 1).read_to_end(&mut bytes) {
                Err(e) => {
                    reply::failure(host, None, &format!("the host's input can't be read: {e}"))
                }
                Ok(_) if bytes.len() as u64 > MAX_INPUT => {
                    reply::failure(host, None, "the host's input is too long")
                }
                Ok(_) => answer(host, &bytes, &options, &*judge),
            };
            // The receiver is gone when our time was up: that answer was given already.
            let _ = sender.send(answer);
        });
    if let Err(e) = worker {
        return reply::failure(host, None, &format!("no thread could be started: {e}"));
    }
    match receiver.recv_timeout(time) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => reply::failure(host, None, "nobody answered in time"),
        // The worker panicked; its message is on standard error already.
        Err(RecvTimeoutError::Disconnected) => reply::failure(host, None, "an error inside Cerco"),
    }
}
