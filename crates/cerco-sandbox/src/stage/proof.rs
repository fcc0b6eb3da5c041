//! What has to be true inside before a command starts. Each check is on what the kernel
//! says now, not on what was asked for.

use std::fs;
use std::path::{Path, PathBuf};

use cerco_sys::mounts::{self, Writes};

use crate::machine;
use crate::plan::{Expected, Proof};
use crate::refusal::shown;
use crate::walk::identity;

/// Checks every path; the first that isn't as planned, in words.
pub(super) fn paths(proofs: &[Proof]) -> Result<(), String> {
    for proof in proofs {
        let path = shown(&proof.path);
        let facts = fs::symlink_metadata(&proof.path)
            .map_err(|e| format!("{path} can't be looked at inside: {e}"))?;
        let known = proof.identity.inode != 0;
        let same = identity(&facts) == proof.identity;
        if proof.expected == Expected::Hidden {
            if same {
                return Err(format!("{path} is not hidden"));
            }
            continue;
        }
        if known && !same {
            return Err(format!("{path} was exchanged while the sandbox was built"));
        }
        let writes = mounts::writes(&proof.path).map_err(|e| format!("{path}: {e}"))?;
        match (proof.expected, writes) {
            (Expected::ReadOnly, Writes::Taken) => {
                return Err(format!("{path} is not read-only"));
            }
            (Expected::Writable, Writes::Refused) => {
                return Err(format!("{path} is not writable"));
            }
            _ => {}
        }
        if proof.expected == Expected::Writable && !may_write(&proof.path) {
            return Err(format!(
                "the loop's folder {path} belongs to somebody else; run as its owner"
            ));
        }
    }
    Ok(())
}

fn may_write(path: &Path) -> bool {
    mounts::may_write(path).unwrap_or(false)
}

/// Checks that this process has no rights to lose: no capability, none to be gained, and
/// a filter in force.
pub(super) fn process() -> Result<(), String> {
    let status = fs::read_to_string("/proc/self/status")
        .map_err(|e| format!("its own state can't be read: {e}"))?;
    for (field, expected) in [
        ("CapInh", "0000000000000000"),
        ("CapPrm", "0000000000000000"),
        ("CapEff", "0000000000000000"),
        ("NoNewPrivs", "1"),
        ("Seccomp", "2"),
    ] {
        let value = status.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name == field).then(|| value.trim())
        });
        if value != Some(expected) {
            return Err(format!(
                "{field} is {} instead of {expected}",
                value.unwrap_or("missing")
            ));
        }
    }
    Ok(())
}

/// Checks that no mount takes writes but the planned ones: one that the host made in the
/// meantime would. (`/dev` holds the launcher's own small mounts.) Mounts that lie under
/// another one and can't be reached don't count.
pub(super) fn mounts(writable: &[PathBuf]) -> Result<(), String> {
    let all = machine::mount_points();
    if all.is_empty() {
        return Err("its mounts can't be read".to_owned());
    }
    for (index, mount) in all.iter().enumerate() {
        let planned = writable.contains(&mount.at) || mount.at.starts_with("/dev");
        if !mount.is_writable || planned {
            continue;
        }
        let later = all.get(index + 1..).unwrap_or_default();
        if !later.iter().any(|over| mount.at.starts_with(&over.at)) {
            return Err(format!(
                "{} takes writes, which was not planned",
                shown(&mount.at)
            ));
        }
    }
    Ok(())
}

/// Checks that no address but this sandbox's own loopback can be routed to. (Interfaces are
/// no measure: kernels put idle tunnel devices into every new namespace.)
pub(super) fn network() -> Result<(), String> {
    let read = |path: &str| {
        fs::read_to_string(path).map_err(|e| format!("its network can't be read: {e}"))
    };
    let v4 = read("/proc/self/net/route")?;
    // A kernel without IPv6 has no such file, and no such routes.
    let v6 = fs::read_to_string("/proc/self/net/ipv6_route").unwrap_or_default();
    let v4 = v4
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next());
    let v6 = v6.lines().filter_map(|line| line.split_whitespace().last());
    match v4.chain(v6).find(|device| *device != "lo") {
        None => Ok(()),
        Some(device) => Err(format!("it has a route to the network by {device}")),
    }
}
