//! `cerco sandbox`: a person's own tool. Runs a program in the very sandbox that agent
//! commands get. No filter, no ask, no journal; never a way for an agent, whose commands
//! can't start a sandbox in a sandbox and are refused this program by name.

use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(target_os = "linux")]
use cerco_gateway::folders::Folders;
use cerco_gateway::scene::{Scene, Wanted};

use crate::cli::SandboxArgs;
use crate::failure::Failure;
use crate::out::{Out, shown};

#[cfg(target_os = "linux")]
pub(crate) fn run(args: &SandboxArgs, out: Out) -> Result<u8, Failure> {
    let request = request(args)?;
    let environment = cerco_run::environment(
        std::env::vars_os(),
        cerco_run::ForRun {
            id: &format!("sandbox-{}", std::process::id()),
            directory: &request.directory.to_string_lossy(),
            scratch: "/tmp",
            network: cerco_run::Network::Off,
        },
    );
    let environment: Vec<_> = environment
        .variables
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let limit = args.timeout.map(Duration::from_secs);
    let mut say = |note: &str| out.say(format_args!("cerco: {}", shown(note)));
    let finished =
        cerco_sandbox::foreground(&request, &args.command, &environment, limit, &mut say)
            .map_err(Failure::own)?;
    for note in &finished.notes {
        say(note);
    }
    for planted in &finished.planted {
        say(&format!(
            "it left {}: {}",
            planted.path.display(),
            planted.why
        ));
    }
    Ok(finished.code)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &SandboxArgs, _: Out) -> Result<u8, Failure> {
    Err(Failure::own("the sandbox runs on Linux only so far"))
}

/// The folders as they were given; what was left out comes from the known project around
/// the current directory.
#[cfg(target_os = "linux")]
fn request(args: &SandboxArgs) -> Result<cerco_sandbox::Request, Failure> {
    let own = match (&args.project, &args.this_loop) {
        (Some(project), Some(this_loop)) => {
            let loop_folder = absolute(this_loop)?;
            cerco_sandbox::Request {
                project: absolute(project)?,
                directory: loop_folder.clone(),
                loop_folder,
                home: std::env::home_dir(),
                ..cerco_sandbox::Request::default()
            }
        }
        (project, this_loop) => {
            let wanted = Wanted {
                project: project.clone(),
                this_loop: this_loop
                    .as_ref()
                    .map(|folder| folder.to_string_lossy().into_owned()),
                ..Wanted::default()
            };
            Scene::find(&wanted)
                .map_err(|why| {
                    if why.is_usage() {
                        Failure::usage(&why)
                    } else {
                        Failure::own(&why)
                    }
                })?
                .sandbox_request()
                .map_err(Failure::own)?
        }
    };
    let all = |folders: &[PathBuf]| {
        folders
            .iter()
            .map(|f| absolute(f))
            .collect::<Result<Vec<_>, _>>()
    };
    let mut request = own;
    if request.records.is_none() {
        let folders = Folders::from_environment().map_err(Failure::own)?;
        let own = [&folders.state, &folders.runtime, &folders.config];
        request.hidden.extend(own.into_iter().cloned());
        request.records = Some(folders.runs());
    }
    request.other_loops.extend(all(&args.other_loops)?);
    request.read_only.extend(all(&args.read_only)?);
    request.hidden.extend(all(&args.hide)?);
    Ok(request)
}

/// Made absolute and nothing more: a link stays one, for the sandbox to refuse.
#[cfg(target_os = "linux")]
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|why| Failure::usage(format_args!("{}: {why}", path.display())))
}
