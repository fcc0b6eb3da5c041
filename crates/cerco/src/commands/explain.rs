//! `cerco explain`: the chain role → filter → grants → sandbox, one line each, and every
//! finding with its part underlined.

use cerco_gateway::scene::Scene;
use cerco_gateway::wire::NetworkSetting;
use cerco_model::{Guard, Judgement, SandboxState, TimeClass, Tool, Verdict};
use serde_json::json;

use crate::cli::ExplainArgs;
use crate::failure::Failure;
use crate::judged::judge;
use crate::out::{Out, Style, shown};
use crate::report::{SCHEMA_VERSION, findings, judgement_json, style};
use crate::text;

use super::run::{own_dialect, scene};

pub(crate) fn run(args: &ExplainArgs, out: Out) -> Result<u8, Failure> {
    let bytes = text::bytes(&args.text, "explain")?;
    let scene = scene(&args.place)?;
    let judged = judge(
        bytes.clone(),
        own_dialect()?,
        &scene.place(Guard::Off),
        &scene.judging,
    );
    let chain = chain(&scene, &judged.judgement);
    let text = match &judged.command {
        Some(command) => command.text().to_owned(),
        None => text::for_the_log(&bytes),
    };
    if out.json {
        let lines: Vec<_> = chain
            .iter()
            .map(|(layer, _, line)| json!({ "layer": layer, "text": line }))
            .collect();
        let mut value = judgement_json(&judged.judgement);
        if let Some(all) = value.as_object_mut() {
            all.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
            all.insert("chain".to_owned(), lines.into());
            all.insert("command".to_owned(), shown(&text).to_string().into());
        }
        out.json(&value)?;
        return Ok(0);
    }
    out.data(out.styled(Style::Bold, shown(&text)))?;
    for (layer, style, line) in &chain {
        out.data(format_args!(
            "{layer:8} {}",
            out.styled(*style, shown(line))
        ))?;
    }
    for program in &judged.judgement.programs {
        let words: Vec<String> = std::iter::once(&program.name)
            .chain(&program.args)
            .map(|w| shown(w).to_string())
            .collect();
        let place = program.directory.as_deref().unwrap_or("?");
        out.data(format_args!(
            "  starts {}   in {}",
            words.join(" "),
            shown(place)
        ))?;
    }
    for line in findings(&text, &judged.judgement, |s, t| out.styled(s, t)) {
        out.data(line)?;
    }
    Ok(0)
}

fn chain(scene: &Scene, judgement: &Judgement) -> Vec<(&'static str, Style, String)> {
    let role = &scene.role;
    let may = role.tools().has(Tool::RunCommands);
    let tool = if may { "has" } else { "lacks" };
    let verdict = judgement.verdict();
    let kinds: Vec<String> = judgement
        .asked_kinds()
        .iter()
        .map(ToString::to_string)
        .collect();
    let time = match judgement.time {
        TimeClass::Quick => "two minutes",
        TimeClass::Long => "ten minutes",
    };
    let grants = match verdict {
        Verdict::Allowed => "nobody has to be asked".to_owned(),
        Verdict::Asked => format!("a person is asked: {}", kinds.join(", ")),
        Verdict::Refused => "nobody can allow it".to_owned(),
    };
    let sandbox = match scene.sandbox {
        SandboxState::On => format!(
            "on: {} is writable, the rest of the project read-only, {}{}",
            scene.project.relative(&scene.this_loop.folder),
            match scene.network {
                NetworkSetting::Off => "no network",
                NetworkSetting::RegistriesOnly => "network: package registries only",
            },
            if scene.hide_secrets {
                ", secret-looking files hidden"
            } else {
                ""
            }
        ),
        SandboxState::Off => {
            "off: nothing but the filter holds it (settings: sandbox = true, or --sandbox)"
                .to_owned()
        }
    };
    vec![
        (
            "role",
            if may { Style::Good } else { Style::Bad },
            format!("{} {tool} the tool {}", role.name().0, Tool::RunCommands),
        ),
        (
            "filter",
            style(verdict),
            format!("{}; it may run {time}", verdict.word()),
        ),
        ("grants", style(verdict), grants),
        ("sandbox", Style::Dim, sandbox),
    ]
}
