//! Who lives on this machine, as `/proc` tells: parents, states, marks.
//!
//! A snapshot is never the truth for longer than it takes to read: whoever acts on one
//! looks again afterwards.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::{Duration, Instant};

/// A process number. Numbers are used again after a process was waited for.
pub type Pid = libc::pid_t;

/// One process at the moment it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: Pid,
    /// Its parent's number.
    pub parent: Pid,
    /// Whether it has ended and only waits to be waited for.
    pub ended: bool,
}

/// What tells one program image in memory from another: forks of a process share it, a
/// program that was started anew has its own (the kernel draws the addresses at random).
///
/// Where the drawing is switched off, a program started with the same arguments and
/// environment looks like its starter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    code: u64,
    stack: u64,
    arguments: u64,
}

/// Every process there is. What can't be read (it ended meanwhile) is left out.
#[must_use]
pub fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(look_at)
        .collect()
}

/// The process with this number, if there is one.
#[must_use]
pub fn look_at(pid: Pid) -> Option<Process> {
    let fields = stat(pid)?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        ended: matches!(state, "Z" | "X"),
    })
}

/// The image that the process with this number runs. Needs the right to look into it.
#[must_use]
pub fn image(pid: Pid) -> Option<Image> {
    let fields = stat(pid)?;
    // proc(5) counts from one and from the number on; two fields are before the state.
    let field = |number: usize| {
        fields
            .split_ascii_whitespace()
            .nth(number - 3)?
            .parse()
            .ok()
    };
    let image = Image {
        code: field(26)?,
        stack: field(28)?,
        arguments: field(48)?,
    };
    // The kernel shows zeros to whoever may not look.
    (image.arguments != 0).then_some(image)
}

/// How many threads `pid` has: the kernel counts them as names of that folder, which costs
/// a tenth of what reading `stat` does.
#[must_use]
pub fn threads(pid: Pid) -> Option<u64> {
    let facts = fs::metadata(format!("/proc/{pid}/task")).ok()?;
    facts.nlink().checked_sub(2)
}

/// The fields of `/proc/PID/stat` from the state on. The name before it is in
/// parentheses and may hold anything, parentheses and newlines included.
fn stat(pid: Pid) -> Option<String> {
    // Three kilobytes hold fifty numbers and a name; the kernel gives them in one piece.
    let mut bytes = [0; 3 << 10];
    let length = File::open(format!("/proc/{pid}/stat"))
        .and_then(|mut file| file.read(&mut bytes))
        .ok()?;
    let text = String::from_utf8_lossy(bytes.get(..length)?);
    Some(text.rsplit_once(") ")?.1.to_owned())
}

/// All living descendants of `root` in `processes`, `root` not included.
#[must_use]
pub fn descendants(processes: &[Process], root: Pid) -> Vec<Pid> {
    let mut ours = HashSet::from([root]);
    // Numbers wrap around, so a child may stand before its parent: go on until a round
    // finds nobody new.
    loop {
        let before = ours.len();
        for process in processes {
            if ours.contains(&process.parent) {
                ours.insert(process.pid);
            }
        }
        if ours.len() == before {
            break;
        }
    }
    processes
        .iter()
        .filter(|p| p.pid != root && !p.ended && ours.contains(&p.pid))
        .map(|p| p.pid)
        .collect()
}

/// `root` and all it started that are alive, root first; some that are started or end
/// meanwhile may be missing. Costs as much as there are of them, not as there are processes.
#[must_use]
pub fn tree(root: Pid) -> Vec<Pid> {
    let mut all = vec![root];
    let mut at = 0;
    while let Some(pid) = all.get(at).copied() {
        at += 1;
        // Each thread has the children that it started.
        let threads = fs::read_dir(format!("/proc/{pid}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children"));
            let children = children.unwrap_or_default();
            let children = children.split_ascii_whitespace();
            all.extend(children.filter_map(|pid| pid.parse::<Pid>().ok()));
        }
    }
    all
}

/// The bytes of memory that `pid` has at hand, shared ones and files included.
#[must_use]
pub fn resident(pid: Pid) -> Option<u64> {
    of_a_thread(pid, "status", |status| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib << 10)
    })
}

