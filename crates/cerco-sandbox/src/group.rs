//! The run's own control group, where this user may make one: its members can be ended
//! all at once, and their number and memory be limited together, which the limits of
//! single processes can't.
//!
//! Where none can be made nothing is lost but this: the sweep ends the tree as well, and
//! the stage inside the sandbox sets the limits of single processes.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// What the name of a run's group begins with; the keeper's number follows.
const PREFIX: &str = "cerco-run-";

/// The ways into a run's groups, for its first process and for nobody else: what it starts
/// is in them from birth.
#[derive(Debug, Default)]
pub struct Members {
    /// The folder of the group in the unified tree. A process is best born in it.
    pub unified: Option<OwnedFd>,
    /// Files of the older trees, open for writing: a process with a single thread joins by
    /// writing `0`.
    ///
    /// The `tasks` of a group, not its `cgroup.procs`: moving a single thread doesn't wait for
    /// every processor to have passed a quiet point, which takes ten milliseconds and more
    /// (`cgroup_attach_lock` in the kernel's `kernel/cgroup/cgroup.c`).
    pub tasks: Vec<OwnedFd>,
}

impl Members {
    /// All as files to write `0` to, for whoever can't be born in a group.
    pub(crate) fn files(self) -> std::io::Result<Vec<OwnedFd>> {
        let mut files = self.tasks;
        if let Some(folder) = self.unified {
            let at = format!("/proc/self/fd/{}/cgroup.procs", folder.as_raw_fd());
            files.push(OpenOptions::new().write(true).open(at)?.into());
        }
        Ok(files)
    }
}

/// The folders made for this run: one in the unified tree, or one for each controller in
/// the older ones.
#[derive(Debug, Default)]
pub struct Group {
    folders: Vec<PathBuf>,
    limits_processes: bool,
}

impl Group {
    /// [`Places::make`] where this process is now.
    #[must_use]
    pub fn make(most_processes: Option<u64>, most_memory: Option<u64>) -> (Self, Members) {
        Places::find().make(most_processes, most_memory)
    }

    /// Whether the number of processes is limited here. For root nothing else limits it.
    #[must_use]
    pub fn limits_processes(&self) -> bool {
        self.limits_processes
    }

    /// Ends every member at once, where the kernel can (Linux 5.14).
    pub fn kill(&self) {
        for folder in &self.folders {
            let _ = write(&folder.join("cgroup.kill"), "1");
        }
    }

