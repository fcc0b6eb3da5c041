//! kill -9 of `cerco run` at any moment leaves no process of its command.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often, with the sandbox and without; `CERCO_KILLS=50` is the full run.
fn kills() -> u32 {
    let given = std::env::var("CERCO_KILLS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(5)
}

/// Starts processes that leave the session, ignore polite requests, and fork twice.
const SCRIPT: &str = "#!/bin/sh
setsid sh -c 'trap \"\" TERM HUP; sleep $0; sleep $0' $1 &
(setsid sleep $1 &)
echo up > up
sleep $1
";

struct Ground(PathBuf);

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ground() -> Ground {
    let root = std::env::temp_dir().join(format!("cerco-kills-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    for folder in ["home", "project/loops/a"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let ground = Ground(root.canonicalize().unwrap());
    let script = ground.0.join("project/loops/a/linger.sh");
    fs::write(&script, SCRIPT).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let made = cerco(&ground.0, &["init", "--loop", "loops/a"]).wait();
    assert!(made.unwrap().success());
    ground
}

fn cerco(root: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cerco"))
        .args(args)
        .current_dir(root.join("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", root.join("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A process that has `mark` among its arguments, or stands in the project.
fn left(mark: &str, root: &Path) -> Option<String> {
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let marked = line.split(|b| *b == 0).any(|arg| arg == mark.as_bytes());
        let stands = fs::read_link(entry.path().join("cwd")).is_ok_and(|at| at.starts_with(root));
        (marked || stands).then(|| format!("{pid}: {}", String::from_utf8_lossy(&line)))
    })
}

#[test]
fn nothing_is_left_of_a_killed_run() {
    let ground = ground();
    let root = &ground.0;
    let up = root.join("project/loops/a/up");
    for sandbox in ["--sandbox", "--no-sandbox"] {
        let (mut begun, mut slowest) = (0, Duration::ZERO);
        for round in 0..kills() {
            let mark = format!("300.{}{round}", std::process::id());
            let _ = fs::remove_file(&up);
            let text = format!("./linger.sh {mark}");
            let mut run = cerco(root, &["run", "--loop", "a", sandbox, "--", &text]);
            let chance = RandomState::new().build_hasher().finish();
            let started = Instant::now();
            // Half of them while it gets ready, half once the command is well under way.
            while round % 2 == 1 && !up.exists() {
                assert!(
                    started.elapsed() < Duration::from_secs(30),
                    "it did not begin"
                );
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(chance % 100_000));
            run.kill().unwrap();
            run.wait().unwrap();
            let killed = Instant::now();
            begun += u32::from(up.exists());
            while let Some(left) = left(&mark, root) {
                assert!(
                    killed.elapsed() < Duration::from_secs(10),
                    "{sandbox}, round {round}: {left}"
                );
                std::thread::sleep(Duration::from_millis(5));
            }
            slowest = slowest.max(killed.elapsed());
        }
        println!(
            "{sandbox}: {0} of {0} left nothing ({begun} had begun; gone after {slowest:?} at most)",
            kills()
        );
        assert!(begun > 0, "no command had begun: nothing was tried");
    }
}
