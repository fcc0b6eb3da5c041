//! Windows paths as text: which kind a path is, and what it names from a directory.
//!
//! Purely lexical. It must never guess towards "inside": where Windows has two readings
//! (trailing dots, streams, short names), the one that reaches further is taken or the
//! path says so.

use std::borrow::Cow;

/// What a path names once `.` and `..`, either slash, trailing dots and spaces and
/// alternate streams are taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowsPath {
    /// A file or folder on a drive: `C:\a\b`. The drive letter is upper case.
    Disk {
        /// The normal spelling, without stream.
        path: String,
        /// `a.txt:evil`: data hidden behind the file.
        has_stream: bool,
        /// A component like `PROGRA~1` may be the short name of any file.
        has_short_name: bool,
        /// More `..` than there are folders; the path stops at the root.
        climbs_over_root: bool,
    },
    /// `\\server\share\…`: another machine.
    Network(String),
    /// `\\.\…`, or a name like `CON` or `COM1`: a device.
    Device(String),
    /// `NUL`: swallows and yields nothing.
    Null,
    /// A drive that isn't the file system: `HKLM:`, `Env:`, `Cert:`.
    Provider {
        /// The drive or provider, lower case.
        drive: String,
        /// What follows.
        rest: String,
    },
    /// `D:name` where the current directory of that drive isn't known.
    OtherDrive(char),
}

/// Resolves `path` as it is meant in `directory` (absolute), with `home` for `~`.
#[must_use]
pub fn resolve(path: &str, directory: &str, home: &str) -> WindowsPath {
    let path = path.trim_matches(['"', ' ', '\t']);
    let path = strip_provider(path);
    let slashed: Cow<'_, str> = if path.contains('/') {
        Cow::Owned(path.replace('/', "\\"))
    } else {
        Cow::Borrowed(path)
    };
    let path = slashed.as_ref();
    // `\\?\C:\x` is C:\x, but `..` in it is not folded by Windows; folding reaches further.
    if let Some(rest) = path
        .strip_prefix("\\\\?\\")
        .or_else(|| path.strip_prefix("\\??\\"))
    {
        return match (strip_word(rest, "UNC\\"), drive(rest)) {
            (Some(share), _) => WindowsPath::Network(format!("\\\\{share}")),
            (None, Some((letter, rest))) if rest.starts_with('\\') => disk(letter, "", rest),
            (None, _) => WindowsPath::Device(path.to_owned()),
        };
    }
    if let Some(rest) = path.strip_prefix("\\\\.\\") {
        return match drive(rest) {
            Some((letter, rest)) if rest.starts_with('\\') => disk(letter, "", rest),
            _ => WindowsPath::Device(path.to_owned()),
        };
    }
    if path.starts_with("\\\\") {
        return WindowsPath::Network(path.to_owned());
    }
    if let Some(rest) = path.strip_prefix('~')
        && (rest.is_empty() || rest.starts_with('\\'))
    {
        return from_base(home, rest);
    }
    if let Some((name, rest)) = provider_drive(path) {
        return WindowsPath::Provider {
            drive: name.to_ascii_lowercase(),
            rest: rest.to_owned(),
        };
    }
    match device(path) {
        Some(true) => return WindowsPath::Null,
        Some(false) => return WindowsPath::Device(path.to_owned()),
        None => {}
    }
    match (drive(path), drive(directory)) {
        (Some((letter, rest)), _) if rest.starts_with('\\') => disk(letter, "", rest),
        // `C:name` starts from that drive's own directory, known for the current drive only.
        (Some((letter, rest)), Some((current, base))) if letter == current => {
            disk(letter, base, rest)
        }
        (Some((letter, _)), _) => WindowsPath::OtherDrive(letter),
        (None, Some((current, _))) if path.starts_with('\\') => disk(current, "", path),
        (None, _) => from_base(directory, path),
    }
}

/// The directory that `cd PATH` leads to from `directory`; nothing where it isn't a
/// folder of a drive.
#[must_use]
pub fn change(directory: &str, home: &str, path: &str) -> Option<String> {
    match resolve(path, directory, home) {
        WindowsPath::Disk { path, .. } => Some(path),
        WindowsPath::Network(_)
        | WindowsPath::Device(_)
        | WindowsPath::Null
        | WindowsPath::Provider { .. }
        | WindowsPath::OtherDrive(_) => None,
    }
}

