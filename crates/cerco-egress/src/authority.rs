//! `host:port`, strictly: a name in plain letters. What could mean something else to
//! somebody else (addresses in any spelling, user names, escapes, other letters) is none.

/// The longest name of the name service, in bytes.
const LONGEST: usize = 253;

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Authority {
    /// Lower case, no dot at the end.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Authority {
    /// Reads `host:port`; the port may be left out where `usual` says which it then is.
    pub(crate) fn read(text: &str, usual: Option<u16>) -> Option<Self> {
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, number(port)?),
            None => (text, usual?),
        };
        Some(Self {
            host: name(host)?,
            port,
        })
    }
}

fn number(text: &str) -> Option<u16> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// A host's name in lower case, where it is one.
pub(crate) fn name(text: &str) -> Option<String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    // Resolvers take `1.2.3.4`, `127.1` and `0x7f.1` for addresses, and a public name ends in letters.
    let is_name = last.starts_with(|c: char| c.is_ascii_alphabetic());
    let fits = text.len() <= LONGEST && text.split('.').all(label) && is_name;
    fits.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_port_are_read() {
        for (text, expected) in [
            ("a.example:443", Some(("a.example", 443))),
            ("A.Example.:80", Some(("a.example", 80))),
            ("a.example", Some(("a.example", 80))),
            ("localhost:443", Some(("localhost", 443))),
            ("", None),
            (":443", None),
            ("a.example:", None),
            ("a.example:+443", None),
            ("a.example:65536", None),
            ("a.example:443:443", None),
            ("u@a.example:443", None),
            ("a..example:443", None),
            ("a.example%00:443", None),
            ("a_b.example:443", None),
            ("127.0.0.1:443", None),
            ("127.1:443", None),
            ("0x7f.1:443", None),
            ("2130706433:443", None),
            ("[::1]:443", None),
            ("::1", None),
            ("ex\u{430}mple.com:443", None),
            ("a example:443", None),
        ] {
            let read = Authority::read(text, Some(80));
            let read = read.as_ref().map(|a| (a.host.as_str(), a.port));
            assert_eq!(read, expected, "{text}");
        }
        assert_eq!(Authority::read("a.example", None), None);
        assert_eq!(name(&format!("{}.example", "a.".repeat(200))), None);
    }
}
