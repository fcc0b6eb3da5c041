//! `cerco up`: the gateway, in the background or here.
//!
//! Whoever starts it doesn't get a way in by that: the sign-in link is given out as
//! `cerco open` gives it, to a person at a terminal.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use cerco_gateway::client::PersonClient;
use cerco_gateway::doors::speaker::at_a_terminal;
use cerco_gateway::engine::Real;
use cerco_gateway::folders::{Folders, private_folder};
use cerco_gateway::server::{self, Bound, Gateway};
use serde_json::json;

use crate::cli::UpArgs;
use crate::failure::Failure;
use crate::inside;
use crate::out::{Out, shown};
use crate::report::SCHEMA_VERSION;

use super::gateway::{Browser, sign_in};

/// What the background process says once it listens.
const READY: &str = "ready";
/// How long it may take to come up. It takes milliseconds, but a disk may be asleep.
const PATIENCE: Duration = Duration::from_mins(1);
/// So much of what it said is shown when it doesn't come up.
const MAX_SAID: u64 = 8 * 1024;

pub(crate) fn run(args: &UpArgs, out: Out) -> Result<u8, Failure> {
    inside::persons_only("starting the gateway")?;
    let folders = Folders::from_environment().map_err(Failure::own)?;
    if args.foreground {
        return serve(args, &folders, out);
    }
    let is_new = PersonClient::connect(&folders)
        .map_err(Failure::own)?
        .is_none();
    if is_new {
        start(args, &folders)?;
    } else {
        out.say("cerco: the gateway is up already");
    }
    let mut person = PersonClient::connect(&folders)
        .map_err(Failure::own)?
        .ok_or_else(|| Failure::own("the gateway came up and went away; see: cerco status"))?;
    sign_in(&mut person, browser(args), out)?;
    Ok(0)
}

fn browser(args: &UpArgs) -> Browser {
    if args.no_browser {
        Browser::Leave
    } else {
        Browser::Open
    }
}

fn serve(args: &UpArgs, folders: &Folders, out: Out) -> Result<u8, Failure> {
    if args.detached {
        cerco_sys::harden::leave_terminal()
            .map_err(|e| Failure::own(format!("the terminal can't be left: {e}")))?;
    }
    let engine = Real::new(folders.clone()).map_err(Failure::own)?;
    let mut said = Ok(());
    server::run(folders, Arc::new(engine), args.port, |bound| {
        said = end_by_signals(bound.gateway()).and_then(|()| tell(args, bound, out));
        if said.is_err() {
            bound.gateway().go_down();
        }
    })
    .map_err(Failure::own)?;
    said?;
    Ok(0)
}

fn tell(args: &UpArgs, bound: &Bound, out: Out) -> Result<(), Failure> {
    if args.detached {
        return out.data(READY);
    }
    let page = bound.gateway().page();
    // A process without a person's terminal may keep a gateway up, but gets no link.
    let url = match at_a_terminal(std::process::id()) {
        Ok(()) => Some(bound.first_address().map_err(Failure::own)?),
        Err(_) => None,
    };
    if out.json {
        return out.json(&json!({
            "schema_version": SCHEMA_VERSION, "up": true, "address": page, "url": url,
            "pid": std::process::id(),
        }));
    }
    let Some(url) = url else {
        out.data(page)?;
        out.say("cerco: to sign in, run `cerco open` in a terminal of your own");
        return Ok(());
    };
    out.data(&url)?;
    out.say("cerco: the link signs one browser in, once, within a minute; Ctrl-C ends the gateway");
    browser(args).go(&url);
    Ok(())
}

/// Ctrl-C or a polite request to end: in good order. A second one finds it on its way.
fn end_by_signals(gateway: &Arc<Gateway>) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|e| Failure::own(format!("signals can't be handled: {e}")))?;
    let gateway = Arc::clone(gateway);
    std::thread::spawn(move || {
        for _ in signals.forever() {
            gateway.go_down();
        }
    });
    Ok(())
}

/// Starts it in the background and waits until it listens.
fn start(args: &UpArgs, folders: &Folders) -> Result<(), Failure> {
    private_folder(&folders.state).map_err(Failure::own)?;
    let path = folders.state.join("gateway.log");
    let (log, before) = open_log(&path)
        .map_err(|e| Failure::own(format!("{} can't be written: {e}", path.display())))?;
    let program = std::env::current_exe().map_err(Failure::own)?;
    let mut child = Command::new(program)
        .args(["up", "--foreground", "--detached", "--port"])
        .arg(args.port.to_string())
        // It must not keep anybody's folder busy.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|e| Failure::own(format!("the gateway can't be started: {e}")))?;
    match comes_up(&mut child) {
        Came::Up => Ok(()),
        Came::Ended(status) => {
            let said = last_words(&path, before);
            let said = if said.is_empty() {
                format!(
                    "the gateway ended at once ({status}); see {}",
                    path.display()
                )
            } else {
                said
            };
            Err(Failure::own(said))
        }
        Came::Silent => {
            // Our own child, not waited for: the number can't be somebody else's.
            let _ = child.kill();
            let _ = child.wait();
            Err(Failure::own(format!(
                "the gateway did not come up within {} s; see {}",
                PATIENCE.as_secs(),
                path.display()
            )))
        }
    }
}

/// The file that takes its words, and how long it was before. A long one begins anew.
fn open_log(path: &Path) -> std::io::Result<(File, u64)> {
    let mut options = File::options();
    options.create(true).append(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    if file.metadata()?.len() > 1024 * 1024 {
        file.set_len(0)?;
    }
    let before = file.metadata()?.len();
    Ok((file, before))
}

enum Came {
    Up,
    Ended(ExitStatus),
    Silent,
}

fn comes_up(child: &mut Child) -> Came {
    let (send, receive) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut line = String::new();
            // An end without a word is an answer, too.
            let _ = BufReader::new(stdout).read_line(&mut line);
            let _ = send.send(line);
        });
    }
    match receive.recv_timeout(PATIENCE) {
        Ok(line) if line.trim() == READY => Came::Up,
        Ok(_) => child.wait().map_or(Came::Silent, Came::Ended),
        Err(_) => Came::Silent,
    }
}

fn last_words(path: &Path, before: u64) -> String {
    let mut said = Vec::new();
    if let Ok(mut file) = File::open(path)
        && file.seek(SeekFrom::Start(before)).is_ok()
    {
        // What can't be read is not shown; the message names the file then.
        let _ = file.take(MAX_SAID).read_to_end(&mut said);
    }
    let said = String::from_utf8_lossy(&said);
    let lines = said
        .lines()
        .map(|line| line.strip_prefix("cerco: ").unwrap_or(line));
    shown(lines.collect::<Vec<_>>().join("; ")).to_string()
}
