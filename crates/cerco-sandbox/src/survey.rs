//! Finds out what the paths of a request really are. The only part of planning that
//! looks at the machine; it changes nothing.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::thread;

use crate::facts::{Facts, Found, Identity, Kind};
use crate::home;
use crate::look::records::{Record, Records};
use crate::look::stand_in::StandIn;
use crate::look::{Baseline, Look};
use crate::machine;
use crate::refusal::Refusal;
use crate::repository;
use crate::request::Request;
use crate::second_names::second_names;
use crate::walk::{self, Linked, Seen, When, identity};
use crate::ways::{People, ways};

/// The facts for a plan, and what stood in the loop's folder before the run.
#[derive(Debug)]
pub struct Survey {
    /// For [`crate::Plan::new`].
    pub facts: Facts,
    /// For the comparison after the run.
    pub before: Seen,
    /// What else the look after the run has to know.
    pub(crate) look: Look,
    /// Says to others that a command runs here, as long as this value is.
    record: Option<Record>,
    /// What commands left whose Cerco was killed.
    pub(crate) notes: Vec<String>,
}

impl Survey {
    /// Who takes the look after the run where Cerco is killed before it does; to be told
    /// when the command runs. Nobody where the request named no folder for records.
    #[must_use]
    pub fn stand_in(&self) -> Option<StandIn> {
        self.record.as_ref().map(Record::stand_in)
    }

