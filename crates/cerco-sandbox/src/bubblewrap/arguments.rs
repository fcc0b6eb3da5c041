//! A plan as bubblewrap's options, in order. Pure.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::features::Features;
use crate::plan::Plan;
use crate::request::Network;
use crate::step::{Mount, Step, Why};
use crate::switches::{Protection, Switches};

/// A flag that isn't a mount, with what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// A user namespace: no rights outside.
    Users,
    /// A process namespace: nothing outside can be seen or signalled, and everything ends
    /// with its first process.
    Processes,
    /// A network namespace with nothing but a loopback of its own.
    Network,
    /// Shared memory and message queues of the user are out of reach.
    Ipc,
    /// The host name is neither seen nor set.
    HostName,
    /// The control groups' names are hidden.
    ControlGroups,
    /// No further user namespaces, which are where kernel holes are reached from.
    NoMoreUsers,
    /// The sandbox ends with Cerco.
    DieWithParent,
    /// No controlling terminal, and a process group of its own.
    NewSession,
    /// No capability, whoever the caller is.
    NoCapabilities,
}

/// Every flag in order with its words; `ControlGroups` is tried, because old kernels lack
/// it and the mounts cover the rest.
const FLAGS: &[(Flag, &[&str])] = &[
    (Flag::Users, &["--unshare-user"]),
    (Flag::Processes, &["--unshare-pid"]),
    (Flag::Network, &["--unshare-net"]),
    (Flag::Ipc, &["--unshare-ipc"]),
    (Flag::HostName, &["--unshare-uts", "--hostname", "sandbox"]),
    (Flag::ControlGroups, &["--unshare-cgroup-try"]),
    (Flag::NoMoreUsers, &["--disable-userns"]),
    (Flag::DieWithParent, &["--die-with-parent"]),
    (Flag::NewSession, &["--new-session"]),
    (Flag::NoCapabilities, &["--cap-drop", "ALL"]),
];

/// The options for `plan`, `filter` being the descriptor of the system call filter.
pub(crate) fn arguments(
    plan: &Plan,
    features: Features,
    filter: Option<i32>,
    switches: &Switches,
) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    // No interface either way: the way out is a socket, not a route.
    let (Network::Off | Network::Registries) = plan.network;
    for (flag, words) in FLAGS {
        // The filter refuses what makes a user namespace where this flag is missing.
        let known = *flag != Flag::NoMoreUsers || features.disables_user_namespaces;
        if known && switches.is_on(Protection::Flag(*flag)) {
            out.extend(words.iter().map(OsString::from));
        }
    }
    for step in &plan.steps {
        if !switches.is_on(Protection::Mounts(step.why)) {
            continue;
        }
        let takes_writes =
            matches!(step.why, Why::Root | Why::Project) && !switches.is_on(Protection::ReadOnly);
        if takes_writes {
            let at = step.mount.at().to_owned();
            let mount_at = Step {
                mount: Mount::Writable { at },
                why: step.why,
            };
            mount(&mount_at, features, &mut out);
        } else {
            mount(step, features, &mut out);
        }
    }
    out.extend(["--chdir".into(), plan.directory.clone().into_os_string()]);
    if let Some(fd) = filter {
        out.extend(["--seccomp".into(), fd.to_string().into()]);
    }
    out
}

fn mount(step: &Step, features: Features, out: &mut Vec<OsString>) {
    let mut say = |words: &[&std::ffi::OsStr]| out.extend(words.iter().map(OsString::from));
    match &step.mount {
        Mount::ReadOnly { from, at } => {
            say(&["--ro-bind".as_ref(), from.as_os_str(), at.as_os_str()]);
        }
        Mount::Writable { at } => say(&["--bind".as_ref(), at.as_os_str(), at.as_os_str()]),
        Mount::Empty { at, bytes, closed } => {
            if *closed {
                say(&["--perms".as_ref(), "0000".as_ref()]);
            }
            if features.sizes {
                say(&["--size".as_ref(), bytes.to_string().as_ref()]);
            }
            say(&["--tmpfs".as_ref(), at.as_os_str()]);
        }
        Mount::Cover(at) => say(&["--ro-bind".as_ref(), "/dev/null".as_ref(), at.as_os_str()]),
        Mount::Folder(at) => say(&["--dir".as_ref(), at.as_os_str()]),
        Mount::Devices => say(&["--dev".as_ref(), "/dev".as_ref()]),
        Mount::Processes => say(&["--proc".as_ref(), "/proc".as_ref()]),
    }
}

/// The options as the launcher reads them from a descriptor: each ended by a NUL byte. A
/// command line would be cut off at 128 KiB an argument and shown to everybody.
pub(crate) fn to_bytes(arguments: &[OsString]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in arguments {
        if word.as_bytes().contains(&0) {
            return None;
        }
        bytes.extend(word.as_bytes());
        bytes.push(0);
    }
    Some(bytes)
}
