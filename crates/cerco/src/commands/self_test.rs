//! `cerco doctor --self-test`: attempts to get out of the sandbox, really made here, and
//! which protection holds.

use cerco_gateway::folders::Folders;
use cerco_gateway::wire::{SelfTest, SelfTestState};
use serde_json::json;

use crate::failure::{Failure, code};
use crate::out::{Out, Style, shown};
use crate::report::SCHEMA_VERSION;

pub(crate) fn run(out: Out) -> Result<u8, Failure> {
    crate::inside::persons_only("trying the sandbox")?;
    let folders = Folders::from_environment().map_err(Failure::own)?;
    let home = std::env::home_dir()
        .ok_or_else(|| Failure::own("HOME is not set; set it to your home folder"))?;
    let caller: Vec<_> = std::env::vars_os().collect();
    let done = cerco_gateway::self_test::run(&folders, &caller, &home);
    if out.json {
        let mut told = serde_json::to_value(&done).map_err(Failure::own)?;
        if let Some(fields) = told.as_object_mut() {
            fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
        }
        out.json(&told)?;
    } else {
        tell(&done, out)?;
    }
    Ok(if done.holds { 0 } else { code::FAILED })
}

fn tell(done: &SelfTest, out: Out) -> Result<(), Failure> {
    if let Some(ready) = &done.not_ready {
        let found = ready.found.as_deref().unwrap_or_default();
        out.say(format_args!("cerco: nothing could be tried: {found}"));
        if let Some(step) = &ready.step {
            let command = step.command.as_deref().unwrap_or_default();
            out.say(format_args!("       {} {command}", step.text));
        }
        return Ok(());
    }
    let mut protection = "";
    for outcome in &done.outcomes {
        if outcome.protection != protection {
            protection = &outcome.protection;
            out.data(out.styled(Style::Bold, protection))?;
        }
        let (style, word) = match outcome.state {
            SelfTestState::Holds => (Style::Good, "holds"),
            SelfTestState::Broken => (Style::Bad, "broken"),
            SelfTestState::Unknown => (Style::Ask, "unknown"),
        };
        let word = out.styled(style, format_args!("{word:8}"));
        out.data(format_args!("  {word} {}", outcome.what))?;
        if !outcome.found.is_empty() {
            out.data(format_args!("           → {}", shown(&outcome.found)))?;
        }
    }
    let all = done.outcomes.iter();
    let held = all.filter(|o| o.state == SelfTestState::Holds).count();
    out.data(format_args!("{held} of {} hold", done.outcomes.len()))
}
