//! What is planted and what is done about it, on folders made for it.

use crate::request::Request;
use crate::survey::survey;
use crate::walk::{When, walk};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const CORE: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
const BAD: &str = "[core]\n\tfsmonitor = touch /tmp/pwned\n";

/// What `planted` leaves in a loop that `before` had prepared: what was done, and
/// what git would still obey.
fn check(name: &str, before: fn(&Path), planted: fn(&Path), expected: &[&str]) {
    let root = std::env::temp_dir().join(format!("cerco-held-{name}-{}", std::process::id()));
    let own = root.join("loop");
    fs::create_dir_all(&own).unwrap();
    let own = own.canonicalize().unwrap();
    before(&own);
    let request = Request {
        project: root.clone(),
        loop_folder: own.clone(),
        directory: own.clone(),
        ..Request::default()
    };
    let survey = survey(&request).unwrap();
    planted(&own);
    let after = walk(&own, &[], When::After).unwrap();
    let mut done: Vec<String> = survey
        .look
        .hold_back(&after)
        .into_iter()
        .map(|done| done.path.strip_prefix(&own).unwrap().display().to_string())
        .collect();
    done.sort();
    assert_eq!(done, expected, "{name}");
    let again = survey
        .look
        .hold_back(&walk(&own, &[], When::After).unwrap());
    assert!(again.is_empty(), "{name}: {again:?}");
    for path in &done {
        let left = fs::read_to_string(own.join(path)).unwrap_or_default();
        assert!(!left.contains("pwned"), "{name}: {path} still says {left}");
    }
    let outside = fs::read_to_string(root.join("outside")).unwrap_or_default();
    assert_eq!(outside, "", "{name}: something outside was written");
    fs::remove_dir_all(&root).unwrap();
}

fn repository(at: &Path, config: &str) {
    for part in ["objects", "refs"] {
        fs::create_dir_all(at.join(part)).unwrap();
    }
    fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at.join("config"), config).unwrap();
}

fn nothing(_: &Path) {}

#[test]
fn what_git_made_itself_is_left_alone() {
    check(
        "plain",
        nothing,
        |own| repository(&own.join(".git"), CORE),
        &[],
    );
    let samples = |own: &Path| {
        repository(&own.join(".git"), CORE);
        fs::create_dir(own.join(".git/hooks")).unwrap();
        fs::write(own.join(".git/hooks/pre-commit.sample"), "x").unwrap();
    };
    check("samples", nothing, samples, &[]);
    let worktree = |own: &Path| {
        repository(&own.join(".git"), CORE);
        let meta = own.join(".git/worktrees/w");
        fs::create_dir_all(&meta).unwrap();
        fs::write(meta.join("HEAD"), "ref: refs/heads/w\n").unwrap();
        fs::write(meta.join("commondir"), "../..\n").unwrap();
        fs::create_dir(own.join("w")).unwrap();
        fs::write(own.join("w/.git"), format!("gitdir: {}\n", meta.display())).unwrap();
    };
    check("worktree", nothing, worktree, &[]);
}

#[test]
fn new_settings_and_hooks_start_nothing() {
    let planted = |own: &Path| {
        repository(&own.join(".git"), BAD);
        fs::create_dir(own.join(".git/hooks")).unwrap();
        fs::write(own.join(".git/hooks/post-checkout"), "pwned").unwrap();
        fs::write(own.join(".git/config.worktree"), BAD).unwrap();
        repository(&own.join("deep/bare"), BAD);
        repository(&own.join(".git/modules/m"), BAD);
    };
    let expected = [
        ".git/config",
        ".git/config.worktree",
        ".git/hooks",
        ".git/modules/m/config",
        "deep/bare/config",
    ];
    check("new", nothing, planted, &expected);
}

