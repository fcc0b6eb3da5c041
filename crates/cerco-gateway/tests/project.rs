//! Projects on a real disk: what makes one known, and which folders can be loops.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};

use cerco_gateway::project::{Known, Project, initialise, nested};

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
