//! The head of a request to the proxy, read so strictly that nobody behind it can read it
//! otherwise: plain characters, CRLF ends, no folded lines, no body, one `Host` at most and
//! that of the target. Pure.

use crate::authority::Authority;

/// The longest head, in bytes.
pub(crate) const LONGEST: usize = 16 << 10;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// A tunnel.
    Tunnel(Authority),
    /// One plain request: what is to be sent to the host, complete.
    Plain { to: Authority, send: Vec<u8> },
}

/// Why a head is not one that is answered; a sentence's end, after "the request".
pub(crate) type Wrong = &'static str;

/// Where the head in `bytes` ends, once it is there.
pub(crate) fn end(bytes: &[u8]) -> Option<usize> {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(at + 4)
}

/// Reads a head, which ends with an empty line.
pub(crate) fn read(head: &[u8]) -> Result<Request, Wrong> {
    let text = head
        .strip_suffix(b"\r\n\r\n")
        .and_then(|head| std::str::from_utf8(head).ok())
        .ok_or("is not text")?;
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let plain = |line: &str| {
        line.bytes()
            .all(|b| b == b'\t' || (b' '..=b'~').contains(&b))
    };
    let mut headers = Vec::new();
    for line in lines {
        headers.push(
            header(line)
                .filter(|_| plain(line))
                .ok_or("has a line that can be read in two ways")?,
        );
    }
    let words: Vec<&str> = first.split(' ').collect();
    let &[method, target, "HTTP/1.1" | "HTTP/1.0"] = words.as_slice() else {
        return Err("does not begin with a method, a target and HTTP/1.1");
    };
    if !plain(first) {
        return Err("has characters that can be read in two ways");
    }
    no_body(&headers)?;
    if method == "CONNECT" {
        let to = Authority::read(target, None).ok_or("names no host and port")?;
        same_host(&headers, &to, 443)?;
        return Ok(Request::Tunnel(to));
    }
    if method != "GET" && method != "HEAD" {
        return Err("is neither GET nor HEAD, and others are only carried in a tunnel (https)");
    }
    let rest = target
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("http://"))
        .and_then(|_| target.get(7..))
        .ok_or("is not for http://…, and https needs CONNECT")?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(at).unwrap_or((rest, ""));
    if path.contains('#') {
        return Err("has a fragment");
    }
    let to = Authority::read(authority, Some(80)).ok_or("names no host")?;
    same_host(&headers, &to, 80)?;
    Ok(Request::Plain {
        send: written(method, path, &to, &headers),
        to,
    })
}

type Header<'a> = (&'a str, &'a str);

fn header(line: &str) -> Option<Header<'_>> {
    let (name, value) = line.split_once(':')?;
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    (!name.is_empty() && name.bytes().all(token)).then(|| (name, value.trim_matches([' ', '\t'])))
}

fn is(header: &Header<'_>, name: &str) -> bool {
    header.0.eq_ignore_ascii_case(name)
}

