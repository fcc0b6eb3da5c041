//! `cerco doctor`: each thing that has to be ready, and the one step where it isn't.

use cerco_gateway::folders::Folders;
use cerco_gateway::journal::Journal;
use cerco_gateway::project::{Known, Project};
use cerco_gateway::settings::Settings;
use cerco_run::Shell;
use serde_json::json;

use crate::failure::{Failure, code};
use crate::out::{Out, Style, shown};
use crate::report::SCHEMA_VERSION;

use super::log::unix_ms;

/// One check.
#[derive(Debug)]
struct Check {
    id: &'static str,
    is_ready: bool,
    /// Whether commands can't run at all without it.
    is_needed: bool,
    found: String,
    step: Option<String>,
}

pub(crate) fn run(out: Out) -> Result<u8, Failure> {
    let folders = Folders::from_environment().map_err(Failure::own)?;
    let settings = Settings::load(&folders.config);
    let needs_sandbox = settings.as_ref().is_ok_and(|s| s.sandbox);
    let checks = [
        of(
            "settings",
            true,
            settings.map(|_| Settings::path(&folders.config).display().to_string()),
        ),
        of(
            "journal",
            true,
            Journal::open(&folders.state, unix_ms()).map(|j| j.path().display().to_string()),
        ),
        shell(),
        project(&folders),
        sandbox(needs_sandbox),
        guard(),
    ];
    if out.json {
        let all: Vec<_> = checks
            .iter()
            .map(|c| json!({ "id": c.id, "ready": c.is_ready, "needed": c.is_needed, "found": c.found, "step": c.step }))
            .collect();
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "checks": all }))?;
    } else {
        for check in &checks {
            let (style, word) = match (check.is_ready, check.is_needed) {
                (true, _) => (Style::Good, "ready"),
                (false, true) => (Style::Bad, "missing"),
                (false, false) => (Style::Ask, "off"),
            };
            let word = out.styled(style, format_args!("{word:8}"));
            out.data(format_args!(
                "{word} {:9} {}",
                check.id,
                shown(&check.found)
            ))?;
            if let Some(step) = &check.step {
                out.data(format_args!("         → {}", shown(step)))?;
            }
        }
    }
    let ready = checks.iter().all(|c| c.is_ready || !c.is_needed);
    Ok(if ready { 0 } else { code::FAILED })
}

fn of<E: std::fmt::Display>(id: &'static str, is_needed: bool, found: Result<String, E>) -> Check {
    match found {
        Ok(found) => Check {
            id,
            is_ready: true,
            is_needed,
            found,
            step: None,
        },
        Err(error) => Check {
            id,
            is_ready: false,
            is_needed,
            found: error.to_string(),
            step: None,
        },
    }
}

fn shell() -> Check {
    let found = Shell::of_this_machine().map(|s| s.program().display().to_string());
    of(
        "shell",
        true,
        found.ok_or("there is neither bash nor /bin/sh; install bash"),
    )
}

fn project(folders: &Folders) -> Check {
    let here = || -> Result<String, String> {
        let known = Known::load(&folders.config).map_err(|e| e.to_string())?;
        let here = std::env::current_dir().map_err(|e| e.to_string())?;
        let project = Project::around(&here, &known).map_err(|e| e.to_string())?;
        Ok(format!(
            "{}, loops: {}",
            project.root().display(),
            project.loops().len()
        ))
    };
    of("project", false, here())
}

#[cfg(target_os = "linux")]
fn sandbox(is_needed: bool) -> Check {
    use cerco_sandbox::readiness::{State, check};
    let home = std::env::home_dir();
    let ready = check(&std::env::temp_dir(), home.as_deref());
    let step = ready.step.map(|s| match s.command {
        Some(command) => format!("{}: {command}", s.text),
        None => s.text,
    });
    Check {
        id: "sandbox",
        is_ready: ready.state == State::Ready,
        is_needed,
        found: format!("{}: {}", ready.backend.as_str(), ready.found),
        step,
    }
}

#[cfg(not(target_os = "linux"))]
fn sandbox(is_needed: bool) -> Check {
    of(
        "sandbox",
        is_needed,
        Err::<String, _>("commands run on Linux only so far"),
    )
}

#[cfg(target_os = "linux")]
fn guard() -> Check {
    let found =
        cerco_run::probe_guard().map(|()| "program starts can be held and judged".to_owned());
    of("guard", false, found)
}

#[cfg(not(target_os = "linux"))]
fn guard() -> Check {
    of("guard", false, Err::<String, _>("only Linux has it"))
}
