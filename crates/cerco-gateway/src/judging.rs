//! What a person's and a project's own files add to judging: custom rules, allowed hosts.
//!
//! Read once for a command, then plain data. A project's file may only make things stricter,
//! and only as it was accepted. A file that is wrong is an error, never no rules.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cerco_filter::{Base, CustomRules, Level, PERSON_FILES};
use cerco_model::{Command, Judgement, Place};

use crate::project::FILE_NAME;
use crate::toml_file::{self, FileError};

/// No configuration of a package manager is longer.
const MAX_BYTES: u64 = 256 * 1024;

/// Rules and hosts of a person and a project. The default has none: SPEC's own rules alone.
#[derive(Clone, Debug, Default)]
pub struct Judging {
    user: CustomRules,
    project: CustomRules,
    hosts: Vec<String>,
}

/// Where the files are.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Cerco's configuration folder, with the person's `cerco.toml`.
    pub config: &'a Path,
    /// The person's home.
    pub home: &'a Path,
    /// The environment of the run: where package managers keep their files.
    pub environment: &'a BTreeMap<String, String>,
    /// The project's root.
    pub root: &'a Path,
    /// The project's `cerco.toml`, as it was accepted.
    pub accepted: &'a str,
}

impl Judging {
    /// Reads the files.
    pub fn load(from: Sources<'_>) -> Result<Self, FileError> {
        let path = from.config.join(FILE_NAME);
        let user = match toml_file::read(&path)? {
            Some(text) => parse(&path, &text, Level::User)?,
            None => CustomRules::default(),
        };
        let project = parse(&from.root.join(FILE_NAME), from.accepted, Level::Project)?;
        let mut hosts = user.hosts().to_vec();
        hosts.extend(registries(from));
        Ok(Self {
            user,
            project,
            hosts,
        })
    }

    /// Hosts for [`Place::allowed_hosts`], besides those of the settings.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The rules of both, for the guard that judges real starts.
    #[must_use]
    pub fn rules(&self) -> Vec<CustomRules> {
        vec![self.user.clone(), self.project.clone()]
    }

    /// Judges a command. The project's rules come last: what they ask stays asked, whatever
    /// kinds the person allows.
    #[must_use]
    pub fn judge(&self, command: &Command, place: &Place<'_>) -> Judgement {
        let (reading, judgement) = cerco_filter::read_and_judge(command, place);
        let judgement = self.user.apply(&reading, judgement);
        self.project.apply(&reading, judgement)
    }
}

pub(crate) fn parse(path: &Path, text: &str, level: Level) -> Result<CustomRules, FileError> {
    CustomRules::parse(text, level).map_err(|errors| FileError::Rules {
        path: path.to_path_buf(),
        errors,
    })
}

/// The hosts that the person's package managers are told to use.
fn registries(from: Sources<'_>) -> Vec<String> {
    let folder = |name: &str, otherwise: &str| {
        let set = from.environment.get(name).map(PathBuf::from);
        let set = set.filter(|path| path.is_absolute());
        set.unwrap_or_else(|| from.home.join(otherwise))
    };
    let mut hosts = Vec::new();
    for file in PERSON_FILES {
        let path = match file.base {
            Base::Home => from.home.to_path_buf(),
            Base::Config => folder("XDG_CONFIG_HOME", ".config"),
            Base::Cargo => folder("CARGO_HOME", ".cargo"),
            Base::AppData if cfg!(windows) => folder("APPDATA", "AppData/Roaming"),
            Base::AppData => continue,
        };
        if let Some(text) = persons_own(&path.join(file.path), from.root) {
            hosts.extend(file.hosts(&text));
        }
    }
    hosts
}

/// The text of a file that no agent could have written: one in the project, be it by a link
/// (a home kept in a repository), doesn't count.
fn persons_own(path: &Path, root: &Path) -> Option<String> {
    // Most of them don't exist, which one look tells; the way there is many.
    path.symlink_metadata().ok()?;
    let real = path.canonicalize().ok()?;
    let found = fs::metadata(&real).ok()?;
    if real.starts_with(root) || !found.is_file() || found.len() > MAX_BYTES {
        return None;
    }
    fs::read_to_string(real).ok()
}

#[cfg(test)]
mod tests {
    use cerco_model::{Dialect, Guard, NoTree, SandboxState, Verdict};

    use super::*;