    /// Takes the folders away as soon as their members are gone, but waits no longer than
    /// so. What stays is taken away by a later run.
    pub fn remove_when_empty(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let is_there = |folder: &PathBuf| fs::remove_dir(folder).is_err() && folder.exists();
        while self.folders.iter().any(is_there) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Takes the folders away again. They are empty by now.
    pub fn remove(&self) {
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The control groups that this process is in: where a run's own can be made.
#[derive(Debug)]
pub struct Places(Vec<Own>);

impl Places {
    /// Looks for them, and takes away what keepers left there that were killed.
    #[must_use]
    pub fn find() -> Self {
        let own = own_groups();
        for own in &own {
            remove_left_over(&own.folder);
        }
        Self(own)
    }

    /// Makes what can be made, with at most so many processes and bytes of memory, and
    /// opens the ways into what was made.
    #[must_use]
    pub fn make(&self, most_processes: Option<u64>, most_memory: Option<u64>) -> (Group, Members) {
        let mut group = Group::default();
        let mut members = Members::default();
        let name = format!("{PREFIX}{}", std::process::id());
        let processes = most_processes.map(|n| n.to_string());
        let memory = most_memory.map(|n| n.to_string());
        for own in &self.0 {
            let limits: &[(&str, &Option<String>)] = match own.kind {
                Kind::Unified => &[("pids.max", &processes), ("memory.max", &memory)],
                Kind::Processes => &[("pids.max", &processes)],
                Kind::Memory => &[("memory.limit_in_bytes", &memory)],
            };
            // The older trees are only of use for a limit.
            let wanted = own.kind == Kind::Unified || limits.iter().any(|(_, v)| v.is_some());
            if !wanted {
                continue;
            }
            let folder = own.folder.join(&name);
            if fs::create_dir(&folder).is_err() {
                continue;
            }
            for (file, value) in limits {
                if let Some(value) = value {
                    // Absent where the controller isn't handed down to this user.
                    let done = write(&folder.join(file), value).is_ok();
                    group.limits_processes |= done && *file == "pids.max";
                }
            }
            if own.kind == Kind::Unified && memory.is_some() {
                // One program over the limit ends the run instead of leaving it lame.
                let _ = write(&folder.join("memory.oom.group"), "1");
            }
            let opened = match own.kind {
                Kind::Unified => {
                    File::open(&folder).map(|opened| members.unified = Some(opened.into()))
                }
                Kind::Processes | Kind::Memory => OpenOptions::new()
                    .write(true)
                    .open(folder.join("tasks"))
                    .map(|opened| members.tasks.push(opened.into())),
            };
            match opened {
                Ok(()) => group.folders.push(folder),
                Err(_) => {
                    let _ = fs::remove_dir(&folder);
                }
            }
        }
        (group, members)
    }
}

/// Takes away what keepers left that were killed: their groups are empty, or the kernel
/// refuses. The number in the name is that of the keeper.
fn remove_left_over(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let pid = pid.and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    // Not `fs::write`, which would make an ordinary file where there is none.
    OpenOptions::new()
        .write(true)
        .open(file)?
        .write_all(text.as_bytes())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unified,
    Processes,
    Memory,
}

/// A control group this process is in.
#[derive(Debug, PartialEq, Eq)]
struct Own {
    kind: Kind,
    folder: PathBuf,
}

fn own_groups() -> Vec<Own> {
    let read = |path: &str| {
        File::open(path)
            .and_then(std::io::read_to_string)
            .unwrap_or_default()
    };
    groups(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
}

/// The groups named in `membership` (`/proc/self/cgroup`), under the mounts of `mounts`
/// (`/proc/self/mountinfo`).
fn groups(membership: &str, mounts: &str) -> Vec<Own> {
    let mut own = Vec::new();
    for line in membership.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let kind = match controllers {
            "" => Kind::Unified,
            "pids" => Kind::Processes,
            "memory" => Kind::Memory,
            _ => continue,
        };
        if let Some(folder) = mounted(kind, path, mounts) {
            own.push(Own { kind, folder });
        }
    }
    own
}

/// Where `path` of the tree of `kind` is to be found.
fn mounted(kind: Kind, path: &str, mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ');
        let root = before.nth(3)?;
        let point = before.next()?;
        let mut after = after.split(' ');
        let (file_system, options) = (after.next()?, after.nth(1)?);
        let fits = match kind {
            Kind::Unified => file_system == "cgroup2",
            Kind::Processes => file_system == "cgroup" && options.split(',').any(|o| o == "pids"),
            Kind::Memory => file_system == "cgroup" && options.split(',').any(|o| o == "memory"),
        };
        if !fits {
            return None;
        }
        // In a container the mount shows only a part of the tree.
        let inside = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(point).join(inside))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
30 25 0:26 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
31 25 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 25 0:28 /user /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw";

    #[test]
    fn groups_are_found_in_both_kinds_of_tree() {
        let membership = "9:name=systemd:/\n8:pids:/a\n4:memory:/b\n0::/user/c\n";
        let found: Vec<_> = groups(membership, MOUNTS)
            .into_iter()
            .map(|own| (own.kind, own.folder.to_string_lossy().into_owned()))
            .collect();
        assert_eq!(
            found,
            [
                (Kind::Processes, "/sys/fs/cgroup/pids/a".to_owned()),
                (Kind::Memory, "/sys/fs/cgroup/memory/b".to_owned()),
                (Kind::Unified, "/sys/fs/cgroup/unified/c".to_owned()),
            ]
        );
    }

    #[test]
    fn a_group_outside_of_what_is_mounted_is_none() {
        assert_eq!(groups("0::/other\n", MOUNTS), []);
        assert_eq!(groups("nonsense\n", MOUNTS), []);
    }

    #[test]
    fn groups_of_keepers_that_are_gone_are_taken_away() {
        let folder = std::env::temp_dir().join(format!("cerco-groups-{}", std::process::id()));
        let own = format!("{PREFIX}{}", std::process::id());
        // No process has this number: the kernel gives out none above 2^22 (proc(5)).
        let gone = format!("{PREFIX}4194305");
        let mut kept = [own, format!("{PREFIX}x"), "other".to_owned()];
        for name in kept.iter().chain([&gone]) {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        remove_left_over(&folder);
        let left = fs::read_dir(&folder).unwrap().flatten();
        let mut left: Vec<_> = left
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        left.sort();
        kept.sort();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(left, kept);
    }
}
