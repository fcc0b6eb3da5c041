//! Who is on the other end of a connection: from a socket to a process, and from a process
//! to its ancestors (UX.md §9 "who is speaking").
//!
//! Answers come from `/proc` and are true at the moment of asking. Whoever can't be found
//! out is reported as such; what that means is decided elsewhere.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};

/// A process that can't be confused with a later one of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did.
    pub started: u64,
}

/// One line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Which.
    pub id: ProcessId,
    /// Its parent's number.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Whether it has ended and waits to be collected.
    pub ended: bool,
    /// Its controlling terminal's device number; 0: none.
    pub terminal: u64,
    /// The process group in the foreground of that terminal.
    pub foreground: Option<u32>,
}

/// Reads one process; nothing when it is gone.
#[must_use]
pub fn process(pid: u32) -> Option<Process> {
    parse_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Every process there is.
pub fn processes() -> io::Result<Vec<Process>> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        if let Some(pid) = name.to_str().and_then(|n| n.parse().ok()) {
            all.extend(process(pid));
        }
    }
    Ok(all)
}

/// The process and its ancestors, nearest first. Nothing when the process is gone or a
/// parent vanished while we looked: then nobody can say what it descends from.
#[must_use]
pub fn ancestry(pid: u32) -> Option<Vec<Process>> {
    let mut chain = Vec::new();
    let mut next = pid;
    // Process numbers are at most 2^22 and a chain has no circle; 4096 is far beyond any real one.
    while next != 0 && chain.len() < 4096 {
        let found = process(next)?;
        next = found.parent;
        chain.push(found);
    }
    (next == 0).then_some(chain)
}

/// All processes that are or descend from one for which `is_root` holds.
#[must_use]
pub fn descendants(all: &[Process], is_root: impl Fn(&Process) -> bool) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<Process>> = HashMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found: Vec<Process> = all.iter().filter(|p| is_root(p)).copied().collect();
    let mut seen: HashSet<u32> = found.iter().map(|p| p.id.pid).collect();
    let mut at = 0;
    while let Some(process) = found.get(at).copied() {
        at += 1;
        for child in children.get(&process.id.pid).into_iter().flatten() {
            if seen.insert(child.id.pid) {
                found.push(*child);
            }
        }
    }
    found
}

/// One end of a TCP connection on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpEnd {
    /// The socket's number in the kernel.
    pub inode: u64,
    /// The user it belongs to.
    pub user: u32,
}

/// The end of a connection on this machine that is bound to `near` and talks to `far`.
pub fn tcp_end(near: SocketAddr, far: SocketAddr) -> io::Result<Option<TcpEnd>> {
    let table = match near {
        SocketAddr::V4(_) => "/proc/net/tcp",
        SocketAddr::V6(_) => "/proc/net/tcp6",
    };
    let (near, far) = (kernel_form(near), kernel_form(far));
    let text = fs::read_to_string(table)?;
    Ok(text.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        if fields.next()? != near || fields.next()? != far {
            return None;
        }
        // After the two addresses: st, tx:rx queue, tr:when, retrnsmt, uid, timeout, inode.
        let user = fields.nth(4)?.parse().ok()?;
        let inode = fields.nth(1)?.parse().ok()?;
        Some(TcpEnd { inode, user })
    }))
}

/// Whether a process has a socket open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It has.
    Yes,
    /// It has not, or it is gone.
    No,
    /// It doesn't let us look.
    Hidden,
}

/// Looks whether a process has the socket `inode` open.
#[must_use]
pub fn holds(pid: u32, inode: u64) -> Holds {
    let wanted = format!("socket:[{inode}]");
    let list = match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(list) => list,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Holds::No,
        Err(_) => return Holds::Hidden,
    };
    for entry in list {
        let Ok(entry) = entry else {
            return Holds::Hidden;
        };
        match fs::read_link(entry.path()) {
            Ok(target) if target.as_os_str() == wanted.as_str() => return Holds::Yes,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return Holds::Hidden,
        }
    }
    Holds::No
}

/// The control group of a process, as `/proc/PID/cgroup` writes it. It is inherited, and kept
/// by a process whose parent ends. Nothing when the process is gone or there is none.
#[must_use]
pub fn control_group(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()
}

/// The name of a process, at most 15 bytes of it; nothing when it is gone.
#[must_use]
pub fn name(pid: u32) -> Option<String> {
    let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
    Some(String::from_utf8_lossy(&name).trim_end().to_owned())
}

