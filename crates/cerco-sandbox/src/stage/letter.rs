//! What the launcher tells the inner stage, as bytes in a sealed, unnamed file: fields
//! ended by NUL bytes, which no path and no argument can contain.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::facts::Identity;
use crate::plan::{Expected, Proof};
use crate::request::Limits;

/// Another version of Cerco at the same path (an upgrade while this one runs) would read
/// the fields otherwise.
const VERSION: &str = concat!("cerco-stage ", env!("CARGO_PKG_VERSION"), " 3");

/// Everything the stage needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) limits: Option<Limits>,
    /// Whether anything is proved before the command starts. Always, but in tests.
    pub(crate) proves: bool,
    /// Whether only [`Self::writable`] can be opened for writing. Always, but in tests.
    pub(crate) fences: bool,
    pub(crate) proofs: Vec<Proof>,
    /// Mounts that may take writes.
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) command: Vec<OsString>,
}

impl Letter {
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut out = Writer(Vec::new());
        out.text(VERSION.as_bytes())?;
        match self.limits {
            None => out.number(0)?,
            Some(limits) => {
                out.number(1)?;
                out.number(limits.processes)?;
                out.number(limits.open_files)?;
                out.number(limits.file_bytes)?;
                out.number(limits.memory_bytes)?;
            }
        }
        out.number(u64::from(self.proves))?;
        out.number(u64::from(self.fences))?;
        out.number(u64::try_from(self.proofs.len()).ok()?)?;
        for proof in &self.proofs {
            out.number(match proof.expected {
                Expected::Writable => 0,
                Expected::ReadOnly => 1,
                Expected::Hidden => 2,
            })?;
            out.number(proof.identity.device)?;
            out.number(proof.identity.inode)?;
            out.text(proof.path.as_os_str().as_bytes())?;
        }
        out.number(u64::try_from(self.writable.len()).ok()?)?;
        for path in &self.writable {
            out.text(path.as_os_str().as_bytes())?;
        }
        out.number(u64::try_from(self.command.len()).ok()?)?;
        for word in &self.command {
            out.text(word.as_bytes())?;
        }
        Some(out.0)
    }

    /// Nothing when a field is missing, or the letter is another version's.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Reader(bytes);
        if fields.text()? != VERSION.as_bytes() {
            return None;
        }
        let limits = match fields.number()? {
            0 => None,
            _ => Some(Limits {
                processes: fields.number()?,
                open_files: fields.number()?,
                file_bytes: fields.number()?,
                memory_bytes: fields.number()?,
                scratch_bytes: 0,
            }),
        };
        let proves = fields.number()? != 0;
        let fences = fields.number()? != 0;
        let mut proofs = Vec::new();
        for _ in 0..fields.number()? {
            proofs.push(Proof {
                expected: match fields.number()? {
                    0 => Expected::Writable,
                    1 => Expected::ReadOnly,
                    2 => Expected::Hidden,
                    _ => return None,
                },
                identity: Identity {
                    device: fields.number()?,
                    inode: fields.number()?,
                },
                path: PathBuf::from(OsStr::from_bytes(fields.text()?)),
            });
        }
        let mut writable = Vec::new();
        for _ in 0..fields.number()? {
            writable.push(PathBuf::from(OsStr::from_bytes(fields.text()?)));
        }
        let mut command = Vec::new();
        for _ in 0..fields.number()? {
            command.push(OsString::from_vec(fields.text()?.to_vec()));
        }
        Some(Self {
            limits,
            proves,
            fences,
            proofs,
            writable,
            command,
        })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn text(&mut self, text: &[u8]) -> Option<()> {
        if text.contains(&0) {
            return None;
        }
        self.0.extend(text);
        self.0.push(0);
        Some(())
    }
    fn number(&mut self, number: u64) -> Option<()> {
        self.text(number.to_string().as_bytes())
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|b| *b == 0)?;
        let (text, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.get(1..)?;
        Some(text)
    }
    fn number(&mut self) -> Option<u64> {
        std::str::from_utf8(self.text()?).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter() -> Letter {
        Letter {
            limits: Some(Limits {
                scratch_bytes: 0,
                ..Limits::default()
            }),
            proves: true,
            fences: true,
            proofs: vec![Proof {
                path: PathBuf::from("/a b\n\u{e9}"),
                identity: Identity {
                    device: 1,
                    inode: u64::MAX,
                },
                expected: Expected::Hidden,
            }],
            writable: vec![PathBuf::from("/w")],
            command: vec!["true".into(), OsString::from_vec(vec![0xff]), "".into()],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = letter().encode().unwrap();
        assert_eq!(Letter::decode(&bytes), Some(letter()));
    }

    #[test]
    fn half_a_letter_is_none() {
        let bytes = letter().encode().unwrap();
        for end in 0..bytes.len() {
            assert_eq!(Letter::decode(&bytes[..end]), None, "cut at {end}");
        }
    }

    #[test]
    fn a_nul_byte_can_not_make_two_fields_of_one() {
        let mut letter = letter();
        letter.command.push(OsString::from_vec(b"a\0b".to_vec()));
        assert_eq!(letter.encode(), None);
    }
}
