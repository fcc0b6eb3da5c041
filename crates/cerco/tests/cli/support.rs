//! A person, their project, and what the program said.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A person with a home and a project of two loops of their own.
pub(crate) struct Person(pub(crate) PathBuf);

impl Person {
    pub(crate) fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("cerco-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("home")).unwrap();
        fs::create_dir_all(root.join("project")).unwrap();
        let person = Self(root.canonicalize().unwrap());
        let done = person.cerco(&["init", "--loop", "loops/a", "--loop", "loops/b"]);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        person
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.0.join("project")
    }

    /// Without a terminal, as an agent would call it.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command
            .arg("--wait")
            .arg(env!("CARGO_BIN_EXE_cerco"))
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.0.join("home"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn cerco(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn with_input(&self, args: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            let _ = pipe.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    pub(crate) fn run(&self, text: &str) -> Output {
        self.cerco(&["run", "--loop", "a", "--", text])
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
pub(crate) fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}
