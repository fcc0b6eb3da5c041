//! Real shells on real pseudo terminals: "Run in terminal" never runs anything.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cerco_gateway::terminals::{Pty, Shell, Shown, Size};
use cerco_gateway::wire::InsertRefusal;

const SIZE: Size = Size {
    columns: 200,
    rows: 50,
};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cerco-term-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The shell with an empty home: the start-up files of whoever runs the tests may take a
/// minute (a tool that waits for a lock), and a shell that a test ends may leave such a lock.
fn start(shell: &str, folder: &Path) -> Arc<Pty> {
    let all = Shell::present(None, OsStr::new("/usr/bin:/bin"));
    let found = all
        .iter()
        .find(|s| s.name == shell)
        .unwrap_or_else(|| panic!("{shell} is not here; scripts/test-setup.sh installs it"));
    let home = folder.join("home");
    std::fs::create_dir_all(&home).unwrap();
    // zsh asks a new user questions unless it has a start-up file.
    std::fs::write(home.join(".zshrc"), "").unwrap();
    let at_home = folder.join("at-home");
    let text = format!(
        "#!/bin/sh\nHOME='{}' exec '{}'\n",
        home.display(),
        found.path.display()
    );
    std::fs::write(&at_home, text).unwrap();
    std::fs::set_permissions(&at_home, PermissionsExt::from_mode(0o755)).unwrap();
    let shell = Shell {
        path: at_home,
        ..found.clone()
    };
    Pty::start(&shell, Some(folder.to_owned()), SIZE).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the prompt. dash leaves the line to the kernel; the others say that they take
/// bracketed paste, which several lines need.
fn at_prompt(pty: &Pty) {
    let probe = if pty.shell() == "dash" { "" } else { "a\nb" };
    until("a prompt", || pty.prepare(probe).is_ok());
}

/// Runs a line as a person would and waits until it ended.
fn run(pty: &Pty, folder: &Path, line: &str) {
    let mark = folder.join("ready");
    let _ = std::fs::remove_file(&mark);
    pty.type_keys(format!("{line}; touch ready\r").into_bytes());
    until("the shell runs a line", || mark.exists());
}

/// Hangs up, and takes the folder away once nothing of the shell writes to it.
fn ended(pty: &Pty, folder: &Path) {
    pty.hang_up();
    until("the shell ends", || pty.ended().is_some());
    std::fs::remove_dir_all(folder).unwrap();
}

/// Waits until the prompt takes an insert of nothing harmful, then tries every text.
fn check(shell: &str, texts: &[&str]) {
    let folder = folder(shell);
    let pty = start(shell, &folder);
    at_prompt(&pty);
    let proof = folder.join("ran");
    let mut inserted = 0;
    for text in texts {
        inserted += usize::from(pty.insert(text).is_ok());
        // Time for a shell to do what it would do.
        std::thread::sleep(Duration::from_millis(150));
        assert!(!proof.exists(), "{shell} ran {text:?}");
        // Ctrl-C throws the line away, as a person would.
        pty.type_keys(vec![3]);
        std::thread::sleep(Duration::from_millis(100));
        at_prompt(&pty);
    }
    assert!(
        inserted > 0,
        "{shell} took no text at all: nothing was tried"
    );
    // The proof can be made at all: a person presses Enter.
    run(&pty, &folder, "touch ran");
    assert!(proof.exists());
    ended(&pty, &folder);
}

const TEXTS: &[&str] = &[
    "touch ran",
    "touch ran\n",
    "touch ran\r",
    "touch ran\x0f",
    "touch ran\n\n",
    "\x1b[201~\ntouch ran\n",
    "x\x03\ntouch ran\n",
    "x\x1a\ntouch ran\n",
    "x\x1c\ntouch ran\n",
    "touch ran\u{85}",
    "touch ran\u{2028}",
    "touch ran # ñ \u{10d}",
    "touch ran\ntouch ran",
    "$(touch ran)",
    "`touch ran`",
    "!!",
    "v",
    "#touch ran",
];

#[test]
fn bash_runs_nothing() {
    check("bash", TEXTS);
}

#[test]
fn zsh_runs_nothing() {
    check("zsh", TEXTS);
}

#[test]
fn dash_runs_nothing() {
    check("dash", TEXTS);
}

#[test]
fn a_program_that_runs_gets_no_text() {
    let folder = folder("program");
    let pty = start("bash", &folder);
    at_prompt(&pty);
    pty.type_keys(b"touch begun; cat > stolen\r".to_vec());
    until("cat runs", || folder.join("stolen").exists());
    assert_eq!(pty.insert("rm -rf x"), Err(InsertRefusal::ProgramRuns));
    ended(&pty, &folder);
    assert_eq!(pty.insert("x"), Err(InsertRefusal::Ended));
}

#[test]
fn a_forged_announcement_does_not_open_a_shell_without_bracketed_paste() {
    let folder = folder("forged");
    let pty = start("dash", &folder);
    at_prompt(&pty);
    run(&pty, &folder, r"printf '\033[?2004h'");
    at_prompt(&pty);
    assert_eq!(
        pty.insert("touch ran\ntouch ran"),
        Err(InsertRefusal::SeveralLines)
    );
    ended(&pty, &folder);
}

#[tokio::test]
async fn a_window_that_draws_nothing_pauses_the_shell() {
    let folder = folder("flood");
    let pty = start("bash", &folder);
    at_prompt(&pty);
    let mut viewer = pty.view();
    pty.type_keys(b"head -c 3000000 /dev/zero | tr '\\0' x; echo; echo d''one\r".to_vec());
    let mut held = 0;
    while let Ok(Some(Shown::Output(bytes))) =
        tokio::time::timeout(Duration::from_secs(2), viewer.next()).await
    {
        held += bytes.len();
    }
    assert!(
        (256 * 1024..512 * 1024).contains(&held),
        "{held} bytes undrawn"
    );
    viewer.drawn(held as u64);
    let mut tail = Vec::new();
    while !tail.windows(5).any(|w| w == b"done\r") {
        match tokio::time::timeout(Duration::from_secs(20), viewer.next()).await {
            Ok(Some(Shown::Output(bytes))) => {
                viewer.drawn(bytes.len() as u64);
                tail.extend(bytes);
            }
            other => panic!("the flood stopped: {other:?}"),
        }
    }
    assert!(tail.len() + held > 3_000_000);
    // A window that comes back sees the end of it, and no more than what is kept.
    drop(viewer);
    let again = pty.view();
    assert!(again.scrollback.windows(5).any(|w| w == b"done\r"));
    assert!(again.scrollback.len() <= 1024 * 1024);
    ended(&pty, &folder);
}
