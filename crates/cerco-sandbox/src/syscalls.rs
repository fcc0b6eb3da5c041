//! The system calls a sandboxed command does without, as data.
//!
//! Everything else is allowed: a build runs anything, and the mounts and namespaces are
//! what holds it. These are the doors of the kernel that those don't cover. Left open on
//! purpose: ptrace (debuggers, leak checkers; the process namespace contains it), unix
//! sockets and loopback (tests start servers).

use cerco_sys::bpf::{self, Answer, Rule, Test, When};
use libc::{EAFNOSUPPORT, ENOSYS, EPERM, EPROTONOSUPPORT};

const ALWAYS: &[When] = &[];

const fn never(call: i64) -> Rule {
    Rule {
        call,
        when: ALWAYS,
        answer: Answer::Errno(EPERM),
    }
}
const fn unknown(call: i64) -> Rule {
    Rule {
        call,
        when: ALWAYS,
        answer: Answer::Errno(ENOSYS),
    }
}
const fn when(call: i64, when: &'static [When], errno: i32) -> Rule {
    Rule {
        call,
        when,
        answer: Answer::Errno(errno),
    }
}
const fn arg(argument: u8, test: Test) -> When {
    When { argument, test }
}

/// Every flag that makes a namespace.
const NAMESPACES: u32 = 0x0002_0000 // mounts
    | 0x0200_0000 // control groups
    | 0x0400_0000 // host name
    | 0x0800_0000 // IPC
    | 0x1000_0000 // users
    | 0x2000_0000 // processes
    | 0x4000_0000; // network
/// In `unshare` the bit is time; in `clone` it is part of the exit signal.
const NEW_TIME: u32 = 0x80;
const SET_USER_ID: u32 = 0o4000;
const CREATES: u32 = 0o100 | 0o20_000_000; // O_CREAT, O_TMPFILE without O_DIRECTORY
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;
const AF_UNIX: u32 = 1;
const AF_INET: u32 = 2;
const AF_INET6: u32 = 10;
const AF_NETLINK: u32 = 16;
const NETLINK_ROUTE: u32 = 0;
/// The usual one of its kind, ping, TCP, UDP, ping of IPv6.
const PROTOCOLS: &[u32] = &[0, 1, 6, 17, 58];
const F_SETLEASE: u32 = 1024;

// Numbers that the libc crate does not name everywhere; the same on every architecture.
const SYS_QUOTACTL_FD: i64 = 443;
const SYS_FCHMODAT2: i64 = 452;
const SYS_OPEN_TREE_ATTR: i64 = 467;

