//! Holding back: settings lose whatever could start a program, and hooks and pointers to
//! other folders are renamed.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::Look;
use super::baseline::{Was, is_sample};
use super::during::leads_inside;
use super::folder::Folder;
use super::rest;
use crate::settings::without_programs;
use crate::walk::Seen;
use crate::ways::{Does, Way, normal, ways};

/// What was done about one planted file or folder.
#[derive(Debug)]
pub(crate) struct Done {
    /// The file or folder.
    pub(crate) path: PathBuf,
    /// In words, for the person.
    pub(crate) what: String,
}

/// Holds back what `after` shows beyond what `look` knows.
pub(super) fn hold_back(look: &Look, after: &Seen) -> Vec<Done> {
    let held = Held {
        look,
        repositories: after.repositories.iter().map(PathBuf::as_path).collect(),
    };
    let mut done = Vec::new();
    let failed = |path: &Path, error: &io::Error| Done {
        path: path.to_owned(),
        what: format!(
            "it could not be made harmless ({error}): look at it before you use git there"
        ),
    };
    for path in &after.repositories {
        if let Err(error) = held.repository(path, &mut done) {
            done.push(failed(path, &error));
        }
    }
    // After the repositories: their settings name only what the person's did.
    match ways(&look.own, &look.people, &after.repositories) {
        Err(error) => done.push(failed(&look.own, &error)),
        Ok(ways) => {
            for way in ways {
                if let Err(error) = held.way(&way, &mut done) {
                    done.push(failed(&way.path, &error));
                }
            }
        }
    }
    for path in &after.special {
        match rest::clear_special(&look.own, path) {
            Ok(true) => done.push(Done {
                path: path.clone(),
                what: "whoever starts it would have had its group's rights: that was taken from it"
                    .to_owned(),
            }),
            Ok(false) => {}
            Err(error) => done.push(failed(path, &error)),
        }
    }
    done
}

pub(super) struct Held<'a> {
    look: &'a Look,
    repositories: HashSet<&'a Path>,
}

impl<'a> Held<'a> {
    /// For a look before the command has ended.
    pub(super) fn while_it_runs(look: &'a Look) -> Self {
        Self {
            look,
            repositories: HashSet::new(),
        }
    }