/// Whether `path` names the same thing from every directory.
#[must_use]
pub fn is_absolute(path: &str) -> bool {
    path == "~"
        || path.starts_with("~\\")
        || path.starts_with("~/")
        || drive(path).is_some_and(|(_, rest)| rest.starts_with(['\\', '/']))
}

fn from_base(base: &str, rest: &str) -> WindowsPath {
    match drive(base) {
        Some((letter, base)) => disk(letter, base, rest),
        // A directory that isn't on a drive: a share, or a test's POSIX path.
        None => WindowsPath::Network(format!("{base}\\{rest}")),
    }
}

fn disk(letter: char, base: &str, rest: &str) -> WindowsPath {
    let mut parts: Vec<Cow<'_, str>> = Vec::new();
    let (mut has_stream, mut has_short_name, mut climbs_over_root) = (false, false, false);
    for component in base.split(['\\', '/']).chain(rest.split('\\')) {
        let (name, stream) = match component.split_once(':') {
            Some((name, _)) => (name, true),
            None => (component, false),
        };
        has_stream |= stream;
        // Windows drops trailing dots and spaces: `.env. ` opens `.env`.
        let trimmed = name.trim_end_matches([' ', '.']);
        if trimmed.is_empty() {
            // `..` climbs once; `...` climbed twice on old systems.
            let dots = name.bytes().filter(|b| *b == b'.').count();
            for _ in 1..dots {
                climbs_over_root |= parts.pop().is_none();
            }
            continue;
        }
        has_short_name |= is_short_name(trimmed);
        parts.push(Cow::Borrowed(trimmed));
    }
    WindowsPath::Disk {
        path: format!("{letter}:\\{}", parts.join("\\")),
        has_stream,
        has_short_name,
        climbs_over_root,
    }
}

/// `PROGRA~1`, `ENV~1.TXT`: at most eight characters, a tilde and digits.
fn is_short_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.len() <= 8
        && stem.rsplit_once('~').is_some_and(|(before, number)| {
            !before.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        })
}

fn drive(path: &str) -> Option<(char, &str)> {
    let mut chars = path.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str().strip_prefix(':')?;
    Some((letter.to_ascii_uppercase(), rest))
}

/// `HKLM:\x`, `Env:PATH`, `Cert:`: a drive name of two letters or more.
fn provider_drive(path: &str) -> Option<(&str, &str)> {
    let (name, rest) = path.split_once(':')?;
    let is_name = name.len() >= 2 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    // `notes:hidden` is a stream of a file. Only PowerShell's own drives and what looks
    // like a drive's root are one.
    let known = [
        "hklm", "hkcu", "hkcr", "hku", "hkcc", "env", "cert", "alias", "function", "variable",
        "wsman", "temp", "registry",
    ];
    (is_name && (rest.starts_with('\\') || known.iter().any(|k| name.eq_ignore_ascii_case(k))))
        .then_some((name, rest))
}

/// `FileSystem::C:\x` and its long form name the file; `Registry::HKEY…` a provider.
fn strip_provider(path: &str) -> &str {
    match path.split_once("::") {
        Some((provider, rest))
            if provider
                .rsplit('\\')
                .next()
                .is_some_and(|p| p.eq_ignore_ascii_case("filesystem")) =>
        {
            rest
        }
        _ => path,
    }
}

