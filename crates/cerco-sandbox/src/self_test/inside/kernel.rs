//! Doors of the kernel.

use std::fs::{self, OpenOptions};

use cerco_sys::doors::{Answer, Door, attempt};

use super::{done, refused};
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

const fn door(id: &'static str, what: &'static str, make: fn(&Names) -> Found) -> Attempt {
    Attempt {
        id,
        what,
        make,
        look: None,
    }
}

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    door(
        "kernel.namespaces",
        "no further namespaces can be made, in which a command would have every right",
        |_| shut(&[Door::NewUsers, Door::NewProcess]),
    ),
    door(
        "kernel.calls",
        "calls that go past a filter or a mount are shut (io_uring, handles, page faults)",
        |_| shut(&[Door::Ring, Door::Handle, Door::Faults, Door::Personality]),
    ),
    door(
        "kernel.keys",
        "your session's key ring can't be read",
        |_| shut(&[Door::Keys]),
    ),
    door(
        "kernel.sockets",
        "the host of a virtual machine can't be reached",
        |_| shut(&[Door::MachineHost]),
    ),
    door(
        "kernel.typing",
        "nothing can be typed into a terminal",
        |_| shut(&[Door::Typing, Door::Pasting]),
    ),
    door(
        "kernel.switches",
        "switches of the whole machine can't be written (core_pattern and others)",
        |_| {
            for path in [
                "/proc/sys/kernel/core_pattern",
                "/proc/sys/vm/drop_caches",
                "/proc/sysrq-trigger",
            ] {
                // Opened and never written to.
                refused(path, OpenOptions::new().write(true).open(path))?;
            }
            Ok(())
        },
    ),
    door(
        "kernel.rights",
        "a command has no rights of root's and can gain none",
        rights,
    ),
];

fn shut(doors: &[Door]) -> Found {
    for door in doors {
        if attempt(*door) == Answer::Open {
            return Err(format!("still open: {door:?}"));
        }
    }
    Ok(())
}

fn rights(_: &Names) -> Found {
    let status = done("its state", fs::read_to_string("/proc/self/status"))?;
    for (field, expected) in [
        ("CapEff", "0000000000000000"),
        ("CapPrm", "0000000000000000"),
        ("CapBnd", "0000000000000000"),
        ("NoNewPrivs", "1"),
    ] {
        let value = status.lines().find_map(|line| line.strip_prefix(field));
        let value = value.map(|rest| rest.trim_start_matches(':').trim());
        if value != Some(expected) {
            return Err(format!(
                "its state says {field}: {}",
                value.unwrap_or("missing")
            ));
        }
    }
    Ok(())
}
