//! Sockets of this machine's programs. A read-only mount does not stop connect(2).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

/// Socket files of this machine.
#[derive(Debug, Default)]
pub(crate) struct Sockets {
    /// Files that somebody has bound.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Names under which no socket stands any more: removed, renamed, or in another view
    /// of the file system.
    pub(crate) lost: BTreeSet<PathBuf>,
    /// Whether some were bound by a relative name.
    pub(crate) has_relative: bool,
}

/// Socket files that somebody on this machine has bound. A read-only mount does not stop
/// connect(2), so each that stays visible is covered.
pub(crate) fn sockets() -> io::Result<Sockets> {
    let text = table()?;
    let mut found = Sockets::default();
    for line in text.split(|b| *b == b'\n').skip(1) {
        let Some(name) = bound_name(line) else {
            continue;
        };
        let path = PathBuf::from(OsString::from_vec(name.to_vec()));
        if path.is_relative() {
            found.has_relative = true;
            continue;
        }
        match fs::canonicalize(&path) {
            Ok(real) if is_socket(&real) => found.files.insert(real),
            _ => found.lost.insert(path),
        };
    }
    Ok(found)
}

/// The kernel's table of sockets; empty where it knows none of this family.
fn table() -> io::Result<Vec<u8>> {
    match fs::read("/proc/net/unix") {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// A socket of this machine that takes connections or messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Open {
    /// The kernel's number for it: another one opened at the same path has another.
    number: Vec<u8>,
    /// The name it was bound to.
    pub(crate) path: PathBuf,
}

/// Those that are there now. (A connection bears the name of the socket that took it: of
/// streams only those that listen count.)
pub(crate) fn open_sockets() -> io::Result<Vec<Open>> {
    let text = table()?;
    let lines = text.split(|b| *b == b'\n').skip(1);
    Ok(lines.filter_map(open_socket).collect())
}

fn open_socket(line: &[u8]) -> Option<Open> {
    const LISTENS: &[u8] = b"00010000";
    const DATAGRAMS: &[u8] = b"0002";
    let name = bound_name(line)?;
    let mut fields = line.split(|b| *b == b' ').filter(|field| !field.is_empty());
    let flags = fields.nth(3)?;
    let kind = fields.next()?;
    let number = fields.nth(1)?.to_vec();
    (flags == LISTENS || kind == DATAGRAMS).then(|| Open {
        number,
        path: PathBuf::from(OsString::from_vec(name.to_vec())),
    })
}

/// The name in a line `Num RefCount Protocol Flags Type St Inode Path`: all after the
/// seventh field, blanks included. Nothing for unnamed sockets and for abstract names,
/// which the network namespace covers.
fn bound_name(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line;
    for _ in 0..7 {
        let start = rest.iter().position(|b| *b != b' ')?;
        rest = rest.get(start..)?;
        let end = rest.iter().position(|b| *b == b' ')?;
        rest = rest.get(end..)?;
    }
    let name = rest.get(1..)?;
    (!name.is_empty() && name.first() != Some(&b'@')).then_some(name)
}

/// Socket files in the folders of `lost` names. A program that hands out its socket whole
/// binds it under a passing name and renames it, most often where it is: the kernel's table
/// keeps the first name. Folders that can't be read show theirs to nobody, nor inside.
pub(crate) fn beside<'a>(lost: impl IntoIterator<Item = &'a PathBuf>) -> BTreeSet<PathBuf> {
    let folders: BTreeSet<PathBuf> = lost
        .into_iter()
        .filter_map(|name| fs::canonicalize(name.parent()?).ok())
        .collect();
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(Iterator::flatten);
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()))
        .map(|entry| entry.path())
        .collect()
}

pub(crate) fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.file_type().is_socket())
}

/// Whether somebody holds the socket at `path`. A datagram socket that asks for it learns
/// that without speaking to a stream's owner (the kernel answers "wrong type"); a socket
/// whose program has ended refuses.
pub(crate) fn is_held(path: &Path) -> bool {
    let asked = UnixDatagram::unbound().and_then(|socket| socket.connect(path));
    !asked.is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sockets() {
        let line = |name: &str| {
            format!("0000000029790d26: 00000003 00000000 00010000 0001 01 11960{name}")
        };
        for (name, expected) in [
            (" /run/a b", Some("/run/a b")),
            (" here.sock", Some("here.sock")),
            (" @abstract", None),
            ("", None),
        ] {
            let line = line(name);
            assert_eq!(
                bound_name(line.as_bytes()),
                expected.map(str::as_bytes),
                "{name}"
            );
        }
    }

    #[test]
    fn sockets_that_take_connections() {
        let line = |rest: &str| format!("0000000029790d26: 00000003 00000000 {rest}");
        for (rest, expected) in [
            ("00010000 0001 01 11960 /a b", Some(("11960", "/a b"))),
            ("00000000 0002 01 7 /d", Some(("7", "/d"))),
            ("00000000 0001 03 8 /a b", None),
            ("00010000 0001 01 9 @abstract", None),
        ] {
            let found = open_socket(line(rest).as_bytes());
            let expected = expected.map(|(number, path)| Open {
                number: number.into(),
                path: path.into(),
            });
            assert_eq!(found, expected, "{rest}");
        }
    }

    #[test]
    fn a_renamed_socket_is_found_beside_its_first_name() {
        let root = std::env::temp_dir().join(format!("cerco-beside-{}", std::process::id()));
        fs::create_dir(&root).unwrap();
        let root = root.canonicalize().unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(root.join("new")).unwrap();
        fs::rename(root.join("new"), root.join("ready")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        let lost = sockets().unwrap().lost;
        assert!(lost.contains(&root.join("new")));
        let found = beside(&lost);
        assert!(found.contains(&root.join("ready")), "{found:?}");
        assert!(!found.contains(&root.join("file")));
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn only_a_held_socket_is_held() {
        let path = std::env::temp_dir().join(format!("cerco-held-{}", std::process::id()));
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(is_held(&path));
        assert!(
            sockets()
                .unwrap()
                .files
                .contains(&fs::canonicalize(&path).unwrap())
        );
        drop(listener);
        assert!(!is_held(&path));
        fs::remove_file(&path).unwrap();
    }
}
