//! Finds out what the paths of a request really are. The only part of planning that
//! looks at the machine; it changes nothing.

mod hidden;
mod paths;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::facts::{Facts, Found};
use crate::fifos::fifos;
use crate::home;
use crate::look::records::{Record, Records};
use crate::look::stand_in::StandIn;
use crate::look::{Baseline, Look};
use crate::machine;
use crate::refusal::Refusal;
use crate::repository;
use crate::request::Request;
use crate::walk::{self, Seen, When};
use crate::ways::{People, Way, ways};

pub(crate) use paths::found;
use paths::{folder, link_below, protected};
use tree::{nested_mounts, outward, sockets};

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

    /// A sentence about files that somebody outside linked into the loop's folder since the
    /// survey: they took the command's writes. (What has a second name before is read-only.)
    pub(crate) fn linked_since(&self, after: &Seen) -> Option<String> {
        let now = outward(&after.linked, &self.facts.git);
        let mut new = now.iter().filter(|f| !self.facts.outward.contains(f));
        let first = crate::refusal::shown(&new.next()?.path);
        let more = new.count();
        Some(format!(
            "{} files in the loop's folder got a second name outside of it while the command ran (a hard link), so what it wrote to them it wrote there: {first}{}",
            more + 1,
            if more > 0 { " …" } else { "" }
        ))
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
    let Beside {
        before,
        root_only,
        fifos,
    } = looks(&project.path, &loop_folder.path, &skip)?;
    let home = request
        .home
        .as_deref()
        .and_then(|h| fs::canonicalize(h).ok());
    let people = People::around(&loop_folder.path, home.as_deref());
    let ways = ways(&loop_folder.path, &people, &before.repositories).map_err(|why| {
        Refusal::Unreadable {
            what: "the loop's folder",
            path: loop_folder.path.clone(),
            why: why.to_string(),
        }
    })?;
    let mut git = repository::metadata(&loop_folder.path, &before.repositories)?;
    let led_to = repository::existing(&ways);
    let stood = || stood(&git, &ways, &before);
    let look = Look {
        own: loop_folder.path.clone(),
        skip: protected.iter().map(|found| found.path.clone()).collect(),
        people,
        baseline: match &mut records {
            Some(records) => records.baseline(stood),
            None => stood(),
        },
    };
    let record = records.map(|records| records.write(&look));
    let record = record.transpose().map_err(written)?;
    git.extend(led_to);
    git.sort_by(|a, b| a.path.cmp(&b.path));
    git.dedup_by(|a, b| a.path == b.path);
    let (toolchains, credentials) = match &home {
        Some(home) => home::opened(home, &request.toolchains),
        None => Default::default(),
    };
    let mut sockets = sockets(&project.path, &loop_folder.path, &before, &protected)?;
    sockets.extend(fifos);
    let (own, root) = (&loop_folder.path, &project.path);
    let hidden = hidden::hidden(request, &mounts, own, root, &before)?;
    let facts = Facts {
        absent: hidden::absent(request),
        scratch: request.scratch.clone(),
        outward: outward(&before.linked, &git),
        mounts: nested_mounts(&mounts, &loop_folder.path)?,
        hidden,
        credentials,
        shared: machine::shared_folders(),
        root_only,
        kernel_switches: machine::kernel_switches(),
        kernel_facts: machine::kernel_facts(),
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

/// What is looked for beside the walk through the loop's folder, which takes the longest.
struct Beside {
    before: Seen,
    root_only: Vec<Found>,
    fifos: Vec<PathBuf>,
}

fn looks(project: &Path, own: &Path, skip: &[&Path]) -> Result<Beside, Refusal> {
    let outside = skip.iter().filter(|path| !path.starts_with(project));
    let shown: Vec<&Path> = outside.copied().collect();
    let (before, beside) = thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let all: Vec<&Path> = [project].into_iter().chain(shown.iter().copied()).collect();
            (machine::root_only(project, &shown), fifos(&all, own))
        });
        let before = walk::walk(own, skip, When::Before);
        (before, beside.join())
    });
    let (root_only, fifos) = beside.map_err(|_| Refusal::Unreadable {
        what: "what only root may read",
        path: "/".into(),
        why: "the look at it failed".to_owned(),
    })?;
    let before = before.map_err(|_| Refusal::TooLarge {
        path: own.to_owned(),
        limit: walk::MAX_ENTRIES,
    })?;
    Ok(Beside {
        before,
        root_only,
        fifos,
    })
}

/// What the look after the run compares with: git's parts, what settings lead to, and
/// files that lend rights.
fn stood(git: &[Found], ways: &[Way], before: &Seen) -> Baseline {
    let ways = ways.iter().map(|way| way.path.as_path());
    let special = before.special.iter().map(PathBuf::as_path);
    let parts = git.iter().map(|part| part.path.as_path());
    Baseline::take(parts.chain(ways).chain(special))
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
