//! What the processes of a sandbox take together. The limits of single processes don't bound
//! their sum, nor memory that they share, nor what belongs to no process (files in memory,
//! System V segments, what waits in sockets); a control group does, but an ordinary user can
//! mostly not make one that counts memory.

use std::fs;
use std::io::{self, PipeReader};
use std::time::Duration;

use cerco_sys::processes::{self, Pid};

use super::is_over;

/// How often is looked. Two processors fill a gigabyte in this time.
const TURN: Duration = Duration::from_millis(200);
/// Where less than this part of the machine's memory is left, the kernel is about to end
/// programs of its own choice, a person's among them.
const LAST_PART: u64 = 32;

/// Says so when `launcher` and all it started take more than `most` bytes together, or all
/// but the last of the machine's, until the other end of `hears` is closed.
pub(super) fn until_too_much(
    launcher: Pid,
    most: u64,
    hears: &PipeReader,
) -> io::Result<Option<String>> {
    let before = Machine::now()?;
    while !is_over(hears, TURN)? {
        let now = Machine::now()?;
        // Shared memory bears no name of who filled it. Programs outside seldom fill much of
        // it, and never as much as this within one command.
        let unnamed = now.shared.saturating_sub(before.shared);
        if taken(launcher, unnamed, most) > most {
            return Ok(Some(format!(
                "its processes took more than {} MiB of memory together, so it was stopped",
                most >> 20
            )));
        }
        if now.is_nearly_out() && before.left.saturating_sub(now.left) > most / 2 {
            return Ok(Some(format!(
                "this computer was about to run out of memory, of which {} MiB went while the command ran, so it was stopped",
                before.left.saturating_sub(now.left) >> 20
            )));
        }
    }
    Ok(None)
}

/// The machine's memory, in bytes.
#[derive(Clone, Copy, Debug)]
struct Machine {
    all: u64,
    /// What programs could still get.
    left: u64,
    /// Shared memory, mapped or not.
    shared: u64,
}

impl Machine {
    fn now() -> io::Result<Self> {
        let text = fs::read_to_string("/proc/meminfo")?;
        let part = |name| kib(&text, name).map(|kib| kib << 10);
        let (all, left, shared) = (part("MemTotal:"), part("MemAvailable:"), part("Shmem:"));
        let all = all.zip(left).zip(shared);
        let ((all, left), shared) = all.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { all, left, shared })
    }

    fn is_nearly_out(self) -> bool {
        self.left < self.all / LAST_PART
    }
}

/// The kibibytes in the line that begins with `name`.
fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// The bytes that `root` and all it started have for themselves: private memory, and their
/// part of what they share or `unnamed`, whichever is more. Files that they only look at
/// don't count. Counted exactly only where a first look, which counts too much, shows more
/// than `most`.
fn taken(root: Pid, unnamed: u64, most: u64) -> u64 {
    let all = processes::tree(root);
    let resident = |pid: &Pid| processes::resident(*pid).unwrap_or(0);
    let at_most: u64 = unnamed + all.iter().map(resident).sum::<u64>();
    if at_most <= most {
        return at_most;
    }
    let (mut private, mut shared) = (0, 0);
    for pid in &all {
        // One that doesn't let itself be looked into counts in full.
        let (own, part) = own(*pid).unwrap_or_else(|| (resident(pid), 0));
        private += own;
        shared += part;
    }
    private + shared.max(unnamed)
}

/// The private memory of `pid` and its part of what it shares.
fn own(pid: Pid) -> Option<(u64, u64)> {
    processes::of_a_thread(pid, "smaps_rollup", |text| {
        // Swapped out it is taken as well.
        let private = kib(text, "Pss_Anon:")? + kib(text, "SwapPss:")?;
        Some((private << 10, kib(text, "Pss_Shmem:")? << 10))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cerco_sys::exit::Handle;

    #[test]
    fn memory_of_children_counts_and_what_they_share_counts_once() {
        let fill = "$x = 'x' x (40 << 20); for (1..4) { fork or do { sleep 9; exit } } $| = 1; print 1; sleep 9";
        let mut parent = std::process::Command::new("perl")
            .args(["-e", fill])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0];
        io::Read::read_exact(parent.stdout.as_mut().unwrap(), &mut said).unwrap();
        let pid = Pid::try_from(parent.id()).unwrap();
        let (rough, exact) = (taken(pid, 0, u64::MAX), taken(pid, 0, 0));
        for pid in processes::tree(pid).into_iter().rev() {
            let _ = Handle::open(pid).and_then(|handle| handle.kill());
        }
        parent.wait().unwrap();
        assert!(rough > 150 << 20, "{rough}");
        assert!((40 << 20..110 << 20).contains(&exact), "{exact}");
    }

    /// The kernel shows the memory of a process whose first thread has ended only by one of
    /// the others.
    #[test]
    fn memory_of_a_process_without_its_first_thread_counts() {
        let fill = "import ctypes,threading,time\ndef rest():\n  time.sleep(.2); x = bytearray(b'x') * (60 << 20); print(1, flush=True); time.sleep(9)\nthreading.Thread(target=rest).start(); ctypes.CDLL(None).syscall(EXIT, 0)";
        let mut child = std::process::Command::new("/usr/bin/python3")
            .args(["-c", &fill.replace("EXIT", &number_of_exit())])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0];
        io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let pid = Pid::try_from(child.id()).unwrap();
        let (rough, exact) = (taken(pid, 0, u64::MAX), taken(pid, 0, 0));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(rough > 60 << 20, "{rough}");
        assert!(exact > 60 << 20, "{exact}");
    }

    /// The number of the call that ends one thread.
    fn number_of_exit() -> String {
        libc::SYS_exit.to_string()
    }

    #[test]
    fn shared_memory_that_nobody_has_mapped_counts() {
        let me = Pid::try_from(std::process::id()).unwrap();
        let most = 1 << 40;
        assert!(taken(me, most + 1, most) > most);
        let now = Machine::now().unwrap();
        assert!(now.left <= now.all && !now.is_nearly_out(), "{now:?}");
    }
}
