//! What stands in for package registries: servers on this computer, which lead nowhere else.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cerco_run::{NoRoute, Route};

/// Servers on this computer, which end with the value.
pub(crate) struct StandIn {
    /// With their certificate, `ca.pem`.
    pub(crate) folder: PathBuf,
    server: Child,
    /// Where they listen.
    pub(crate) table: Table,
}

/// Leads every host to the servers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The port for https.
    pub(crate) secure: u16,
    /// The port for http.
    pub(crate) plain: u16,
}

impl Route for Table {
    fn to(&self, _: &str, port: u16) -> Result<Vec<SocketAddr>, NoRoute> {
        let port = if port == 443 { self.secure } else { self.plain };
        Ok(vec![([127, 0, 0, 1], port).into()])
    }
}

impl StandIn {
    /// Makes the folder, a certificate and a package of each kind, and serves them.
    pub(crate) fn start(folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder).unwrap();
        let made = Command::new("openssl")
            .args([
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            ])
            .args([
                "-subj",
                "/CN=registry.example",
                "-keyout",
                "key.pem",
                "-out",
                "ca.pem",
            ])
            .args(["-addext", "subjectAltName=DNS:*.registry.example"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../cerco-run/tests/registries/stand_in.py");
        let mut server = Command::new("/usr/bin/python3")
            .arg(script)
            .args([&folder, &folder.join("ca.pem"), &folder.join("key.pem")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Clients that turn away are what these checks are about.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ports = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut ports)
            .unwrap();
        let (secure, plain) = ports.trim().split_once(' ').unwrap();
        Self {
            table: Table {
                secure: secure.parse().unwrap(),
                plain: plain.parse().unwrap(),
            },
            folder,
            server,
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
