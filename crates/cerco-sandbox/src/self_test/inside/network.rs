//! Connections out. Only to this computer's own loopback; further away it is the routes
//! that are looked at, so that nothing is ever sent to anybody.

use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use super::{done, refused};
use crate::self_test::ground::Ground;
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "network.loopback",
        what: "servers on this computer can't be reached",
        make: |names| {
            let address = ([127, 0, 0, 1], names.tcp).into();
            let connected = TcpStream::connect_timeout(&address, Duration::from_millis(500));
            refused("connecting", connected)?;
            let socket = done("a datagram socket", UdpSocket::bind(("127.0.0.1", 0)))?;
            // It goes to the sandbox's own loopback, where nobody listens.
            let _ = socket.send_to(b"x", ("127.0.0.1", names.udp));
            Ok(())
        },
        look: Some(Ground::nobody_connected),
    },
    Attempt {
        id: "network.away",
        what: "no other computer can be reached: there is no way to one",
        make: away,
        look: None,
    },
    Attempt {
        id: "network.sockets",
        what: "listening sockets of this computer (Docker, D-Bus, agents) can't be reached",
        make: |names| {
            let by_path = UnixStream::connect(names.project.join("socket"));
            refused("connecting by path", by_path)?;
            let name = SocketAddr::from_abstract_name(names.mark.as_bytes());
            let name = done("an abstract name", name)?;
            refused("connecting by name", UnixStream::connect_addr(&name))
        },
        look: Some(Ground::nobody_at_the_sockets),
    },
];

/// Addresses kept for documents (RFC 5737, RFC 3849). For a datagram socket to connect
/// means to look for a route, and sends nothing.
fn away(_: &Names) -> Found {
    for (own, far) in [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")] {
        // A kernel without one of the two has no way out through it.
        if let Ok(socket) = UdpSocket::bind(own) {
            refused("finding a route", socket.connect(far))?;
        }
    }
    Ok(())
}
