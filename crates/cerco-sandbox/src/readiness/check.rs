//! Readiness of bubblewrap, by really starting the real profile.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::table::{APPARMOR, CLONE_OFF, NONE_ALLOWED, ROOT, install};
use super::{Backend, Readiness, State, Step, System, explain};
use crate::bubblewrap::{NotFound, Unusable};
use crate::launch::{Job, Sandbox, Start};
use crate::plan::Plan;
use crate::refusal::{Refusal, shown};
use crate::request::Request;
use crate::survey::survey;

/// The probe's clock. A file system that hangs must not hang Settings.
const CLOCK: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);

/// Starts the real profile on `true`, in a scratch folder below `scratch`, and says how it
/// went. `home` is the person's home, which the profile hides.
#[must_use]
pub fn check(scratch: &Path, home: Option<&Path>) -> Readiness {
    let folder = match ScratchFolder::new(scratch) {
        Ok(folder) => folder,
        Err(e) => {
            return not_ready(
                format!("no scratch folder can be made in {}: {e}", shown(scratch)),
                "Make room there, or set TMPDIR to another folder",
                None,
            );
        }
    };
    match probe(&folder.0, home) {
        Ok(readiness) => readiness,
        Err(Refusal::NotReady(_)) => match crate::bubblewrap::find(&folder.0, home, None) {
            Err(why) => not_found(&why),
            Ok(_) => not_ready(
                "it was installed a moment ago".to_owned(),
                "Check again",
                None,
            ),
        },
        Err(Refusal::Start { doing, why }) => {
            explain(Backend::Bubblewrap, &format!("{doing}: {why}"), &system())
        }
        Err(other) => not_ready(other.to_string(), "Report this message", None),
    }
}

fn probe(folder: &Path, home: Option<&Path>) -> Result<Readiness, Refusal> {
    let request = Request {
        project: folder.to_owned(),
        loop_folder: folder.join("loop"),
        directory: folder.join("loop"),
        home: home.map(Path::to_owned),
        ..Request::default()
    };
    let survey = survey(&request)?;
    let plan = Plan::new(&survey.facts, request.network, request.limits)?;
    let sandbox = Sandbox::find(folder, home)?;
    let command = ["/bin/true".into()];
    let mut prepared = sandbox.prepare(
        &plan,
        Job {
            command: &command,
            environment: &[],
            gate: None,
            guard: None,
            proxy: None,
        },
    )?;
    prepared
        .command()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut started = prepared.spawn()?;
    let began = Instant::now();
    let ended = loop {
        match started.child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if began.elapsed() < CLOCK => std::thread::sleep(PAUSE),
            Ok(None) | Err(_) => break None,
        }
    };
    let Some(ended) = ended else {
        let _ = started.child.kill();
        let _ = started.child.wait();
        return Ok(not_ready(
            "it did not start within 5 seconds".to_owned(),
            "Look for a file system that does not answer, with",
            Some("findmnt --types nfs,nfs4,autofs,cifs,fuse.sshfs"),
        ));
    };
    let mut message = String::new();
    if let Some(mut stderr) = started.child.stderr.take() {
        let _ = stderr.read_to_string(&mut message);
    }
    Ok(match started.status.wait() {
        Start::Running if ended.success() => Readiness {
            backend: Backend::Bubblewrap,
            state: State::Ready,
            found: format!("{} ran the real profile", shown(sandbox.program())),
            step: None,
        },
        Start::NotStarted(_, why) => explain(Backend::Bubblewrap, &why, &system()),
        Start::Running | Start::LauncherFailed => explain(Backend::Bubblewrap, &message, &system()),
    })
}

/// Why no bubblewrap is used, with the step.
#[must_use]
pub fn not_found(why: &NotFound) -> Readiness {
    match why {
        NotFound::Nowhere => {
            let command = install(&system());
            let text = match command {
                Some(_) => "Install it",
                None => "Install the package `bubblewrap` with the system's package manager",
            };
            not_ready("bubblewrap is not installed".to_owned(), text, command)
        }
        NotFound::Unusable(path, Unusable::TooOld) => not_ready(
            format!("{} is older than 0.5 and can't hide folders", shown(path)),
            "Upgrade it with the system",
            install(&system()),
        ),
        NotFound::Unusable(path, Unusable::Silent(said)) => not_ready(
            format!("{} can't be started: {said}", shown(path)),
            "Install it again",
            install(&system()),
        ),
    }
}

/// What the launcher's own message means on this machine, with the step.
#[must_use]
pub fn explain_here(message: &str) -> Readiness {
    explain(Backend::Bubblewrap, message, &system())
}

fn not_ready(found: String, text: &str, command: Option<&str>) -> Readiness {
    Readiness {
        backend: Backend::Bubblewrap,
        state: State::NotReady,
        found,
        step: Some(Step {
            text: text.to_owned(),
            command: command.map(str::to_owned),
        }),
    }
}

/// What the table wants to know of this system.
pub(crate) fn system() -> System {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let words: Vec<String> = release
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(key, _)| matches!(*key, "ID" | "ID_LIKE"))
        .map(|(_, value)| value.trim_matches('"').to_owned())
        .collect();
    let is = |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|t| t.trim() == value);
    let mut settings = Vec::new();
    if is(
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
    ) {
        settings.push(APPARMOR);
    }
    if is("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        settings.push(CLONE_OFF);
    }
    if is("/proc/sys/user/max_user_namespaces", "0") {
        settings.push(NONE_ALLOWED);
    }
    if fs::metadata("/proc/self").is_ok_and(|facts| facts.uid() == 0) {
        settings.push(ROOT);
    }
    System {
        distribution: words.join(" "),
        settings,
    }
}

/// A folder of our own that goes away with the value.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    fn new(below: &Path) -> std::io::Result<Self> {
        // The name can be guessed, so it is made and never found: who got there first wins.
        let mut last = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        for attempt in 0..100 {
            let path = below.join(format!("cerco-ready-{}-{attempt}", std::process::id()));
            let mut builder = fs::DirBuilder::new();
            match builder.mode(0o700).create(&path) {
                Ok(()) => {
                    builder.create(path.join("loop"))?;
                    return Ok(Self(path));
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