#[test]
fn pointers_to_where_nobody_looked_are_not_obeyed() {
    let file = |own: &Path| fs::write(own.join(".git"), "gitdir: /srv/evil\n").unwrap();
    check("file", nothing, file, &[".git"]);
    let link = |own: &Path| symlink("/srv/evil", own.join(".git")).unwrap();
    check("link", nothing, link, &[".git"]);
    // A git folder whose settings lie where no repository can be seen.
    let parted = |own: &Path| {
        fs::create_dir_all(own.join("x")).unwrap();
        fs::write(own.join("x/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(own.join("x/commondir"), "../y\n").unwrap();
        fs::create_dir_all(own.join("y")).unwrap();
        fs::write(own.join("y/config"), BAD).unwrap();
    };
    check("parted", nothing, parted, &["x/commondir"]);
}

#[test]
fn a_repository_that_was_there_can_not_be_led_elsewhere() {
    let planted = |own: &Path| {
        fs::write(own.join(".git/commondir"), "../evil\n").unwrap();
        fs::create_dir(own.join(".git/hooks")).unwrap();
        fs::write(own.join(".git/hooks/pre-commit"), "pwned").unwrap();
    };
    let before = |own: &Path| repository(&own.join(".git"), BAD);
    // Its own settings are the person's: read-only during the run, and kept.
    check("there", before, planted, &[".git/commondir", ".git/hooks"]);
}

#[test]
fn links_lead_nothing_outside() {
    let planted = |own: &Path| {
        let outside = own.parent().unwrap().join("outside");
        fs::write(&outside, "").unwrap();
        repository(&own.join(".git"), CORE);
        fs::remove_file(own.join(".git/config")).unwrap();
        symlink(&outside, own.join(".git/config")).unwrap();
        symlink("/", own.join(".git/hooks")).unwrap();
    };
    check("links", nothing, planted, &[".git/config", ".git/hooks"]);
}

/// A loop with records, and the request for it.
fn with_records(name: &str) -> (PathBuf, Request) {
    let root = std::env::temp_dir().join(format!("cerco-records-{name}-{}", std::process::id()));
    let own = root.join("project/loop");
    fs::create_dir_all(&own).unwrap();
    let root = root.canonicalize().unwrap();
    let own = root.join("project/loop");
    let request = Request {
        project: root.join("project"),
        loop_folder: own.clone(),
        directory: own,
        records: Some(root.join("state/runs")),
        ..Request::default()
    };
    (root, request)
}

#[test]
fn what_another_command_planted_is_no_persons() {
    let (root, request) = with_records("beside");
    let own = &request.loop_folder;
    repository(&own.join("first"), "[core]\n\thooksPath = mine\n");
    let one = survey(&request).unwrap();
    repository(&own.join("second"), BAD);
    let two = survey(&request).unwrap();
    drop(one);
    let done = two.look.hold_back(&walk(own, &[], When::After).unwrap());
    let held: Vec<&Path> = done.iter().map(|done| done.path.as_path()).collect();
    assert_eq!(held, [own.join("second/config")]);
    drop(two);
    // Nobody runs: now it is what stands there.
    fs::write(own.join("second/config"), BAD).unwrap();
    let three = survey(&request).unwrap();
    let done = three.look.hold_back(&walk(own, &[], When::After).unwrap());
    assert!(done.is_empty(), "{done:?}");
    drop(three);
    let left = walk(&root.join("state/runs"), &[], When::Before).unwrap();
    assert_eq!(left.entries, 1, "records go with their commands");
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn the_look_of_a_killed_cerco_is_taken_by_the_next() {
    let (root, request) = with_records("killed");
    let own = &request.loop_folder;
    let killed = survey(&request).unwrap();
    let folder = fs::read_dir(root.join("state/runs")).unwrap().next();
    let record = folder.unwrap().unwrap().path().join("0");
    fs::write(&record, killed.look.encode()).unwrap();
    drop(killed);
    repository(&own.join(".git"), BAD);
    let next = survey(&request).unwrap();
    let left = fs::read_to_string(own.join(".git/config")).unwrap();
    assert!(!left.contains("pwned"), "{left}");
    assert!(next.notes().iter().any(|note| note.contains(".git/config")));
    assert!(!record.exists());
    drop(next);
    fs::remove_dir_all(root).unwrap();
}

/// Plants by `planted` while a look goes on in `own`; what was said by the time that `is_held`.
fn meanwhile(name: &str, planted: fn(&Path), is_held: fn(&Path) -> bool) -> Vec<String> {
    use super::during::{self, Over};
    use std::os::fd::AsFd;
    use std::time::{Duration, Instant};
    let root = std::env::temp_dir().join(format!("cerco-during-{name}-{}", std::process::id()));
    fs::create_dir_all(&root).unwrap();
    let own = root.canonicalize().unwrap();
    let look = super::Look {
        own: own.clone(),
        skip: Vec::new(),
        people: crate::ways::People::default(),
        baseline: super::Baseline::default(),
    };
    let (hears, says) = std::io::pipe().unwrap();
    let me = std::process::id().try_into().unwrap();
    let mut said = Vec::new();
    let over = std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            during::look(&look, me, hears.as_fd(), &mut |sentence| {
                said.push(sentence.to_owned());
            })
        });
        // Past the time in which it doesn't look yet.
        std::thread::sleep(Duration::from_millis(300));
        planted(&own);
        let since = Instant::now();
        while !is_held(&own) {
            assert!(since.elapsed() < Duration::from_secs(20), "{name}");
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(says);
        looking.join().unwrap().unwrap()
    });
    assert_eq!(over, Over::Heard, "{name}");
    fs::remove_dir_all(&root).unwrap();
    said
}

