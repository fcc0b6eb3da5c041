//! The Docker image of a person's choice of backend: whether it is there, how large it is,
//! and its download, by the very digest that was measured and only after a person who was
//! told the size said so.
//!
//! Nothing here starts a container, and nothing is downloaded along the way: `docker run`
//! would do that unasked, which is why it isn't called. This Cerco can't run commands in
//! Docker yet ([`wire::Backend::unsupported`]); a command whose backend it is, is refused
//! with the image and without it.

mod download;
mod manifest;
mod program;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cerco_sandbox::readiness::{Backend, System, explain};

use crate::hub::HubError;
use crate::wire::{DockerImage, DockerImageState, ImageSize};
use crate::words::shown;
use download::Download;
use manifest::Measured;
use program::Docker;

/// The image that commands would run in.
pub const IMAGE: &str = "debian:stable-slim";

/// Questions to the engine on this machine.
const LOOK: Duration = Duration::from_secs(5);
/// Questions to the registry.
const MEASURE: Duration = Duration::from_secs(30);

/// The image and what is being done about it.
#[derive(Debug, Default)]
pub struct Images {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What the newest dialog stated.
    measured: Option<Measured>,
    running: Option<Arc<Download>>,
    /// Why the last download didn't come to its end.
    failed: Option<String>,
}

impl Images {
    /// How it stands. Asks the engine, unless a download runs; may take seconds.
    #[must_use]
    pub fn look(&self) -> DockerImage {
        let running = self.state().running.clone();
        let state = match running {
            Some(download) => download.progress(),
            None => self.found(),
        };
        DockerImage {
            name: IMAGE.to_owned(),
            state,
        }
    }

    fn found(&self) -> DockerImageState {
        let docker = match reachable() {
            Ok(docker) => docker,
            Err(state) => return state,
        };
        match docker.ask(&["image", "inspect", "--format", "{{.Size}}", IMAGE], LOOK) {
            Ok(size) => DockerImageState::Present {
                bytes: size.trim().parse().ok(),
            },
            Err(why) if why.to_lowercase().contains("no such image") => DockerImageState::Absent {
                failed: self.state().failed.clone(),
            },
            Err(why) => unreachable(&why),
        }
    }

    /// Asks the registry what a download would be. What it says is what may be downloaded.
    pub fn measure(&self) -> Result<ImageSize, HubError> {
        let docker = reachable().map_err(|_| not_reachable())?;
        let platform = docker.ask(&PLATFORM, LOOK).map_err(HubError::Wrong)?;
        let told = docker.ask(&["manifest", "inspect", "--verbose", IMAGE], MEASURE);
        let measured = told
            .map_err(|why| shown(&why))
            .and_then(|text| manifest::measured(&text, platform.trim()).map_err(str::to_owned))
            .map_err(|why| HubError::Wrong(format!("the registry doesn't say what the image is, so nothing can be downloaded: {why}")))?;
        let size = ImageSize {
            name: IMAGE.to_owned(),
            digest: measured.digest.clone(),
            bytes: measured.bytes(),
        };
        self.state().measured = Some(measured);
        Ok(size)
    }

    /// Downloads what was measured as `digest`, and nothing else. `tell` is called whenever
    /// there is something new to show.
    pub fn download(
        self: &Arc<Self>,
        digest: &str,
        tell: impl Fn(DockerImage) + Send + Sync + 'static,
    ) -> Result<(), HubError> {
        let docker = reachable().map_err(|_| not_reachable())?;
        let download = {
            let mut state = self.state();
            if state.running.is_some() {
                return Err(HubError::Wrong(
                    "the image is being downloaded already".to_owned(),
                ));
            }
            let Some(measured) = state.measured.take_if(|m| m.digest == digest) else {
                return Err(HubError::Wrong(
                    "this isn't the image whose size was stated; look at its size again".to_owned(),
                ));
            };
            let download = Arc::new(Download::of(measured));
            state.failed = None;
            state.running = Some(Arc::clone(&download));
            download
        };
        let images = Arc::clone(self);
        std::thread::spawn(move || {
            tell(images.look());
            let done = download.run(&docker, IMAGE, || tell(images.look()));
            {
                let mut state = images.state();
                state.running = None;
                state.failed = done.err().map(|why| shown(&why));
            }
            tell(images.look());
        });
        Ok(())
    }

    /// Stops the download that runs.
    pub fn cancel(&self) {
        if let Some(download) = &self.state().running {
            download.cancel();
        }
    }

    /// Stops it and waits until it is: the gateway goes down and leaves nothing behind.
    pub fn end(&self) {
        self.cancel();
        let began = std::time::Instant::now();
        while self.state().running.is_some() && began.elapsed() < LOOK {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const PLATFORM: [&str; 3] = ["version", "--format", "{{.Server.Os}}/{{.Server.Arch}}"];

/// The engine, if it answers and runs Linux containers.
fn reachable() -> Result<Docker, DockerImageState> {
    let docker = Docker::find().ok_or_else(|| unreachable("command not found"))?;
    match docker.ask(&PLATFORM, LOOK) {
        Ok(platform) if platform.starts_with("linux/") => Ok(docker),
        Ok(_) => Err(unreachable("server is windows")),
        Err(why) => Err(unreachable(&why)),
    }
}

/// In the words of the readiness table. Installing it isn't recommended: see the header.
fn unreachable(message: &str) -> DockerImageState {
    let found = explain(Backend::Docker, message, &System::default());
    let is_installed = !message.starts_with("command not found");
    DockerImageState::Unreachable {
        found: shown(&found.found),
        step: crate::self_test::readiness(found)
            .step
            .filter(|_| is_installed),
    }
}

fn not_reachable() -> HubError {
    HubError::Wrong("Docker can't be reached; look at its line in Settings".to_owned())
}
