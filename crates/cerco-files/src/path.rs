//! A path as a bubble writes it: relative to the loop's folder, without a way up.
//! Never touches the disk.

use std::fmt;

use crate::FileError;

/// The longest path that is taken, in bytes.
pub const MAX_PATH_BYTES: usize = 4096;
/// The most components a path may have.
pub const MAX_DEPTH: usize = 128;

/// A checked path inside the loop: components only, each a plain name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelPath(Vec<String>);

impl RelPath {
    /// Checks a path as a bubble wrote it. `.`, doubled and trailing slashes are fine;
    /// `..`, absolute paths, `~` and control characters are refused rather than guessed at.
    pub fn new(text: &str) -> Result<Self, FileError> {
        let bad = |why| FileError::BadPath {
            path: text.to_owned(),
            why,
        };
        if text.is_empty() {
            return Err(bad("it is empty; `.` is the loop's own folder"));
        }
        if text.len() > MAX_PATH_BYTES {
            return Err(FileError::BadPath {
                path: text.chars().take(60).collect(),
                why: "it is too long",
            });
        }
        if text.chars().any(char::is_control) {
            return Err(bad("it has control characters"));
        }
        if text.starts_with('/') || (cfg!(windows) && is_windows_absolute(text)) {
            return Err(bad(
                "it is absolute; write it relative to the loop's folder",
            ));
        }
        if text == "~" || text.starts_with("~/") {
            return Err(bad("`~` is outside of the loop's folder"));
        }
        let mut names = Vec::new();
        for name in text.split(separator) {
            match name {
                "" | "." => {}
                ".." => return Err(bad("`..` is not taken; write the path without it")),
                _ if name.len() > 255 => return Err(bad("one of its names is too long")),
                _ => names.push(name.to_owned()),
            }
        }
        if names.len() > MAX_DEPTH {
            return Err(bad("it is too deep"));
        }
        Ok(Self(names))
    }

    /// Whether it names the loop's own folder.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        f.write_str(&self.0.join("/"))
    }
}

/// Windows takes both slashes; elsewhere a backslash is part of a name.
fn separator(c: char) -> bool {
    c == '/' || (cfg!(windows) && c == '\\')
}

/// Drives, UNC, and alternate streams (`a.txt:hidden` is another file of the same name).
fn is_windows_absolute(text: &str) -> bool {
    text.starts_with('\\') || text.contains(':')
}

/// Whether `path` is `folder` or lies in it; both with `/` and relative to the loop.
pub(crate) fn within(path: &str, folder: &str) -> bool {
    path == folder
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a name is git's own folder to any file system: letter case, the characters
/// that HFS+ ignores and the short name of NTFS count (the family of CVE-2014-9390).
pub(crate) fn is_git(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|c| {
            !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
        })
        .flat_map(char::to_lowercase)
        .collect();
    matches!(plain.trim_end_matches(['.', ' ']), ".git" | "git~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_are_taken_and_others_refused() {
        for (text, expected) in [
            (".", Some(".")),
            ("a", Some("a")),
            ("./a//b/", Some("a/b")),
            ("a/./b", Some("a/b")),
            ("...", Some("...")),
            ("a..b/..c", Some("a..b/..c")),
            ("~x", Some("~x")),
            ("", None),
            ("/", None),
            ("/etc/passwd", None),
            ("..", None),
            ("a/../b", None),
            ("a/..", None),
            ("~", None),
            ("~/x", None),
            ("a\0b", None),
            ("a\nb", None),
        ] {
            let got = RelPath::new(text).ok().map(|p| p.to_string());
            assert_eq!(got.as_deref(), expected, "{text:?}");
        }
        assert!(RelPath::new(&"a/".repeat(MAX_DEPTH + 1)).is_err());
        assert!(RelPath::new(&"a".repeat(256)).is_err());
        assert!(RelPath::new(&"a/".repeat(MAX_PATH_BYTES)).is_err());
    }

    #[test]
    fn git_is_seen_in_every_spelling() {
        for (name, expected) in [
            (".git", true),
            (".GIT", true),
            (".g\u{200c}it", true),
            (".git.", true),
            ("git~1", true),
            (".gitignore", false),
            (".github", false),
            ("git", false),
        ] {
            assert_eq!(is_git(name), expected, "{name:?}");
        }
    }

    #[test]
    fn within_is_by_component() {
        for (path, folder, expected) in [
            ("a/b", "a", true),
            ("a", "a", true),
            ("ab", "a", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(within(path, folder), expected, "{path} {folder}");
        }
    }
}
