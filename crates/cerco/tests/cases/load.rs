//! What a gateway bears: commands that flood, fork, fill memory and disk, and a hundred at
//! once, in the sandbox. While they run another agent asks the gateway something again and
//! again, and every `cerco` there is is looked at for its memory.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cerco_gateway::client::AgentClient;
use cerco_gateway::folders::Folders;
use cerco_gateway::wire::{AgentVerb, AgentVia, Reply, Stream};

/// A kind of load: what runs at the same time, and how many of it.
pub(crate) struct Load {
    pub(crate) name: &'static str,
    /// A script of the loop's folder.
    script: String,
    at_once: usize,
}

/// What was seen meanwhile.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) took: Duration,
    /// How long each answer took, sorted.
    pub(crate) answers: Vec<Duration>,
    /// The most that the gateway has used so far, in KiB.
    pub(crate) gateway_kib: u64,
    /// The most that any other `cerco` used: keepers, first processes of sandboxes.
    pub(crate) others_kib: u64,
    /// What the loads said last, on standard error.
    pub(crate) said: Vec<String>,
}

/// The loads; `megabytes` is the size of the flood, `at_once` of the crowd.
pub(crate) fn loads(megabytes: u32, at_once: usize) -> Vec<Load> {
    let load = |name, script: &str, at_once| Load {
        name,
        script: script.to_owned(),
        at_once,
    };
    vec![
        load(
            "output flood",
            &format!("head -c {megabytes}M /dev/zero; echo end >&2"),
            1,
        ),
        load(
            "sparse file",
            "truncate -s 64G sparse; stat -c %s sparse; rm sparse; echo end >&2",
            1,
        ),
        // Each child starts two more until none can be had, and all stay for a while.
        load(
            "fork bomb",
            r"perl -e 'my $until = time + 4; while (time < $until) { fork; select undef, undef, undef, 0.01 }' 2>/dev/null; echo end >&2",
            1,
        ),
        load(
            "memory bomb",
            r#"for i in 1 2 3 4; do perl -e 'my @all; push @all, "x" x (64 << 20) while 1' 2>/dev/null & done; wait; echo end >&2"#,
            1,
        ),
        load("many commands", "sleep 0.2; echo end >&2", at_once),
    ]
}

pub(crate) struct Ground {
    program: PathBuf,
    home: PathBuf,
    gateway: Child,
    _folder: tempfile::TempDir,
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = self.gateway.kill();
        let _ = self.gateway.wait();
    }
}

impl Ground {
    /// A home with a project of one loop, and a gateway.
    pub(crate) fn new(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("shop/loops/site")).unwrap();
        let cerco = |args: &[&str]| {
            let mut command = Command::new(program);
            command
                .args(args)
                .env_clear()
                .env("HOME", &home)
                .env("PATH", std::env::var_os("PATH").unwrap())
                .current_dir(home.join("shop"))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null());
            command
        };
        let made = cerco(&["init", "--loop", "loops/site"]).status().unwrap();
        assert!(made.success());
        let mut gateway = cerco(&["up", "--foreground"]).spawn().unwrap();
        // It listens once it has said where.
        let said = gateway.stdout.take().unwrap();
        BufReader::new(said).read_line(&mut String::new()).unwrap();
        Self {
            program: program.to_owned(),
            home,
            gateway,
            _folder: folder,
        }
    }

    fn connect(&self) -> AgentClient {
        let home = self.home.display().to_string();
        let folders = Folders::of(|name| (name == "HOME").then(|| home.clone())).unwrap();
        let hello = AgentVerb::Hello {
            via: AgentVia::Run,
            host: "load".to_owned(),
            project: self.home.join("shop").display().to_string(),
            loop_folder: "loops/site".to_owned(),
            role: Some("Coder".to_owned()),
            bubble: None,
            environment: None,
        };
        AgentClient::connect(&folders, hello).unwrap().unwrap()
    }

    /// Runs `load` and asks meanwhile.
    pub(crate) fn bear(&self, load: &Load) -> Seen {
        let script = self.home.join("shop/loops/site/load.sh");
        fs::write(&script, format!("#!/bin/bash\n{}\n", load.script)).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let mut asking = self.connect();
        let began = Instant::now();
        let mut answers = Vec::new();
        let mut others_kib = 0;
        let said = std::thread::scope(|scope| {
            let running: Vec<_> = (0..load.at_once)
                .map(|_| scope.spawn(|| run(&mut self.connect())))
                .collect();
            while !running
                .iter()
                .all(std::thread::ScopedJoinHandle::is_finished)
            {
                answers.push(asked(&mut asking));
                others_kib = others_kib.max(self.most_of_others());
                std::thread::sleep(Duration::from_millis(10));
            }
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        answers.sort();
        Seen {
            took: began.elapsed(),
            answers,
            gateway_kib: peak(self.gateway.id()).unwrap(),
            others_kib,
            said,
        }
    }

    fn most_of_others(&self) -> u64 {
        let all = fs::read_dir("/proc").unwrap().flatten();
        all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| *pid != self.gateway.id())
            .filter(|pid| {
                let program = fs::read_link(format!("/proc/{pid}/exe"));
                program.is_ok_and(|program| program == self.program)
            })
            .filter_map(peak)
            .max()
            .unwrap_or(0)
    }
}

/// What it said last.
fn run(client: &mut AgentClient) -> String {
    let verb = AgentVerb::Run {
        command: "./load.sh".to_owned(),
        folder: None,
        input: None,
        seconds: None,
        sandbox: true,
    };
    let mut last = Vec::new();
    let ended = client.run(verb, &mut |_| {}, &mut |stream, bytes| {
        // The flood's own end is past what is kept of it.
        if stream == Stream::Stderr {
            last.extend_from_slice(bytes);
            last.drain(..last.len().saturating_sub(40));
        }
    });
    let ended = ended.unwrap();
    assert!(matches!(ended, Reply::Ended { .. }), "{ended:?}");
    let last = String::from_utf8_lossy(&last);
    last.trim().to_owned()
}

fn asked(client: &mut AgentClient) -> Duration {
    let began = Instant::now();
    let verb = AgentVerb::Check {
        command: "grep -n word notes.txt | sort".to_owned(),
        folder: None,
        sandbox: true,
    };
    let reply = client.ask(verb).unwrap();
    assert!(matches!(reply, Reply::Judged { .. }), "{reply:?}");
    began.elapsed()
}

/// The most memory that a process has used, in KiB.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