/// Some(true) for NUL, Some(false) for another device name, with any ending or stream.
fn device(path: &str) -> Option<bool> {
    let last = path.rsplit('\\').next().unwrap_or(path);
    let stem = last.split(['.', ':']).next().unwrap_or(last).trim_end();
    let is = |name: &str| stem.eq_ignore_ascii_case(name);
    if is("nul") {
        return Some(true);
    }
    let numbered = stem.len() > 3
        && stem
            .get(..3)
            .is_some_and(|s| s.eq_ignore_ascii_case("com") || s.eq_ignore_ascii_case("lpt"))
        && stem.get(3..).is_some_and(|n| {
            matches!(
                n,
                "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"
            )
        });
    (numbered || is("con") || is("prn") || is("aux") || is("conin$") || is("conout$"))
        .then_some(false)
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word)
        .then(|| text.get(word.len()..))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTORY: &str = "C:\\work\\project\\loops\\a";

    fn shown(path: &str) -> String {
        match resolve(path, DIRECTORY, "C:\\Users\\u") {
            WindowsPath::Disk {
                path,
                has_stream,
                has_short_name,
                climbs_over_root,
            } => {
                let mut marks = String::new();
                for (on, mark) in [
                    (has_stream, " stream"),
                    (has_short_name, " short"),
                    (climbs_over_root, " over"),
                ] {
                    if on {
                        marks.push_str(mark);
                    }
                }
                format!("{path}{marks}")
            }
            WindowsPath::Network(path) => format!("network {path}"),
            WindowsPath::Device(path) => format!("device {path}"),
            WindowsPath::Null => "null".to_owned(),
            WindowsPath::Provider { drive, rest } => format!("provider {drive} {rest}"),
            WindowsPath::OtherDrive(letter) => format!("drive {letter}"),
        }
    }

    #[test]
    fn every_spelling_names_what_windows_opens() {
        for (path, want) in [
            ("a.txt", "C:\\work\\project\\loops\\a\\a.txt"),
            (".\\src/b.ts", "C:\\work\\project\\loops\\a\\src\\b.ts"),
            ("..\\..\\package.json", "C:\\work\\project\\package.json"),
            ("..\\..\\..\\..\\x", "C:\\x"),
            ("..\\..\\..\\..\\..\\x", "C:\\x over"),
            ("c:\\Users", "C:\\Users"),
            ("C:/Users/../x", "C:\\x"),
            ("C:x.txt", "C:\\work\\project\\loops\\a\\x.txt"),
            ("C:..\\..\\x", "C:\\work\\project\\x"),
            ("D:x.txt", "drive D"),
            ("D:\\x", "D:\\x"),
            ("\\x", "C:\\x"),
            ("/x", "C:\\x"),
            ("\\\\server\\share\\x", "network \\\\server\\share\\x"),
            ("//server/share", "network \\\\server\\share"),
            ("\\\\?\\C:\\x", "C:\\x"),
            ("\\\\?\\UNC\\server\\s", "network \\\\server\\s"),
            ("\\\\.\\PhysicalDrive0", "device \\\\.\\PhysicalDrive0"),
            ("\\\\.\\C:\\x", "C:\\x"),
            ("NUL", "null"),
            ("nul.txt", "null"),
            ("sub\\con", "device sub\\con"),
            ("COM1", "device COM1"),
            ("common", "C:\\work\\project\\loops\\a\\common"),
            ("console.log", "C:\\work\\project\\loops\\a\\console.log"),
            (".env.", "C:\\work\\project\\loops\\a\\.env"),
            (".env ", "C:\\work\\project\\loops\\a\\.env"),
            (".env::$DATA", "C:\\work\\project\\loops\\a\\.env stream"),
            ("a.txt:evil", "C:\\work\\project\\loops\\a\\a.txt stream"),
            ("ENV~1", "C:\\work\\project\\loops\\a\\ENV~1 short"),
            ("file.txt~", "C:\\work\\project\\loops\\a\\file.txt~"),
            ("...\\x", "C:\\work\\project\\x"),
            ("~", "C:\\Users\\u"),
            ("~\\x", "C:\\Users\\u\\x"),
            ("~x", "C:\\work\\project\\loops\\a\\~x"),
            ("HKLM:\\Software", "provider hklm \\Software"),
            ("Env:PATH", "provider env PATH"),
            ("FileSystem::C:\\x", "C:\\x"),
            ("Microsoft.PowerShell.Core\\FileSystem::C:\\x", "C:\\x"),
            (
                "Registry::HKEY_LOCAL_MACHINE",
                "provider registry :HKEY_LOCAL_MACHINE",
            ),
        ] {
            assert_eq!(shown(path), want, "{path}");
        }
    }
}
