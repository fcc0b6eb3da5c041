//! An adversary who reads our source: links, hard links, pipes, devices, races, crashes.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cerco_files::{
    Depth, Existing, FileError, From, Limits, LoopFiles, Occurrences, Pattern, Text,
};
use common::{LOOT, World, bounds, code, edit, rel};

/// A link at `loop/way` and a path through it: what reading and writing answer.
#[test]
fn links_lead_nowhere_outside() {
    let rows = [
        // target of the link, path, read, write
        ("../outside", "way/secret.txt", "outside", "link"),
        ("../outside/secret.txt", "way", "outside", "link"),
        ("/etc/passwd", "way", "outside", "link"),
        ("/proc/self/root/etc/passwd", "way", "outside", "link"),
        ("/proc/self/fd/0", "way", "outside", "link"),
        ("src/../../outside/secret.txt", "way", "outside", "link"),
        ("a.txt", "way", "ok", "link"),
        ("src", "way/main.rs", "ok", "link"),
        ("./src/../a.txt", "way", "ok", "link"),
        (".env", "way", "secret", "link"),
        ("src/../.env", "way", "secret", "link"),
        ("cerco", "way/journal.db", "own", "link"),
        ("other", "way/theirs.txt", "ok", "link"),
        ("way", "way", "link_loop", "link"),
        (".", "way/way/way/a.txt", "ok", "link"),
        ("nothing", "way", "missing", "link"),
        ("src/..", "way", "folder", "link"),
    ];
    for (target, path, read, write) in rows {
        let world = World::new();
        symlink(target, world.at("loop/way")).unwrap();
        let files = world.files();
        let got = files.read(&rel(path), From::Line(1), None);
        assert_eq!(code(&got), read, "read {path} with way -> {target}");
        assert!(got.map_or(true, |text| !text.text.contains(LOOT)));
        let got = files.write(&rel(path), b"PLANTED", Existing::Replace);
        assert_eq!(code(&got), write, "write {path} with way -> {target}");
        let made = files.write(&rel("way/new.txt"), b"PLANTED", Existing::Replace);
        assert_eq!(code(&made), "link");
        assert_eq!(world.text("outside/secret.txt"), LOOT);
        assert!(!world.at("outside/new.txt").exists());
        // A listing shows the link; a search goes past it; deleting takes the link alone.
        assert!(
            files
                .list(&rel("."), 9)
                .unwrap()
                .entries
                .iter()
                .all(|e| !e.path.starts_with("way/"))
        );
        let found = files
            .search(&rel("."), &Pattern::Literal(LOOT.into()))
            .unwrap();
        assert_eq!(found.hits, [], "{target}");
        assert_eq!(
            code(&files.delete(&rel("way"), Depth::All)),
            "ok",
            "{target}"
        );
        assert_eq!(world.text("outside/sub/deep.txt"), LOOT);
        assert_eq!(world.text("loop/a.txt"), "one\ntwo\nthree\n");
    }
}

#[test]
fn the_loop_folder_itself_must_be_no_link() {
    let world = World::new();
    symlink(world.at("outside"), world.at("fake")).unwrap();
    let mut bounds = world.bounds(Limits::default());
    bounds.folder = world.at("fake");
    assert!(matches!(
        LoopFiles::open(bounds),
        Err(FileError::Loop { .. })
    ));
    let mut bounds = world.bounds(Limits::default());
    bounds.folder = world.at("loop/cerco");
    assert!(
        LoopFiles::open(bounds).is_err(),
        "Cerco's own folder can't be a loop"
    );
}

#[test]
fn a_hard_link_is_worked_on_only_when_all_its_names_are_inside() {
    let world = World::new();
    fs::hard_link(
        world.at("outside/secret.txt"),
        world.at("loop/innocent.txt"),
    )
    .unwrap();
    fs::hard_link(world.at("loop/.env"), world.at("loop/env-copy.txt")).unwrap();
    fs::hard_link(world.at("loop/a.txt"), world.at("loop/src/a-too.txt")).unwrap();
    let files = world.files();
    for (path, expected) in [
        ("innocent.txt", "hard_link"),
        ("env-copy.txt", "hard_link"),
        ("src/a-too.txt", "ok"),
    ] {
        assert_eq!(
            code(&files.read(&rel(path), From::Line(1), None)),
            expected,
            "{path}"
        );
        let change = [edit("o", "0", Occurrences::All)];
        assert_eq!(code(&files.edit(&rel(path), &change)), expected, "{path}");
    }
    assert_eq!(
        code(&files.write(&rel("innocent.txt"), b"x", Existing::Replace)),
        "hard_link"
    );
    let found = files
        .search(&rel("."), &Pattern::Literal(LOOT.into()))
        .unwrap();
    assert_eq!((found.hits.len(), found.skipped.linked), (0, 2));
    assert_eq!(world.text("outside/secret.txt"), LOOT);
    // Deleting takes one name away and leaves the file.
    files.delete(&rel("innocent.txt"), Depth::Empty).unwrap();
    assert_eq!(world.text("outside/secret.txt"), LOOT);
}

