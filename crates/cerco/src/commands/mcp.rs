//! `cerco mcp`: the MCP server of one bubble, for an agent's host to start.

use std::sync::Arc;

use cerco_agents::mcp::{Local, serve};
use cerco_agents::own::Own;
use cerco_agents::presence::Presence;
use cerco_agents::trace::Trace;
use cerco_gateway::file_calls::{Bounds, Files, Limits, RelPath};
use cerco_gateway::project::{FILE_NAME, nested};
use cerco_gateway::scene::Scene;
use cerco_gateway::wire::{AgentVerb, AgentVia};

use crate::cli::PlaceArgs;
use crate::failure::Failure;

use super::run::scene;

/// How the journal and the windows name what comes in this way.
const HOST: &str = "mcp";

pub(crate) fn run(args: &PlaceArgs) -> Result<u8, Failure> {
    let scene = scene(args)?;
    let files = Files::open(bounds(&scene)).map_err(Failure::own)?;
    let hello = AgentVerb::Hello {
        via: AgentVia::Mcp,
        host: HOST.to_owned(),
        project: scene.project.root().display().to_string(),
        loop_folder: scene.project.relative(&scene.this_loop.folder),
        role: Some(scene.role.name().0.to_string()),
        bubble: None,
        environment: None,
    };
    let presence = Presence::new(scene.folders.clone(), hello, HOST.to_owned());
    // Where a gateway is up, the bubble is seen there from the start; what is wrong with it
    // is said by the first call.
    let _ = presence.place();
    let backend = Local {
        presence,
        role: scene.role.clone(),
        own: Own {
            program: std::env::current_exe().map_err(Failure::own)?,
            place: place(args, &scene),
            directory: scene.this_loop.folder.clone(),
        },
        files: Arc::new(files),
        trace: Trace::new(
            &scene.folders.state,
            &scene.project,
            &scene.this_loop,
            &scene.role,
            HOST,
        ),
    };
    serve(Arc::new(backend)).map_err(Failure::own)?;
    Ok(0)
}

/// The bubble's place, spelt out once, so that every call means the same one.
fn place(args: &PlaceArgs, scene: &Scene) -> Vec<String> {
    let mut words = vec![
        "--project".to_owned(),
        scene.project.root().to_string_lossy().into_owned(),
        "--loop".to_owned(),
        scene.this_loop.folder.to_string_lossy().into_owned(),
        "--role".to_owned(),
        scene.role.name().0.to_string(),
    ];
    if args.sandbox {
        words.push("--sandbox".to_owned());
    }
    words
}

/// What the loop's file tools are held to.
fn bounds(scene: &Scene) -> Bounds {
    let folder = &scene.this_loop.folder;
    let inside = |path: &std::path::Path| {
        let rest = path.strip_prefix(folder).ok()?;
        RelPath::new(rest.to_str()?).ok()
    };
    let folders = &scene.folders;
    Bounds {
        folder: folder.clone(),
        other_loops: nested(scene.project.loops(), &scene.this_loop)
            .filter_map(|other| inside(&other.folder))
            .collect(),
        frozen: inside(&scene.project.root().join(FILE_NAME))
            .into_iter()
            .collect(),
        own: vec![
            folders.config.clone(),
            folders.state.clone(),
            folders.runtime.clone(),
            folders.cache.clone(),
        ],
        secrets: Arc::new(is_secret),
        limits: Limits::default(),
    }
}

/// Rule `secret`, for a path and for every folder on the way to it.
pub(crate) fn is_secret(path: &str) -> bool {
    let ends = path
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    ends.filter_map(|end| path.get(..end))
        .any(cerco_filter::paths::secret::is_secret_name)
}
