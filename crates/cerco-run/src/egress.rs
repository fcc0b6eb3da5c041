//! The proxy of a run: receives the socket that its sandbox opened inside, and answers on
//! it until the run is over.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};

use cerco_egress::{Egress, Refused};
use cerco_sys::{channel, poll};

/// Answers on what comes through `socket`, until `stop` closes. What was refused.
pub(crate) fn answer(
    egress: &Egress,
    socket: &OwnedFd,
    says: PipeWriter,
    stop: &PipeReader,
) -> io::Result<Vec<Refused>> {
    let ready = poll::wait(&[socket.as_fd(), stop.as_fd()], None)?;
    if !ready.first().is_some_and(|ready| ready.is_ready()) {
        return Ok(Vec::new());
    }
    let got = channel::receive(socket.as_fd(), &mut [0; 16])?;
    // Nothing comes where the sandbox could not be made; who tells of that is its launcher.
    let Some(listener) = got.descriptors.into_iter().next() else {
        return Ok(Vec::new());
    };
    egress.serve(listener, Box::new(says), stop.as_fd())
}
