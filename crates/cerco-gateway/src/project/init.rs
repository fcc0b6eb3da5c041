//! Making a project known: the one moment when a person looks at its `cerco.toml`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::file::loop_text;
use super::{FILE_NAME, Known, Loop, LoopError, Project, ProjectError, loop_folder};
use crate::changing::{ChangeError, Changing, Readers};
use crate::toml_file::FileError;

const HEAD: &str = "\
# Cerco: the loops of this project, its own roles and rules. After a change run `cerco init` again.
#
# [[loop]]                     # a piece of work with a folder of its own
# name = \"site\"
# folder = \"loops/site\"
#
# [[role]]                     # besides Coder, Reviewer and Researcher
# name = \"Tester\"
# tools = [\"read_files\", \"run_commands\"]
#
# [[rules]]                    # stricter than Cerco's own, never looser
# id = \"no-apply\"
# verdict = \"refused\"          # or \"asked\"
# program = \"terraform\"
# words = [\"apply\"]            # arguments that must all be there
# reason = \"Only the pipeline applies changes.\"
# matches = [\"terraform apply\"]
# not = [\"terraform plan\"]
";

/// What came of it.
#[derive(Debug)]
pub struct Initialised {
    /// The project, as it is accepted now.
    pub project: Project,
    /// Whether its file was made now.
    pub file_created: bool,
    /// Whether it was known before.
    pub known_before: bool,
}

/// Why a project can't be made known.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The project or its file.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The list of known projects.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

impl From<FileError> for InitError {
    fn from(error: FileError) -> Self {
        Self::Project(error.into())
    }
}
impl From<LoopError> for InitError {
    fn from(error: LoopError) -> Self {
        Self::Project(error.into())
    }
}

/// Makes the project at `root` known, with `new_loops` (folders from the root, made where
/// missing) added to its `cerco.toml`.
pub fn initialise(
    root: &Path,
    new_loops: &[PathBuf],
    known: &mut Known,
) -> Result<Initialised, InitError> {
    let root = root
        .canonicalize()
        .map_err(|source| ProjectError::NoFolder {
            path: root.to_path_buf(),
            source,
        })?;
    let path = root.join(FILE_NAME);
    // The file and what is accepted of it are changed in one turn, so that of two at once the
    // later one accepts what the earlier one added.
    let turn = Changing::begin(known.config())?;
    let (project, file_created) = turn.change(&path, Readers::Everyone, |before| {
        let mut text = before.unwrap_or(HEAD).to_owned();
        // What stands there has to be right before anything is added to it.
        let mut present = Project::with(root.clone(), &path, &text)?;
        for wanted in new_loops {
            if let Some(line) = added(&present, wanted)? {
                text.push_str(&line);
                present = Project::with(root.clone(), &path, &text)?;
            }
        }
        Ok::<_, InitError>((text, (present, before.is_none())))
    })?;
    let accepted = project.accepted().to_owned();
    let known_before = known.accept_in(&turn, root, accepted)?;
    Ok(Initialised {
        project,
        file_created,
        known_before,
    })
}

/// What makes the folder `wanted` a loop of the project; nothing where it is one.
fn added(present: &Project, wanted: &Path) -> Result<Option<String>, InitError> {
    let folder = make_folder(present.root(), wanted)?;
    if present.loops().iter().any(|l: &Loop| l.folder == folder) {
        return Ok(None);
    }
    let name = folder
        .file_name()
        .map_or_else(|| ".".to_owned(), |n| n.to_string_lossy().into_owned());
    let taken = present.loops().iter().any(|l| l.name == name);
    let folder = present.relative(&folder);
    Ok(Some(loop_text(
        if taken { &folder } else { &name },
        &folder,
    )))
}

/// Makes the missing folders of `wanted` one by one, never through a link or `..`.
fn make_folder(root: &Path, wanted: &Path) -> Result<PathBuf, InitError> {
    let inside = wanted.strip_prefix(root).unwrap_or(wanted);
    let mut at = PathBuf::new();
    for component in inside.components() {
        at.push(component);
        if !matches!(component, Component::Normal(_)) {
            continue;
        }
        match loop_folder(root, &at) {
            Err(LoopError::Missing(missing)) => {
                fs::create_dir(&missing).map_err(|source| FileError::Unwritable {
                    path: missing,
                    source,
                })?;
            }
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
    }
    Ok(loop_folder(root, inside)?)
}
