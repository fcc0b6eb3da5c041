//! The way to registries, as far as it lies inside: a socket that listens on the sandbox's
//! own loopback, and is handed out. Who accepts on it is outside; inside nothing is left
//! but the port.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::request::PROXY_PORT;

/// Said with the listening socket.
const HELLO: &[u8] = b"proxy";

/// Opens the port and sends its socket over `socket`. Whatever fails: the command must not
/// start, its programs would wait for nobody.
pub(super) fn open(socket: BorrowedFd<'_>) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    cerco_sys::channel::send(socket, HELLO, &[listener.as_raw_fd()])
}