const COMMON: &[Rule] = &[
    // Kernel surface that no build needs and that has had holes.
    never(libc::SYS_bpf),
    never(libc::SYS_perf_event_open),
    never(libc::SYS_userfaultfd), // stops a kernel thread at will: the helper of many exploits
    never(libc::SYS_kexec_load),
    never(libc::SYS_init_module),
    never(libc::SYS_finit_module),
    never(libc::SYS_delete_module),
    never(libc::SYS_acct),
    never(libc::SYS_quotactl),
    never(SYS_QUOTACTL_FD),
    never(libc::SYS_swapon),
    never(libc::SYS_swapoff),
    never(libc::SYS_reboot),
    never(libc::SYS_syslog),
    never(libc::SYS_vhangup),
    never(libc::SYS_settimeofday),
    never(libc::SYS_clock_settime),
    never(libc::SYS_clock_adjtime),
    never(libc::SYS_adjtimex),
    // Files by handle instead of by path: past every mount.
    never(libc::SYS_open_by_handle_at),
    never(libc::SYS_name_to_handle_at),
    never(libc::SYS_fanotify_init),
    // Key rings belong to the session, not to a namespace.
    never(libc::SYS_add_key),
    never(libc::SYS_keyctl),
    never(libc::SYS_request_key),
    // Opens files and sockets without the calls that this filter sees.
    never(libc::SYS_io_uring_setup),
    never(libc::SYS_io_uring_enter),
    never(libc::SYS_io_uring_register),
    // Mounts and namespaces: the covers could be looked under.
    never(libc::SYS_mount),
    never(libc::SYS_umount2),
    never(libc::SYS_pivot_root),
    never(libc::SYS_chroot),
    never(libc::SYS_setns),
    never(libc::SYS_move_mount),
    never(libc::SYS_fsopen),
    never(libc::SYS_fsconfig),
    never(libc::SYS_fsmount),
    never(libc::SYS_fspick),
    never(libc::SYS_open_tree),
    never(SYS_OPEN_TREE_ATTR),
    never(libc::SYS_mount_setattr),
    when(
        libc::SYS_unshare,
        &[arg(0, Test::AnyBit(NAMESPACES | NEW_TIME))],
        EPERM,
    ),
    when(libc::SYS_clone, &[arg(0, Test::AnyBit(NAMESPACES))], EPERM),
    // Its flags lie in memory, where a filter can't look; libc then uses clone.
    unknown(libc::SYS_clone3),
    // Typing into a terminal that was passed on (CVE-2017-5226, CVE-2023-28100).
    when(libc::SYS_ioctl, &[arg(1, Test::Is(TIOCSTI))], EPERM),
    when(libc::SYS_ioctl, &[arg(1, Test::Is(TIOCLINUX))], EPERM),
    // Families that no network namespace covers (vsock reaches the host of a machine).
    when(
        libc::SYS_socket,
        &[arg(
            0,
            Test::NotIn(&[AF_UNIX, AF_INET, AF_INET6, AF_NETLINK]),
        )],
        EAFNOSUPPORT,
    ),
    when(
        libc::SYS_socket,
        &[
            arg(0, Test::Is(AF_NETLINK)),
            arg(2, Test::NotIn(&[NETLINK_ROUTE])),
        ],
        EAFNOSUPPORT,
    ),
    // The kernel loads a module for whoever names its protocol (SCTP, DCCP, L2TP …), and
    // some of those have had holes. Programs that try MPTCP first go on with TCP.
    when(
        libc::SYS_socket,
        &[
            arg(0, Test::NotIn(&[AF_UNIX, AF_NETLINK])),
            arg(2, Test::NotIn(PROTOCOLS)),
        ],
        EPROTONOSUPPORT,
    ),
    when(
        libc::SYS_socketpair,
        &[arg(0, Test::NotIn(&[AF_UNIX]))],
        EAFNOSUPPORT,
    ),
    // A set-user-id file in the loop's folder would give its owner's rights to whoever
    // runs it outside. All the ways to make one:
    when(
        libc::SYS_fchmod,
        &[arg(1, Test::AnyBit(SET_USER_ID))],
        EPERM,
    ),
    when(
        libc::SYS_fchmodat,
        &[arg(2, Test::AnyBit(SET_USER_ID))],
        EPERM,
    ),
    when(SYS_FCHMODAT2, &[arg(2, Test::AnyBit(SET_USER_ID))], EPERM),
    when(
        libc::SYS_mknodat,
        &[arg(2, Test::AnyBit(SET_USER_ID))],
        EPERM,
    ),
    when(
        libc::SYS_openat,
        &[
            arg(2, Test::AnyBit(CREATES)),
            arg(3, Test::AnyBit(SET_USER_ID)),
        ],
        EPERM,
    ),
    // Its mode lies in memory; callers fall back to openat.
    unknown(libc::SYS_openat2),
    // A lease on a file of the project would stop whoever opens it outside, for as long as
    // 45 seconds. Programs do without.
    when(libc::SYS_fcntl, &[arg(1, Test::Is(F_SETLEASE))], EPERM),
    // Compatibility modes switch hardening off. -1 asks which one is on.
    when(
        libc::SYS_personality,
        &[arg(0, Test::NotIn(&[0, u32::MAX]))],
        EPERM,
    ),
];