    /// What git runs by itself in the repository at `path`, while the command still runs and
    /// may be in the middle of something: pointers to what lies in the loop's folder stay,
    /// for that is looked through as well, and so do unfinished operations.
    pub(super) fn repository_now(&self, path: &Path, done: &mut Vec<Done>) -> io::Result<()> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Ok(());
        };
        if path != self.look.own {
            let around = Folder::open(&self.look.own, parent)?;
            match around.stat(name)? {
                None => return Ok(()),
                Some(facts) if FileType::from_raw_mode(facts.st_mode) != FileType::Directory => {
                    return self.pointer_now(&around, path, name, done);
                }
                Some(_) => {}
            }
        }
        let folder = Folder::open(&self.look.own, path)?;
        for name in ["config", "config.worktree"] {
            self.settings(&folder, path, OsStr::new(name), done)?;
        }
        self.hooks(&folder, path, OsStr::new("hooks"), done)?;
        let name = OsStr::new("commondir");
        self.pointer_now(&folder, &path.join(name), name, done)
    }

    fn pointer_now(
        &self,
        folder: &Folder,
        path: &Path,
        name: &OsStr,
        done: &mut Vec<Done>,
    ) -> io::Result<()> {
        match folder.text(name) {
            // Not written yet.
            Ok(text) if text.is_empty() || leads_inside(&self.look.own, path, &text) => Ok(()),
            _ => self.pointer(folder, path, name, done),
        }
    }

    fn repository(&self, path: &Path, done: &mut Vec<Done>) -> io::Result<()> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Ok(());
        };
        // The loop's folder itself may have the shape of a bare repository.
        if path != self.look.own {
            let around = Folder::open(&self.look.own, parent)?;
            match around.stat(name)? {
                None => return Ok(()),
                Some(facts) if FileType::from_raw_mode(facts.st_mode) != FileType::Directory => {
                    return self.pointer(&around, path, name, done);
                }
                Some(_) => {}
            }
        }
        let folder = Folder::open(&self.look.own, path)?;
        for name in ["config", "config.worktree"] {
            self.settings(&folder, path, OsStr::new(name), done)?;
        }
        self.hooks(&folder, path, OsStr::new("hooks"), done)?;
        self.pointer(
            &folder,
            &path.join("commondir"),
            OsStr::new("commondir"),
            done,
        )?;
        for (below, what) in rest::unfinished(&folder)? {
            let path = path.join(below);
            if !self.look.baseline.is_unchanged(&path) {
                self.away(&path, what, done)?;
            }
        }
        Ok(())
    }

    /// Settings without what starts programs, unless it stood there before; the whole
    /// text is kept beside them.
    fn settings(
        &self,
        folder: &Folder,
        at: &Path,
        name: &OsStr,
        done: &mut Vec<Done>,
    ) -> io::Result<()> {
        let path = at.join(name);
        if self.look.baseline.is_unchanged(&path) {
            return Ok(());
        }
        let before = self.look.baseline.text(&path);
        let kept = match folder.text(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(text) => match without_programs(&text, before) {
                None => return Ok(()),
                Some(kept) => kept,
            },
            // A folder, a link, no text, too long, closed: nothing of it is kept.
            Err(_) => String::new(),
        };
        let new = folder.rename(name)?;
        if !kept.is_empty() || name == "config" {
            folder.write(name, &kept)?;
        }
        done.push(Done {
            path,
            what: format!(
                "settings that can start programs were taken out; the whole is kept as {new}"
            ),
        });
        Ok(())
    }

    /// The folder of hooks: what is new in one that was there, else all of it where
    /// anything but git's own samples is in it.
    fn hooks(
        &self,
        folder: &Folder,
        at: &Path,
        name: &OsStr,
        done: &mut Vec<Done>,
    ) -> io::Result<()> {
        let path = at.join(name);
        let is_folder = |facts: &rustix::fs::Stat| {
            FileType::from_raw_mode(facts.st_mode) == FileType::Directory
        };
        let Some(facts) = folder.stat(name)? else {
            return Ok(());
        };
        if is_folder(&facts)
            && let Some(changed) = self.look.baseline.changed_in(&path)
        {
            for below in changed {
                self.away(&path.join(below), "git does not run it", done)?;
            }
            return Ok(());
        }
        let only_samples = folder.folder(name).and_then(|hooks| {
            let names = hooks.names()?;
            Ok(names.iter().all(|name| is_sample(Path::new(name))))
        });
        // A link or a file of that name: git would follow the one.
        if only_samples.unwrap_or(false) {
            return Ok(());
        }
        let new = folder.rename(name)?;
        let what = format!("git does not run it: it is kept as {new}");
        done.push(Done { path, what });
        Ok(())
    }

    /// A file that leads git to another folder, unless that one was looked through here.
    fn pointer(
        &self,
        folder: &Folder,
        path: &Path,
        name: &OsStr,
        done: &mut Vec<Done>,
    ) -> io::Result<()> {
        if self.look.baseline.is_unchanged(path) {
            return Ok(());
        }
        match folder.text(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(text) if self.leads_to_known(path, &text) => return Ok(()),
            Ok(_) | Err(_) => {}
        }
        let new = folder.rename(name)?;
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
        // Where a link lies on the way, `..` leads elsewhere than its text says.
        let at = normal(&around.join(target));
        at.is_some_and(|at| {
            let real = std::fs::canonicalize(around.join(target));
            real.is_ok_and(|real| real == at) && self.repositories.contains(at.as_path())
        })
    }

    /// What somebody's settings lead git to.
    pub(super) fn way(&self, way: &Way, done: &mut Vec<Done>) -> io::Result<()> {
        let Some((parent, name)) = way.path.parent().zip(way.path.file_name()) else {
            return Ok(());
        };
        let folder = match Folder::open(&self.look.own, parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        if folder.stat(name)?.is_none() || self.look.baseline.is_unchanged(&way.path) {
            return Ok(());
        }
        match way.does {
            Does::Obeys => self.settings(&folder, parent, name, done),
            Does::RunsFiles => self.hooks(&folder, parent, name, done),
            Does::Runs => match self.look.baseline.get(&way.path) {
                // A folder, whose files are not what is run.
                Some(Was::Folder(_)) => Ok(()),
                _ => self.away(&way.path, "git would run it", done),
            },
        }
    }

    /// Renames one file.
    fn away(&self, path: &Path, what: &str, done: &mut Vec<Done>) -> io::Result<()> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Ok(());
        };
        let folder = Folder::open(&self.look.own, parent)?;
        if folder.stat(name)?.is_none() {
            return Ok(());
        }
        let new = folder.rename(name)?;
        done.push(Done {
            path: path.to_owned(),
            what: format!("{what}: it is kept as {new}"),
        });
        Ok(())
    }
}
