//! Facts about this machine: folders that belong to others, mounts, `/proc`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::facts::{Found, Kind};
use crate::walk::identity;

/// Folders with other people's and other programs' files: temporary files, sockets,
/// homes, drives. A command gets empty ones of its own.
const SHARED: &[&str] = &[
    "/tmp", "/var/tmp", "/run", "/home", "/root", "/mnt", "/media",
];
/// Entries of `/proc` that speak to the whole machine. Root may write them without any
/// capability: `core_pattern` names a program that the kernel runs outside.
pub(crate) const KERNEL_SWITCHES: &[&str] = &[
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/irq",
    "/proc/bus",
    "/proc/fs",
    "/proc/pressure",
];
/// Entries of `/proc` that tell about the whole machine.
const KERNEL_FACTS: &[&str] = &[
    "/proc/kcore",
    "/proc/keys",
    "/proc/kmsg",
    "/proc/sched_debug",
    "/proc/timer_list",
    "/proc/kallsyms",
];
/// The same where the caller is root, who may read them inside as well.
const KERNEL_FACTS_OF_ROOT: &[&str] = &[
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/kpagecgroup",
    "/proc/vmallocinfo",
    "/proc/slabinfo",
    "/proc/pagetypeinfo",
    // Reading it makes a new device.
    "/sys/class/zram-control/hot_add",
];
/// Folders of the kernel's that only root reads: tracing, crash logs, the firmware's tables.
const KERNEL_FOLDERS_OF_ROOT: &[&str] = &[
    "/sys/firmware",
    "/sys/fs/bpf",
    "/sys/fs/pstore",
    "/sys/kernel/config",
    "/sys/kernel/debug",
    "/sys/kernel/mm/damon",
    "/sys/kernel/security",
    "/sys/kernel/slab",
    "/sys/kernel/tracing",
];
/// Where programs keep files that only root may read.
const ROOTS_OF_ROOT: &[&str] = &[
    "/opt",
    "/srv",
    "/usr/local/etc",
    "/var/backups",
    "/var/cache",
    "/var/opt",
    "/var/mail",
    "/etc",
    "/var/lib",
    "/var/spool",
    "/var/log",
    "/boot",
];
/// Package databases among them: thousands of files that everybody may read anyway.
const NOTHING_SECRET: &[&str] = &[
    "/var/lib/dpkg",
    "/var/lib/apt",
    "/var/lib/rpm",
    "/var/lib/pacman",
    "/var/lib/systemd/catalog",
];
/// How far down these are looked through, and how many entries in all.
const ROOT_DEPTH: usize = 3;
const ROOT_ENTRIES: usize = 20_000;

/// A mount as the kernel lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    device: Vec<u8>,
    root: PathBuf,
    pub(crate) at: PathBuf,
    pub(crate) is_writable: bool,
}

/// The shared folders that exist and are no links.
pub(crate) fn shared_folders() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in SHARED {
        if fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir()) {
            found.push(PathBuf::from(path));
        }
    }
    found
}

/// Every mount of this process's namespace.
pub(crate) fn mount_points() -> Vec<Mount> {
    let text = fs::read("/proc/self/mountinfo").unwrap_or_default();
    text.split(|b| *b == b'\n').filter_map(mount).collect()
}

/// One line of mountinfo: id, parent, device, root, mount point, …
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|b| *b == b' ');
    let device = fields.nth(2)?.to_vec();
    let root = unescaped(fields.next()?);
    let at = unescaped(fields.next()?);
    let is_writable = !fields
        .next()?
        .split(|b| *b == b',')
        .any(|word| word == b"ro");
    Some(Mount {
        device,
        root,
        at,
        is_writable,
    })
}

/// mountinfo writes blanks, tabs, line ends and backslashes as `\ooo`.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let octal = (*first == b'\\').then(|| after.get(..3)).flatten();
        let value = octal.and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        if let Some(value) = value {
            out.push(value);
            rest = after.get(3..).unwrap_or_default();
        } else {
            out.push(*first);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

/// The other paths at which the file at `path` can be seen because its file system is
/// mounted a second time.
pub(crate) fn aliases(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let Some(own) = mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.at))
        .max_by_key(|mount| mount.at.as_os_str().len())
    else {
        return Vec::new();
    };
    let Ok(below) = path.strip_prefix(&own.at) else {
        return Vec::new();
    };
    let in_file_system = own.root.join(below);
    mounts
        .iter()
        .filter(|mount| mount.device == own.device)
        .filter_map(|mount| {
            let rest = in_file_system.strip_prefix(&mount.root).ok()?;
            Some(mount.at.join(rest))
        })
        .filter(|alias| alias != path)
        .collect()
}

