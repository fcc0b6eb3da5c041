//! A look as bytes, for another process that has to take it: lengths and texts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::baseline::Was;
use super::{Baseline, Look};
use crate::walk::Stamp;
use crate::ways::People;

/// Another version would read the fields otherwise.
const VERSION: &str = concat!("cerco-look ", env!("CARGO_PKG_VERSION"), " 1");

impl Look {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        out.text(VERSION.as_bytes());
        out.path(&self.own);
        out.paths(&self.skip);
        out.paths(&self.people.settings);
        out.paths(self.people.home.as_slice());
        out.number(self.baseline.0.len());
        for (path, was) in &self.baseline.0 {
            out.path(path);
            match was {
                Was::Text(text) => {
                    out.number(0);
                    out.text(text.as_bytes());
                }
                Was::Stamp(stamp) => {
                    out.number(1);
                    out.stamp(*stamp);
                }
                Was::Folder(files) => {
                    out.number(2);
                    out.number(files.len());
                    for (path, stamp) in files {
                        out.path(path);
                        out.stamp(*stamp);
                    }
                }
            }
        }
        out.0
    }

    /// Nothing when a field is missing, or the bytes are another version's.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Reader(bytes);
        if fields.text()? != VERSION.as_bytes() {
            return None;
        }
        let own = fields.path()?;
        let skip = fields.paths()?;
        let settings = fields.paths()?;
        let home = fields.paths()?.pop();
        let mut baseline = Baseline::default();
        for _ in 0..fields.number()? {
            let path = fields.path()?;
            let was = match fields.number()? {
                0 => Was::Text(String::from_utf8(fields.text()?.to_vec()).ok()?),
                1 => Was::Stamp(fields.stamp()?),
                2 => {
                    let count = fields.number()?;
                    let files = (0..count).map(|_| Some((fields.path()?, fields.stamp()?)));
                    Was::Folder(files.collect::<Option<_>>()?)
                }
                _ => return None,
            };
            baseline.0.insert(path, was);
        }
        Some(Self {
            own,
            skip,
            people: People { settings, home },
            baseline,
        })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: usize) {
        self.0.extend((number as u64).to_le_bytes());
    }
    fn text(&mut self, text: &[u8]) {
        self.number(text.len());
        self.0.extend(text);
    }
    fn path(&mut self, path: &Path) {
        self.text(path.as_os_str().as_bytes());
    }
    fn paths(&mut self, paths: &[PathBuf]) {
        self.number(paths.len());
        for path in paths {
            self.path(path);
        }
    }
    fn stamp(&mut self, stamp: Stamp) {
        for number in stamp.numbers() {
            self.0.extend(number.to_le_bytes());
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }
    fn number(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }
    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
    fn path(&mut self) -> Option<PathBuf> {
        Some(PathBuf::from(OsString::from_vec(
            OsStr::from_bytes(self.text()?).as_bytes().to_vec(),
        )))
    }
    fn paths(&mut self) -> Option<Vec<PathBuf>> {
        (0..self.number()?).map(|_| self.path()).collect()
    }
    fn stamp(&mut self) -> Option<Stamp> {
        let mut numbers = [0; 6];
        for number in &mut numbers {
            *number = self.word()?;
        }
        Some(Stamp::of_numbers(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn look() -> Look {
        let stamp = Stamp::of_numbers([1, 2, 3, 4, u64::MAX, 6]);
        let files = BTreeMap::from([(PathBuf::from("a/b"), stamp)]);
        Look {
            own: "/l".into(),
            skip: vec!["/l/a".into(), "/l/\n".into()],
            people: People {
                settings: vec!["/h/.gitconfig".into()],
                home: Some("/h".into()),
            },
            baseline: Baseline(BTreeMap::from([
                ("/l/.git/config".into(), Was::Text("[core]\n\0".to_owned())),
                ("/l/.git/hooks".into(), Was::Folder(files)),
                ("/l/x".into(), Was::Stamp(stamp)),
            ])),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Look::decode(&look().encode()), Some(look()));
    }

    #[test]
    fn half_of_it_is_none() {
        let bytes = look().encode();
        for end in 0..bytes.len() {
            assert_eq!(Look::decode(&bytes[..end]), None, "cut at {end}");
        }
    }
}
