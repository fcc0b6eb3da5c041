//! Search the text of files. Linear in what it reads: the regex engine has no
//! backtracking, and its size is bounded, so a hostile pattern costs memory up to a limit
//! and no more time than a harmless one.

use std::io::Read;

use regex::bytes::{Regex, RegexBuilder};
use serde::Serialize;

use super::read::looks_binary;
use crate::census::Census;
use crate::handle::{Meta, Type};
use crate::limits::Deadline;
use crate::tree::{Item, Next, Seen, Tour};
use crate::walk::Want;
use crate::{FileError, LoopFiles, RelPath};

/// Memory that a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;
/// The longest pattern.
const PATTERN_TEXT: usize = 4096;

/// Folders that a search from above passes by: what tools produce or fetch. Named as the
/// place to search, they are searched.
const PASSED: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

/// What to look for, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// This very text.
    Literal(String),
    /// A regular expression (syntax of the crate `regex`).
    Regex(String),
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The file, relative to the loop's folder.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The byte of the line at which the match begins, from 0.
    pub column: u64,
    /// The line, or the part of it around the match.
    pub text: String,
}

/// What was not looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Secret-looking files.
    pub secret: u64,
    /// Binary files.
    pub binary: u64,
    /// Files over the size limit.
    pub large: u64,
    /// Hard links with names outside of the loop.
    pub linked: u64,
    /// Files that couldn't be opened or changed under the search.
    pub unreadable: u64,
    /// Folders passed by because of their name.
    pub folders: Vec<String>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// In the order of the listing.
    pub hits: Vec<Hit>,
    /// Files looked into.
    pub files: u64,
    /// What was not looked into.
    pub skipped: Skipped,
    /// Whether a limit ended it before everything was seen.
    pub truncated: bool,
}

impl LoopFiles {
    /// Searches a file, or a folder and all below it. Symbolic links are not followed
    /// below the place named.
    pub fn search(&self, path: &RelPath, pattern: &Pattern) -> Result<Found, FileError> {
        let regex = compile(pattern)?;
        let deadline = Deadline::after(self.bounds.limits.time);
        let spot = self.walk(path, Want::See)?;
        let mut search = Search {
            files: self,
            path,
            regex,
            deadline,
            census: None,
            bytes_left: self.bounds.limits.search_bytes,
            found: Found {
                hits: Vec::new(),
                files: 0,
                skipped: Skipped::default(),
                truncated: false,
            },
        };
        if spot.meta.is_some_and(|m| m.kind != Type::Folder) {
            let (file, meta) = self.open_for_reading(path, deadline)?;
            search.look(file, &meta, &spot.rel)?;
            return Ok(search.found);
        }
        let folder = spot.as_folder(path)?;
        let mut tour = Tour {
            files: self,
            path,
            deadline,
            left: self.bounds.limits.visited,
            depth: usize::MAX,
        };
        let seen = tour.visit(folder, &spot.rel, &mut |item| search.item(item))?;
        search.found.truncated |= seen == Seen::Part;
        Ok(search.found)
    }
}

struct Search<'a> {
    files: &'a LoopFiles,
    path: &'a RelPath,
    regex: Regex,
    deadline: Deadline,
    census: Option<Census>,
    bytes_left: u64,
    found: Found,
}

impl Search<'_> {
    fn item(&mut self, item: &Item<'_>) -> Result<Next, FileError> {
        match item.meta.kind {
            Type::Folder
                if item
                    .name
                    .to_str()
                    .is_some_and(|name| PASSED.contains(&name)) =>
            {
                self.found.skipped.folders.push(item.shown.to_owned());
                return Ok(Next::Pass);
            }
            Type::Folder => return Ok(Next::Enter),
            Type::Link | Type::Special => return Ok(Next::Pass),
            Type::File => {}
        }
        // A name that is no text can't be judged by the rule `secret`.
        let Some(rel) = item.rel else {
            self.found.skipped.unreadable += 1;
            return Ok(Next::Pass);
        };
        if self.files.bounds.secrets.is_secret(rel) {
            self.found.skipped.secret += 1;
            return Ok(Next::Pass);
        }
        if !self.is_inside(&item.meta)? {
            self.found.skipped.linked += 1;
            return Ok(Next::Pass);
        }
        match item.folder.file(item.name) {
            Ok((file, meta)) if meta.id == item.meta.id && meta.links == item.meta.links => {
                self.look(file, &meta, rel)?;
            }
            Ok(_) | Err(_) => self.found.skipped.unreadable += 1,
        }
        Ok(if self.found.truncated {
            Next::Stop
        } else {
            Next::Pass
        })
    }

    fn is_inside(&mut self, meta: &Meta) -> Result<bool, FileError> {
        if meta.links <= 1 {
            return Ok(true);
        }
        if self.census.is_none() {
            self.census = Some(Census::take(self.files, self.path, self.deadline)?);
        }
        Ok(self
            .census
            .as_ref()
            .is_some_and(|census| census.is_inside(meta)))
    }

    fn look(&mut self, file: std::fs::File, meta: &Meta, rel: &str) -> Result<(), FileError> {
        let limits = &self.files.bounds.limits;
        if meta.size > limits.scan_bytes {
            self.found.skipped.large += 1;
            return Ok(());
        }
        if meta.size > self.bytes_left {
            self.found.truncated = true;
            return Ok(());
        }
        let mut bytes = Vec::new();
        // A file that grows while it is read is read no further than its limit.
        if file
            .take(limits.scan_bytes)
            .read_to_end(&mut bytes)
            .is_err()
        {
            self.found.skipped.unreadable += 1;
            return Ok(());
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len() as u64);
        if looks_binary(&bytes) {
            self.found.skipped.binary += 1;
            return Ok(());
        }
        self.found.files += 1;
        for (number, line) in (1u64..).zip(bytes.split(|b| *b == b'\n')) {
            if number.is_multiple_of(4096) {
                self.deadline.check()?;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Some(found) = self.regex.find(line) else {
                continue;
            };
            if self.found.hits.len() >= limits.hits {
                self.found.truncated = true;
                return Ok(());
            }
            self.found.hits.push(Hit {
                path: rel.to_owned(),
                line: number,
                column: found.start() as u64,
                text: excerpt(line, found.start(), limits.hit_bytes),
            });
        }
        Ok(())
    }
}

fn compile(pattern: &Pattern) -> Result<Regex, FileError> {
    let text = match pattern {
        Pattern::Literal(text) => regex::escape(text),
        Pattern::Regex(text) => text.clone(),
    };
    if text.len() > PATTERN_TEXT {
        return Err(FileError::Pattern {
            why: format!("it is longer than {PATTERN_TEXT} bytes"),
        });
    }
    RegexBuilder::new(&text)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .nest_limit(64)
        .build()
        .map_err(|e| FileError::Pattern { why: e.to_string() })
}

/// The line, or as much of it around `at` as fits.
fn excerpt(line: &[u8], at: usize, most: usize) -> String {
    let start = if line.len() <= most {
        0
    } else {
        at.saturating_sub(most / 4)
    };
    let end = (start + most).min(line.len());
    let mut text = String::from_utf8_lossy(line.get(start..end).unwrap_or_default()).into_owned();
    if start > 0 {
        text.insert(0, '…');
    }
    if end < line.len() {
        text.push('…');
    }
    text
}
