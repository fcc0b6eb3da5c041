//! After a run: what the command planted for git OUTSIDE to run is taken out of git's
//! sight, before anybody outside can call git.
//!
//! No mount can hold a name that doesn't exist yet, and a place-holder would be litter. So
//! what was there is read-only during the run ([`crate::repository`]), and what is new
//! afterwards is looked through here: settings lose whatever could start a program, and
//! hooks and pointers to other folders are renamed. Nothing is deleted.
//!
//! Another command of the same loop may still run and exchange folders for links: every
//! step goes from an open folder, beneath the loop's folder, and through no link.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::fs::{openat, openat2, renameat_with, statat};

use crate::settings::without_programs;
use crate::survey::Survey;
use crate::walk::Seen;

/// What a name that git obeys gets at its end.
const HELD: &str = "cerco-held";
/// Longer settings and pointers are not looked through, and are held back whole.
const LONGEST: u64 = 256 << 10;

/// What was done about one planted file or folder.
#[derive(Debug)]
pub(crate) struct Done {
    /// The file or folder.
    pub(crate) path: PathBuf,
    /// In words, for the person.
    pub(crate) what: String,
}

/// Holds back what `after` shows beyond `survey`.
pub(crate) fn hold_back(survey: &Survey, after: &Seen) -> Vec<Done> {
    let own = &survey.facts.loop_folder.path;
    let held = Held {
        own,
        known: survey
            .facts
            .git
            .iter()
            .map(|found| found.path.as_path())
            .collect(),
        repositories: after.repositories.iter().map(PathBuf::as_path).collect(),
    };
    let mut done = Vec::new();
    for path in &after.repositories {
        if let Err(error) = held.repository(path, &mut done) {
            done.push(Done {
                path: path.clone(),
                what: format!(
                    "it could not be made harmless ({error}): look at it before you use git there"
                ),
            });
        }
    }
    done
}

struct Held<'a> {
    own: &'a Path,
    /// Parts that were read-only during the run.
    known: HashSet<&'a Path>,
    repositories: HashSet<&'a Path>,
}

impl Held<'_> {
    fn repository(&self, path: &Path, done: &mut Vec<Done>) -> io::Result<()> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Ok(());
        };
        if self.known.contains(path) {
            return Ok(());
        }
        // The loop's folder itself may have the shape of a bare repository.
        if path != self.own {
            let around = self.open(parent)?;
            match statat(&around, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(rustix::io::Errno::NOENT) => return Ok(()),
                Err(error) => return Err(error.into()),
                Ok(facts) if FileType::from_raw_mode(facts.st_mode) != FileType::Directory => {
                    return self.pointer(&around, path, name, done);
                }
                Ok(_) => {}
            }
        }
        let folder = self.open(path)?;
        self.settings(&folder, path, done)?;
        self.hooks(&folder, path, done)?;
        for name in ["config.worktree", "commondir"] {
            self.pointer(&folder, &path.join(name), OsStr::new(name), done)?;
        }
        Ok(())
    }

    /// `config` without what starts programs; the command's own text beside it.
    fn settings(&self, folder: &OwnedFd, at: &Path, done: &mut Vec<Done>) -> io::Result<()> {
        let path = at.join("config");
        if self.known.contains(path.as_path()) {
            return Ok(());
        }
        let kept = match text(folder, OsStr::new("config")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(text) => match without_programs(&text) {
                None => return Ok(()),
                Some(kept) => kept,
            },
            // A folder, a link, no text, too long: nothing of it is kept.
            Err(_) => String::new(),
        };
        let new = rename(folder, OsStr::new("config"))?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(folder, "config", flags, Mode::from_raw_mode(0o644))?;
        File::from(file).write_all(kept.as_bytes())?;
        done.push(Done {
            path,
            what: format!(
                "settings that can start programs were taken out; the whole is kept as {new}"
            ),
        });
        Ok(())
    }

    /// The folder of hooks, where anything but git's own samples is in it.
    fn hooks(&self, folder: &OwnedFd, at: &Path, done: &mut Vec<Done>) -> io::Result<()> {
        let path = at.join("hooks");
        if self.known.contains(path.as_path()) {
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(folder, "hooks", flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => return Ok(()),
            Ok(hooks) if only_samples(&hooks)? => return Ok(()),
            // A link or a file of that name: git would follow the one.
            Ok(_) | Err(_) => {}
        }
        let new = rename(folder, OsStr::new("hooks"))?;
        let what = format!("git does not run it: it is kept as {new}");
        done.push(Done { path, what });
        Ok(())
    }

    /// A file that leads git to another folder, unless that one was looked through here.
    fn pointer(
        &self,
        folder: &OwnedFd,
        path: &Path,
        name: &OsStr,
        done: &mut Vec<Done>,
    ) -> io::Result<()> {
        if self.known.contains(path) {
            return Ok(());
        }
        match text(folder, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(text) if name != "config.worktree" && self.leads_to_known(path, &text) => {
                return Ok(());
            }
            Ok(_) | Err(_) => {}
        }
        let new = rename(folder, name)?;
        let what = format!("git does not obey it: it is kept as {new}");
        done.push(Done {
            path: path.to_owned(),
            what,
        });
        Ok(())
    }

    fn leads_to_known(&self, path: &Path, text: &str) -> bool {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let target = text.strip_prefix("gitdir: ").unwrap_or(text);
        let Some(around) = path.parent() else {
            return false;
        };
        normal(&around.join(target)).is_some_and(|at| self.repositories.contains(at.as_path()))
    }

    /// A folder beneath the loop's own, no link on the way.
    fn open(&self, path: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let below = path
            .strip_prefix(self.own)
            .map_err(|_| io::ErrorKind::InvalidInput)?;
        let own = openat(
            rustix::fs::CWD,
            self.own,
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
        )?;
        if below.as_os_str().is_empty() {
            return Ok(own);
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        Ok(openat2(&own, below, flags, Mode::empty(), resolve)?)
    }
}

/// The text of a plain file.
fn text(folder: &OwnedFd, name: &OsStr) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(text)
}

fn only_samples(hooks: &OwnedFd) -> io::Result<bool> {
    for entry in rustix::fs::Dir::read_from(hooks)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !(name == b"." || name == b".." || name.ends_with(b".sample")) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives `name` an ending that git doesn't know, over nothing that is there. Answers the
/// new name.
fn rename(folder: &OwnedFd, name: &OsStr) -> io::Result<String> {
    let name = name.to_string_lossy();
    for attempt in 0..100 {
        let new = match attempt {
            0 => format!("{name}.{HELD}"),
            n => format!("{name}.{HELD}-{n}"),
        };
        match renameat_with(folder, &*name, folder, &*new, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(new),
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Without `.` and `..`, by the text alone: links make no difference to what is known.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop().then_some(())?;
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use crate::survey::survey;
    use crate::walk::walk;
    use std::fs;
    use std::os::unix::fs::symlink;

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
        let after = walk(&own, &[]).unwrap();
        let mut done: Vec<String> = hold_back(&survey, &after)
            .into_iter()
            .map(|done| done.path.strip_prefix(&own).unwrap().display().to_string())
            .collect();
        done.sort();
        assert_eq!(done, expected, "{name}");
        let again = hold_back(&survey, &walk(&own, &[]).unwrap());
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
}
