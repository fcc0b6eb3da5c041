//! Output as it may be kept: every byte of a secret is a star, so that lengths and places
//! stay those of what the command wrote.

use super::scan::{Out, Scanner};

/// One stream of a command, blackened as it comes.
#[derive(Debug, Default)]
pub(crate) struct Blackout {
    scanner: Scanner,
    stars: Stars,
}

#[derive(Debug, Default)]
struct Stars {
    kept: Vec<u8>,
    secrets: usize,
}

impl Out for Stars {
    fn plain(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
    }

    fn secret(&mut self, bytes: &[u8]) {
        self.kept.resize(self.kept.len() + bytes.len(), b'*');
        self.secrets += 1;
    }
}

impl Blackout {
    /// The next bytes of the stream: what of it may be kept by now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> &[u8] {
        self.stars.kept.clear();
        self.scanner.feed(bytes, &mut self.stars);
        &self.stars.kept
    }

    /// The stream is over: what was held back.
    pub(crate) fn finish(&mut self) -> &[u8] {
        self.stars.kept.clear();
        self.scanner.finish(&mut self.stars);
        &self.stars.kept
    }

    /// How many secrets there were so far; a very long one may count more than once.
    pub(crate) fn secrets(&self) -> usize {
        self.stars.secrets
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn blackened(pieces: &[&[u8]]) -> Vec<u8> {
        let mut stream = Blackout::default();
        let mut all = Vec::new();
        for piece in pieces {
            all.extend_from_slice(stream.feed(piece));
        }
        all.extend_from_slice(stream.finish());
        all
    }

    const TEXT: &[u8] = b"one API_KEY=abc\xff {\"token\":\"a b\"}\nAuthorization: Bearer abc.def\n\
        https://u:pw@h/x ghp_0123456789012345678901234567890123\r\n\
        -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nend";

    #[test]
    fn wherever_it_is_cut_the_same_is_hidden() {
        let whole = blackened(&[TEXT]);
        assert_eq!(whole.len(), TEXT.len());
        let shown = String::from_utf8_lossy(&whole).into_owned();
        for secret in ["abc", "a b", "pw@", "ghp_", "MIIE"] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
        for plain in [
            "one API_KEY=",
            "u:**@h/x",
            "PRIVATE KEY-----\n****\n",
            "\nend",
        ] {
            assert!(shown.contains(plain), "{plain}: {shown}");
        }
        for at in 0..TEXT.len() {
            let (first, second) = TEXT.split_at(at);
            assert_eq!(blackened(&[first, second]), whole, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = TEXT.chunks(1).collect();
        assert_eq!(blackened(&bytes), whole);
    }

    #[test]
    fn long_words_are_not_held_back_and_hide_nothing_behind_them() {
        let long = "x".repeat(100_000);
        for (text, secret) in [
            (format!("{long} API_KEY=hush end"), "hush"),
            (format!("{long},API_KEY=hush end"), "hush"),
            (format!("API_KEY={long} end"), "xx"),
            (format!("--token {long} end"), "xx"),
            (format!("KEY='{long} end"), "xx"),
        ] {
            let mut stream = Blackout::default();
            let mut kept = 0;
            let mut all = Vec::new();
            for piece in text.as_bytes().chunks(1000) {
                all.extend_from_slice(stream.feed(piece));
                kept += piece.len();
                assert!(
                    kept - all.len() < 10_000,
                    "{} are held back",
                    kept - all.len()
                );
            }
            all.extend_from_slice(stream.finish());
            let all = String::from_utf8(all).unwrap();
            assert_eq!(all.len(), text.len());
            assert!(!all.contains(secret) && all.ends_with(" end"), "{secret}");
        }
    }

    /// 2 MiB of anything, in the pieces that pipes give: a flood must not wait for us. In a
    /// release build each takes some milliseconds.
    #[test]
    fn no_flood_is_slow() {
        for text in [
            "\0", "x", "=", ":", "-", "'", "a=", "x ", "ghp_", "://@", "key: v ",
        ] {
            let piece = text.repeat(64 * 1024 / text.len());
            let mut stream = Blackout::default();
            let started = std::time::Instant::now();
            for _ in 0..32 {
                stream.feed(piece.as_bytes());
            }
            let time = started.elapsed();
            println!("2 MiB of {text:?}: {time:?}");
            assert!(
                time < std::time::Duration::from_secs(20),
                "{text:?}: {time:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn cuts_never_change_what_is_kept(
            text in "(API_KEY|token|--key|x|'|\"|=|:| |\n|://|@|-|-----BEGIN|PRIVATE|KEY-----|MII){0,30}",
            cuts in proptest::collection::vec(1usize..5, 0..40),
        ) {
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            let whole = blackened(&[text.as_bytes()]);
            prop_assert_eq!(whole.len(), text.len());
            prop_assert_eq!(blackened(&pieces), whole);
        }
    }
}
