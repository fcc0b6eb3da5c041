//! Read a file, in pieces where it is long.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use serde::Serialize;

use crate::census::all_inside;
use crate::handle::{Meta, Type};
use crate::limits::Deadline;
use crate::walk::{Spot, Want, swapped, system};
use crate::{FileError, LoopFiles, RelPath};

/// How far into a file a NUL byte makes it binary: where git looks, too.
const BINARY_PROBE: usize = 8000;

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// At this line, from 1.
    Line(u64),
    /// At this byte, from 0.
    Byte(u64),
}

/// A piece of a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Text {
    /// The text; bytes that are not UTF-8 are shown as U+FFFD.
    pub text: String,
    /// Whether bytes were replaced in `text`.
    pub replaced: bool,
    /// The byte at which the piece begins.
    pub start: u64,
    /// The line at which it begins, where it was asked for by line.
    pub line: Option<u64>,
    /// Where to read on; nothing at the end of the file.
    pub next_byte: Option<u64>,
    /// The line to read on at, where the piece ends at a line's end and was asked for by line.
    pub next_line: Option<u64>,
    /// The whole file's size in bytes.
    pub size: u64,
}

impl LoopFiles {
    /// Reads text from a file: at most `lines` lines (all, when nothing is said) and at
    /// most [`crate::Limits::read_bytes`] bytes.
    pub fn read(&self, path: &RelPath, from: From, lines: Option<u64>) -> Result<Text, FileError> {
        let deadline = Deadline::after(self.bounds.limits.time);
        let (file, meta) = self.open_for_reading(path, deadline)?;
        let mut reader = BufReader::new(file);
        probe(&mut reader, path, &meta)?;
        let (start, line) = match from {
            From::Byte(at) => (at, None),
            From::Line(line) => {
                let at = self.find_line(&mut reader, path, line, deadline)?;
                (at, Some(line))
            }
        };
        reader
            .seek(SeekFrom::Start(start))
            .map_err(|e| system(path, e))?;
        self.piece(reader, path, start, line, lines, meta.size)
    }

    /// Opens a regular file of the loop whose every name is inside.
    pub(crate) fn open_for_reading(
        &self,
        path: &RelPath,
        deadline: Deadline,
    ) -> Result<(File, Meta), FileError> {
        let spot = self.walk(path, Want::Read)?;
        let meta = regular(&spot, path)?;
        all_inside(self, path, &meta, deadline)?;
        let name = spot.named(path)?;
        let (file, opened) = spot
            .folder
            .file(name.as_ref())
            .map_err(|e| swapped(path, e))?;
        // What was judged must be what was opened.
        if opened.id != meta.id || opened.kind != Type::File || opened.links != meta.links {
            return Err(FileError::Changed {
                path: path.to_string(),
            });
        }
        Ok((file, opened))
    }

    fn find_line(
        &self,
        reader: &mut BufReader<File>,
        path: &RelPath,
        line: u64,
        deadline: Deadline,
    ) -> Result<u64, FileError> {
        let (mut at, mut left) = (0u64, line.saturating_sub(1));
        while left > 0 {
            deadline.check()?;
            if at > self.bounds.limits.scan_bytes {
                return Err(FileError::TooLarge {
                    what: format!("what lies before line {line} of `{path}`"),
                    size: at,
                    limit: self.bounds.limits.scan_bytes,
                });
            }
            let chunk = reader.fill_buf().map_err(|e| system(path, e))?;
            if chunk.is_empty() {
                break;
            }
            let mut used = chunk.len();
            for (i, byte) in chunk.iter().enumerate() {
                if *byte == b'\n' {
                    left -= 1;
                    if left == 0 {
                        used = i + 1;
                        break;
                    }
                }
            }
            reader.consume(used);
            at += used as u64;
        }
        Ok(at)
    }

