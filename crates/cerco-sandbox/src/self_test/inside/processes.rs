//! Processes outside, and processes that want to stay.

use std::fs;

use cerco_sys::signals::{Signal, send};

use super::{done, start_staying};
use crate::self_test::ground::{Ground, nobody_with, with_argument};
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "processes.outside",
        what: "processes outside can't be seen or ended",
        make: outside,
        look: Some(Ground::victim_lives),
    },
    Attempt {
        id: "processes.namespaces",
        what: "processes, network, messages, host name, mounts and users are the sandbox's own",
        make: namespaces,
        look: None,
    },
    Attempt {
        id: "processes.stay",
        what: "nothing that a command leaves behind goes on running",
        make: |names| {
            done(
                "starting it",
                start_staying(&[stays(names).into(), "x".into()]),
            )
        },
        look: Some(|ground| nobody_with(&stays(&ground.names))),
    },
    Attempt {
        id: "processes.terminal",
        what: "your terminal is out of reach",
        make: |_| match fs::OpenOptions::new().write(true).open("/dev/tty") {
            Err(_) => Ok(()),
            Ok(_) => Err("it could be opened".to_owned()),
        },
        look: None,
    },
];

fn stays(names: &Names) -> String {
    format!("{}-stays", names.mark)
}

fn outside(names: &Names) -> Found {
    let seen = with_argument(&names.mark);
    // The victim alone has the bare mark as an argument.
    for pid in &seen {
        let _ = send(*pid, Signal::Kill);
    }
    if !seen.is_empty() {
        return Err("a process outside was seen".to_owned());
    }
    // Its number, unless somebody in here has it.
    let pid = i32::try_from(names.victim).map_err(|e| e.to_string())?;
    if cerco_sys::processes::look_at(pid).is_none() {
        let _ = send(pid, Signal::Kill);
    }
    Ok(())
}

fn namespaces(names: &Names) -> Found {
    if names.namespaces.is_empty() {
        return Err("the outside could not be looked at".to_owned());
    }
    for outside in &names.namespaces {
        let Some((kind, _)) = outside.split_once(':') else {
            return Err(format!("no namespace: {outside}"));
        };
        let own = done(kind, fs::read_link(format!("/proc/self/ns/{kind}")))?;
        if own.to_string_lossy() == *outside {
            return Err(format!("the {kind} namespace is the one outside"));
        }
    }
    Ok(())
}
