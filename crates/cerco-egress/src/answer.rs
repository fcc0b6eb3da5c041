//! What the proxy itself says. The reason stands in the status line too, because most
//! tools show nothing else of a refused tunnel.

use std::io::{self, Write};

/// The tunnel is there.
pub(crate) const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// TLS for "access denied": what can still be said where a tunnel was already promised.
pub(crate) const DENIED: &[u8] = &[21, 3, 3, 0, 2, 2, 49];

/// Which kind of no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum No {
    /// It can't be read as a request.
    Bad,
    /// It is not let through.
    Refused,
    /// It may, but the host can't be reached.
    Unreachable,
}

/// Says no and why. Whoever no longer listens does not matter.
pub(crate) fn say(to: &mut impl Write, no: No, why: &str) -> io::Result<()> {
    let code = match no {
        No::Bad => 400,
        No::Refused => 403,
        No::Unreachable => 502,
    };
    let plain = |c: char| if (' '..='~').contains(&c) { c } else { '?' };
    let why: String = why.chars().take(300).map(plain).collect();
    let body = format!("cerco: {why}\n");
    let length = body.len();
    to.write_all(
        format!(
            "HTTP/1.1 {code} Cerco: {why}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .as_bytes(),
    )?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_can_not_end_the_status_line() {
        let mut out = Vec::new();
        say(&mut out, No::Refused, "a\r\nSet-Cookie: b\u{202e}").unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("HTTP/1.1 403 Cerco: a??Set-Cookie: b?\r\nContent-Type"));
    }
}
