//! `cerco doctor --self-test`: attempts to get out of the sandbox, really made here, and
//! which protection holds.

use crate::failure::{Failure, code};
use crate::out::{Out, Style, shown};

#[cfg(target_os = "linux")]
pub(crate) fn run(out: Out) -> Result<u8, Failure> {
    use cerco_sandbox::self_test::{State, self_test};
    use serde_json::json;

    use crate::report::SCHEMA_VERSION;

    crate::inside::persons_only("trying the sandbox")?;
    let outcomes = match self_test(&asked()?) {
        Ok(outcomes) => outcomes,
        Err(ready) => {
            if out.json {
                let step = ready.step.as_ref();
                out.json(&json!({
                    "schema_version": SCHEMA_VERSION,
                    "holds": false,
                    "outcomes": [],
                    "not_ready": {
                        "found": ready.found,
                        "step": step.map(|s| &s.text),
                        "command": step.and_then(|s| s.command.as_ref()),
                    },
                }))?;
            } else {
                out.say(format_args!(
                    "cerco: nothing could be tried: {}",
                    shown(&ready)
                ));
            }
            return Ok(code::FAILED);
        }
    };
    let holds = outcomes.iter().all(|outcome| outcome.state == State::Holds);
    if out.json {
        let all: Vec<_> = outcomes
            .iter()
            .map(|o| {
                json!({
                    "id": o.id, "protection": o.protection(), "what": o.what,
                    "state": o.state.as_str(), "found": o.found,
                })
            })
            .collect();
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "holds": holds, "outcomes": all }))?;
    } else {
        let mut protection = "";
        for outcome in &outcomes {
            if outcome.protection() != protection {
                protection = outcome.protection();
                out.data(out.styled(Style::Bold, protection))?;
            }
            let style = match outcome.state {
                State::Holds => Style::Good,
                State::Broken => Style::Bad,
                State::Unknown => Style::Ask,
            };
            let word = out.styled(style, format_args!("{:8}", outcome.state.as_str()));
            out.data(format_args!("  {word} {}", outcome.what))?;
            if !outcome.found.is_empty() {
                out.data(format_args!("           → {}", shown(&outcome.found)))?;
            }
        }
        let held = outcomes.iter().filter(|o| o.state == State::Holds).count();
        out.data(format_args!("{held} of {} hold", outcomes.len()))?;
    }
    Ok(if holds { 0 } else { code::FAILED })
}

/// The folders and the environment that a command would get.
#[cfg(target_os = "linux")]
fn asked() -> Result<cerco_sandbox::self_test::Asked, Failure> {
    use cerco_gateway::folders::Folders;

    let folders = Folders::from_environment().map_err(Failure::own)?;
    let environment = cerco_run::environment(
        std::env::vars_os(),
        cerco_run::ForRun {
            id: &format!("self-test-{}", std::process::id()),
            directory: "/",
            scratch: "/tmp",
            network: cerco_run::Network::Off,
        },
    );
    let own = [folders.state, folders.runtime, folders.config];
    Ok(cerco_sandbox::self_test::Asked {
        scratch: std::env::temp_dir(),
        home: std::env::home_dir(),
        hidden: own.into_iter().filter(|folder| folder.exists()).collect(),
        environment: environment
            .variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: Out) -> Result<u8, Failure> {
    Err(Failure::own("the sandbox runs on Linux only so far"))
}
