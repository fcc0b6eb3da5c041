//! What the examples share: folders, command and limit from the environment.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::ExitCode;

use cerco_sandbox::{Finished, Refusal, Request};

/// `P`, `LOOP`, `APP`, `VIS`, `RO_DIRS`, `SECRETS` and `HOME`, as the containment cases name them.
pub(crate) fn request() -> Request {
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let list = |name: &str| -> Vec<PathBuf> {
        let value = std::env::var_os(name).unwrap_or_default();
        let parts = value.as_bytes().split(|b| *b == b':');
        let parts = parts.filter(|part| !part.is_empty());
        parts
            .map(|part| PathBuf::from(OsString::from_vec(part.to_vec())))
            .collect()
    };
    let loop_folder = path("LOOP").unwrap_or_default();
    let own = |variable: &str, below: &str| {
        let folder = path(variable).or_else(|| path("HOME").map(|home| home.join(below)));
        folder.map(|folder| folder.join("cerco"))
    };
    let (state, config) = (
        own("XDG_STATE_HOME", ".local/state"),
        own("XDG_CONFIG_HOME", ".config"),
    );
    let read_only = [list("APP"), list("VIS")].concat();
    Request {
        project: path("P").unwrap_or_default(),
        directory: loop_folder.clone(),
        loop_folder,
        other_loops: list("RO_DIRS"),
        read_only,
        hidden: list("SECRETS")
            .into_iter()
            .chain(state.clone())
            .chain(config)
            .collect(),
        home: path("HOME"),
        records: state.map(|state| state.join("runs")),
        ..Request::default()
    }
}

/// The arguments as one shell text.
pub(crate) fn command() -> Vec<OsString> {
    let mut command: Vec<OsString> = vec!["/bin/bash".into(), "-c".into()];
    command.extend(std::env::args_os().skip(1));
    command
}

/// `LIMIT` in seconds.
pub(crate) fn limit() -> Option<u64> {
    std::env::var("LIMIT").ok()?.parse().ok()
}

/// Enough for a shell and its tools, and nothing else that the caller has.
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    let keep = ["PATH", "HOME", "LANG", "USER", "LOGNAME", "TERM", "SHELL"];
    let kept = keep
        .iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let set = [("TMPDIR", "/tmp"), ("GIT_OPTIONAL_LOCKS", "0"), ("CI", "1")];
    kept.chain(set.map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// A note for the person.
pub(crate) fn say(note: &str) {
    eprintln!("cerco: {}", cerco_model::Shown::of(note));
}

/// Nothing ran.
pub(crate) fn refused(why: &Refusal) -> ExitCode {
    say(&format!("refused: {why}"));
    ExitCode::from(125)
}

/// How it went, told to the person.
pub(crate) fn told(result: Result<Finished, Refusal>) -> ExitCode {
    match result {
        Ok(finished) => {
            finished.notes.iter().for_each(|note| say(note));
            for planted in &finished.planted {
                say(&format!(
                    "it left {}: {}",
                    planted.path.display(),
                    planted.why
                ));
            }
            ExitCode::from(finished.code)
        }
        Err(why) => refused(&why),
    }
}
