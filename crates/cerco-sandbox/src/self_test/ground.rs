//! What is there for the attempts to aim at: a project with loops, secrets beside it, a
//! process, listeners. Gone with the value.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::names::Names;
use super::table::Found;
use super::{Asked, WORD};
use crate::foreground::Finished;

/// What stands in a file until somebody writes to it.
pub(super) const ORIGINAL: &str = "original\n";
/// What stands where nobody may read.
pub(super) const SECRET: &str = "secret\n";
/// How long a process may take to be gone.
const PATIENCE: Duration = Duration::from_secs(2);
/// Folders of the system in which root could leave something.
pub(super) const SYSTEM: &[&str] = &[
    "/etc",
    "/usr",
    "/usr/local",
    "/var",
    "/opt",
    "/boot",
    "/srv",
];
/// Folders that everybody writes to.
pub(super) const COMMON: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

pub(crate) struct Ground {
    root: PathBuf,
    pub(super) names: Names,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    /// By the file system, and by a name of the kernel's alone.
    sockets: [UnixListener; 2],
    /// How the attempts' run ended.
    pub(super) finished: Option<Finished>,
}

impl Ground {
    pub(super) fn new(asked: &Asked) -> io::Result<Self> {
        let (root, mark) = folder(&asked.scratch)?;
        match Self::filled(&root, mark, asked) {
            Ok(ground) => Ok(ground),
            Err(e) => {
                let _ = fs::remove_dir_all(&root);
                Err(e)
            }
        }
    }

    fn filled(root: &Path, mark: String, asked: &Asked) -> io::Result<Self> {
        lay(root)?;
        for folder in COMMON {
            // Who comes first has it; where it can't be made there is nothing to see.
            let _ = fs::write(Path::new(folder).join(&mark), SECRET);
        }
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        let sockets = [
            UnixListener::bind(root.join("project/socket"))?,
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(mark.as_bytes())?)?,
        ];
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        for socket in &sockets {
            socket.set_nonblocking(true)?;
        }
        let victim = Command::new(std::env::current_exe()?)
            .args([WORD, "victim", &mark])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let home = asked.home.as_ref().and_then(|home| {
            let facts = fs::metadata(home).ok()?;
            Some((home.clone(), format!("{}:{}", facts.dev(), facts.ino())))
        });
        let mut hidden = asked.hidden.clone();
        hidden.push(root.join("project/app"));
        let names = Names {
            project: root.join("project"),
            own: root.join("project/loops/own"),
            outside: root.join("outside"),
            mark,
            victim: victim.id(),
            tcp: tcp.local_addr()?.port(),
            udp: udp.local_addr()?.port(),
            namespaces: namespaces(),
            hidden,
            home,
        };
        Ok(Self {
            root: root.to_owned(),
            names,
            victim,
            tcp,
            udp,
            sockets,
            finished: None,
        })
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// Whether the file is as it was made.
    pub(super) fn is_original(&self, below: &str) -> Found {
        match fs::read_to_string(self.path(below)) {
            Ok(text) if text == ORIGINAL => Ok(()),
            Ok(_) => Err(format!("written to: {below}")),
            Err(e) => Err(format!("gone: {below} ({e})")),
        }
    }