/// What `read` makes of the file `name` about `pid`, or about another of its threads: once
/// the first has ended (`pthread_exit`) its files show no memory, while the rest still has it.
pub fn of_a_thread<T>(pid: Pid, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let at = |folder: &std::path::Path| read(&fs::read_to_string(folder.join(name)).ok()?);
    let folder = std::path::PathBuf::from(format!("/proc/{pid}"));
    at(&folder).or_else(|| {
        let threads = fs::read_dir(folder.join("task")).ok()?.flatten();
        threads.into_iter().find_map(|thread| at(&thread.path()))
    })
}

/// The direct children of the calling thread's process, straight from the kernel:
/// some hundred times faster than looking at everybody, but it may miss one while
/// others end.
#[must_use]
pub fn own_children() -> Vec<Pid> {
    let me = std::process::id();
    fs::read_to_string(format!("/proc/{me}/task/{me}/children"))
        .map(|text| {
            text.split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect()
        })
        .unwrap_or_default()
}

/// Every process that was started with `NAME=value` in its environment and may be looked
/// into by the caller. A process can empty its environment: a net, not a proof.
#[must_use]
pub fn with_mark(mark: &str) -> Vec<Pid> {
    let me = Pid::try_from(std::process::id()).unwrap_or_default();
    all()
        .into_iter()
        .filter(|p| !p.ended && p.pid != me && has_mark(p.pid, mark))
        .map(|p| p.pid)
        .collect()
}

/// Whether `pid` was started with `mark` (`NAME=value`) in its environment.
///
/// Between taking on a new program and laying out its arguments a process shows an empty
/// environment, so whoever starts others quickly would slip through a single look: such
/// a process is looked at again until it has one, for at most [`STARTING`].
#[must_use]
pub fn has_mark(pid: Pid, mark: &str) -> bool {
    let since = Instant::now();
    loop {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        if !environment.is_empty() || !is_starting(pid) || since.elapsed() > STARTING {
            return environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == mark.as_bytes());
        }
        thread::yield_now();
    }
}

/// The longest wait for a process to lay out its arguments. It takes microseconds on a
/// processor of its own; on a busy machine the process waits its turn first.
const STARTING: Duration = Duration::from_millis(100);

/// Whether `pid` is between two programs: alive, no thread of the kernel's, and with no
/// end of its environment yet, which the kernel sets last.
fn is_starting(pid: Pid) -> bool {
    /// The kernel's `PF_KTHREAD`, in field 9 of proc(5).
    const KERNEL_THREAD: u64 = 0x0020_0000;
    let Some(fields) = stat(pid) else {
        return false;
    };
    let field = |number: usize| -> Option<u64> {
        fields
            .split_ascii_whitespace()
            .nth(number - 3)?
            .parse()
            .ok()
    };
    let alive = !fields.starts_with(['Z', 'X']);
    let kernels = field(9).is_none_or(|flags| flags & KERNEL_THREAD != 0);
    alive && !kernels && field(51) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: Pid, parent: Pid) -> Process {
        Process {
            pid,
            parent,
            ended: false,
        }
    }

    #[test]
    fn descendants_are_found_in_any_order() {
        // 9 wrapped around: the grandchild 3 has the smaller number.
        let all = [
            process(3, 9),
            process(9, 5),
            process(5, 1),
            process(7, 1),
            process(4, 3),
        ];
        assert_eq!(descendants(&all, 5), [3, 9, 4]);
        assert_eq!(descendants(&all, 7), [0; 0]);
    }

    #[test]
    fn the_calling_process_is_seen() {
        let me = Pid::try_from(std::process::id()).unwrap();
        let seen = look_at(me).unwrap();
        assert!(!seen.ended);
        assert_eq!(image(me), image(me));
        assert!(image(me).is_some());
        assert!(all().contains(&seen));
    }

    #[test]
    fn threads_are_counted() {
        let me = Pid::try_from(std::process::id()).unwrap();
        let before = threads(me).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let thread = thread::spawn(move || receiver.recv());
        let with = threads(me).unwrap();
        drop(sender);
        assert!(thread.join().unwrap().is_err());
        assert!(before >= 1 && with > 1, "{before} {with}");
    }

    #[test]
    fn a_started_program_is_another_image_and_carries_its_mark() {
        let mut child = std::process::Command::new("sleep")
            .arg("5")
            .env("CERCO_MARK_TEST", "one")
            .spawn()
            .unwrap();
        let pid = Pid::try_from(child.id()).unwrap();
        let me = Pid::try_from(std::process::id()).unwrap();
        let marked = with_mark("CERCO_MARK_TEST=one");
        let images = (image(pid), image(me));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(marked, [pid]);
        assert_ne!(images.0, images.1);
    }
}
