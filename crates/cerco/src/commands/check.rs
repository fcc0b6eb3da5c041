//! `cerco check`: judge one command, or JSON lines of them; run nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Read};
use std::path::Path;

use cerco_gateway::judging::Judging;
use cerco_gateway::scene::Scene;
use cerco_model::{Dialect, Guard, NoTree, Place, SandboxState, Tree, Verdict};
use cerco_run::{ForRun, Network, environment};
use cerco_sys::tree::RealTree;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::CheckArgs;
use crate::failure::{Failure, code};
use crate::judged::{Judged, judge};
use crate::out::{Out, Style};
use crate::report::{SCHEMA_VERSION, findings, judgement_json, style};
use crate::text;

use super::run::{own_dialect, scene};

/// No line is longer: the longest command, with every character written as an escape.
const MOST_OF_A_LINE: u64 = 16 << 20;

pub(crate) fn run(args: &CheckArgs, out: Out) -> Result<u8, Failure> {
    if args.jsonl {
        return lines(args, out);
    }
    let bytes = text::bytes(&args.text, "check")?;
    let scene = scene(&args.place)?;
    let judged = judge(
        bytes.clone(),
        own_dialect()?,
        &scene.place(Guard::Off),
        &scene.judging,
    );
    let verdict = judged.judgement.verdict();
    if out.json {
        let mut value = judgement_json(&judged.judgement);
        if let Some(all) = value.as_object_mut() {
            all.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        }
        out.json(&value)?;
    } else {
        out.data(out.styled(style(verdict), verdict.word()))?;
        let shown = text::for_the_log(&bytes);
        let text = judged.command.as_ref().map_or(shown.as_str(), |c| c.text());
        for line in findings(text, &judged.judgement, |s: Style, t| out.styled(s, t)) {
            out.data(line)?;
        }
    }
    Ok(match verdict {
        Verdict::Allowed => 0,
        Verdict::Asked => code::CHECK_ASKED,
        Verdict::Refused => code::CHECK_REFUSED,
    })
}

/// One line of `--jsonl`; an unknown field is an error, as everywhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    id: Value,
    command: String,
    dialect: Option<Dialect>,
    project: Option<String>,
    #[serde(rename = "loop")]
    loop_folder: Option<String>,
    directory: Option<String>,
    #[serde(default)]
    loops: Vec<String>,
    home: Option<String>,
    user: Option<String>,
    env: Option<BTreeMap<String, String>>,
    sandbox: Option<bool>,
}

fn lines(args: &CheckArgs, out: Out) -> Result<u8, Failure> {
    let mut real: Option<Scene> = None;
    let mut wrong = 0u32;
    let mut input = std::io::stdin().lock();
    for number in 1.. {
        let mut bytes = Vec::new();
        let got = input
            .by_ref()
            .take(MOST_OF_A_LINE)
            .read_until(b'\n', &mut bytes);
        let got = got.map_err(|e| Failure::own(format!("standard input can't be read: {e}")))?;
        if got == 0 {
            break;
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Line>(&bytes) {
            Ok(line) => {
                if line.project.is_none() && real.is_none() {
                    real = Some(scene(&args.place)?);
                }
                answer(line, real.as_ref(), out)?;
            }
            // The answers stay in step with the lines; nothing unread counts as allowed.
            Err(error) => {
                wrong += 1;
                out.json(
                    &json!({ "id": null, "verdict": "refused", "findings": [], "programs": [],
                    "error": format!("line {number}: {error}") }),
                )?;
            }
        }
    }
    if wrong > 0 {
        return Err(Failure::usage(format!(
            "{wrong} lines are not as `cerco check --help` says; their answers have an `error`"
        )));
    }
    Ok(0)
}

fn answer(line: Line, real: Option<&Scene>, out: Out) -> Result<(), Failure> {
    let (id, sandbox) = (line.id.clone(), line.sandbox);
    let dialect = match line.dialect {
        Some(dialect) => dialect,
        None => own_dialect()?,
    };
    let tree;
    // A place that the line describes is judged by Cerco's own rules alone: the same line has
    // the same answer on every machine.
    let plain = Judging::default();
    let judging = match (&line.project, real) {
        (None, Some(scene)) => &scene.judging,
        _ => &plain,
    };
    let (bytes, mut place) = match (&line.project, real) {
        (None, Some(scene)) => (line.command.into_bytes(), scene.place(Guard::Off)),
        (project, _) => {
            let project = project.clone().unwrap_or_default();
            tree = tree_of(&project);
            let mut line = line;
            (
                std::mem::take(&mut line.command).into_bytes(),
                given(line, project, tree.as_ref()),
            )
        }
    };
    if let Some(sandbox) = sandbox {
        place.sandbox = state(sandbox);
    }
    let Judged { judgement, .. } = judge(bytes, dialect, &place, judging);
    let mut value = judgement_json(&judgement);
    if let Some(all) = value.as_object_mut() {
        all.insert("id".to_owned(), id);
    }
    out.json(&value)
}

fn state(sandbox: bool) -> SandboxState {
    if sandbox {
        SandboxState::On
    } else {
        SandboxState::Off
    }
}

/// The tree that the line's paths are looked up in. A path of another system
/// (`C:\work\project` on Linux) leads nowhere here: nothing of that project can be seen.
fn tree_of(project: &str) -> Box<dyn Tree> {
    let project = Path::new(project);
    if project.is_absolute() {
        Box::new(RealTree::around(project))
    } else {
        Box::new(NoTree)
    }
}

/// The place that a line describes, missing facts as they follow from the others.
fn given(line: Line, project: String, tree: &dyn Tree) -> Place<'_> {
    let loop_folder = line.loop_folder.unwrap_or_else(|| project.clone());
    let directory = line.directory.unwrap_or_else(|| loop_folder.clone());
    let sandbox = state(line.sandbox.unwrap_or(false));
    let own = |name: &str| std::env::var(name).unwrap_or_default();
    let home = line.home.unwrap_or_else(|| own("HOME"));
    let environment = line.env.unwrap_or_else(|| {
        let run = ForRun {
            id: "check",
            directory: &directory,
            scratch: &format!("{loop_folder}/.tmp"),
            network: Network::Open,
        };
        let caller: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let mut made = environment(caller, run).variables;
        made.insert("HOME".to_owned(), home.clone());
        made
    });
    let user = line
        .user
        .or_else(|| {
            environment
                .get("USER")
                .or_else(|| environment.get("LOGNAME"))
                .cloned()
        })
        .or_else(|| home.rsplit(['/', '\\']).next().map(str::to_owned))
        .unwrap_or_default();
    Place {
        other_loops: line.loops,
        project,
        loop_folder,
        directory,
        home,
        user,
        environment,
        sandbox,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree,
    }
}
