//! What the processes of a sandbox take together. The limits of single processes don't bound
//! their sum, nor memory that they share; a control group does, but an ordinary user can
//! mostly not make one that counts memory.

use std::fs;
use std::io::{self, PipeReader};
use std::time::Duration;

use cerco_sys::processes::{self, Pid};

use super::is_over;

/// How often is looked. Two processors fill a gigabyte in this time.
const TURN: Duration = Duration::from_millis(200);

/// Says so when `launcher` and all it started take more than `most` bytes together, until the
/// other end of `hears` is closed.
pub(super) fn until_too_much(
    launcher: Pid,
    most: u64,
    hears: &PipeReader,
) -> io::Result<Option<String>> {
    while !is_over(hears, TURN)? {
        if taken(launcher, most) > most {
            return Ok(Some(format!(
                "its processes took more than {} MiB of memory together, so it was stopped",
                most >> 20
            )));
        }
    }
    Ok(None)
}

/// The bytes that `root` and all it started have for themselves: private memory and their
/// part of what they share. Files that they only look at don't count. Counted exactly only
/// where a first look, which counts too much, shows more than `most`.
fn taken(root: Pid, most: u64) -> u64 {
    let all = processes::tree(root);
    let resident = |pid: &Pid| processes::resident(*pid).unwrap_or(0);
    let at_most: u64 = all.iter().map(resident).sum();
    if at_most <= most {
        return at_most;
    }
    // One that doesn't let itself be looked into counts in full.
    let own = |pid: &Pid| proportional(*pid).unwrap_or_else(|| resident(pid));
    all.iter().map(own).sum()
}

fn proportional(pid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let part = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    };
    // Swapped out it is taken as well.
    let kib = part("Pss_Anon:")? + part("Pss_Shmem:")? + part("SwapPss:")?;
    Some(kib << 10)
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
        let (rough, exact) = (taken(pid, u64::MAX), taken(pid, 0));
        for pid in processes::tree(pid).into_iter().rev() {
            let _ = Handle::open(pid).and_then(|handle| handle.kill());
        }
        parent.wait().unwrap();
        assert!(rough > 150 << 20, "{rough}");
        assert!((40 << 20..110 << 20).contains(&exact), "{exact}");
    }
}