#[test]
fn pipes_sockets_and_devices_neither_hang_nor_open() {
    let world = World::new();
    let made = std::process::Command::new("mkfifo")
        .arg(world.at("loop/pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(world.at("loop/socket")).unwrap();
    let files = world.files();
    let before = Instant::now();
    for path in ["pipe", "socket"] {
        assert_eq!(
            code(&files.read(&rel(path), From::Line(1), None)),
            "special",
            "{path}"
        );
        assert_eq!(
            code(&files.search(&rel(path), &Pattern::Literal("x".into()))),
            "special",
            "{path}"
        );
        assert_eq!(
            code(&files.write(&rel(path), b"x", Existing::Replace)),
            "special",
            "{path}"
        );
        assert_eq!(
            code(&files.shift(&rel(path), &rel("p2"))),
            "special",
            "{path}"
        );
    }
    files
        .search(&rel("."), &Pattern::Literal("x".into()))
        .unwrap();
    assert!(
        before.elapsed() < Duration::from_secs(2),
        "{:?}",
        before.elapsed()
    );
    files.delete(&rel("pipe"), Depth::Empty).unwrap();
}

#[test]
fn a_renamed_loop_or_own_folder_is_still_known() {
    let world = World::new();
    let files = world.files();
    fs::rename(world.at("loop/other"), world.at("loop/mine")).unwrap();
    assert_eq!(
        code(&files.write(&rel("mine/x.txt"), b"x", Existing::Replace)),
        "other_loop"
    );
    assert_eq!(code(&files.delete(&rel("mine"), Depth::All)), "other_loop");
    assert_eq!(
        code(&files.read(&rel("mine/theirs.txt"), From::Line(1), None)),
        "ok"
    );
    // The loop's folder goes by its handle, not by its path.
    fs::rename(world.at("loop"), world.at("elsewhere")).unwrap();
    symlink(world.at("outside"), world.at("loop")).unwrap();
    assert_eq!(
        files.read(&rel("a.txt"), From::Line(1), None).unwrap().text,
        "one\ntwo\nthree\n"
    );
    files
        .write(&rel("secret.txt"), b"PLANTED", Existing::Replace)
        .unwrap();
    assert_eq!(world.text("outside/secret.txt"), LOOT);
    assert_eq!(world.text("elsewhere/secret.txt"), "PLANTED");
}

/// Swaps two names; in one step where the system can, so that there is always one of both.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}
#[cfg(not(target_os = "linux"))]
fn exchange(a: &Path, b: &Path) {
    let spare = a.with_extension("spare");
    fs::rename(a, &spare).unwrap();
    fs::rename(b, a).unwrap();
    fs::rename(&spare, b).unwrap();
}

/// A thread that flips `loop/flip` between a folder and a link to the outside as fast as
/// it can, while every tool works through it.
#[test]
fn no_race_leads_out() {
    let world = World::new();
    fs::create_dir(world.at("loop/flip")).unwrap();
    fs::write(world.at("loop/flip/secret.txt"), "mine").unwrap();
    symlink("../outside", world.at("loop/trap")).unwrap();
    let (stop, flips) = (AtomicBool::new(false), AtomicU64::new(0));
    let leaks = std::thread::scope(|scope| {
        scope.spawn(|| {
            let [flip, trap] = ["loop/flip", "loop/trap"].map(|p| world.at(p));
            while !stop.load(Ordering::Relaxed) {
                exchange(&flip, &trap);
                flips.fetch_add(1, Ordering::Relaxed);
            }
        });
        let files = world.files();
        let (mut leaks, mut through) = (Vec::new(), 0);
        let end = Instant::now() + Duration::from_secs(3);
        while Instant::now() < end {
            let text: Result<Text, _> = files.read(&rel("flip/secret.txt"), From::Line(1), None);
            match text {
                Ok(text) if text.text.contains(LOOT) => leaks.push("read"),
                Ok(_) => through += 1,
                Err(_) => {}
            }
            if files
                .write(&rel("flip/planted.txt"), b"PLANTED", Existing::Replace)
                .is_ok()
            {
                through += 1;
            }
            if files
                .list(&rel("flip"), 3)
                .is_ok_and(|l| l.entries.iter().any(|e| e.path.ends_with("deep.txt")))
            {
                leaks.push("list");
            }
            let found = files.search(&rel("flip"), &Pattern::Literal(LOOT.into()));
            if found.is_ok_and(|f| !f.hits.is_empty()) {
                leaks.push("search");
            }
            let _ = files.edit(
                &rel("flip/secret.txt"),
                &[edit("LOOT", "GONE", Occurrences::All)],
            );
            let _ = files.shift(&rel("flip/sub"), &rel("stolen"));
            let _ = files.delete(&rel("flip/sub"), Depth::All);
        }
        stop.store(true, Ordering::Relaxed);
        assert!(
            through > 0,
            "the tools never got through: the race proved nothing"
        );
        leaks
    });
    assert!(flips.load(Ordering::Relaxed) > 100, "{flips:?}");
    assert_eq!(leaks, Vec::<&str>::new());
    assert_eq!(world.text("outside/secret.txt"), LOOT);
    assert_eq!(world.text("outside/sub/deep.txt"), LOOT);
    assert!(!world.at("outside/planted.txt").exists());
    assert!(!world.at("loop/stolen/deep.txt").exists());
}

#[test]
fn edits_at_once_lose_nothing() {
    let world = World::new();
    let text: String = (0..40)
        .map(|n| format!("<{n}>\n"))
        .collect::<Vec<_>>()
        .concat();
    fs::write(world.at("loop/shared.txt"), text).unwrap();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let files = world.files();
            scope.spawn(move || {
                for n in (worker..40).step_by(4) {
                    let change = [edit(
                        &format!("<{n}>"),
                        &format!("[{n}]"),
                        Occurrences::Exactly(1),
                    )];
                    files.edit(&rel("shared.txt"), &change).unwrap();
                }
            });
        }
    });
    let expected: String = (0..40)
        .map(|n| format!("[{n}]\n"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(world.text("loop/shared.txt"), expected);
}

#[cfg(all(target_os = "linux", not(feature = "portable")))]
#[test]
fn a_lock_held_by_a_command_ends_in_an_answer() {
    let world = World::new();
    let folder = fs::File::open(world.at("loop")).unwrap();
    folder.lock().unwrap();
    let files = world.files_with(Limits {
        wait: Duration::from_millis(50),
        ..Limits::default()
    });
    assert_eq!(
        code(&files.write(&rel("x"), b"x", Existing::Replace)),
        "busy"
    );
}

const CHILD: &str = "CERCO_FILES_TEST_WRITER";

/// Not a test of its own: the process that the next test kills in the middle of writing.
#[test]
fn writer_that_gets_killed() {
    let Some(folder) = std::env::var_os(CHILD) else {
        return;
    };
    let files = LoopFiles::open(bounds(Path::new(&folder), Limits::default())).unwrap();
    for n in 0u64.. {
        let content = [b'a' + u8::try_from(n % 26).unwrap()].repeat(1 << 20);
        files
            .write(&rel("big.txt"), &content, Existing::Replace)
            .unwrap();
    }
}

#[test]
fn a_killed_write_leaves_the_old_content_or_the_new() {
    let world = World::new();
    fs::write(world.at("loop/big.txt"), "z".repeat(1 << 20)).unwrap();
    let names = |world: &World| {
        let mut names: Vec<_> = fs::read_dir(world.at("loop"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let expected = names(&world);
    let mut replaced = 0;
    for round in 0..25 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer_that_gets_killed"])
            .env(CHILD, world.at("loop"))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + 7 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = fs::read(world.at("loop/big.txt")).unwrap();
        assert_eq!(bytes.len(), 1 << 20, "round {round}");
        let first = bytes.first().copied().unwrap();
        assert!(bytes.iter().all(|b| *b == first), "round {round}: a mix");
        replaced += u32::from(first != b'z');
        // Between two system calls one name may be left; the next write takes it away.
        world
            .files()
            .write(&rel("a.txt"), b"after", Existing::Replace)
            .unwrap();
        assert_eq!(names(&world), expected, "round {round}: litter");
    }
    assert!(replaced > 0, "no child ever wrote: the test proved nothing");
}