    /// What the person should know of commands that ran here before: plain sentences.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Looks at every path of `request` and through the loop's folder.
pub fn survey(request: &Request) -> Result<Survey, Refusal> {
    let project = folder("the project", &request.project)?;
    if let Some(path) = link_below(&request.project, &request.loop_folder) {
        return Err(Refusal::Link {
            what: "the loop's folder",
            path,
        });
    }
    let loop_folder = folder("the loop's folder", &request.loop_folder)?;
    let directory = folder("the directory", &request.directory)?.path;
    let protected = protected(request, &loop_folder.path)?;
    let mut notes = Vec::new();
    let written = |why| Refusal::Start {
        doing: "writing down that it runs",
        why,
    };
    let of = request.records.as_deref();
    let of = of.map(|all| Records::of(all, loop_folder.identity, &mut notes));
    let mut records = of.transpose().map_err(written)?;
    let mounts = machine::mount_points();
    let skip: Vec<&Path> = protected.iter().map(|found| found.path.as_path()).collect();
    let (before, root_only) = thread::scope(|scope| {
        // The longest look of root's, beside the loop's own.
        let root_only = scope.spawn(|| machine::root_only(&project.path));
        let before = walk::walk(&loop_folder.path, &skip, When::Before);
        (before, root_only.join())
    });
    let root_only = root_only.map_err(|_| Refusal::Unreadable {
        what: "what only root may read",
        path: "/".into(),
        why: "the look at it failed".to_owned(),
    })?;
    let before = before.map_err(|_| Refusal::TooLarge {
        path: loop_folder.path.clone(),
        limit: walk::MAX_ENTRIES,
    })?;
    let home = request
        .home
        .as_deref()
        .and_then(|h| fs::canonicalize(h).ok());
    let people = People::around(&loop_folder.path, home.as_deref());
    let ways = ways(&loop_folder.path, &people, &before.repositories);
    let mut git = repository::metadata(&loop_folder.path, &before.repositories)?;
    let led_to = repository::existing(&ways);
    let look = {
        let stood = || {
            let lend = before
                .special
                .iter()
                .filter_map(|path| found("the file", path).ok());
            let links = ways.iter().map(|way| Found {
                path: way.path.clone(),
                kind: Kind::File,
                identity: Identity::UNKNOWN,
            });
            let all = git.iter().cloned().chain(links).chain(lend);
            Baseline::take(&all.collect::<Vec<_>>())
        };
        Look {
            own: loop_folder.path.clone(),
            skip: protected.iter().map(|found| found.path.clone()).collect(),
            people,
            baseline: match &mut records {
                Some(records) => records.baseline(stood),
                None => stood(),
            },
        }
    };
    let record = records.map(|records| records.write(&look));
    let record = record.transpose().map_err(written)?;
    git.extend(led_to);
    git.sort_by(|a, b| a.path.cmp(&b.path));
    git.dedup_by(|a, b| a.path == b.path);
    let toolchains = home
        .as_deref()
        .map(|home| home::toolchains(home, &request.toolchains))
        .unwrap_or_default();
    let mut toolchains = toolchains;
    toolchains.extend(home.as_deref().into_iter().flat_map(home::cargo_settings));
    let sockets = sockets(&project.path, &loop_folder.path, &before)?;
    let mut hidden = hidden(request.hidden.iter().chain(&request.records), &mounts)?;
    // Cerco's own folder has no file with two names, and many files.
    let own = request.records.as_deref();
    let is_own = |found: &&Found| {
        own.is_some_and(|own| own.starts_with(&found.path) || found.path.starts_with(own))
    };
    let theirs: Vec<Found> = hidden
        .iter()
        .filter(|found| !is_own(found))
        .cloned()
        .collect();
    hidden.extend(second_names(
        &theirs,
        &loop_folder.path,
        &project.path,
        &before,
    )?);
    let absent = request
        .hidden
        .iter()
        .filter(|path| fs::symlink_metadata(path).is_err());
    let facts = Facts {
        absent: absent.cloned().collect(),
        scratch: request.scratch.clone(),
        outward: outward(&before.linked, &git),
        mounts: nested_mounts(&mounts, &loop_folder.path)?,
        hidden,
        credentials: home
            .as_deref()
            .map(|home| home::credentials(home, &toolchains))
            .unwrap_or_default(),
        shared: machine::shared_folders(),
        root_only,
        kernel_switches: existing(machine::KERNEL_SWITCHES),
        kernel_facts: existing(machine::KERNEL_FACTS),
        program: own_program()?,
        project,
        loop_folder,
        directory,
        protected,
        git,
        home,
        toolchains,
        sockets,
    };
    Ok(Survey {
        facts,
        before,
        look,
        record,
        notes,
    })
}

/// The folder at `path`, its links resolved.
fn folder(what: &'static str, path: &Path) -> Result<Found, Refusal> {
    let found = found(what, path)?;
    if found.kind == Kind::Folder {
        return Ok(found);
    }
    Err(Refusal::Special {
        what,
        path: path.to_owned(),
    })
}

/// What stands at `path`, its links resolved.
pub(crate) fn found(what: &'static str, path: &Path) -> Result<Found, Refusal> {
    let refused = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => Refusal::Missing {
            what,
            path: path.to_owned(),
        },
        _ => Refusal::Unreadable {
            what,
            path: path.to_owned(),
            why: e.to_string(),
        },
    };
    let real = fs::canonicalize(path).map_err(refused)?;
    let facts = fs::metadata(&real).map_err(refused)?;
    Ok(Found {
        kind: if facts.is_dir() {
            Kind::Folder
        } else {
            Kind::File
        },
        identity: identity(&facts),
        path: real,
    })
}

/// The first component of `path` below `base` that is a link or leads upwards. A run could
/// have put it there, and a mount would follow it. Nothing when `path` isn't written below
/// `base`: then its canonical form decides.
fn link_below(base: &Path, path: &Path) -> Option<PathBuf> {
    let mut at = base.to_owned();
    for part in path.strip_prefix(base).ok()?.components() {
        at.push(part);
        let is_link = fs::symlink_metadata(&at).is_ok_and(|facts| facts.is_symlink());
        if is_link || part == Component::ParentDir {
            return Some(at);
        }
    }
    None
}

/// Other loops inside the loop's folder, and the request's read-only folders.
fn protected(request: &Request, loop_folder: &Path) -> Result<Vec<Found>, Refusal> {
    let mut all: Vec<Found> = Vec::new();
    let asked = request
        .other_loops
        .iter()
        .map(|p| ("another loop's folder", p));
    let asked = asked.chain(
        request
            .read_only
            .iter()
            .map(|p| ("the read-only folder", p)),
    );
    for (what, path) in asked {
        let is_link = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink());
        let below = link_below(&request.loop_folder, path);
        if is_link || below.is_some() {
            let path = below.unwrap_or_else(|| path.clone());
            return Err(Refusal::Link { what, path });
        }
        let found = found(what, path)?;
        // Another loop's folder elsewhere in the project is read-only with the project.
        let needed = what != "another loop's folder" || found.path.starts_with(loop_folder);
        if needed && !all.contains(&found) && found.path != loop_folder {
            all.push(found);
        }
    }
    Ok(all)
}