#[test]
fn what_is_planted_while_a_command_runs_is_held_back_then() {
    let lacks_it = |own: &Path| {
        let text = fs::read_to_string(own.join("sub/.git/config")).unwrap_or_default();
        !text.contains("pwned") && own.join("sub/.git/config.cerco-held").exists()
    };
    let new = |own: &Path| repository(&own.join("sub/.git"), BAD);
    let said = meanwhile("new", new, lacks_it);
    assert!(said[0].contains("/sub/.git/config: settings"), "{said:?}");
    // Harmless at first, written over in place, a folder of the shape of a repository.
    let bare = |own: &Path| {
        repository(&own.join("bare"), CORE);
        std::thread::sleep(std::time::Duration::from_millis(100));
        fs::write(own.join("bare/config"), BAD).unwrap();
    };
    let is_held = |own: &Path| own.join("bare/config.cerco-held").exists();
    assert_eq!(meanwhile("bare", bare, is_held).len(), 1);
    let hook = |own: &Path| {
        repository(&own.join(".git"), CORE);
        fs::create_dir(own.join(".git/hooks")).unwrap();
        fs::write(own.join(".git/hooks/post-index-change"), "x").unwrap();
    };
    let is_held = |own: &Path| !own.join(".git/hooks").exists();
    assert_eq!(meanwhile("hook", hook, is_held).len(), 1);
}

#[test]
fn what_a_command_is_in_the_middle_of_stays_until_its_end() {
    let busy = |own: &Path| {
        let git = own.join(".git");
        repository(&git, CORE);
        fs::create_dir_all(git.join("rebase-merge")).unwrap();
        fs::write(git.join("rebase-merge/git-rebase-todo"), "exec true\n").unwrap();
        fs::create_dir_all(own.join("tree")).unwrap();
        fs::write(own.join("tree/.git"), "gitdir: ../.git\n").unwrap();
        // What shows that the rest was looked at.
        repository(&own.join("z"), BAD);
    };
    let is_held = |own: &Path| {
        let is_held = own.join("z/config.cerco-held").exists();
        if is_held {
            assert!(own.join(".git/rebase-merge/git-rebase-todo").exists());
            assert!(own.join("tree/.git").exists());
        }
        is_held
    };
    meanwhile("busy", busy, is_held);
}
