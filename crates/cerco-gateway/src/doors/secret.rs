//! Codes, cookies and page keys: 256 bits from the kernel, compared in constant time.

use std::fmt;

use subtle::ConstantTimeEq;

/// A secret in hexadecimal. It never shows itself in a log.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A new one. Fails only where the kernel gives no random bytes.
    pub fn random() -> Result<Self, getrandom::Error> {
        use std::fmt::Write as _;
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let mut text = String::with_capacity(64);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// Its text, to hand to the one it is for.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `text` is it. How long this takes says nothing about where they differ.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_itself_and_nothing_else() {
        let one = Secret::random().unwrap();
        let text = one.reveal().to_owned();
        assert_eq!(text.len(), 64);
        assert!(one.is(&text));
        for other in [
            "",
            "0",
            text.get(1..).unwrap(),
            &format!("{text}0"),
            &text.to_uppercase(),
        ] {
            assert!(!one.is(other) || other == text, "{other}");
        }
        assert!(!one.is(Secret::random().unwrap().reveal()));
        assert_eq!(format!("{one:?}"), "Secret(…)");
    }
}
