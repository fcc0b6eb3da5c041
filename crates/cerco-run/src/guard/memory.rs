//! That the guard works here, remembered until the machine starts again: trying it means
//! forking, which costs a short command as much as judging it.
//!
//! A memory is never proof: that is only ever the installation itself, and where it fails
//! the command does not run. Whoever can write the memory (a command that ran without the
//! sandbox) can bring about that, and no more.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{NoGuard, probe};

const NAME: &str = "guard";
/// The form of the line.
const FORM: &str = "1";

/// As [`probe`], with a memory in `folder` that it worked.
pub fn probe_remembered(folder: &Path) -> Result<(), NoGuard> {
    let Some(here) = here() else {
        return probe();
    };
    let path = folder.join(NAME);
    if fs::read(&path).is_ok_and(|known| known == here) {
        return Ok(());
    }
    probe()?;
    keep(&path, &here);
    Ok(())
}

/// What the answer hangs on besides the kernel: this boot, the rule for looking into other
/// processes' memory, and the user namespace. Nothing where filters hold this process
/// already: one of them may have the listener that the kernel gives only once.
fn here() -> Option<Vec<u8>> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let is_free = status
        .lines()
        .filter_map(|line| line.strip_prefix("Seccomp:"))
        .any(|mode| mode.trim() == "0");
    if !is_free {
        return None;
    }
    let boot = fs::read("/proc/sys/kernel/random/boot_id").ok()?;
    // A kernel without Yama has no such rule.
    let looks = fs::read("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let users = fs::read_link("/proc/self/ns/user").ok()?;
    let parts: [&[u8]; 4] = [
        FORM.as_bytes(),
        boot.trim_ascii(),
        looks.trim_ascii(),
        users.as_os_str().as_bytes(),
    ];
    Some(parts.join(&b' '))
}

/// Where it can't be written it is tried again the next time.
fn keep(path: &Path, line: &[u8]) {
    let new = path.with_extension(std::process::id().to_string());
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut out| out.write_all(line))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_for_this_boot_only() {
        let folder = std::env::temp_dir().join(format!("cerco-guarded-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(NAME);
        probe_remembered(&folder).unwrap();
        match here() {
            // The tests themselves run under a filter: then nothing may be remembered.
            None => assert!(!path.exists()),
            Some(here) => {
                assert_eq!(fs::read(&path).unwrap(), here);
                fs::write(&path, "1 another boot").unwrap();
                probe_remembered(&folder).unwrap();
                assert_eq!(fs::read(&path).unwrap(), here);
            }
        }
        let names = fs::read_dir(&folder).unwrap().count();
        assert!(names <= 1, "{names} files");
        fs::remove_dir_all(&folder).unwrap();
    }
}
