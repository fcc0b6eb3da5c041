//! A gateway of its own for each test: folders, a project with two loops, and clients.
//!
//! The gateway runs in a process of its own (this test binary, started again), so that
//! the tests are on the other end of it as a browser and an agent are.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cerco_gateway::folders::Folders;
use cerco_gateway::server;
use serde_json::{Value, json};

use crate::engine::Scripted;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A running gateway and what belongs to it.
pub(crate) struct Running {
    pub(crate) root: PathBuf,
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) code: String,
}

pub(crate) fn folders(root: &Path) -> Folders {
    Folders {
        config: root.join("config"),
        state: root.join("state"),
        runtime: root.join("run"),
        cache: root.join("cache"),
    }
}

impl Running {
    pub(crate) fn start() -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cerco-gw-{}-{number}", std::process::id());
        let root = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&root);
        for folder in ["project/a", "project/b", "config"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(root.join("config"), mode).unwrap();
        let root = root.canonicalize().unwrap();
        let accepted =
            "[[loop]]\nname = \"a\"\nfolder = \"a\"\n\n[[loop]]\nname = \"b\"\nfolder = \"b\"\n";
        std::fs::write(root.join("project/cerco.toml"), accepted).unwrap();
        let mut known = cerco_gateway::project::Known::load(&root.join("config")).unwrap();
        known
            .accept(root.join("project"), accepted.to_owned())
            .unwrap();
        Self::start_in(root)
    }

    /// Starts one in folders that are there already.
    pub(crate) fn start_in(root: PathBuf) -> Self {
        let (child, line) = spawn(&root);
        let (port, code) = port_and_code(&line);
        Self {
            root,
            child,
            port,
            code,
        }
    }

    /// Takes another process in these folders for its own.
    pub(crate) fn adopt(&mut self, child: Child, line: &str) {
        (self.port, self.code) = port_and_code(line);
        self.child = child;
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn agent(&self, role: &str) -> Agent {
        self.agent_as(&json!({"role": role}))
    }

    pub(crate) fn agent_as(&self, more: &Value) -> Agent {
        let stream = UnixStream::connect(self.root.join("run").join(server::AGENT_SOCKET)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut agent = Agent {
            reader: BufReader::new(stream.try_clone().unwrap()),
            stream,
            next: 0,
        };
        let mut hello = json!({
            "verb": "hello", "via": "run", "host": "test",
            "project": self.project(), "loop_folder": "a",
        });
        hello
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        agent.ask(hello);
        agent
    }

    pub(crate) fn person(&self, verb: &Value) -> Value {
        let socket = self.root.join("run").join(server::PERSON_SOCKET);
        let mut stream = UnixStream::connect(socket).unwrap();
        writeln!(stream, "{verb}").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn port_and_code(line: &str) -> (u16, String) {
    let rest = line
        .strip_prefix("http://127.0.0.1:")
        .unwrap_or_else(|| panic!("{line}"));
    let (port, code) = rest.split_once("/#c=").unwrap();
    (port.parse().unwrap(), code.trim().to_owned())
}

/// Starts the gateway's process and gives the first line that it prints.
pub(crate) fn spawn(root: &Path) -> (Child, String) {
    spawn_through(Command::new("env"), root)
}

/// The same, started by another program that becomes it.
pub(crate) fn spawn_through(mut program: Command, root: &Path) -> (Child, String) {
    let mut child = program
        .arg(std::env::current_exe().unwrap())
        .args([
            "support::the_gateway_process",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("CERCO_TEST_GATEWAY", root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    loop {
        line.clear();
        let read = reader.read_line(&mut line).unwrap();
        if read == 0 {
            let mut error = String::new();
            std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut error).unwrap();
            child.wait().unwrap();
            return (child, error);
        }
        if let Some(at) = line.find("http://") {
            line.drain(..at);
            break;
        }
        if let Some(at) = line.find("error: ") {
            line.drain(..at);
            break;
        }
    }
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    (child, line)
}

/// Not a test of its own: the process that `spawn` starts. Run as a test it does nothing.
#[test]
fn the_gateway_process() {
    let Some(root) = std::env::var_os("CERCO_TEST_GATEWAY") else {
        return;
    };
    let folders = folders(Path::new(&root));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        match server::bind(&folders, Arc::new(Scripted), 0).await {
            Ok(bound) => {
                println!("{}", bound.first_address().unwrap());
                bound.serve().await;
            }
            Err(error) => println!("error: {error}"),
        }
    });
}

/// An agent at its socket.
pub(crate) struct Agent {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
    next: u64,
}

impl Agent {
    /// Sends a verb and says its number.
    pub(crate) fn send(&mut self, mut verb: Value) -> u64 {
        self.next += 1;
        verb["id"] = self.next.into();
        writeln!(self.stream, "{verb}").unwrap();
        self.next
    }

    /// The next line that isn't output.
    pub(crate) fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.reader.read_line(&mut line).unwrap() > 0,
                "the gateway hung up"
            );
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["reply"] != "output" {
                return reply;
            }
        }
    }

    pub(crate) fn ask(&mut self, verb: Value) -> Value {
        self.send(verb);
        self.next()
    }

    /// Runs a command to its last word.
    pub(crate) fn run(&mut self, command: &str) -> Value {
        self.send(json!({"verb": "run", "command": command}));
        self.last()
    }

    /// Runs a command and gives its entry once it is acknowledged; nothing when the gateway
    /// is gone.
    pub(crate) fn try_run(&mut self, command: &str) -> Option<String> {
        self.next += 1;
        let verb = json!({"id": self.next, "verb": "run", "command": command});
        writeln!(self.stream, "{verb}").ok()?;
        let mut entry = None;
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap_or(0) == 0 {
                return entry;
            }
            let reply: Value = serde_json::from_str(&line).ok()?;
            if let Some(id) = reply["entry"].as_str() {
                entry = Some(id.to_owned());
            }
            if !matches!(
                reply["reply"].as_str(),
                Some("started" | "waiting" | "output")
            ) {
                return entry;
            }
        }
    }

    /// The last word of a run.
    pub(crate) fn last(&mut self) -> Value {
        loop {
            let reply = self.next();
            if !matches!(reply["reply"].as_str(), Some("started" | "waiting")) {
                return reply;
            }
        }
    }
}

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
