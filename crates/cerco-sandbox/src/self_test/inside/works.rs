//! Ordinary jobs. A sandbox that stops everything holds too, and is of no use.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::done;
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "works.files",
        what: "the project can be read and the loop's folder written",
        make: files,
        look: Some(
            |ground| match fs::read_to_string(ground.path("project/loops/own/kept")) {
                Ok(text) if text == "kept" => Ok(()),
                Ok(_) => Err("what was written is not what is there".to_owned()),
                Err(e) => Err(format!("what was written is gone: {e}")),
            },
        ),
    },
    Attempt {
        id: "works.programs",
        what: "programs can be started, and threads",
        make: |_| {
            let ran = Command::new("/bin/sh").args(["-c", "exit 7"]).status();
            let code = done("a shell", ran)?.code();
            if code != Some(7) {
                return Err(format!("a shell ended with {code:?}"));
            }
            let thread = done("a thread", thread::Builder::new().spawn(|| 1))?;
            thread
                .join()
                .map(drop)
                .map_err(|_| "a thread failed".to_owned())
        },
        look: None,
    },
    Attempt {
        id: "works.server",
        what: "a test can start a server of its own and speak to it",
        make: server,
        look: None,
    },
    Attempt {
        id: "works.scratch",
        what: "there is room for temporary files, and the usual devices are there",
        make: |_| {
            let folder = std::env::var_os("TMPDIR").unwrap_or_else(|| "/tmp".into());
            let file = Path::new(&folder).join("works");
            done("a temporary file", fs::write(&file, "x"))?;
            done("removing it", fs::remove_file(&file))?;
            done("/dev/null", fs::write("/dev/null", "x"))?;
            let mut random = done("/dev/urandom", fs::File::open("/dev/urandom"))?;
            done("/dev/urandom", random.read_exact(&mut [0; 16]))
        },
        look: None,
    },
];

fn files(names: &Names) -> Found {
    done("reading the project", fs::read(names.project.join("file")))?;
    done(
        "reading another loop",
        fs::read(names.project.join("loops/other/file")),
    )?;
    let (made, kept) = (names.own.join("made"), names.own.join("kept"));
    done("writing", fs::write(&made, "kept"))?;
    done("renaming", fs::rename(&made, &kept))?;
    let folder = names.own.join("folder");
    done("a folder", fs::create_dir(&folder))?;
    done("removing it", fs::remove_dir(&folder))
}

fn server(names: &Names) -> Found {
    let listener = done("a server", TcpListener::bind(("127.0.0.1", 0)))?;
    let address = done("its address", listener.local_addr())?;
    let client = thread::spawn(move || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"x")
    });
    let (mut stream, _) = done("its client", listener.accept())?;
    done("what it says", stream.read_exact(&mut [0]))?;
    let sent = client.join().map_err(|_| "its client failed".to_owned())?;
    done("its client", sent)?;
    let path = names.own.join("socket");
    let socket = done("a unix socket", UnixDatagram::bind(&path))?;
    done("a message", socket.send_to(b"x", &path))?;
    done("removing it", fs::remove_file(&path))
}
