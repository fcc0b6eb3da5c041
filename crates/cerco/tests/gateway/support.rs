//! A person with a gateway of their own, and their terminals.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A person with a home, a project of one loop, and at the end no gateway any more.
pub(crate) struct Person(pub(crate) PathBuf);

impl Person {
    pub(crate) fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("cerco-up-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("home")).unwrap();
        fs::create_dir_all(root.join("project")).unwrap();
        let person = Self(root.canonicalize().unwrap());
        let done = person.agent(&["init", "--loop", "loops/a"]);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        person
    }

    /// As an agent's shell tool calls it: without a terminal.
    pub(crate) fn agent(&self, args: &[&str]) -> Output {
        self.started(args).wait_with_output().unwrap()
    }

    pub(crate) fn started(&self, args: &[&str]) -> std::process::Child {
        Command::new("setsid")
            .arg("--wait")
            .arg(env!("CARGO_BIN_EXE_cerco"))
            .args(args)
            .current_dir(self.0.join("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.0.join("home"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// At a terminal of their own.
    pub(crate) fn terminal(&self, args: &[&str]) -> Terminal {
        let pty = portable_pty::native_pty_system()
            .openpty(portable_pty::PtySize::default())
            .unwrap();
        let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cerco"));
        command.args(args);
        command.cwd(self.0.join("project"));
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.0.join("home"));
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::clone(&screen);
        let reading = std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(got @ 1..) = reader.read(&mut buffer) {
                shown.lock().unwrap().extend_from_slice(&buffer[..got]);
            }
        });
        Terminal {
            writer: pty.master.take_writer().unwrap(),
            child,
            screen,
            reading,
        }
    }

    pub(crate) fn person(&self, args: &[&str]) -> (String, u32) {
        self.terminal(args).ended()
    }

    pub(crate) fn status(&self) -> Value {
        let done = self.agent(&["--json", "status"]);
        serde_json::from_slice(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"))
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        if let Some(pid) = self.status()["status"]["pid"].as_u64() {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) struct Terminal {
    writer: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    screen: Arc<Mutex<Vec<u8>>>,
    reading: std::thread::JoinHandle<()>,
}

impl Terminal {
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    pub(crate) fn shows(&self, what: &str) {
        until(|| self.screen().contains(what), || self.screen());
    }

    pub(crate) fn types(&mut self, text: &str) {
        // Nobody reads faster; an answer before that is not taken.
        std::thread::sleep(Duration::from_millis(600));
        self.writer.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn ended(mut self) -> (String, u32) {
        let code = self.child.wait().unwrap().exit_code();
        self.reading.join().unwrap();
        let screen = String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned();
        (screen, code)
    }
}

pub(crate) fn until(mut holds: impl FnMut() -> bool, seen: impl Fn() -> String) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "{}", seen());
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
