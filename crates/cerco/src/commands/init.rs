//! `cerco init`: a person makes a project known.

use cerco_gateway::folders::Folders;
use cerco_gateway::project::{Known, initialise};
use serde_json::json;

use crate::cli::InitArgs;
use crate::failure::Failure;
use crate::inside;
use crate::out::{Out, shown};
use crate::report::SCHEMA_VERSION;

pub(crate) fn run(args: &InitArgs, out: Out) -> Result<u8, Failure> {
    inside::persons_only("making a project known")?;
    let folders = Folders::from_environment().map_err(Failure::own)?;
    let mut known = Known::load(&folders.config).map_err(Failure::own)?;
    let done = initialise(&args.project, &args.loops, &mut known).map_err(Failure::usage)?;
    let project = &done.project;
    if out.json {
        let loops: Vec<_> = project
            .loops()
            .iter()
            .map(|l| json!({ "name": l.name, "folder": project.relative(&l.folder) }))
            .collect();
        let roles: Vec<_> = project
            .roles()
            .iter()
            .map(|r| r.name().0.as_str())
            .collect();
        out.json(&json!({
            "schema_version": SCHEMA_VERSION, "project": project.root(), "loops": loops,
            "roles": roles, "file_created": done.file_created, "known_before": done.known_before,
        }))?;
        return Ok(0);
    }
    let word = if done.known_before {
        "accepted"
    } else {
        "known"
    };
    out.data(format_args!(
        "project {word}: {}",
        shown(project.root().display())
    ))?;
    for it in project.loops() {
        out.data(format_args!(
            "  loop {}  {}",
            shown(&it.name),
            shown(project.relative(&it.folder))
        ))?;
    }
    for role in project.roles().iter().filter(|r| !r.is_built_in()) {
        let tools: Vec<&str> = role.tools().iter().map(cerco_model::Tool::word).collect();
        out.data(format_args!(
            "  role {}  {}",
            shown(&role.name().0),
            tools.join(", ")
        ))?;
    }
    if project.loops().is_empty() {
        out.say("No loop yet: without the sandbox the whole project counts as one. The sandbox needs one with a folder of its own: cerco init --loop FOLDER");
    }
    Ok(0)
}
