//! The environment of a run, made from the caller's: a pure function, so that the reader
//! judges with exactly what the command will have.
//!
//! Nothing here reads the caller's environment; it is given. What is dropped is reported
//! by name, never by value.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

mod dropped;
#[cfg(test)]
mod tests;

/// What every run has, whatever the caller has.
const SET: &[(&str, &str)] = &[
    // Git never waits for a person: no prompt, no editor, no pager, no askpass window.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("CI", "1"),
    ("npm_config_update_notifier", "false"),
];

/// Where programs are looked for when the caller says nothing.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether a run can reach the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// As the caller can.
    Open,
    /// It can't: package managers are told so instead of waiting for a time-out.
    Off,
    /// It reaches package registries through a proxy at this port of its own loopback.
    Registries {
        /// The port.
        port: u16,
    },
}

/// What a run is given besides the caller's environment.
#[derive(Clone, Copy, Debug)]
pub struct ForRun<'a> {
    /// The run's name, unique for ever: the mark by which its processes are found.
    pub id: &'a str,
    /// The directory it starts in.
    pub directory: &'a str,
    /// The run's own scratch folder, as the command will see it.
    pub scratch: &'a str,
    /// Its network.
    pub network: Network,
}

/// The environment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Every variable.
    pub variables: BTreeMap<String, String>,
    /// Names of the caller's variables that were dropped or overwritten, sorted.
    pub removed: Vec<String>,
}

/// The name of the variable that marks a run's processes.
pub const MARK: &str = "CERCO_RUN";

/// Names under which programs look for a proxy. The caller's own can't be reached.
const PROXY_NAMES: [&str; 9] = [
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "npm_config_proxy",
    "npm_config_https_proxy",
    "CARGO_HTTP_PROXY",
];
/// And for what needs none.
const NO_PROXY_NAMES: [&str; 3] = ["no_proxy", "NO_PROXY", "npm_config_noproxy"];

/// Caches that programs insist on writing, below the run's scratch folder: the person's
/// own are read-only.
const HELD_CACHES: &[(&str, &str)] = &[("npm_config_cache", ".npm"), ("PIP_CACHE_DIR", ".pip")];
/// Those that have to be written where something new is downloaded.
const FILLED_CACHES: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("GOMODCACHE", ".go/mod"),
    ("GOCACHE", ".go/build"),
    ("UV_CACHE_DIR", ".uv"),
    ("YARN_CACHE_FOLDER", ".yarn"),
];

fn caches(set: &mut impl FnMut(&str, String), scratch: &str, caches: &[(&str, &str)]) {
    for (name, folder) in caches {
        set(name, format!("{scratch}/{folder}"));
    }
}

/// Makes the environment of a run from the caller's.
///
/// A variable whose name or value is not UTF-8 is dropped: the reader could not judge
/// with it.
#[must_use]
pub fn environment(
    caller: impl IntoIterator<Item = (OsString, OsString)>,
    run: ForRun<'_>,
) -> Environment {
    let mut variables = BTreeMap::new();
    let mut removed = BTreeSet::new();
    for (name, value) in caller {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) if dropped::is_kept(&name, &value) => {
                variables.insert(name, value);
            }
            (name, _) => {
                removed.insert(name.unwrap_or_else(|n| n.to_string_lossy().into_owned()));
            }
        }
    }
    let path = variables.get("PATH").map_or("", String::as_str);
    let path = absolute_only(path);
    let mut set = |name: &str, value: String| {
        let before = variables.insert(name.to_owned(), value.clone());
        if before.is_some_and(|before| before != value) {
            removed.insert(name.to_owned());
        }
    };
    set("PATH", path);
    for (name, value) in SET {
        set(name, (*value).to_owned());
    }
    set("PWD", run.directory.to_owned());
    set("TMPDIR", run.scratch.to_owned());
    set(MARK, run.id.to_owned());
    match run.network {
        Network::Open => {}
        Network::Off => {
            set("CARGO_NET_OFFLINE", "true".to_owned());
            caches(&mut set, run.scratch, HELD_CACHES);
        }
        Network::Registries { port } => {
            let proxy = format!("http://127.0.0.1:{port}");
            for name in PROXY_NAMES {
                set(name, proxy.clone());
            }
            for name in NO_PROXY_NAMES {
                set(name, "localhost,127.0.0.1,::1".to_owned());
            }
            caches(&mut set, run.scratch, HELD_CACHES);
            caches(&mut set, run.scratch, FILLED_CACHES);
        }
    }
    Environment {
        variables,
        removed: removed.into_iter().collect(),
    }
}

/// Relative and empty entries mean "wherever the command stands": a file of the project
/// named `git` would be git.
fn absolute_only(path: &str) -> String {
    let kept: Vec<&str> = path.split(':').filter(|e| e.starts_with('/')).collect();
    if kept.is_empty() {
        DEFAULT_PATH.to_owned()
    } else {
        kept.join(":")
    }
}
