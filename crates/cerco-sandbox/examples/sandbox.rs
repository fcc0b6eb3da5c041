//! `cerco sandbox` without the command line around it: folders from the environment, as
//! the containment cases name them. For tests and measurements of this crate alone.
#![expect(
    clippy::print_stderr,
    reason = "an example talks to the person who started it"
)]

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use cerco_sandbox::{Request, foreground, stage};

fn main() -> ExitCode {
    if let Some(code) = stage::enter(|_| Err(std::io::ErrorKind::Unsupported.into())) {
        return code;
    }
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
    let request = Request {
        project: path("P").unwrap_or_default(),
        directory: loop_folder.clone(),
        loop_folder,
        other_loops: list("RO_DIRS"),
        read_only: list("APP"),
        hidden: list("SECRETS"),
        home: path("HOME"),
        ..Request::default()
    };
    let limit = std::env::var("LIMIT")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut command: Vec<OsString> = vec!["/bin/bash".into(), "-c".into()];
    command.extend(std::env::args_os().skip(1));
    let environment = environment();
    let mut say = |note: &str| eprintln!("cerco: {note}");
    match foreground(
        &request,
        &command,
        &environment,
        limit.map(Duration::from_secs),
        &mut say,
    ) {
        Ok(finished) => {
            finished
                .notes
                .iter()
                .for_each(|note| eprintln!("cerco: {note}"));
            for planted in &finished.planted {
                eprintln!("cerco: it left {}: {}", planted.path.display(), planted.why);
            }
            ExitCode::from(finished.code)
        }
        Err(why) => {
            eprintln!("cerco: refused: {why}");
            ExitCode::from(125)
        }
    }
}

/// Enough for a shell and its tools, and nothing that the caller has.
fn environment() -> Vec<(OsString, OsString)> {
    let keep = ["PATH", "HOME", "LANG", "USER", "LOGNAME", "TERM", "SHELL"];
    let kept = keep
        .iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let set = [("TMPDIR", "/tmp"), ("GIT_OPTIONAL_LOCKS", "0"), ("CI", "1")];
    kept.chain(set.map(|(name, value)| (name.into(), value.into())))
        .collect()
}