    fn piece(
        &self,
        reader: BufReader<File>,
        path: &RelPath,
        start: u64,
        line: Option<u64>,
        lines: Option<u64>,
        size: u64,
    ) -> Result<Text, FileError> {
        let most = self.bounds.limits.read_bytes;
        let mut bytes = Vec::new();
        // One byte more than is shown tells whether more follows.
        reader
            .take(most as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| system(path, e))?;
        let available = bytes.len();
        bytes.truncate(most);
        if let Some(lines) = lines {
            bytes.truncate(end_of_lines(&bytes, lines));
        }
        if bytes.len() < available {
            let end = last_boundary(&bytes, lines.is_none());
            bytes.truncate(end);
        }
        let more = bytes.len() < available;
        let next = start + bytes.len() as u64;
        let ends_line = bytes.last() == Some(&b'\n');
        let shown = bytes.split(|b| *b == b'\n').skip(1).count() as u64;
        let text = match String::from_utf8(bytes) {
            Ok(text) => (text, false),
            Err(e) => (String::from_utf8_lossy(e.as_bytes()).into_owned(), true),
        };
        Ok(Text {
            text: text.0,
            replaced: text.1,
            start,
            line,
            next_byte: more.then_some(next),
            next_line: line.filter(|_| more && ends_line).map(|line| line + shown),
            size,
        })
    }
}

/// What stands at the spot, if it is a regular file.
pub(crate) fn regular(spot: &Spot, path: &RelPath) -> Result<Meta, FileError> {
    let asked = || path.to_string();
    let Some(meta) = spot.meta else {
        return Err(match spot.name {
            None => FileError::Folder { path: asked() },
            Some(_) => FileError::Missing { path: asked() },
        });
    };
    match meta.kind {
        Type::File => Ok(meta),
        Type::Folder => Err(FileError::Folder { path: asked() }),
        Type::Link => Err(FileError::Link {
            path: asked(),
            link: spot.rel.clone(),
        }),
        Type::Special => Err(FileError::Special { path: asked() }),
    }
}

/// Whether the beginning of a file says that it is no text.
pub(crate) fn looks_binary(beginning: &[u8]) -> bool {
    beginning.iter().take(BINARY_PROBE).any(|b| *b == 0)
}

fn probe(reader: &mut BufReader<File>, path: &RelPath, meta: &Meta) -> Result<(), FileError> {
    let beginning = reader.fill_buf().map_err(|e| system(path, e))?;
    if looks_binary(beginning) {
        return Err(FileError::Binary {
            path: path.to_string(),
            size: meta.size,
        });
    }
    Ok(())
}

/// The end of the first `lines` lines.
fn end_of_lines(bytes: &[u8], lines: u64) -> usize {
    if lines == 0 {
        return 0;
    }
    let nth = usize::try_from(lines - 1).unwrap_or(usize::MAX);
    bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .nth(nth)
        .map_or(bytes.len(), |(i, _)| i + 1)
}

/// Where to cut: after the last whole line if there is one, else before a character
/// that would be cut in two.
fn last_boundary(bytes: &[u8], at_line: bool) -> usize {
    if at_line && let Some(end) = bytes.iter().rposition(|b| *b == b'\n') {
        return end + 1;
    }
    let mut end = bytes.len();
    for back in 1..=3.min(bytes.len()) {
        let at = bytes.len() - back;
        match bytes.get(at) {
            Some(byte) if byte & 0b1100_0000 == 0b1000_0000 => {}
            Some(byte) => {
                let needs = match byte {
                    0xC0..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF7 => 4,
                    _ => 1,
                };
                if needs > back {
                    end = at;
                }
                break;
            }
            None => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_splits_a_character_it_can_keep_whole() {
        for (bytes, expected) in [
            ("ab".as_bytes(), 2),
            ("a\nb".as_bytes(), 2),
            (&"aé".as_bytes()[..2], 1),
            (&"a€".as_bytes()[..3], 1),
            ("a€".as_bytes(), 4),
            (&"a🦀".as_bytes()[..4], 1),
            (b"\xff\xff", 2),
            (b"", 0),
        ] {
            assert_eq!(last_boundary(bytes, true), expected, "{bytes:?}");
        }
    }
}
