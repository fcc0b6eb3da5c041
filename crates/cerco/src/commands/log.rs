//! `cerco log`: list, search, show, export, prune.

use std::time::{SystemTime, UNIX_EPOCH};

use cerco_gateway::folders::Folders;
use cerco_gateway::hub::output::Outputs;
use cerco_gateway::journal::{Decision, Entry, EntryId, Journal, Query, Run, rfc3339};
use cerco_model::{Part, Verdict};

use crate::cli::{LogArgs, LogListArgs, LogVerb, VerdictWord};
use crate::failure::Failure;
use crate::inside;
use crate::out::{Out, Style, shown, underlined};
use crate::report::style;

/// Milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn run(args: &LogArgs, out: Out) -> Result<u8, Failure> {
    let folders = Folders::from_environment().map_err(Failure::own)?;
    let state = &folders.state;
    if matches!(args.verb, Some(LogVerb::MoveAside)) {
        inside::persons_only("moving the journal aside")?;
        let aside = Journal::move_aside(state, unix_ms()).map_err(Failure::own)?;
        out.say(format_args!(
            "the journal is kept as {}",
            shown(aside.display())
        ));
        return Ok(0);
    }
    let mut journal = Journal::open(state, unix_ms()).map_err(Failure::own)?;
    match &args.verb {
        None => list(&journal, None, &args.list, out)?,
        Some(LogVerb::Search { words, list: how }) => {
            list(&journal, Some(words.join(" ")), how, out)?;
        }
        Some(LogVerb::Show { entry }) => {
            let id: EntryId = entry.parse().map_err(Failure::usage)?;
            let found = journal.entry(id).map_err(Failure::own)?;
            let found = found.ok_or_else(|| {
                Failure::usage(format!("there is no entry {id}; `cerco log` lists them"))
            })?;
            show(&found, out)?;
        }
        Some(LogVerb::Export) => {
            journal
                .export(|entry| out.json(&entry.to_json()))
                .map_err(Failure::own)??;
        }
        Some(LogVerb::Prune { days }) => {
            inside::persons_only("deleting journal entries")?;
            let kept = u64::from(*days).saturating_mul(24 * 60 * 60 * 1000);
            let gone = journal
                .forget_before(unix_ms().saturating_sub(kept))
                .map_err(Failure::own)?;
            let outputs = Outputs::open(state).map_err(Failure::own)?;
            // An entry that can't be looked up keeps its output.
            outputs.sweep(|id| journal.entry(id).map_or(true, |e| e.is_some()));
            out.say(format_args!("{gone} entries deleted"));
        }
        Some(LogVerb::MoveAside) => {}
    }
    Ok(0)
}

fn list(
    journal: &Journal,
    text: Option<String>,
    how: &LogListArgs,
    out: Out,
) -> Result<(), Failure> {
    let query = Query {
        text,
        limit: how.limit,
        verdict: how.verdict.map(|word| match word {
            VerdictWord::Allowed => Verdict::Allowed,
            VerdictWord::Asked => Verdict::Asked,
            VerdictWord::Refused => Verdict::Refused,
        }),
        ..Query::default()
    };
    let entries = journal.entries(&query).map_err(Failure::own)?;
    if entries.is_empty() && !out.json {
        out.say("no entries");
    }
    for entry in entries {
        if out.json {
            out.json(&entry.to_json())?;
            continue;
        }
        let o = &entry.opening;
        let verdict = out.styled(style(o.verdict), format_args!("{:8}", o.verdict.word()));
        let command: String = shown(&o.command).to_string().chars().take(120).collect();
        let time: String = rfc3339(o.time).chars().take(19).collect();
        out.data(format_args!(
            "{}  {time}  {verdict} {:12} {command}",
            entry.id,
            ending(&entry)
        ))?;
    }
    Ok(())
}

fn ending(entry: &Entry) -> String {
    match entry.closing.as_ref().map(|c| &c.run) {
        None if entry.opening.decided.decision == Decision::Pending => "waits".to_owned(),
        None => "runs".to_owned(),
        Some(Run::NotRun) => "not run".to_owned(),
        Some(Run::Interrupted) => "interrupted".to_owned(),
        Some(Run::Ended {
            timed_out: true, ..
        }) => "timed out".to_owned(),
        Some(Run::Ended {
            cancelled: true, ..
        }) => "cancelled".to_owned(),
        Some(Run::Ended {
            signal: Some(signal),
            ..
        }) => format!("signal {signal}"),
        Some(Run::Ended {
            exit_code: Some(code),
            ..
        }) => format!("exit {code}"),
        Some(Run::Ended { .. }) => "failed".to_owned(),
    }
}

fn show(entry: &Entry, out: Out) -> Result<(), Failure> {
    if out.json {
        return out.json(&entry.to_json());
    }
    let o = &entry.opening;
    out.data(out.styled(Style::Bold, shown(&o.command)))?;
    let value = entry.to_json();
    let fields = value.as_object().into_iter().flatten();
    for (name, value) in
        fields.filter(|(name, _)| !matches!(name.as_str(), "command" | "reasons" | "parts"))
    {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if !value.is_null() {
            out.data(format_args!("{name:16} {}", shown(text)))?;
        }
    }
    for reason in &o.reasons {
        let [start, end] = reason.part.map(|n| n as usize);
        let [command, marks] = underlined(&o.command, Part::new(start, end));
        out.data(format_args!(
            "\n  {command}\n  {}",
            out.styled(style(reason.verdict), marks)
        ))?;
        out.data(format_args!("  {}: {}", reason.rule, shown(&reason.text)))?;
        if let Some(remedy) = &reason.remedy {
            out.data(format_args!("  instead: {}", shown(remedy)))?;
        }
    }
    Ok(())
}
