//! The first message of TLS, as far as it says whom the client means (RFC 8446 §4.1.2, RFC
//! 6066 §3). A tunnel was asked for one host; whoever is greeted must be that host. Pure.

/// The longest greeting that is read, in bytes; keys for quantum computers take two thousand.
const LONGEST: usize = 64 << 10;

/// What the bytes so far say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// Not enough yet.
    More,
    /// It names this host.
    For(String),
    /// It is complete and names none.
    Nobody,
    /// It is no TLS.
    Other,
}

/// Reads the beginning of what a client sends.
pub(crate) fn read(bytes: &[u8]) -> Greeting {
    if bytes.len() > LONGEST {
        return Greeting::Other;
    }
    match message(bytes) {
        Gathered::All(message) => match host(&message) {
            Some(Some(name)) => Greeting::For(name),
            Some(None) => Greeting::Nobody,
            None => Greeting::Other,
        },
        Gathered::Part => Greeting::More,
        Gathered::Not => Greeting::Other,
    }
}

enum Gathered {
    All(Vec<u8>),
    Part,
    Not,
}

/// The first handshake message, out of one record or more: a client may cut it anywhere.
fn message(bytes: &[u8]) -> Gathered {
    const HANDSHAKE: u8 = 22;
    const CLIENT_HELLO: u8 = 1;
    let mut rest = bytes;
    let mut all: Vec<u8> = Vec::new();
    loop {
        if all.first().is_some_and(|kind| *kind != CLIENT_HELLO) {
            return Gathered::Not;
        }
        if let [_, a, b, c, body @ ..] = all.as_slice() {
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            if length > LONGEST {
                return Gathered::Not;
            }
            if let Some(body) = body.get(..length) {
                return Gathered::All(body.to_vec());
            }
        }
        match rest {
            [HANDSHAKE, 3, _, high, low, after @ ..] => {
                let length = usize::from(*high) << 8 | usize::from(*low);
                // Empty ones would be a way to never end.
                if length == 0 || length > 16 << 10 {
                    return Gathered::Not;
                }
                let (fragment, next) = after
                    .split_at_checked(length)
                    .unwrap_or((after, Default::default()));
                all.extend(fragment);
                rest = next;
            }
            [] | [HANDSHAKE] | [HANDSHAKE, 3] | [HANDSHAKE, 3, _] | [HANDSHAKE, 3, _, _] => {
                return Gathered::Part;
            }
            _ => return Gathered::Not,
        }
    }
}

/// The host that a whole greeting names; nothing where it can't be read.
#[expect(
    clippy::option_option,
    reason = "unreadable and nameless are two things"
)]
fn host(message: &[u8]) -> Option<Option<String>> {
    const SERVER_NAME: u16 = 0;
    let mut from = Reader(message);
    from.take(2 + 32)?;
    from.list(1)?;
    from.list(2)?;
    from.list(1)?;
    if from.0.is_empty() {
        return Some(None);
    }
    let mut extensions = Reader(from.list(2)?);
    let mut found = None;
    while !extensions.0.is_empty() {
        let kind = extensions.number()?;
        let body = extensions.list(2)?;
        if kind != SERVER_NAME {
            continue;
        }
        // Twice, and two readers could take different ones.
        if found.is_some() {
            return None;
        }
        let mut body = Reader(body);
        let mut names = Reader(body.list(2)?);
        let kind = names.take(1)?;
        let name = names.list(2)?;
        if kind != [0] || !names.0.is_empty() || !body.0.is_empty() {
            return None;
        }
        found = Some(crate::authority::name(std::str::from_utf8(name).ok()?)?);
    }
    from.0.is_empty().then_some(found)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// A list with its length before it, in `width` bytes.
    fn list(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.take(width)?;
        let length = length.iter().fold(0, |sum, b| sum << 8 | usize::from(*b));
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sized(width: usize, body: &[u8]) -> Vec<u8> {
        let length = body.len().to_be_bytes();
        [&length[length.len() - width..], body].concat()
    }

    fn extension(kind: u16, body: &[u8]) -> Vec<u8> {
        [&kind.to_be_bytes()[..], &sized(2, body)].concat()
    }

    fn name(host: &str) -> Vec<u8> {
        let entry = [&[0][..], &sized(2, host.as_bytes())].concat();
        extension(0, &sized(2, &entry))
    }

    fn hello(extensions: &[u8]) -> Vec<u8> {
        let body = [
            &[3, 3][..],
            &[7; 32],
            &sized(1, &[]),
            &sized(2, &[0x13, 1]),
            &sized(1, &[0]),
            &sized(2, extensions),
        ]
        .concat();
        [&[1][..], &sized(3, &body)].concat()
    }

    /// In records of at most `size` bytes.
    fn records(message: &[u8], size: usize) -> Vec<u8> {
        let record = |part: &[u8]| [&[22, 3, 1][..], &sized(2, part)].concat();
        message.chunks(size).flat_map(record).collect()
    }

    #[test]
    fn the_host_is_found_however_it_is_cut() {
        let extensions = [
            extension(10, &[0, 2, 0, 29]),
            name("A.Example"),
            extension(0xfe0d, &[1; 40]),
        ];
        let message = hello(&extensions.concat());
        for size in [1, 3, 5, 100, 16_000] {
            let bytes = records(&message, size);
            for end in 0..bytes.len() {
                assert_eq!(read(&bytes[..end]), Greeting::More, "{size} {end}");
            }
            let expected = Greeting::For("a.example".to_owned());
            assert_eq!(read(&bytes), expected, "{size}");
            assert_eq!(
                read(&[bytes, b"more".to_vec()].concat()),
                expected,
                "{size}"
            );
        }
    }

    #[test]
    fn what_names_nobody_or_is_no_greeting_is_told_apart() {
        let whole = |extensions: &[u8]| read(&records(&hello(extensions), 16_000));
        assert_eq!(whole(&[]), Greeting::Nobody);
        assert_eq!(whole(&extension(10, &[0, 2, 0, 29])), Greeting::Nobody);
        assert_eq!(
            whole(&[name("a.example"), name("b.example")].concat()),
            Greeting::Other
        );
        assert_eq!(whole(&name("127.0.0.1")), Greeting::Other);
        assert_eq!(whole(&name("a.example\0")), Greeting::Other);
        assert_eq!(whole(&extension(0, &[])), Greeting::Other);
        assert_eq!(whole(&[1, 2, 3]), Greeting::Other);
        for bytes in [
            &b"SSH-2.0-OpenSSH\r\n"[..],
            b"GET / HTTP/1.1\r\n",
            &[22, 3, 1, 0, 0],
            &[22, 2, 1],
            &[22, 3, 1, 0xff, 0xff, 1],
            &[22, 3, 1, 0, 1, 2],
            &[0],
        ] {
            assert_eq!(read(bytes), Greeting::Other, "{bytes:?}");
        }
        assert_eq!(read(&vec![22; LONGEST + 1]), Greeting::Other);
    }
}
