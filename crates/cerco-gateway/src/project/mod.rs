//! A project as a person accepted it: root, loops, roles.

mod file;
mod init;
mod known;
mod loops;

use std::path::{Path, PathBuf};

use cerco_model::Role;

pub use file::{FILE_NAME, LoopLine, ProjectFile, RoleLine};
pub use init::{Initialised, initialise};
pub use known::{Choices, Known, KnownProject};
pub use loops::{Loop, LoopError, loop_folder, nested};

use crate::toml_file::{self, FileError, distance};

/// A known project.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
    loops: Vec<Loop>,
    roles: Vec<Role>,
    accepted: String,
    choices: Choices,
}

/// Why a project, a loop or a role can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// There is no such folder.
    #[error("{} is not a folder that can be opened: {source}; give the project's folder with --project", path.display())]
    NoFolder {
        /// As given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No known project is around the folder.
    #[error("{} is not in a project that Cerco knows; go to the project's root folder and run: cerco init", .0.display())]
    NotKnown(PathBuf),
    /// `cerco.toml` is not what was accepted.
    #[error("{} changed since it was accepted; look at it, then run: cerco init --project {}", path.display(), root.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The project.
        root: PathBuf,
    },
    /// A file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// A loop's folder is wrong.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// No loop was named and none follows from the current folder.
    #[error("which loop? {} has: {}; name one with --loop", root.display(), loops.join(", "))]
    WhichLoop {
        /// The project.
        root: PathBuf,
        /// The loops' names.
        loops: Vec<String>,
    },
    /// There is no such role.
    #[error("there is no role `{name}`{}; roles here: {}", hint.as_ref().map(|h| format!("; did you mean `{h}`?")).unwrap_or_default(), roles.join(", "))]
    NoRole {
        /// As given.
        name: String,
        /// The closest one.
        hint: Option<String>,
        /// All of them.
        roles: Vec<String>,
    },
}

impl Project {
    /// The known project around `folder`.
    pub fn around(folder: &Path, known: &Known) -> Result<Self, ProjectError> {
        let folder = folder
            .canonicalize()
            .map_err(|source| ProjectError::NoFolder {
                path: folder.to_path_buf(),
                source,
            })?;
        let found = known
            .around(&folder)
            .ok_or(ProjectError::NotKnown(folder))?;
        Self::open(found)
    }

    /// A known project, if its `cerco.toml` is still the accepted one.
    pub fn open(known: &KnownProject) -> Result<Self, ProjectError> {
        let path = known.root.join(FILE_NAME);
        if toml_file::read(&path)?.unwrap_or_default() != known.accepted {
            return Err(ProjectError::Changed {
                path,
                root: known.root.clone(),
            });
        }
        let project = Self::with(known.root.clone(), &path, &known.accepted)?;
        Ok(project.with_choices(known.choices()))
    }

    pub(crate) fn with(root: PathBuf, path: &Path, text: &str) -> Result<Self, ProjectError> {
        let file = ProjectFile::parse(path, text)?;
        let loops = file.loops.iter().map(|line| {
            Ok(Loop {
                name: line.name.clone(),
                folder: loop_folder(&root, Path::new(&line.folder))?,
            })
        });
        let loops = loops.collect::<Result<Vec<_>, LoopError>>()?;
        let mut roles = Role::built_in().to_vec();
        roles.extend(file.roles.iter().filter_map(RoleLine::role));
        Ok(Self {
            root,
            loops,
            roles,
            accepted: text.to_owned(),
            choices: Choices::default(),
        })
    }

    /// Its canonical root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The same project with these loops.
    #[must_use]
    pub fn with_loops(self, loops: Vec<Loop>) -> Self {
        Self { loops, ..self }
    }

    /// The same project with other choices.
    #[must_use]
    pub fn with_choices(self, choices: Choices) -> Self {
        Self { choices, ..self }
    }

    /// What a person chose for its commands in the sandbox. A project's own file has no word
    /// in it.
    #[must_use]
    pub fn choices(&self) -> Choices {
        self.choices
    }

    /// Its `cerco.toml`, as it was accepted.
    #[must_use]
    pub fn accepted(&self) -> &str {
        &self.accepted
    }

    /// Its loops.
    #[must_use]
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The roles that a bubble can have here.
    #[must_use]
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// The loop called `wanted`, or else the folder `wanted`, from the root or absolute.
    pub fn loop_named(&self, wanted: &str) -> Result<Loop, ProjectError> {
        if let Some(found) = self.loops.iter().find(|l| l.name == wanted) {
            return Ok(found.clone());
        }
        let folder = loop_folder(&self.root, Path::new(wanted))?;
        if let Some(found) = self.loops.iter().find(|l| l.folder == folder) {
            return Ok(found.clone());
        }
        Ok(Loop {
            name: self.relative(&folder),
            folder,
        })
    }

    /// The loop that `directory` (canonical) lies in; the only one; or the whole project
    /// where `cerco.toml` names none.
    pub fn loop_at(&self, directory: &Path) -> Result<Loop, ProjectError> {
        let around = self
            .loops
            .iter()
            .filter(|l| directory.starts_with(&l.folder))
            .max_by_key(|l| l.folder.components().count());
        match (around, self.loops.as_slice()) {
            (Some(found), _) | (None, [found]) => Ok(found.clone()),
            (None, []) => Ok(Loop {
                name: ".".to_owned(),
                folder: self.root.clone(),
            }),
            (None, all) => Err(ProjectError::WhichLoop {
                root: self.root.clone(),
                loops: all.iter().map(|l| l.name.clone()).collect(),
            }),
        }
    }

    /// The role called `name`, in any letter case.
    pub fn role(&self, name: &str) -> Result<Role, ProjectError> {
        let names = || self.roles.iter().map(|r| r.name().0.to_string());
        let found = self
            .roles
            .iter()
            .find(|r| r.name().0.eq_ignore_ascii_case(name));
        found.cloned().ok_or_else(|| ProjectError::NoRole {
            name: name.to_owned(),
            hint: names()
                .map(|known| (distance(&known.to_lowercase(), &name.to_lowercase()), known))
                .filter(|(distance, _)| *distance <= 3)
                .min()
                .map(|(_, known)| known),
            roles: names().collect(),
        })
    }

    /// `path` as a person reads it: from the root.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        if inside.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            inside.display().to_string()
        }
    }
}
