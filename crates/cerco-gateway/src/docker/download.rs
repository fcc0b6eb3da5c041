//! One download, by digest: what it has done so far, and its end.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::manifest::Measured;
use super::program::Docker;
use crate::wire::DockerImageState;

const PAUSE: Duration = Duration::from_millis(50);
/// Giving the image its name is a moment's work.
const NAME: Duration = Duration::from_secs(10);
/// How much of a complaint is kept.
const MAX_COMPLAINT: u64 = 4096;
/// The shortest form of a layer's digest that the program prints.
const SHORT: usize = 12;

/// A download of what was measured.
#[derive(Debug)]
pub(super) struct Download {
    measured: Measured,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Layers that are here, in the program's short form.
    here: BTreeSet<String>,
    cancelled: bool,
}

impl Download {
    pub(super) fn of(measured: Measured) -> Self {
        Self {
            measured,
            state: Mutex::default(),
        }
    }

    /// How far it is. The program tells whole layers to those who aren't a terminal.
    pub(super) fn progress(&self) -> DockerImageState {
        let state = self.state();
        let is_here = |digest: &str| {
            let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
            hex.get(..SHORT)
                .is_some_and(|short| state.here.contains(short))
        };
        let layers = &self.measured.layers;
        let here = layers.iter().filter(|(digest, _)| is_here(digest));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        DockerImageState::Downloading {
            bytes: self.measured.bytes(),
            done: here.clone().map(|(_, size)| size).sum(),
            layers: count(layers.len()),
            layers_done: count(here.count()),
        }
    }

    pub(super) fn cancel(&self) {
        self.state().cancelled = true;
    }

    /// Runs to its end. `news` is called after each layer.
    pub(super) fn run(
        &self,
        docker: &Docker,
        name: &str,
        news: impl Fn() + Sync,
    ) -> Result<(), String> {
        let (repository, _) = name.split_once(':').unwrap_or((name, ""));
        let exact = format!("{repository}@{}", self.measured.digest);
        let mut child = docker
            .call(&["pull", &exact])
            .spawn()
            .map_err(|e| e.to_string())?;
        let (said, complained) = (child.stdout.take(), child.stderr.take());
        let complaint = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = complained.map(|c| c.take(MAX_COMPLAINT).read_to_end(&mut text));
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        let (told, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in said
                .map(BufReader::new)
                .into_iter()
                .flat_map(BufRead::lines)
            {
                let Ok(line) = line else { break };
                if told.send(line).is_err() {
                    break;
                }
            }
        });
        let status = loop {
            for line in lines.try_iter() {
                if self.hear(&line) {
                    news();
                }
            }
            if self.state().cancelled {
                let _ = child.kill();
                let _ = child.wait();
                return Err("the download was stopped".to_owned());
            }
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => std::thread::sleep(PAUSE),
                Err(error) => return Err(error.to_string()),
            }
        };
        if !status.success() {
            return Err(complaint.join().unwrap_or_default());
        }
        // What is pulled by digest has no name yet; with it, it is found again.
        docker.ask(&["tag", &exact, name], NAME).map(drop)
    }

    /// Takes a line of the program's; whether it was news.
    fn hear(&self, line: &str) -> bool {
        let Some((layer, what)) = line.split_once(": ") else {
            return false;
        };
        let is_layer = layer.len() == SHORT && layer.bytes().all(|b| b.is_ascii_hexdigit());
        let is_here =
            ["Pull complete", "Download complete", "Already exists"].contains(&what.trim());
        is_layer && is_here && self.state().here.insert(layer.to_owned())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