/// Calls that only the older table of x86-64 has.
#[cfg(target_arch = "x86_64")]
const OLDER: &[Rule] = &[
    never(libc::SYS_kexec_file_load),
    never(libc::SYS_lookup_dcookie),
    never(libc::SYS_uselib),
    never(libc::SYS_modify_ldt),
    never(libc::SYS_iopl),
    never(libc::SYS_ioperm),
    when(libc::SYS_chmod, &[arg(1, Test::AnyBit(SET_USER_ID))], EPERM),
    when(libc::SYS_creat, &[arg(1, Test::AnyBit(SET_USER_ID))], EPERM),
    when(libc::SYS_mknod, &[arg(1, Test::AnyBit(SET_USER_ID))], EPERM),
    when(
        libc::SYS_open,
        &[
            arg(1, Test::AnyBit(CREATES)),
            arg(2, Test::AnyBit(SET_USER_ID)),
        ],
        EPERM,
    ),
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[Rule] = &[];

/// The filter as the bytes a launcher reads; `None` only if a rule above can't be
/// expressed, which a test rules out.
pub(crate) fn filter() -> Option<Vec<u8>> {
    Some(bpf::to_bytes(&program()?))
}

fn program() -> Option<Vec<bpf::Instruction>> {
    let rules: Vec<Rule> = COMMON.iter().chain(OLDER).copied().collect();
    bpf::assemble(&rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(call: i64, arguments: [u64; 6], expected: Option<i32>) {
        let program = program().unwrap();
        let number = u32::try_from(call).unwrap();
        let word = bpf::simulate(&program, bpf::native_architecture(), number, arguments).unwrap();
        assert_eq!(bpf::errno_of(word), expected, "call {call} {arguments:x?}");
    }

    #[test]
    fn what_a_build_needs_is_allowed() {
        let sigchld = 17;
        for (call, arguments) in [
            (libc::SYS_read, [0; 6]),
            (libc::SYS_ptrace, [0; 6]),
            (libc::SYS_clone, [sigchld, 0, 0, 0, 0, 0]),
            (libc::SYS_clone, [0x003d_0f00, 0, 0, 0, 0, 0]), // a thread
            (libc::SYS_unshare, [0x400, 0, 0, 0, 0, 0]),     // own descriptor table
            (libc::SYS_socket, [1, 1, 0, 0, 0, 0]),
            (libc::SYS_socket, [10, 2, 0, 0, 0, 0]),
            (libc::SYS_socket, [16, 3, 0, 0, 0, 0]),
            (libc::SYS_socket, [2, 0x8_0801, 6, 0, 0, 0]),
            (libc::SYS_socket, [10, 2, 58, 0, 0, 0]),
            (libc::SYS_socketpair, [1, 1, 0, 0, 0, 0]),
            (libc::SYS_ioctl, [1, 0x5401, 0, 0, 0, 0]),
            (libc::SYS_fchmodat, [0, 0, 0o2755, 0, 0, 0]), // git init --shared
            (libc::SYS_openat, [0, 0, 0o101, 0o644, 0, 0]),
            (libc::SYS_openat, [0, 0, 0, 0o4000, 0, 0]), // rubbish where no mode is read
            (libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0, 0]),
            (libc::SYS_fcntl, [3, 1, 0, 0, 0, 0]),
        ] {
            check(call, arguments, None);
        }
    }

    #[test]
    fn doors_are_shut() {
        for (call, arguments, errno) in [
            (libc::SYS_bpf, [0; 6], EPERM),
            (libc::SYS_io_uring_setup, [0; 6], EPERM),
            (libc::SYS_keyctl, [0; 6], EPERM),
            (libc::SYS_clone3, [0; 6], ENOSYS),
            (libc::SYS_openat2, [0; 6], ENOSYS),
            (libc::SYS_clone, [0x1000_0011, 0, 0, 0, 0, 0], EPERM),
            (libc::SYS_unshare, [0x80, 0, 0, 0, 0, 0], EPERM),
            (libc::SYS_ioctl, [0, 0x5412, 0, 0, 0, 0], EPERM),
            (libc::SYS_ioctl, [0, 0xff_0000_5412, 0, 0, 0, 0], EPERM),
            (libc::SYS_ioctl, [0, 0x541c, 0, 0, 0, 0], EPERM),
            (libc::SYS_socket, [40, 1, 0, 0, 0, 0], EAFNOSUPPORT),
            (libc::SYS_socket, [16, 3, 15, 0, 0, 0], EAFNOSUPPORT),
            (libc::SYS_socket, [64, 1, 0, 0, 0, 0], EAFNOSUPPORT),
            (libc::SYS_socket, [2, 5, 132, 0, 0, 0], EPROTONOSUPPORT),
            (libc::SYS_socket, [10, 1, 262, 0, 0, 0], EPROTONOSUPPORT),
            (libc::SYS_fchmod, [3, 0o4755, 0, 0, 0, 0], EPERM),
            (libc::SYS_openat, [0, 0, 0o101, 0o4755, 0, 0], EPERM),
            (libc::SYS_personality, [0x0004_0000, 0, 0, 0, 0, 0], EPERM),
            (libc::SYS_fcntl, [3, 1024, 1, 0, 0, 0], EPERM),
        ] {
            check(call, arguments, Some(errno));
        }
    }

    #[test]
    fn no_rule_stands_twice() {
        let mut seen: Vec<(i64, &[When])> = Vec::new();
        for rule in COMMON.iter().chain(OLDER) {
            assert!(!seen.contains(&(rule.call, rule.when)), "{rule:?}");
            seen.push((rule.call, rule.when));
        }
    }
}