/// Entries of `/proc` and `/sys` here that tell about the whole machine.
pub(crate) fn kernel_facts() -> Vec<PathBuf> {
    let roots = if is_root() { KERNEL_FACTS_OF_ROOT } else { &[] };
    existing(KERNEL_FACTS.iter().chain(roots))
}

/// Entries of `/proc` here that speak to the whole machine.
pub(crate) fn kernel_switches() -> Vec<PathBuf> {
    existing(KERNEL_SWITCHES)
}

fn existing<'a>(paths: impl IntoIterator<Item = &'a &'static str>) -> Vec<PathBuf> {
    let paths = paths.into_iter().map(PathBuf::from);
    paths
        .filter(|path| path.symlink_metadata().is_ok())
        .collect()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|facts| facts.uid() == 0)
}

/// Files and folders that only root may read, where the caller is root: inside its
/// namespace it still OWNS them, so permissions don't stop it there. `shown` are folders
/// that are read-only by request.
pub(crate) fn root_only(project: &Path, shown: &[&Path]) -> Vec<Found> {
    if !is_root() {
        return Vec::new();
    }
    let mut found: Vec<Found> = existing(KERNEL_FOLDERS_OF_ROOT)
        .into_iter()
        .filter_map(|path| {
            let identity = identity(&fs::metadata(&path).ok()?);
            let kind = Kind::Folder;
            Some(Found {
                path,
                kind,
                identity,
            })
        })
        .collect();
    let mut pending: Vec<(PathBuf, usize)> = ROOTS_OF_ROOT
        .iter()
        .map(|root| (PathBuf::from(root), 0))
        .chain(shown.iter().map(|root| (root.to_path_buf(), 0)))
        .collect();
    let mut entries = 0;
    while let Some((folder, depth)) = pending.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            // Told by the folder itself; half of all entries here are links, and a look at
            // each costs a system call.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let path = entry.path();
            let is_known = NOTHING_SECRET.iter().any(|known| path == Path::new(known));
            if is_known || path == project {
                continue;
            }
            let Ok(facts) = entry.metadata() else {
                continue;
            };
            if facts.is_symlink() {
                continue;
            }
            let others = facts.mode() & 0o007;
            let kind = if facts.is_dir() {
                Kind::Folder
            } else {
                Kind::File
            };
            let closed = match kind {
                Kind::Folder => others & 0o001 == 0,
                Kind::File => others & 0o004 == 0,
            };
            if closed && !project.starts_with(&path) {
                found.push(Found {
                    path,
                    kind,
                    identity: identity(&facts),
                });
            } else if kind == Kind::Folder && depth + 1 < ROOT_DEPTH && entries < ROOT_ENTRIES {
                pending.push((path, depth + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mountinfo_lines() {
        let line = b"29 1 254:0 /sub\\040dir /mnt/a\\134b rw - ext4 /dev/vda rw";
        let mount = mount(line).unwrap();
        assert_eq!(mount.root, Path::new("/sub dir"));
        assert_eq!(mount.at, Path::new("/mnt/a\\b"));
        assert_eq!(super::mount(b""), None);
    }

    #[test]
    fn a_second_mount_is_another_way_to_the_same_file() {
        let lines: &[&[u8]] = &[
            b"1 0 8:1 / / rw - ext4 x rw",
            b"2 1 8:1 /srv/p /alias rw - ext4 x rw",
            b"3 1 8:2 / /other rw - ext4 y rw",
        ];
        let mounts: Vec<Mount> = lines.iter().filter_map(|line| mount(line)).collect();
        assert_eq!(
            aliases(Path::new("/srv/p/.env"), &mounts),
            [Path::new("/alias/.env")]
        );
        assert_eq!(
            aliases(Path::new("/alias/.env"), &mounts),
            [Path::new("/srv/p/.env")]
        );
        assert!(aliases(Path::new("/other/.env"), &mounts).is_empty());
    }
}