/// Whether a process holds the other side (the master) of this controlling terminal: it is
/// the terminal's window, multiplexer or login. `false` where that can't be seen.
#[must_use]
pub fn holds_terminal(pid: u32, terminal: u64) -> bool {
    // tty_nr of proc(5): the minor number is in bits 31 to 20 and 7 to 0. 136 is the major
    // number of pseudo-terminals (Linux, Documentation/admin-guide/devices.txt).
    let (major, number) = (
        (terminal >> 8) & 0xfff,
        (terminal & 0xff) | ((terminal >> 12) & 0xf_ff00),
    );
    let Ok(list) = fs::read_dir(format!("/proc/{pid}/fdinfo")) else {
        return false;
    };
    major == 136
        && list.flatten().any(|entry| {
            let info = fs::read_to_string(entry.path()).unwrap_or_default();
            let index = info.lines().find_map(|l| l.strip_prefix("tty-index:"));
            index.and_then(|n| n.trim().parse().ok()) == Some(number)
        })
}

/// An address as `/proc/net/tcp` writes it: each 32-bit word in the machine's byte order.
fn kernel_form(address: SocketAddr) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    let mut word = |octets: [u8; 4]| {
        let _ = write!(text, "{:08X}", u32::from_ne_bytes(octets));
    };
    match address.ip() {
        IpAddr::V4(ip) => word(ip.octets()),
        IpAddr::V6(ip) => {
            for octets in ip.octets().as_chunks::<4>().0 {
                word(*octets);
            }
        }
    }
    let _ = write!(text, ":{:04X}", address.port());
    text
}

/// `/proc/PID/stat`: the name in brackets may hold spaces and brackets itself (a process
/// names itself), so fields are counted from the last closing one.
fn parse_stat(pid: u32, stat: &[u8]) -> Option<Process> {
    let end = stat.iter().rposition(|b| *b == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // Counted from the state, which is field 3 of proc(5).
    let state = *fields.first()?;
    let foreground: i64 = fields.get(5)?.parse().ok()?;
    let terminal: i64 = fields.get(4)?.parse().ok()?;
    Some(Process {
        id: ProcessId {
            pid,
            started: fields.get(19)?.parse().ok()?,
        },
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        ended: matches!(state, "Z" | "X"),
        terminal: terminal.unsigned_abs(),
        foreground: u32::try_from(foreground).ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_name_full_of_brackets_does_not_move_the_fields() {
        let line = b"7 (a) Z 1 2) S 3 4 5 34817 6 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let found = parse_stat(7, line).unwrap();
        assert_eq!(
            (found.parent, found.group, found.id.started, found.ended),
            (3, 4, 4242, false)
        );
        assert_eq!((found.terminal, found.foreground), (34817, Some(6)));
        assert_eq!(parse_stat(7, b"7 (cut"), None);
        assert_eq!(parse_stat(7, b""), None);
    }

    #[test]
    fn a_connection_leads_to_its_process_and_user() {
        for bind in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(bind) else {
                assert!(bind.starts_with('['), "no loopback at all");
                continue;
            };
            let far = listener.local_addr().unwrap();
            let client = TcpStream::connect(far).unwrap();
            let near = client.local_addr().unwrap();
            let end = tcp_end(near, far).unwrap().unwrap();
            assert_eq!(end.user, crate::harden::user_id());
            assert_eq!(holds(std::process::id(), end.inode), Holds::Yes);
            assert_eq!(holds(std::process::id(), u64::MAX), Holds::No);
            let other: SocketAddr = "127.0.0.1:1".parse().unwrap();
            assert_eq!(tcp_end(near, other).unwrap_or(None), None);
        }
    }

    #[test]
    fn a_child_descends_from_us_and_a_stranger_does_not() {
        let mut child = std::process::Command::new("sleep")
            .arg("20")
            .spawn()
            .unwrap();
        let me = process(std::process::id()).unwrap();
        let chain = ancestry(child.id()).unwrap();
        assert!(chain.iter().any(|p| p.id == me.id));
        let all = processes().unwrap();
        let below = descendants(&all, |p| p.id == me.id);
        assert!(below.iter().any(|p| p.id.pid == child.id()));
        assert!(!below.iter().any(|p| p.id.pid == 1));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(ancestry(child.id()), None);
    }
}
