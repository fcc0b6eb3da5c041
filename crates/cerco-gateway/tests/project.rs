//! Projects on a real disk: what makes one known, and which folders can be loops.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};

use cerco_gateway::project::{Known, Project, initialise, nested};
use cerco_gateway::wire::NetworkSetting;

/// A folder that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cerco-project-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("p")).unwrap();
        Self(path.canonicalize().unwrap())
    }
    fn project(&self) -> PathBuf {
        self.0.join("p")
    }
    fn known(&self) -> Known {
        Known::load(&self.0.join("config")).unwrap()
    }
    fn init(&self, loops: &[&str]) -> Result<Project, String> {
        let loops: Vec<PathBuf> = loops.iter().map(PathBuf::from).collect();
        initialise(&self.project(), &loops, &mut self.known())
            .map(|done| done.project)
            .map_err(|e| e.to_string())
    }
    fn around(&self, folder: &Path) -> Result<Project, String> {
        Project::around(folder, &self.known()).map_err(|e| e.to_string())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_repository_can_not_make_itself_known_or_change_unseen() {
    let scratch = Scratch::new("known");
    let project = scratch.project();
    fs::write(
        project.join("cerco.toml"),
        "[[loop]]\nname=\"x\"\nfolder=\".\"\n",
    )
    .unwrap();
    let error = scratch.around(&project).unwrap_err();
    assert!(error.contains("run: cerco init"), "{error}");

    scratch.init(&["loops/a"]).unwrap();
    let found = scratch.around(&project.join("loops/a")).unwrap();
    assert_eq!(found.root(), project);
    let names: Vec<_> = found.loops().iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["x", "a"]);

    let text = fs::read_to_string(project.join("cerco.toml")).unwrap();
    fs::write(
        project.join("cerco.toml"),
        format!("{text}\n[[role]]\nname=\"R\"\ntools=[]\n"),
    )
    .unwrap();
    let error = scratch.around(&project).unwrap_err();
    assert!(error.contains("changed since it was accepted"), "{error}");
    scratch.init(&[]).unwrap();
    assert!(scratch.around(&project).is_ok());
    // Nothing was written twice.
    assert_eq!(scratch.known().projects().len(), 1);
}

#[test]
fn loop_folders_are_real_and_inside() {
    let scratch = Scratch::new("folders");
    let project = scratch.project();
    fs::create_dir_all(project.join("loops/a/deep")).unwrap();
    fs::create_dir_all(scratch.0.join("outside")).unwrap();
    fs::write(project.join("file"), "").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(scratch.0.join("outside"), project.join("link")).unwrap();
        std::os::unix::fs::symlink("loops", project.join("inner")).unwrap();
    }
    let known = scratch.init(&["loops/a", "loops/a/deep"]).unwrap();
    for (wanted, expected) in [
        ("a", "ok"),
        ("loops/a", "ok"),
        ("loops/./a/", "ok"),
        ("deep", "ok"),
        ("loops/b", "doesn't exist; make it: mkdir -p"),
        ("../outside", "is not inside the project"),
        ("loops/../loops/a", "is not inside the project"),
        ("/etc", "is not inside the project"),
        ("link", "is a symbolic link"),
        ("inner/a", "is a symbolic link"),
        ("file", "is not a folder"),
    ] {
        let got = known.loop_named(wanted).map_err(|e| e.to_string());
        match got {
            Ok(_) => assert_eq!(expected, "ok", "{wanted}"),
            Err(error) => assert!(error.contains(expected), "{wanted}: {error}"),
        }
    }
    let absolute = project.join("loops/a");
    let found = known.loop_named(absolute.to_str().unwrap()).unwrap();
    assert_eq!(found.name, "a");
    let inner: Vec<_> = nested(known.loops(), &found)
        .map(|l| l.name.as_str())
        .collect();
    assert_eq!(inner, ["deep"]);
    assert_eq!(known.loop_at(&absolute.join("deep")).unwrap().name, "deep");
    let error = known.loop_at(&project).unwrap_err().to_string();
    assert!(error.contains("name one with --loop"), "{error}");
    assert!(
        scratch
            .init(&["link/new"])
            .unwrap_err()
            .contains("symbolic link")
    );
    assert!(!scratch.0.join("outside/new").exists());
}

#[test]
fn roles_by_name_with_a_hint() {
    let scratch = Scratch::new("roles");
    let known = scratch.init(&[]).unwrap();
    assert_eq!(known.role("reviewer").unwrap().name().0, "Reviewer");
    let error = known.role("Codr").unwrap_err().to_string();
    assert!(error.contains("did you mean `Coder`?"), "{error}");
    assert_eq!(known.loop_at(&scratch.project()).unwrap().name, ".");
}

/// Not a test of its own: the processes of the next one. Run as a test it does nothing.
#[test]
fn a_writing_process() {
    let Some(given) = std::env::var_os("CERCO_TEST_WRITER") else {
        return;
    };
    let given = given.into_string().unwrap();
    let (root, number) = given.split_once('|').unwrap();
    let (root, number): (&Path, usize) = (Path::new(root), number.parse().unwrap());
    std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || writes(root, 2 * number + thread));
        }
    });
}

const ROUNDS: usize = 6;

