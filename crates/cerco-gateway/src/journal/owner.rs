//! Who has an entry open, so that a crash is told from a run that goes on elsewhere.

use std::process;

/// On systems without `/proc`: an entry open for longer than any ask and run can take has
/// lost its process.
const LONGEST_MS: i64 = 2 * 60 * 60 * 1000;

/// A process of this boot, so that a reused number is not taken for it.
#[derive(Debug)]
pub(super) struct Owner(String);

impl Owner {
    pub(super) fn this_process() -> Self {
        let pid = process::id();
        Self(token(pid).unwrap_or_else(|| pid.to_string()))
    }

    pub(super) fn text(&self) -> String {
        self.0.clone()
    }

    /// Whether the owner of an entry opened at `time` has ended.
    pub(super) fn is_gone(owner: &str, time: i64, now: i64) -> bool {
        match owner.split_once(' ').and_then(|(pid, _)| pid.parse().ok()) {
            Some(pid) => token(pid).is_none_or(|found| found != owner),
            None => now.saturating_sub(time) > LONGEST_MS,
        }
    }
}

/// `PID START BOOT`; nothing where the process is gone or the system doesn't tell.
fn token(pid: u32) -> Option<String> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may have spaces and brackets of its own.
    let after = line.get(line.rfind(')')? + 1..)?;
    let mut fields = after.split_ascii_whitespace();
    // A zombie has ended; it only waits to be collected.
    let state = fields.next()?;
    let start = fields.nth(18)?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    (!matches!(state, "Z" | "X")).then(|| format!("{pid} {start} {}", boot.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_owner_is_not_gone_and_a_reused_number_is() {
        let me = Owner::this_process().text();
        assert!(!Owner::is_gone(&me, 0, i64::MAX));
        if let Some((pid, _)) = me.split_once(' ') {
            assert!(Owner::is_gone(&format!("{pid} 1 other-boot"), 0, 1));
            let mut child = process::Command::new("true").spawn().unwrap();
            let child_token = token(child.id());
            child.wait().unwrap();
            if let Some(ended) = child_token {
                assert!(Owner::is_gone(&ended, 0, 1));
            }
        }
        assert!(!Owner::is_gone("12", 0, LONGEST_MS));
        assert!(Owner::is_gone("12", 0, LONGEST_MS + 1));
    }
}