/// Socket files that must be covered: those whose name the kernel knows, those in the
/// loop's folder, and, where somebody bound one by a name that doesn't say where it is,
/// those anywhere in the project. A dead one is left to the command, which may have to
/// remove it.
fn sockets(project: &Path, own: &Path, before: &Seen) -> Result<Vec<PathBuf>, Refusal> {
    let known = machine::sockets();
    let mut all = known.files;
    let mut unsure = before.sockets.clone();
    let lost_here = known.lost.iter().any(|path| path.starts_with(project));
    if known.has_relative || lost_here {
        let seen = walk::walk(project, &[own], When::Before).map_err(|_| Refusal::TooLarge {
            path: project.to_owned(),
            limit: walk::MAX_ENTRIES,
        })?;
        unsure.extend(seen.sockets);
    }
    all.extend(unsure.into_iter().filter(|path| machine::is_held(path)));
    Ok(all.into_iter().collect())
}

/// Names whose file has a name that the pass did not see: outside of the loop's folder, or
/// in a protected part of it. Writing the one would write the other.
fn outward(linked: &[Linked], git: &[Found]) -> Vec<Found> {
    let mut inside: HashMap<Identity, u64> = HashMap::new();
    let is_gits = |name: &&Linked| git.iter().any(|part| name.path.starts_with(&part.path));
    for name in linked.iter().filter(|name| !is_gits(name)) {
        *inside.entry(name.identity).or_default() += 1;
    }
    linked
        .iter()
        .filter(|name| !is_gits(name))
        .filter(|name| inside.get(&name.identity).is_none_or(|n| *n < name.names))
        .map(|name| Found {
            path: name.path.clone(),
            kind: Kind::File,
            identity: name.identity,
        })
        .collect()
}

/// File systems mounted below the loop's folder: not part of its folder, and a bind mount
/// among them may lead anywhere.
fn nested_mounts(mounts: &[machine::Mount], loop_folder: &Path) -> Result<Vec<Found>, Refusal> {
    let mut points: Vec<&Path> = mounts
        .iter()
        .map(|mount| mount.at.as_path())
        .filter(|at| at.starts_with(loop_folder) && *at != loop_folder)
        .collect();
    points.sort();
    points.dedup();
    points
        .into_iter()
        .map(|at| found("the mount", at))
        .collect()
}

/// What is hidden, and every other place it can be seen at through a bind mount. A path
/// that doesn't exist has nothing to hide.
fn hidden<'a>(
    asked: impl Iterator<Item = &'a PathBuf>,
    mounts: &[machine::Mount],
) -> Result<Vec<Found>, Refusal> {
    let mut all: Vec<Found> = Vec::new();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for path in asked {
        let real = match found("the hidden path", path) {
            Ok(found) => found,
            Err(Refusal::Missing { .. }) => continue,
            Err(other) => return Err(other),
        };
        let aliases = machine::aliases(&real.path, mounts);
        for alias in std::iter::once(real.path.clone()).chain(aliases) {
            let same = fs::metadata(&alias).is_ok_and(|facts| identity(&facts) == real.identity);
            if same && seen.insert(alias.clone()) {
                all.push(Found {
                    path: alias,
                    ..real.clone()
                });
            }
        }
    }
    Ok(all)
}

fn existing(paths: &[&str]) -> Vec<PathBuf> {
    let there = paths
        .iter()
        .filter(|path| fs::symlink_metadata(path).is_ok());
    there.map(PathBuf::from).collect()
}

/// This executable, for the inner stage.
fn own_program() -> Result<PathBuf, Refusal> {
    let start = |why| Refusal::Start {
        doing: "finding Cerco's own program",
        why,
    };
    let path = std::env::current_exe().map_err(start)?;
    fs::canonicalize(path).map_err(start)
}
