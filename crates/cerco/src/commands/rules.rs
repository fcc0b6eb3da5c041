//! `cerco rules`: what the filter knows, from the same data that it judges with.

use serde_json::json;

use crate::cli::RulesArgs;
use crate::failure::Failure;
use crate::out::{Out, Style};
use crate::report::{SCHEMA_VERSION, style};

pub(crate) fn run(args: &RulesArgs, out: Out) -> Result<u8, Failure> {
    let all = cerco_filter::rules();
    let wanted = |id: &str| args.rule.as_deref().is_none_or(|rule| rule == id);
    let found: Vec<_> = all
        .iter()
        .filter(|about| wanted(&about.rule.id()))
        .collect();
    if found.is_empty() {
        let ids: Vec<_> = all.iter().map(|about| about.rule.id()).collect();
        return Err(Failure::usage(format!(
            "there is no such rule; rules: {}",
            ids.join(", ")
        )));
    }
    if out.json {
        let rules: Vec<_> = found
            .iter()
            .map(|about| {
                json!({
                    "rule": about.rule, "verdict": about.verdict, "sentence": about.sentence,
                    "instead": about.instead, "matches": about.matches, "not": about.not,
                })
            })
            .collect();
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "rules": rules }))?;
        return Ok(0);
    }
    for about in found {
        let verdict = out.styled(style(about.verdict), about.verdict.word());
        out.data(format_args!(
            "{} ({verdict})",
            out.styled(Style::Bold, about.rule.id())
        ))?;
        out.data(format_args!("  {}", about.sentence))?;
        for example in about.matches {
            out.data(format_args!("  {}      {example}", about.verdict.word()))?;
        }
        for example in about.not {
            out.data(format_args!("  not this    {example}"))?;
        }
        out.data(format_args!("  instead: {}\n", about.instead))?;
    }
    Ok(0)
}
