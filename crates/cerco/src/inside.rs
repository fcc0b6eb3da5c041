//! Whether this Cerco was started by a command that Cerco runs: then an agent speaks, who
//! must not answer asks, make projects known, or leave the sandbox.

use std::env;

use crate::failure::Failure;

const MARK: &[u8] = b"CERCO_RUN=";

/// Whether this process or one above it carries the mark of a run. The environment of the
/// ones above is as it was when they started, so emptying one's own changes nothing.
pub(crate) fn a_run() -> bool {
    env::var_os("CERCO_RUN").is_some() || ancestors_carry_the_mark()
}

/// Refuses what only a person may do.
pub(crate) fn persons_only(what: &str) -> Result<(), Failure> {
    if a_run() {
        return Err(Failure {
            code: crate::failure::code::REFUSED,
            what: Some(format!(
                "{what} is for a person; a command that Cerco runs can't do it. Do it in your own terminal"
            )),
        });
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn ancestors_carry_the_mark() -> bool {
    let mut pid = std::process::id();
    // No real chain is longer; a loop by reused numbers ends here.
    for _ in 0..256 {
        let Some(parent) = parent(pid) else {
            return false;
        };
        if parent == 0 {
            return false;
        }
        // One that can't be read belongs to somebody else: not a command of ours.
        let environment = std::fs::read(format!("/proc/{parent}/environ")).unwrap_or_default();
        if environment.split(|b| *b == 0).any(|v| v.starts_with(MARK)) {
            return true;
        }
        pid = parent;
    }
    true
}

#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("PPid:"))?;
    line.trim().parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn ancestors_carry_the_mark() -> bool {
    false
}
