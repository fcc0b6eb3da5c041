//! `cerco hook HOST`: judge what a host is about to run; and the hook's installer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cerco_agents::hook::{Asks, Host, LocalJudge, Mode, Options, serve};
use cerco_agents::install::{self, Setup, State};
use cerco_gateway::folders::Folders;
use cerco_gateway::settings::Settings;
use serde_json::json;

use crate::cli::{HookArgs, HookVerb, InstallArgs};
use crate::failure::Failure;
use crate::inside;
use crate::out::{Out, shown};
use crate::report::SCHEMA_VERSION;

use super::mcp::is_secret;

/// How much sooner than the host's clock the hook ends by itself, is `ask_seconds` + this.
const OWN_MARGIN: u64 = 10;

pub(crate) fn run(args: &HookArgs, out: Out) -> Result<u8, Failure> {
    let host = Host::from_word(&args.host).ok_or_else(|| {
        let known: Vec<&str> = Host::ALL.iter().map(|h| h.word()).collect();
        Failure::usage(format!(
            "there is no host `{}`; known are {}",
            args.host,
            known.join(", ")
        ))
    })?;
    match &args.verb {
        None => answer(host, args, out),
        Some(HookVerb::Install(wanted)) => change(host, args, wanted, out),
        Some(HookVerb::Uninstall(wanted)) => take_out(host, wanted, out),
        Some(HookVerb::Status(wanted)) => status(host, args, wanted, out),
    }
}

/// A hook's trouble is always exit 2 with a text: every host takes that for a block.
fn blocked(why: impl std::fmt::Display) -> Failure {
    Failure {
        code: 2,
        what: Some(format!(
            "Cerco could not judge this, so it is blocked: {why}"
        )),
    }
}

fn answer(host: Host, args: &HookArgs, out: Out) -> Result<u8, Failure> {
    let folders = Folders::from_environment().map_err(blocked)?;
    let settings = Settings::load(&folders.config).map_err(blocked)?;
    let program = std::env::current_exe().map_err(blocked)?;
    let role = args.role.clone().unwrap_or_else(|| "Coder".to_owned());
    let mode = mode(args);
    let run_words = ["run", "--role", &role].map(str::to_owned);
    let options = Options {
        asks: asks(args),
        mode,
        run_words: std::iter::once(program.to_string_lossy().into_owned())
            .chain(run_words)
            .collect(),
    };
    let judge = LocalJudge {
        config: folders.config,
        state: folders.state,
        host: host.word().to_owned(),
        role,
        program,
        mode,
        secrets: is_secret,
    };
    let time = Duration::from_secs(u64::from(settings.ask_seconds) + OWN_MARGIN);
    let answer = serve(host, std::io::stdin(), options, Arc::new(judge), time);
    if !answer.stderr.is_empty() {
        out.say(answer.stderr.trim_end());
    }
    if !answer.stdout.is_empty() {
        // An answer that didn't arrive must not look like "no opinion".
        out.data(&answer.stdout)
            .map_err(|_| blocked("the answer could not be written"))?;
    }
    Ok(answer.exit)
}

fn mode(args: &HookArgs) -> Mode {
    if args.rewrite {
        Mode::Rewrite
    } else {
        Mode::Judge
    }
}

fn asks(args: &HookArgs) -> Asks {
    if args.host_asks {
        Asks::Host
    } else {
        Asks::Cerco
    }
}

fn setup(args: &HookArgs) -> Result<Setup, Failure> {
    let folders = Folders::from_environment().map_err(Failure::own)?;
    let settings = Settings::load(&folders.config).map_err(Failure::own)?;
    let program = std::env::current_exe().map_err(Failure::own)?;
    Ok(Setup {
        program: program
            .to_str()
            .ok_or_else(|| Failure::own("Cerco's own path is not UTF-8; install it elsewhere"))?
            .to_owned(),
        asks: asks(args),
        mode: mode(args),
        role: args.role.clone(),
        ask_seconds: settings.ask_seconds.into(),
    })
}

fn file(host: Host, wanted: &InstallArgs) -> Result<PathBuf, Failure> {
    if let Some(file) = &wanted.file {
        return Ok(file.clone());
    }
    let home = std::env::home_dir()
        .ok_or_else(|| Failure::own("HOME is not set; set it, or name the file with --file"))?;
    let project = match (&wanted.project, wanted.user) {
        (_, true) => None,
        (Some(project), false) => Some(project.clone()),
        (None, false) => Some(std::env::current_dir().map_err(Failure::own)?),
    };
    Ok(install::path(host, &home, project.as_deref()))
}

fn change(host: Host, args: &HookArgs, wanted: &InstallArgs, out: Out) -> Result<u8, Failure> {
    let setup = setup(args)?;
    if wanted.print {
        out.data(
            install::shown(host, &setup)
                .map_err(Failure::own)?
                .trim_end(),
        )?;
        return Ok(0);
    }
    inside::persons_only("installing a hook")?;
    let file = file(host, wanted)?;
    let done = install::install(host, &file, &setup).map_err(Failure::own)?;
    told(host, "installed", &file, &done, out)?;
    for line in install::remark(host, &setup) {
        out.say(line);
    }
    Ok(0)
}

fn take_out(host: Host, wanted: &InstallArgs, out: Out) -> Result<u8, Failure> {
    inside::persons_only("taking a hook out")?;
    let file = file(host, wanted)?;
    let done = install::uninstall(host, &file).map_err(Failure::own)?;
    told(host, "absent", &file, &done, out)?;
    Ok(0)
}

fn told(
    host: Host,
    state: &str,
    file: &std::path::Path,
    done: &install::Change,
    out: Out,
) -> Result<(), Failure> {
    if out.json {
        return out.json(&json!({
            "schema_version": SCHEMA_VERSION, "host": host.word(), "file": file, "state": state,
            "changed": done.changed, "backup": done.backup,
        }));
    }
    let change = if done.changed { "" } else { " (as before)" };
    out.data(format_args!(
        "hook {}: {state}{change} in {}",
        host.word(),
        shown(file.display())
    ))?;
    if let Some(backup) = &done.backup {
        out.data(format_args!("the file before: {}", shown(backup.display())))?;
    }
    Ok(())
}

fn status(host: Host, args: &HookArgs, wanted: &InstallArgs, out: Out) -> Result<u8, Failure> {
    let setup = setup(args)?;
    let file = file(host, wanted)?;
    let state = match install::status(host, &file, &setup).map_err(Failure::own)? {
        State::Absent => "absent",
        State::Outdated => "outdated",
        State::Installed if host == Host::Codex => "installed, perhaps not trusted yet",
        State::Installed => "installed",
    };
    if out.json {
        out.json(&json!({
            "schema_version": SCHEMA_VERSION, "host": host.word(), "file": file, "state": state,
            "remarks": install::remark(host, &setup),
        }))?;
        return Ok(0);
    }
    out.data(format_args!(
        "hook {}: {state} in {}",
        host.word(),
        shown(file.display())
    ))?;
    if state != "absent" {
        for line in install::remark(host, &setup) {
            out.data(line)?;
        }
    }
    Ok(0)
}