/// Where no request has a body, none can hide a second request in one.
fn no_body(headers: &[Header<'_>]) -> Result<(), Wrong> {
    for header in headers {
        let empty = is(header, "content-length") && header.1 == "0";
        if is(header, "transfer-encoding") || (is(header, "content-length") && !empty) {
            return Err("has a body, which is only carried in a tunnel (https)");
        }
    }
    Ok(())
}

/// A `Host` that differs from the target would have the server answer for somebody else.
fn same_host(headers: &[Header<'_>], to: &Authority, usual: u16) -> Result<(), Wrong> {
    let mut hosts = headers.iter().filter(|header| is(header, "host"));
    let Some(host) = hosts.next() else {
        return Ok(());
    };
    let same = Authority::read(host.1, Some(usual)).is_some_and(|host| host.host == to.host);
    if !same || hosts.next().is_some() {
        return Err("has a Host that is not its target's");
    }
    Ok(())
}

/// Headers that are between the client and the proxy, or speak of a body.
const NOT_PASSED_ON: &[&str] = &[
    "host",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "expect",
];

fn written(method: &str, path: &str, to: &Authority, headers: &[Header<'_>]) -> Vec<u8> {
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut out = format!("{method} {slash}{path} HTTP/1.1\r\nHost: {}\r\n", to.host);
    let own: Vec<&str> = headers
        .iter()
        .filter(|header| is(header, "connection"))
        .flat_map(|header| header.1.split(','))
        .map(str::trim)
        .collect();
    for (name, value) in headers {
        let stays = NOT_PASSED_ON
            .iter()
            .chain(&own)
            .any(|own| own.eq_ignore_ascii_case(name))
            || name.to_ascii_lowercase().starts_with("proxy-");
        if !stays {
            out.push_str(name);
            out.push_str(": ");
            out.push_str(value);
            out.push_str("\r\n");
        }
    }
    out.push_str("Connection: close\r\n\r\n");
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(host: &str, port: u16) -> Authority {
        Authority {
            host: host.to_owned(),
            port,
        }
    }

    #[test]
    fn a_tunnel_and_a_plain_request_are_read() {
        let tunnel = b"CONNECT a.example:443 HTTP/1.1\r\nHost: A.example:443\r\nProxy-Connection: keep-alive\r\n\r\n";
        assert_eq!(read(tunnel), Ok(Request::Tunnel(to("a.example", 443))));
        let plain = b"GET http://A.example/x?y HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nConnection: X-Own\r\nX-Own: 1\r\nProxy-Authorization: x\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n";
        let send =
            b"GET /x?y HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        assert_eq!(
            read(plain),
            Ok(Request::Plain {
                to: to("a.example", 80),
                send: send.to_vec()
            })
        );
        let Ok(Request::Plain { send, .. }) = read(b"HEAD HTTP://a.example?q HTTP/1.0\r\n\r\n")
        else {
            panic!("not read");
        };
        assert!(send.starts_with(b"HEAD /?q HTTP/1.1\r\nHost: a.example\r\n"));
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_not_read() {
        for head in [
            "",
            "CONNECT a.example HTTP/1.1",
            "CONNECT a.example:443 HTTP/2.0",
            "CONNECT  a.example:443 HTTP/1.1",
            "CONNECT u@a.example:443 HTTP/1.1",
            "CONNECT a.example:443 HTTP/1.1\r\nHost: b.example:443",
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\nHost: a.example",
            "CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 5",
            "GET /x HTTP/1.1\r\nHost: a.example",
            "GET https://a.example/ HTTP/1.1",
            "GET ftp://a.example/ HTTP/1.1",
            "GET http://a.example@b.example/ HTTP/1.1",
            "GET http://a.example\\@b.example/ HTTP/1.1",
            "GET http://a.example/#f HTTP/1.1",
            "GET http://a.example/ HTTP/1.1\r\nHost: b.example",
            "GET http://a.example/ HTTP/1.1\r\nContent-Length: 1",
            "GET http://a.example/ HTTP/1.1\r\nContent-Length: +0",
            "GET http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked",
            "GET http://a.example/ HTTP/1.1\r\ntransfer-encoding: x",
            "GET http://a.example/ HTTP/1.1\r\nTransfer-Encoding : chunked",
            "GET http://a.example/ HTTP/1.1\r\nA: b\r\n c",
            "GET http://a.example/ HTTP/1.1\r\nA: b\nHost: c.example",
            "GET http://a.example/ HTTP/1.1\r\nA: b\rHost: c.example",
            "GET http://a.example/ HTTP/1.1\r\nA: b\0",
            "GET http://a.example/ HTTP/1.1\r\n: b",
            "GET http://a.example/ HTTP/1.1\r\nNo colon",
            "GET http://a.example/\tx HTTP/1.1 x",
            "POST http://a.example/ HTTP/1.1",
            "OPTIONS * HTTP/1.1",
        ] {
            let bytes = format!("{head}\r\n\r\n");
            assert!(read(bytes.as_bytes()).is_err(), "{head:?}");
        }
        assert!(read(b"GET http://a.example/ HTTP/1.1\r\nA: \xff\r\n\r\n").is_err());
        assert!(read(b"GET http://a.example/ HTTP/1.1\r\n").is_err());
    }

    #[test]
    fn the_end_is_the_first_empty_line() {
        assert_eq!(end(b"a\r\n\r\nb"), Some(5));
        assert_eq!(end(b"a\r\n\r"), None);
        assert_eq!(end(b"a\n\nb"), None);
    }
}
