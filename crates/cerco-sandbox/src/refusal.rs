//! Why a command was not put in the sandbox. It then doesn't run: nothing in this crate
//! starts a command any other way.

use std::path::{Path, PathBuf};

/// Each says what is wrong and one step that helps.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A path of the request isn't there.
    #[error(
        "{what} {} does not exist. Create it, or take it out of the project's settings",
        shown(path)
    )]
    Missing {
        /// What the path is for.
        what: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// A path of the request can't be looked at.
    #[error("{what} {} can't be looked at ({why}). Check who owns it", shown(path))]
    Unreadable {
        /// What the path is for.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// A link stands where a folder was registered.
    #[error(
        "{what} {} is a symbolic link now; a command may have put it there. Look at it, then put the folder back",
        shown(path)
    )]
    Link {
        /// What the path is for.
        what: &'static str,
        /// The link.
        path: PathBuf,
    },
    /// Neither a folder nor a file.
    #[error("{what} {} is neither a folder nor a file. Remove it", shown(path))]
    Special {
        /// What the path is for.
        what: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// The sandbox keeps the project from its loops: a loop that is the whole project leaves
    /// nothing to keep.
    #[error(
        "the loop is the whole project {}, and the sandbox only lets a loop write in a folder of its own. Give it one: cerco init --loop FOLDER",
        shown(.0)
    )]
    Whole(PathBuf),
    /// The loop's folder must lie inside the project.
    #[error(
        "the loop's folder {} does not lie inside the project {}. Choose a folder in the project",
        shown(loop_folder),
        shown(project)
    )]
    Outside {
        /// The loop's folder.
        loop_folder: PathBuf,
        /// The project.
        project: PathBuf,
    },
    /// The start directory must lie inside the project.
    #[error("the directory {} does not lie inside the project. Start in the loop's folder", shown(.0))]
    Directory(PathBuf),
    /// The run's own temporary folder is made in the sandbox's own `/tmp`, and nowhere else.
    #[error("the temporary folder {} does not lie right in /tmp. Leave it to Cerco", shown(.0))]
    Scratch(PathBuf),
    /// The project would bring the home with it.
    #[error(
        "the project {} holds the home folder {} with its credentials. Open a folder below it instead",
        shown(project),
        shown(home)
    )]
    HoldsHome {
        /// The project.
        project: PathBuf,
        /// The home.
        home: PathBuf,
    },
    /// Hiding this would hide the work itself.
    #[error("{} holds the loop's folder and can't be hidden. Hide something inside it", shown(.0))]
    HidesWork(PathBuf),
    /// Write access to this folder belongs to somebody else.
    #[error(
        "the loop's folder {} belongs to user {owner}, and a sandboxed command of user {uid} can't write there. Run as its owner",
        shown(path)
    )]
    NotOwner {
        /// The loop's folder.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        uid: u32,
    },
    /// The launcher's cost grows with the square of the covers.
    #[error(
        "{count} files and folders would have to be covered one by one; at most {limit} can be. Put them in one folder and hide or protect that"
    )]
    TooManyCovers {
        /// How many.
        count: usize,
        /// How many can be.
        limit: usize,
    },
    /// Too large to be looked through before a run.
    #[error(
        "{} holds more than {limit} files, too many to look through for ways out. Delete build output or caches in it",
        shown(path)
    )]
    TooLarge {
        /// The folder.
        path: PathBuf,
        /// How many entries are looked at.
        limit: usize,
    },
    /// bubblewrap isn't there, too old, or untrusted.
    #[error("{0}")]
    NotReady(String),
    /// A program can't be given such an argument or variable.
    #[error("an argument or variable has a NUL byte. Remove it")]
    Nul,
    /// A system call failed before anything ran.
    #[error("the sandbox could not be started: {doing}: {why}. Run `cerco doctor`")]
    Start {
        /// What was being done.
        doing: &'static str,
        /// The system's words.
        why: std::io::Error,
    },
}

/// A path for a message: control and direction characters made visible.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .map(|c| {
            let hidden = c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
            if hidden { c.escape_unicode().to_string() } else { c.to_string() }
        })
        .collect()
}
