//! The image of the Docker backend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Step;

/// The image that commands would run in (`GET /api/docker/image`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DockerImage {
    /// Its name and tag.
    pub name: String,
    /// How it stands.
    pub state: DockerImageState,
}

/// How the image stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DockerImageState {
    /// There is no engine that could say.
    Unreachable {
        /// What was found; safe to show.
        found: String,
        /// The one step, where there is one.
        step: Option<Step>,
    },
    /// It isn't on this machine.
    Absent {
        /// Why the last download didn't come to its end; safe to show.
        failed: Option<String>,
    },
    /// It is being downloaded, as a person confirmed.
    Downloading {
        /// The whole download in bytes; nothing where it isn't known.
        bytes: Option<u64>,
        /// The bytes of the layers that are here.
        done: u64,
        /// How many layers it has.
        layers: u32,
        /// How many of them are here.
        layers_done: u32,
    },
    /// It is on this machine.
    Present {
        /// Its size there, unpacked, in bytes.
        bytes: Option<u64>,
    },
}

/// What a download would be (`POST /api/docker/image/measure`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ImageSize {
    /// Name and tag.
    pub name: String,
    /// What exactly would be downloaded: `sha256:…` of its manifest.
    pub digest: String,
    /// The compressed download in bytes; nothing where the registry doesn't say.
    pub bytes: Option<u64>,
}

/// The body of `POST /api/docker/image/download`: what the dialog stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DownloadImage {
    /// The digest that was measured for the dialog.
    pub digest: String,
}
