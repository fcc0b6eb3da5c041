//! Small real projects whose tests run in the sandbox, with what they need fetched before:
//! npm, cargo, pytest, and a Python test with a server on loopback and on a unix socket.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Project {
    root: PathBuf,
}

impl Project {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("cerco-{name}-{}", std::process::id()));
        let project = Self { root };
        std::fs::create_dir_all(project.own()).unwrap();
        for (path, text) in files {
            let path = project.own().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        project
    }

    fn own(&self) -> PathBuf {
        self.root.join("loop")
    }

    /// Before the run, outside, as a person would.
    fn outside(&self, line: &str) {
        let output = Command::new("bash")
            .args(["-c", line])
            .current_dir(self.own())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}: {}", text(&output));
    }

    fn inside(&self, line: &str) -> Output {
        let test = std::env::current_exe().unwrap();
        let build = test.parent().unwrap().parent().unwrap();
        Command::new(build.join("examples/sandbox"))
            .arg(line)
            .env("P", &self.root)
            .env("LOOP", self.own())
            .env("LIMIT", "120")
            .env_remove("APP")
            .env_remove("RO_DIRS")
            .env_remove("SECRETS")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn check(&self, line: &str, says: &str) {
        let output = self.inside(line);
        let said = text(&output);
        assert!(output.status.success(), "{line}: {said}");
        assert!(said.contains(says), "{line} did not say {says:?}: {said}");
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn text(output: &Output) -> String {
    let all = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn npm_test() {
    let project = Project::new(
        "npm",
        &[
            (
                "dependency/package.json",
                r#"{"name":"two","version":"1.0.0","main":"i.js"}"#,
            ),
            ("dependency/i.js", "module.exports = 2;"),
            (
                "package.json",
                r#"{"name":"site","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"two":"file:./dependency"}}"#,
            ),
            (
                "sum.test.js",
                "const test = require('node:test'), assert = require('node:assert');\ntest('sum', () => assert.equal(require('two') + 2, 4));",
            ),
        ],
    );
    project.outside("npm install --offline --no-audit --no-fund");
    project.check("npm test", "pass 1");
}

#[test]
fn cargo_test() {
    // A package that this workspace has fetched itself.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    let version = lock.split("name = \"itoa\"\nversion = \"").nth(1).unwrap();
    let version = version.split('"').next().unwrap();
    let manifest = format!(
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"={version}\"\n[workspace]\n"
    );
    let project = Project::new(
        "cargo",
        &[
            ("Cargo.toml", &manifest),
            (
                "src/lib.rs",
                "#[test]\nfn four() { assert_eq!(itoa::Buffer::new().format(2 + 2), \"4\"); }\n",
            ),
        ],
    );
    project.outside("cargo generate-lockfile --offline");
    project.check("cargo test --offline", "1 passed");
}

#[test]
fn pytest() {
    let project = Project::new(
        "pytest",
        &[(
            "test_sum.py",
            "def test_sum(tmp_path):\n    (tmp_path / 'f').write_text('x')\n    assert 2 + 2 == 4\n",
        )],
    );
    project.check("/usr/bin/python3 -m pytest -q", "1 passed");
}

#[test]
fn servers_on_loopback_and_on_a_unix_socket() {
    let project = Project::new(
        "servers",
        &[(
            "test_servers.py",
            "import socket, threading, unittest\n\
             class Servers(unittest.TestCase):\n\
             \x20   def talk(self, server, client, address):\n\
             \x20       server.listen()\n\
             \x20       threading.Thread(target=lambda: server.accept()[0].sendall(b'hello')).start()\n\
             \x20       client.connect(address)\n\
             \x20       self.assertEqual(client.recv(5), b'hello')\n\
             \x20       client.close(); server.close()\n\
             \x20   def test_loopback(self):\n\
             \x20       s = socket.create_server(('127.0.0.1', 0))\n\
             \x20       self.talk(s, socket.socket(), s.getsockname())\n\
             \x20   def test_unix(self):\n\
             \x20       s = socket.socket(socket.AF_UNIX); s.bind('./here.sock')\n\
             \x20       self.talk(s, socket.socket(socket.AF_UNIX), './here.sock')\n",
        )],
    );
    project.check("/usr/bin/python3 -m unittest 2>&1", "OK");
    // It left the socket's file: nobody holds it, so the next run can make it again.
    project.check("rm here.sock && /usr/bin/python3 -m unittest 2>&1", "OK");
}

#[test]
fn a_socket_that_somebody_holds_is_covered_by_whatever_name() {
    let project = Project::new("held", &[]);
    std::fs::create_dir(project.root.join("elsewhere")).unwrap();
    let listen = "import os, socket, time\nfor folder in ('loop', 'elsewhere'):\n    os.chdir(folder); s = socket.socket(socket.AF_UNIX); s.bind('a'); s.listen(); os.rename('a', 'b'); os.chdir('..'); globals()[folder] = s\nopen('up', 'w'); time.sleep(60)";
    let mut listener = Command::new("/usr/bin/python3")
        .args(["-c", listen])
        .current_dir(&project.root)
        .spawn()
        .unwrap();
    while !project.root.join("up").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let connect = "import socket\nfor p in ('b', '../elsewhere/b'):\n    try: socket.socket(socket.AF_UNIX).connect(p); print('connected')\n    except OSError as e: print(e.strerror)";
    let output = project.inside(&format!("/usr/bin/python3 -c \"{connect}\""));
    listener.kill().unwrap();
    listener.wait().unwrap();
    let said = text(&output);
    assert!(!said.contains("connected"), "{said}");
    assert_eq!(said.matches("Connection refused").count(), 2, "{said}");
}

#[test]
fn what_is_outside_stays_as_it_is() {
    let project = Project::new("outside", &[]);
    let output = project.inside("echo x > ../escaped");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(!project.root.join("escaped").exists());
}
