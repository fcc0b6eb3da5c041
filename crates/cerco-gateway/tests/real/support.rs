//! A project, the real gateway in a process of its own, and an agent at its door.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use cerco_gateway::client::{AgentClient, ClientError};
use cerco_gateway::engine::Real;
use cerco_gateway::folders::Folders;
use cerco_gateway::server;
use cerco_gateway::wire::{AgentVerb, AgentVia, Reply, RunEnding, Stream};

use crate::stand_in::Table;

/// Where the stand-in's servers listen, for the gateway's process: `SECURE PLAIN`.
const ROUTES: &str = "CERCO_REAL_ROUTES";

pub(crate) fn folders(root: &Path) -> Folders {
    Folders {
        config: root.join("config"),
        state: root.join("state"),
        runtime: root.join("run"),
        cache: root.join("cache"),
    }
}

/// Folders with a project of one loop, `a`, which go away with the value.
pub(crate) struct Ground(PathBuf);

impl Ground {
    pub(crate) fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("cerco-real-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for folder in ["project/a", "project/b", "config"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let mode = PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(root.join("config"), mode).unwrap();
        let ground = Self(root.canonicalize().unwrap());
        let accepted = "[[loop]]\nname = \"a\"\nfolder = \"a\"\n";
        std::fs::write(ground.project().join("cerco.toml"), accepted).unwrap();
        let config = ground.root().join("config");
        let mut known = cerco_gateway::project::Known::load(&config).unwrap();
        known.accept(ground.project(), accepted.to_owned()).unwrap();
        ground.script(
            "busy.sh",
            "for n in 1 2 3; do setsid sleep 300 & done\nsleep 0.02\n",
        );
        ground.script(
            "linger.sh",
            "setsid sh -c 'trap \"\" TERM; echo $$ > pid; exec sleep 300' &\nsleep 300\n",
        );
        ground
    }

    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.0.join("project")
    }

    /// A program in the loop's folder.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.project().join("a").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The gateway's process.
pub(crate) fn gateway(root: &Path) {
    let folders = folders(root);
    let mut engine = Real::new(folders.clone()).unwrap();
    if let Ok(ports) = std::env::var(ROUTES) {
        let (secure, plain) = ports.split_once(' ').unwrap();
        engine = engine.by(Arc::new(Table {
            secure: secure.parse().unwrap(),
            plain: plain.parse().unwrap(),
        }));
    }
    server::run(&folders, Arc::new(engine), 0, |bound| {
        println!("{}", bound.first_address().unwrap());
    })
    .unwrap();
}

/// A gateway that ends with the value, and how a page signs in to it.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) code: String,
}

impl Running {
    pub(crate) fn start(root: &Path, table: Option<Table>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .env("CERCO_REAL_GATEWAY", root)
            .env("A_TOKEN", "hidden-from-commands")
            .stdout(Stdio::piped());
        if let Some(Table { secure, plain }) = table {
            command.env(ROUTES, format!("{secure} {plain}"));
            // Certificates that tools would prefer to the given one.
            for (name, _) in std::env::vars_os() {
                let upper = name.to_string_lossy().to_uppercase();
                if ["CA_BUNDLE", "CERT", "CA_CERTS", "CERT_FILE", "CAINFO"]
                    .iter()
                    .any(|end| upper.ends_with(end))
                {
                    command.env_remove(name);
                }
            }
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let rest = line.strip_prefix("http://127.0.0.1:");
        let (port, code) = rest
            .and_then(|rest| rest.split_once("/#c="))
            .unwrap_or_else(|| panic!("{line}"));
        Self {
            child,
            port: port.parse().unwrap(),
            code: code.trim().to_owned(),
        }
    }

    /// A line of its `/proc/PID/status`, in kB.
    pub(crate) fn memory_kb(&self, line: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let found = status.lines().find_map(|l| l.strip_prefix(line));
        found
            .and_then(|l| l.split_whitespace().next()?.parse().ok())
            .unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A gateway whose caller kills it.
pub(crate) fn start(root: &Path, program: &Path) -> Child {
    let mut child = Command::new(program)
        .env("CERCO_REAL_GATEWAY", root)
        .env("A_TOKEN", "hidden-from-commands")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.as_mut().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    assert!(line.starts_with("http://127.0.0.1:"), "{line}");
    child
}

pub(crate) fn connect(root: &Path) -> Result<Option<AgentClient>, ClientError> {
    let hello = AgentVerb::Hello {
        via: AgentVia::Run,
        host: "test".to_owned(),
        project: root.join("project").display().to_string(),
        loop_folder: "a".to_owned(),
        role: Some("Coder".to_owned()),
        bubble: None,
        environment: None,
    };
    AgentClient::connect(&folders(root), hello)
}

pub(crate) fn run_verb(command: &str) -> AgentVerb {
    AgentVerb::Run {
        command: command.to_owned(),
        folder: None,
        input: None,
        seconds: None,
        sandbox: false,
    }
}

/// Runs a command: the last word and what came on standard output.
pub(crate) fn run(client: &mut AgentClient, command: &str) -> (Reply, Vec<u8>) {
    let mut stdout = Vec::new();
    let reply = client
        .run(run_verb(command), &mut |_| {}, &mut |stream, bytes| {
            if stream == Stream::Stdout {
                stdout.extend_from_slice(bytes);
            }
        })
        .unwrap();
    (reply, stdout)
}

pub(crate) fn ending(reply: &Reply) -> RunEnding {
    match reply {
        Reply::Ended { ending, .. } => *ending,
        other => panic!("{other:?}"),
    }
}
