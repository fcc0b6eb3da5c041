//! Runs many commands inside one sandbox, each in a shell of its own with a clock.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::generate::Generated;
use crate::words::NAMES;

/// Where a command runs; empty at its start.
pub(crate) const DIRECTORY: &str = "/w";
pub(crate) const LOG: &str = "/out/log";
const STUBS: &str = "/stubs";
const LONGEST: Duration = Duration::from_millis(800);

/// The environment of every command, which the reading is made with.
pub(crate) const ENVIRONMENT: [(&str, &str); 9] = [
    ("HOME", "/w"),
    ("LANG", "C.UTF-8"),
    ("PATH", STUBS),
    ("PWD", DIRECTORY),
    ("SHELL", "/stubs/bash"),
    ("TERM", "dumb"),
    ("USER", "u"),
    ("WORD", "evil"),
    ("WORDS", "evil2 a b"),
];

/// More processes than this and the command is ended before its time.
const MOST_PROCESSES: usize = 60;

type Starts = BTreeMap<usize, Vec<Vec<Vec<u8>>>>;

/// Runs the commands in batches, one sandbox per core at a time.
pub(crate) fn run(commands: &[Generated]) -> Starts {
    let lanes = 2;
    let scratch = std::env::temp_dir().join(format!("oracle-{}", std::process::id()));
    let mut children = Vec::new();
    for lane in 0..lanes {
        let out = scratch.join(lane.to_string());
        std::fs::create_dir_all(&out).expect("a folder for the batch");
        std::fs::write(out.join("log"), b"").expect("an empty log");
        let mut batch = Vec::new();
        for (id, command) in commands
            .iter()
            .enumerate()
            .filter(|(id, _)| id % lanes == lane)
        {
            let shell = if command.dash { 'd' } else { 'b' };
            let fails = if command.fails { '1' } else { '0' };
            batch.extend_from_slice(format!("{id} {shell}{fails} ").as_bytes());
            batch.extend_from_slice(command.text.as_bytes());
            batch.push(0);
        }
        std::fs::write(out.join("batch"), batch).expect("the batch");
        children.push(sandboxed(&out));
    }
    for mut child in children {
        let status = child.wait().expect("the sandbox ends");
        assert!(
            status.success(),
            "the driver inside the sandbox failed: {status}"
        );
    }
    let mut starts = Starts::new();
    for lane in 0..lanes {
        let log = std::fs::read(scratch.join(lane.to_string()).join("log")).expect("the log");
        read_log(&log, &mut starts);
    }
    std::fs::remove_dir_all(&scratch).expect("the scratch folder goes");
    starts
}

fn sandboxed(out: &Path) -> std::process::Child {
    let own = std::env::current_exe().expect("this program's path");
    let mut bwrap = Command::new("bwrap");
    bwrap.args([
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
    ]);
    for path in ["/usr", "/bin", "/lib", "/lib64"] {
        bwrap.args(["--ro-bind-try", path, path]);
    }
    bwrap.args([
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", STUBS,
    ]);
    bwrap.args(["--size", "67108864", "--tmpfs", DIRECTORY]);
    bwrap.arg("--bind").arg(out).arg("/out");
    bwrap.arg("--ro-bind").arg(&own).arg("/recorder");
    bwrap.args(["--chdir", DIRECTORY, "/bin/sh", "-c"]);
    bwrap.arg("ulimit -v 1000000; ulimit -f 20000; exec /recorder drive");
    bwrap.stdin(Stdio::null());
    bwrap
        .spawn()
        .expect("bubblewrap (bwrap) is needed for this test")
}

/// The part inside the sandbox.
pub(crate) fn drive() {
    for name in NAMES {
        std::os::unix::fs::symlink("/recorder", format!("{STUBS}/{name}")).expect("a stub");
    }
    let batch = std::fs::read("/out/batch").expect("the batch");
    for entry in batch.split(|b| *b == 0).filter(|e| !e.is_empty()) {
        let entry = std::str::from_utf8(entry).expect("commands are text");
        let (id, rest) = entry.split_once(' ').expect("an id");
        let (how, text) = rest.split_once(' ').expect("a shell");
        one(id, how, text);
    }
    std::io::stdout().flush().expect("the output");
}

fn one(id: &str, how: &str, text: &str) {
    let mut shell = if how.starts_with('d') {
        Command::new("/bin/dash")
    } else {
        let mut bash = Command::new("/bin/bash");
        bash.args(["--norc", "--noprofile"]);
        bash
    };
    shell
        .arg("-c")
        .arg(text)
        .env_clear()
        .envs(ENVIRONMENT)
        .env("ORACLE_ID", id);
    if how.ends_with('1') {
        shell.env("ORACLE_FAILS", "1");
    }
    shell
        .current_dir(DIRECTORY)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let idle = processes();
    let mut child = shell.spawn().expect("the shell starts");
    let group = child.id();
    let began = Instant::now();
    let mut pause = Duration::from_micros(300);
    while child.try_wait().expect("the shell is ours").is_none() {
        if began.elapsed() > LONGEST || processes() > MOST_PROCESSES {
            end_group(group);
            child.wait().expect("the shell ended");
            break;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    // What the command left behind gets a moment, then it is ended: a loop in the
    // background would go on forking for as long as the sandbox lives.
    for _ in 0..5 {
        if processes() <= idle {
            break;
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    for _ in 0..100 {
        if processes() <= idle {
            break;
        }
        end_group(group);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(processes() <= idle, "something of {text:?} can't be ended");
    for entry in std::fs::read_dir(DIRECTORY).into_iter().flatten().flatten() {
        let path = entry.path();
        let gone = if path.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        gone.expect("the directory is emptied");
    }
}

/// How many processes there are in the sandbox.
fn processes() -> usize {
    std::fs::read_dir("/proc")
        .expect("the sandbox has its own /proc")
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .iter()
                .all(u8::is_ascii_digit)
        })
        .count()
}

/// Ends every process of a command: without job control all are in the shell's group.
fn end_group(group: u32) {
    Command::new("/bin/bash")
        .args(["-c", &format!("kill -9 -{group}")])
        .stderr(Stdio::null())
        .status()
        .expect("the group can be ended");
}

fn read_log(log: &[u8], starts: &mut Starts) {
    let mut fields = log.split(|b| *b == 0);
    let number = |field: &[u8]| -> usize {
        let text = std::str::from_utf8(field).expect("numbers are text");
        text.parse().expect("every entry begins with its numbers")
    };
    while let Some(id) = fields.next().filter(|f| !f.is_empty()) {
        let count = number(fields.next().expect("a count"));
        let argv = fields.by_ref().take(count).map(<[u8]>::to_vec).collect();
        starts.entry(number(id)).or_default().push(argv);
    }
}