/// Each changes things of its own, in files that all of them change.
fn writes(root: &Path, writer: usize) {
    let config = root.join("config");
    // Read once, like a gateway that has been up for long.
    let mut known = Known::load(&config).unwrap();
    for round in 0..ROUNDS {
        let own = root.join(format!("own-{writer}-{round}"));
        known.accept(own, format!("# {writer} {round}\n")).unwrap();
        let wanted = PathBuf::from(format!("loops/w{writer}-{round}"));
        initialise(&root.join("p"), &[wanted], &mut known).unwrap();
        let chosen = known.choose(&root.join("p"), |all| match writer {
            0 => all.network = Some(NetworkSetting::RegistriesOnly),
            1 => all.hide_secrets = Some(true),
            _ => {}
        });
        assert!(chosen.unwrap().is_some());
    }
}

fn writer(root: &Path, number: usize) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["a_writing_process", "--exact", "--test-threads=1"])
        .env("CERCO_TEST_WRITER", format!("{}|{number}", root.display()))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Four processes of two threads each: every project, every loop and every choice is there
/// in the end, and what was accepted is what stands in the file.
#[test]
fn many_that_change_different_things_at_once_lose_nothing() {
    let scratch = Scratch::new("at-once");
    scratch.init(&[]).unwrap();
    let all: Vec<_> = (0..4).map(|number| writer(&scratch.0, number)).collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    let known = scratch.known();
    assert_eq!(known.projects().len(), 1 + 8 * ROUNDS);
    let project = scratch.around(&scratch.project()).unwrap();
    assert_eq!(project.loops().len(), 8 * ROUNDS);
    assert_eq!(
        project.choices().network,
        Some(NetworkSetting::RegistriesOnly)
    );
    assert_eq!(project.choices().hide_secrets, Some(true));
    for one in known.projects() {
        if let Some(name) = one
            .root
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .strip_prefix("own-")
        {
            assert_eq!(one.accepted, format!("# {}\n", name.replace('-', " ")));
        }
    }
    // No half-made file stays behind.
    let left = fs::read_dir(scratch.0.join("config")).unwrap().flatten();
    let mut names: Vec<_> = left.map(|e| e.file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["change.lock", "projects.toml"]);
}

/// Killed at any moment, a writer leaves the old file or the new, and nobody waits for it.
#[test]
fn a_writer_that_is_killed_leaves_whole_files() {
    let scratch = Scratch::new("killed");
    scratch.init(&[]).unwrap();
    for round in 0..20 {
        let mut one = writer(&scratch.0, 0);
        std::thread::sleep(std::time::Duration::from_millis(5 + 7 * round));
        let _ = one.kill();
        one.wait().unwrap();
        let known = scratch.known();
        assert!(known.projects().iter().any(|p| p.root == scratch.project()));
        // Between the two files of one change it may have been killed: a person accepts what
        // stands there, and goes on.
        scratch.init(&[]).unwrap();
        assert!(scratch.around(&scratch.project()).is_ok());
    }
}

#[test]
fn a_file_that_is_wrong_is_named_by_line_and_left_as_it_is() {
    let scratch = Scratch::new("wrong");
    scratch.init(&[]).unwrap();
    let list = scratch.0.join("config/projects.toml");
    let mut known = scratch.known();
    let good = fs::read(&list).unwrap();
    let lines = String::from_utf8(good.clone()).unwrap().lines().count();
    for (added, what) in [
        (&b"[[project]\n"[..], "projects.toml, line"),
        (b"netwrk = \"off\"\n", "did you mean `network`?"),
        (b"# \xff\n", "this is no text"),
    ] {
        let wrong = [&good[..], added].concat();
        fs::write(&list, &wrong).unwrap();
        let errors = [
            known
                .accept(scratch.project(), String::new())
                .unwrap_err()
                .to_string(),
            known
                .choose(&scratch.project(), |all| all.hide_secrets = Some(true))
                .unwrap_err()
                .to_string(),
            initialise(&scratch.project(), &[], &mut known)
                .unwrap_err()
                .to_string(),
        ];
        for error in errors {
            assert!(error.contains(what), "{error}");
            let line = format!("line {}", lines + 1);
            assert!(error.contains(&line), "{error}");
        }
        assert_eq!(fs::read(&list).unwrap(), wrong);
    }
    fs::write(&list, &good).unwrap();
    let file = scratch.project().join("cerco.toml");
    let wrong = "[[loop]]\nname = \"a\"\nfoldr = \"a\"\n";
    fs::write(&file, wrong).unwrap();
    let error = scratch.init(&["b"]).unwrap_err();
    assert!(error.contains("cerco.toml, line 3"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), wrong);
    assert_eq!(fs::read(&list).unwrap(), good);
}

/// A process that was stopped in the middle of a change keeps nobody waiting for ever.
#[test]
fn a_lock_that_stays_taken_is_said() {
    let scratch = Scratch::new("taken");
    scratch.init(&[]).unwrap();
    let held = fs::File::open(scratch.0.join("config/change.lock")).unwrap();
    held.lock().unwrap();
    let error = scratch.init(&["a"]).unwrap_err();
    assert!(error.contains("another Cerco is changing"), "{error}");
    assert_eq!(scratch.around(&scratch.project()).unwrap().loops().len(), 0);
    drop(held);
    scratch.init(&["a"]).unwrap();
}
