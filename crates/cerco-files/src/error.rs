//! Why a file tool did nothing, and what to do instead. Each message names the path as
//! the bubble wrote it and never one outside of the loop.

use std::io;

/// A refused or failed call. Nothing was changed, unless the variant says so.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The text can't be a path of a file tool.
    #[error("`{path}` is no path of this loop: {why}")]
    BadPath {
        /// As written.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A link on the way leads out of the loop's folder.
    #[error("`{path}` leads out of the loop's folder through a link")]
    Outside {
        /// As written.
        path: String,
    },
    /// A link on the way of a change.
    #[error("`{path}` goes through the symbolic link `{link}`, and changes follow no links")]
    Link {
        /// As written.
        path: String,
        /// The link, relative to the loop.
        link: String,
    },
    /// More links than any honest path has.
    #[error("`{path}` goes through too many links")]
    LinkLoop {
        /// As written.
        path: String,
    },
    /// A file with names that are not inside the loop.
    #[error("`{path}` is a hard link, and not all of its names are inside the loop")]
    HardLink {
        /// As written.
        path: String,
    },
    /// The rule `secret`.
    #[error("`{path}` looks like a secret")]
    Secret {
        /// As written.
        path: String,
    },
    /// Cerco's own folder.
    #[error("`{path}` belongs to Cerco itself")]
    Own {
        /// As written.
        path: String,
    },
    /// Another loop's folder.
    #[error("`{path}` belongs to the loop `{owner}`; it can be read and not changed from here")]
    OtherLoop {
        /// As written.
        path: String,
        /// Folder of the other loop, relative to this one.
        owner: String,
    },
    /// Git's own files.
    #[error("`{path}` belongs to git itself; it can be read and not changed")]
    Git {
        /// As written.
        path: String,
    },
    /// A file that steers Cerco for this project.
    #[error("`{path}` is a setting of the project; it can be read and not changed by an agent")]
    Frozen {
        /// As written.
        path: String,
    },
    /// The loop's own folder can't be moved, deleted or written over.
    #[error("`{path}` is the loop's own folder")]
    Root {
        /// As written.
        path: String,
    },
    /// Nothing stands there.
    #[error("there is no `{path}`")]
    Missing {
        /// As written.
        path: String,
    },
    /// Something stands where nothing may.
    #[error("`{path}` exists already")]
    Exists {
        /// As written.
        path: String,
    },
    /// A folder where a file is needed.
    #[error("`{path}` is a folder")]
    Folder {
        /// As written.
        path: String,
    },
    /// Something else where a folder is needed.
    #[error("`{path}` is not a folder")]
    NotFolder {
        /// As written.
        path: String,
    },
    /// A folder that still has entries.
    #[error("the folder `{path}` is not empty")]
    NotEmpty {
        /// As written.
        path: String,
    },
    /// A device, socket or pipe.
    #[error("`{path}` is neither a file nor a folder (a device, socket or pipe)")]
    Special {
        /// As written.
        path: String,
    },
    /// Not text.
    #[error("`{path}` is a binary file of {size} bytes")]
    Binary {
        /// As written.
        path: String,
        /// Its size in bytes.
        size: u64,
    },
    /// Text in another encoding, where exact text is needed.
    #[error("`{path}` is not UTF-8, so it can't be edited as text")]
    NotUtf8 {
        /// As written.
        path: String,
    },
    /// Over a limit.
    #[error("{what} is {size} bytes long; at most {limit} are taken")]
    TooLarge {
        /// The file or the content.
        what: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// More entries than a call visits.
    #[error("`{path}` holds more than {limit} entries")]
    TooMany {
        /// As written.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// A folder that has to be left alone lies in the one to be moved or deleted.
    #[error("`{path}` holds `{inside}`, which must stay: {why}")]
    Holds {
        /// As written.
        path: String,
        /// What lies inside, relative to the loop.
        inside: String,
        /// Why it must stay.
        why: &'static str,
    },
    /// The text to replace isn't there as often as said.
    #[error("edit {number}: the text to replace occurs {found} times in `{path}`, not {expected}")]
    Occurs {
        /// As written.
        path: String,
        /// Which edit of the call, from 1.
        number: usize,
        /// How often it is there.
        found: usize,
        /// How often it had to be there.
        expected: String,
        /// Lines at which it begins, the first few.
        lines: Vec<u64>,
    },
    /// An edit without a text to look for.
    #[error("edit {number} has no text to replace")]
    EmptyEdit {
        /// Which edit of the call, from 1.
        number: usize,
    },
    /// Somebody else changed the file in between.
    #[error("`{path}` changed while it was being worked on")]
    Changed {
        /// As written.
        path: String,
    },
    /// Another write in the same folder didn't end.
    #[error("another change in the folder of `{path}` is still going on")]
    Busy {
        /// As written.
        path: String,
    },
    /// The pattern isn't a regular expression, or one too costly.
    #[error("the pattern can't be used: {why}")]
    Pattern {
        /// What the engine says.
        why: String,
    },
    /// The call's time is up.
    #[error("the call took too long and was ended")]
    TooSlow,
    /// The loop's folder can't be opened.
    #[error("the loop's folder can't be opened: {source}")]
    Loop {
        /// What the system said.
        source: io::Error,
    },
    /// The system refused.
    #[error("`{path}`: {source}")]
    System {
        /// As written.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// One step that helps, in words an agent can act on.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::BadPath { .. } => "write a path relative to the loop's folder, such as `src/main.rs`".into(),
            Self::Outside { .. } | Self::LinkLoop { .. } => {
                "name a file inside the loop's folder, not a link that leads out".into()
            }
            Self::Link { .. } => "name the file the link points to".into(),
            Self::HardLink { .. } => {
                "work on a copy with a name of its own; other names of this file lie outside, or were too many to look for".into()
            }
            Self::Secret { .. } => {
                "leave it to the person; an example file such as `.env.example` can be read and written".into()
            }
            Self::Own { .. } => "leave it alone; the journal and the settings are the person's".into(),
            Self::OtherLoop { .. } => "ask the person to have the bubble of that loop do it".into(),
            Self::Git { .. } => "use git commands (`git config`, `git add` …) with the command tool".into(),
            Self::Frozen { .. } => "ask the person to change it".into(),
            Self::Root { .. } => "name a file or folder inside it".into(),
            Self::Missing { .. } => "list the folder to see what is there".into(),
            Self::Exists { .. } => "choose another name, or say that it may be replaced".into(),
            Self::Folder { .. } => "name a file in it, or list it".into(),
            Self::NotFolder { .. } => "name a folder".into(),
            Self::NotEmpty { .. } => "say that everything in it is to be deleted, if that is meant".into(),
            Self::Special { .. } => "file tools work on files and folders only".into(),
            Self::Binary { .. } => "look at it with a program that knows its format".into(),
            Self::NotUtf8 { .. } => "convert it to UTF-8 with a command first, or write it whole".into(),
            Self::TooLarge { .. } => "work on it with a command, or in smaller pieces".into(),
            Self::TooMany { .. } => "take a smaller folder".into(),
            Self::Holds { .. } => "move or delete the other entries one by one".into(),
            Self::Occurs { found: 0, .. } => {
                "read the file again and copy the text exactly, with its spaces".into()
            }
            Self::Occurs { lines, .. } => format!(
                "give more of the lines around it so that it is unique, or say how often it occurs (lines {})",
                lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
            ),
            Self::EmptyEdit { .. } => "give the exact text to replace, or write the whole file".into(),
            Self::Changed { .. } => "read it again, then repeat the change".into(),
            Self::Busy { .. } => "wait a moment and try again".into(),
            Self::Pattern { .. } => "write a simpler regular expression, or search for plain text".into(),
            Self::TooSlow => "take a smaller folder or a narrower pattern".into(),
            Self::Loop { .. } => "check that the loop's folder exists and is no link".into(),
            Self::System { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space, then try again".into(),
                io::ErrorKind::PermissionDenied => "the file's permissions don't allow it; leave it to the person".into(),
                io::ErrorKind::ReadOnlyFilesystem => "this place can't be written; choose another".into(),
                _ => "check the path, then try again".into(),
            },
        }
    }

    /// A stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadPath { .. } => "bad_path",
            Self::Outside { .. } => "outside",
            Self::Link { .. } => "link",
            Self::LinkLoop { .. } => "link_loop",
            Self::HardLink { .. } => "hard_link",
            Self::Secret { .. } => "secret",
            Self::Own { .. } => "own",
            Self::OtherLoop { .. } => "other_loop",
            Self::Git { .. } => "git",
            Self::Frozen { .. } => "frozen",
            Self::Root { .. } => "root",
            Self::Missing { .. } => "missing",
            Self::Exists { .. } => "exists",
            Self::Folder { .. } => "folder",
            Self::NotFolder { .. } => "not_folder",
            Self::NotEmpty { .. } => "not_empty",
            Self::Special { .. } => "special",
            Self::Binary { .. } => "binary",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::TooLarge { .. } => "too_large",
            Self::TooMany { .. } => "too_many",
            Self::Holds { .. } => "holds",
            Self::Occurs { .. } => "occurs",
            Self::EmptyEdit { .. } => "empty_edit",
            Self::Changed { .. } => "changed",
            Self::Busy { .. } => "busy",
            Self::Pattern { .. } => "pattern",
            Self::TooSlow => "too_slow",
            Self::Loop { .. } => "loop",
            Self::System { .. } => "system",
        }
    }

    /// Whether a rule said no, rather than the state of the disk: such a call is
    /// journaled as refused.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::BadPath { .. }
                | Self::Outside { .. }
                | Self::Link { .. }
                | Self::LinkLoop { .. }
                | Self::HardLink { .. }
                | Self::Secret { .. }
                | Self::Own { .. }
                | Self::OtherLoop { .. }
                | Self::Git { .. }
                | Self::Frozen { .. }
                | Self::Root { .. }
                | Self::Special { .. }
                | Self::Holds { .. }
        )
    }
}