    /// Whether nobody made this.
    pub(super) fn is_absent(&self, at: &Path) -> Found {
        match fs::symlink_metadata(self.root.join(at)) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(format!("{}: {e}", at.display())),
            Ok(_) => Err(format!("made: {}", at.display())),
        }
    }

    /// Whether nobody came in.
    pub(super) fn nobody_connected(&self) -> Found {
        stays_out(self.tcp.accept(), "a port of this computer")?;
        stays_out(
            self.udp.recv(&mut [0; 8]),
            "a datagram port of this computer",
        )
    }

    /// The same for sockets of the system.
    pub(super) fn nobody_at_the_sockets(&self) -> Found {
        let [by_path, by_name] = &self.sockets;
        stays_out(by_path.accept(), "a socket file")?;
        stays_out(by_name.accept(), "an abstract socket")
    }

    /// Whether the process outside still lives.
    pub(super) fn victim_lives(&self) -> Found {
        let process = cerco_sys::processes::look_at(self.victim.id().try_into().unwrap_or(0));
        match process {
            Some(process) if !process.ended => Ok(()),
            _ => Err("a process outside was ended".to_owned()),
        }
    }

    /// Whether nothing of this mark is in the folders of the system or the home.
    pub(super) fn nothing_left_in(&self, folders: &[&str]) -> Found {
        let home = self.names.home.iter().map(|(home, _)| home.clone());
        let name = format!("{}-in", self.names.mark);
        let mut made = Vec::new();
        for folder in folders.iter().map(PathBuf::from).chain(home) {
            let at = folder.join(&name);
            if fs::symlink_metadata(&at).is_ok() {
                let _ = fs::remove_file(&at);
                made.push(at.display().to_string());
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        Err(format!("made: {}", made.join(", ")))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        for folder in COMMON {
            let _ = fs::remove_file(Path::new(folder).join(&self.names.mark));
        }
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A new folder of our own, and the name that marks all that belongs to it.
fn folder(below: &Path) -> io::Result<(PathBuf, String)> {
    let below = fs::canonicalize(below)?;
    let now = cerco_sys::clock::since_boot().as_nanos();
    let mark = format!("cerco-self-test-{}-{now}", std::process::id());
    let root = below.join(&mark);
    // The name can be guessed, so it is made and never found.
    fs::DirBuilder::new().mode(0o700).create(&root)?;
    // The mark stands in a common folder too, so it must differ from this one's name.
    Ok((root, format!("{mark}-m")))
}

fn lay(root: &Path) -> io::Result<()> {
    let folders = [
        "outside",
        "project/app",
        "project/loops/other",
        "project/loops/own/deep/er/inner",
        "project/loops/own/.git/hooks",
        "project/loops/own/.git/objects",
        "project/loops/own/.git/refs",
    ];
    for folder in folders {
        fs::create_dir_all(root.join(folder))?;
    }
    let files = [
        ("outside/file", ORIGINAL),
        ("outside/linked", ORIGINAL),
        ("project/app/key", SECRET),
        ("project/file", ORIGINAL),
        ("project/loops/other/file", ORIGINAL),
        ("project/loops/own/file", ORIGINAL),
        ("project/loops/own/deep/er/inner/file", ORIGINAL),
        ("project/loops/own/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/loops/own/.git/config", ORIGINAL),
    ];
    for (file, text) in files {
        fs::write(root.join(file), text)?;
    }
    fs::hard_link(
        root.join("outside/linked"),
        root.join("project/loops/own/linked"),
    )
}

fn namespaces() -> Vec<String> {
    ["pid", "net", "ipc", "uts", "mnt", "user"]
        .iter()
        .filter_map(|name| fs::read_link(format!("/proc/self/ns/{name}")).ok())
        .map(|link| link.to_string_lossy().into_owned())
        .collect()
}

fn stays_out<T>(came: io::Result<T>, what: &str) -> Found {
    match came {
        Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(()),
        Err(e) => Err(format!("{what}: {e}")),
        Ok(_) => Err(format!("reached: {what}")),
    }
}

/// Whether no process of that mark is left, or will be in a moment.
pub(super) fn nobody_with(mark: &str) -> Found {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = with_argument(mark);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(format!("{} processes of it still run", left.len()));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Processes that have this word among their arguments.
pub(super) fn with_argument(word: &str) -> Vec<i32> {
    let has = |pid: i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|w| w == word.as_bytes())
    };
    let all = cerco_sys::processes::all().into_iter();
    all.filter(|process| !process.ended && has(process.pid))
        .map(|process| process.pid)
        .collect()
}