    const PROJECT: &str = "\
[[loop]]
name = \"a\"
folder = \".\"

[[rules]]
id = \"no-apply\"
verdict = \"refused\"
program = \"terraform\"
words = [\"apply\"]
reason = \"Only the pipeline applies changes.\"
matches = [\"terraform apply\"]
not = [\"terraform plan\"]

[[rules]]
id = \"look-at-tags\"
verdict = \"asked\"
program = \"git\"
words = [\"tag\"]
reason = \"Tags start releases.\"
matches = [\"git tag v1\"]
not = [\"git status\"]
";
    const USER: &str = "\
[allow]
kinds = [\"git commit\", \"git tag\", \"rule look-at-tags\"]
hosts = [\"docs.corp.example\"]
";

    struct World {
        folder: PathBuf,
    }

    impl World {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir()
                .canonicalize()
                .unwrap()
                .join(format!("cerco-judging-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            for inside in ["config", "home", "project"] {
                fs::create_dir_all(folder.join(inside)).unwrap();
            }
            Self { folder }
        }

        fn put(&self, path: &str, text: &str) {
            fs::write(self.folder.join(path), text).unwrap();
        }

        fn load(&self, accepted: &str) -> Result<Judging, FileError> {
            Judging::load(Sources {
                config: &self.folder.join("config"),
                home: &self.folder.join("home"),
                environment: &BTreeMap::new(),
                root: &self.folder.join("project"),
                accepted,
            })
        }

        fn verdict(&self, judging: &Judging, text: &str) -> Verdict {
            let command = Command::new(text.as_bytes().to_vec(), Dialect::Bash).unwrap();
            let project = self.folder.join("project").display().to_string();
            let place = Place {
                loop_folder: project.clone(),
                directory: project.clone(),
                project,
                other_loops: Vec::new(),
                home: self.folder.join("home").display().to_string(),
                user: "u".to_owned(),
                environment: BTreeMap::new(),
                sandbox: SandboxState::Off,
                guard: Guard::Off,
                allowed_hosts: judging.hosts().to_vec(),
                tree: &NoTree,
            };
            judging.judge(&command, &place).verdict()
        }
    }

    impl Drop for World {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn both_files_count_and_the_project_has_the_last_word() {
        let world = World::new("both");
        world.put("config/cerco.toml", USER);
        world.put("home/.npmrc", "registry=https://npm.corp.example/\n");
        world.put("project/.npmrc", "registry=https://npm.evil.example/\n");
        let judging = world.load(PROJECT).unwrap();
        let bare = Judging::default();
        let npm = "npm install --registry https://npm.corp.example/ lodash";
        let evil = "npm install --registry https://npm.evil.example/ lodash";
        for (text, without, with) in [
            ("ls", Verdict::Allowed, Verdict::Allowed),
            ("git commit -m x", Verdict::Asked, Verdict::Allowed),
            ("git tag v1", Verdict::Asked, Verdict::Asked),
            ("git push", Verdict::Asked, Verdict::Asked),
            ("git push --force", Verdict::Refused, Verdict::Refused),
            (
                "timeout 9 terraform apply",
                Verdict::Asked,
                Verdict::Refused,
            ),
            (
                "curl https://docs.corp.example/x",
                Verdict::Refused,
                Verdict::Allowed,
            ),
            (npm, Verdict::Refused, Verdict::Allowed),
            (evil, Verdict::Refused, Verdict::Refused),
        ] {
            assert_eq!(world.verdict(&bare, text), without, "without: {text}");
            assert_eq!(world.verdict(&judging, text), with, "with: {text}");
        }
    }

    #[test]
    fn a_wrong_file_is_an_error_with_its_line() {
        let world = World::new("wrong");
        let error = world
            .load("\n[allow]\nkinds = [\"git push\"]\n")
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cerco.toml, line 3: a project's file may only make things stricter"),
            "{error}"
        );
        world.put("config/cerco.toml", "[alow]\nkinds = []\n");
        let error = world.load("").unwrap_err();
        assert!(
            error.to_string().contains("line 1: unknown field `alow`"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_registry_file_in_the_project_is_none_of_the_persons() {
        let world = World::new("link");
        world.put("project/npmrc", "registry=https://npm.evil.example/\n");
        let link = world.folder.join("home/.npmrc");
        std::os::unix::fs::symlink(world.folder.join("project/npmrc"), link).unwrap();
        assert!(world.load("").unwrap().hosts().is_empty());
    }
}
