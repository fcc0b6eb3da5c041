//! `cerco run` through the gateway that is up: it judges, asks in its windows, runs and
//! journals; this end passes output on and says how it ended.
//!
//! Whatever breaks on the way is a failure, never a second try without the gateway: the
//! command may have run.

use std::collections::BTreeMap;
use std::io::Write;

use cerco_agents::presence::{BUBBLE, HOST};
use cerco_gateway::client::{AgentClient, Canceller, PersonClient};
use cerco_gateway::scene::Scene;
use cerco_gateway::wire::{
    AgentProgram, AgentVerb, AgentVia, DecisionSource, EntryId, Finding, Reply, RunEnding,
    RunFacts, Stream, Verdict,
};
use cerco_model::SandboxState;
use serde_json::{Value, json};

use crate::failure::{Failure, code};
use crate::inside;
use crate::kept::Kept;
use crate::out::{Out, Style, shown};
use crate::report::SCHEMA_VERSION;
use crate::window::Window;

/// The gateway, where one is up.
pub(crate) fn connect(scene: &Scene) -> Result<Option<AgentClient>, Failure> {
    let bubble = std::env::var(BUBBLE).ok();
    let hello = AgentVerb::Hello {
        via: AgentVia::Run,
        host: std::env::var(HOST).unwrap_or_else(|_| "cerco run".to_owned()),
        project: scene.project.root().display().to_string(),
        loop_folder: scene.project.relative(&scene.this_loop.folder),
        role: bubble.is_none().then(|| scene.role.name().0.to_string()),
        bubble,
        environment: Some(own_environment()),
    };
    AgentClient::connect(&scene.folders, hello).map_err(Failure::own)
}

/// What is no text can't be passed on to a command either.
fn own_environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name != BUBBLE && name != HOST)
        .collect()
}

/// Runs a command there.
pub(crate) fn run(
    mut client: AgentClient,
    scene: &Scene,
    text: &str,
    out: Out,
) -> Result<u8, Failure> {
    cancel_by_signals(client.canceller().map_err(Failure::own)?)?;
    let mut window = window(scene);
    let folder = scene.directory.strip_prefix(&scene.this_loop.folder);
    let verb = AgentVerb::Run {
        command: text.to_owned(),
        folder: folder
            .ok()
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(|folder| folder.display().to_string()),
        input: None,
        seconds: None,
        sandbox: scene.sandbox == SandboxState::On,
    };
    let mut kept = [Kept::default(), Kept::default()];
    let reply = {
        let mut hear = |reply: &Reply| {
            if let Reply::Waiting { ask, page, .. } = reply {
                let asked_here = window.take().is_some_and(|w| w.ask(ask.clone(), out));
                if !asked_here {
                    out.say(format_args!(
                        "cerco: a person has to allow this; waiting for an answer at {}",
                        shown(page)
                    ));
                }
            }
        };
        let mut output = |stream, bytes: &[u8]| {
            if out.json {
                let [stdout, stderr] = &mut kept;
                match stream {
                    Stream::Stdout => stdout.take(bytes),
                    Stream::Stderr => stderr.take(bytes),
                }
            } else {
                pass_on(stream, bytes);
            }
        };
        client
            .run(verb, &mut hear, &mut output)
            .map_err(Failure::own)?
    };
    last_word(reply, text, &kept, out)
}

/// This terminal as a window of the gateway, where a person sits at it.
fn window(scene: &Scene) -> Option<Window> {
    if inside::a_run() {
        return None;
    }
    let person = PersonClient::connect(&scene.folders).ok()??;
    Window::open(person)
}

/// A reader that went away (`| head`) ends this end, and with it the run.
fn pass_on(stream: Stream, bytes: &[u8]) {
    let written = match stream {
        Stream::Stdout => {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes).and_then(|()| out.flush())
        }
        Stream::Stderr => std::io::stderr().lock().write_all(bytes),
    };
    if written.is_err() {
        leave(141);
    }
}

#[expect(
    clippy::exit,
    reason = "the connection closes with the process, and the gateway stops the run"
)]
fn leave(code: i32) {
    std::process::exit(code);
}

/// Ctrl-C stops the command; a second one leaves it to the gateway, which stops it too.
fn cancel_by_signals(mut canceller: Canceller) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|e| Failure::own(format!("signals can't be handled: {e}")))?;
    std::thread::spawn(move || {
        let mut told = false;
        for _ in signals.forever() {
            if told || canceller.cancel().is_err() {
                leave(130);
            }
            told = true;
        }
    });
    Ok(())
}

fn last_word(reply: Reply, text: &str, kept: &[Kept; 2], out: Out) -> Result<u8, Failure> {
    match reply {
        Reply::Ended {
            entry,
            ending,
            exit_code,
            duration_ms,
            failure,
            sandboxed,
            edited,
            facts,
            ..
        } => {
            if let Some(edited) = &edited {
                out.say(format_args!(
                    "cerco: a person changed it; what ran: {}",
                    shown(edited)
                ));
            }
            for note in &facts.notes {
                out.say(format_args!("cerco: {}", shown(note)));
            }
            say_ending(ending, failure.as_deref(), out);
            if out.json {
                let mut value = decided(&entry, facts.source, &facts.findings, &facts.programs);
                put(
                    &mut value,
                    ended(
                        ending,
                        exit_code,
                        duration_ms,
                        failure.as_deref(),
                        kept,
                        &facts,
                    ),
                );
                put(
                    &mut value,
                    json!({ "sandboxed": sandboxed, "ran": true, "edited": edited }),
                );
                out.json(&value)?;
            }
            Ok(exit_code)
        }
        Reply::Refused {
            entry,
            source,
            findings,
            programs,
            text: why,
            note,
        } => {
            say_refusal(text, source, &findings, &why, out);
            if let (true, Some(entry)) = (out.json, &entry) {
                let mut value = decided(entry, source, &findings, &programs);
                put(
                    &mut value,
                    json!({ "sandboxed": false, "ran": false, "exit_code": code::REFUSED, "note": note }),
                );
                out.json(&value)?;
            }
            Ok(code::REFUSED)
        }
        Reply::Cancelled => Ok(130),
        Reply::Failed { text } => Err(Failure::own(shown(text))),
        Reply::Welcome { .. }
        | Reply::Judged { .. }
        | Reply::Waiting { .. }
        | Reply::Started { .. }
        | Reply::Output { .. }
        | Reply::Range { .. }
        | Reply::Said
        | Reply::Asks { .. } => Err(Failure::own(
            "the gateway's last word was none; restart it: cerco down && cerco up",
        )),
    }
}

fn say_ending(ending: RunEnding, failure: Option<&str>, out: Out) {
    match (ending, failure) {
        (_, Some(failure)) => out.say(format_args!("cerco: {}", shown(failure))),
        (RunEnding::TimedOut, None) => out.say("cerco: its time was up; everything was stopped"),
        (
            RunEnding::Exit(_)
            | RunEnding::Signal(_)
            | RunEnding::Cancelled
            | RunEnding::NotStarted(_)
            | RunEnding::Failed,
            None,
        ) => {}
    }
}

fn say_refusal(text: &str, source: DecisionSource, findings: &[Finding], why: &str, out: Out) {
    if source != DecisionSource::Rule {
        out.say(format_args!("cerco: {}", shown(why)));
        return;
    }
    out.say(out.styled_talk(Style::Bad, "cerco: refused"));
    for finding in findings {
        let part = cerco_model::Part {
            start: finding.part.start,
            end: finding.part.end,
        };
        if part.start < part.end {
            let [command, marks] = crate::out::underlined(text, part);
            out.say(format_args!("  {command}"));
            out.say(format_args!("  {marks}"));
        }
        out.say(format_args!(
            "  {}: {}",
            shown(&finding.rule),
            shown(&finding.reason)
        ));
        if let Some(remedy) = &finding.remedy {
            out.say(format_args!("  instead: {}", shown(remedy)));
        }
    }
}

/// What was decided, in the form of `cerco run --json` without a gateway.
fn decided(
    entry: &EntryId,
    source: DecisionSource,
    findings: &[Finding],
    programs: &[AgentProgram],
) -> Value {
    let span = |part: cerco_gateway::wire::Span| [part.start, part.end];
    let verdicts = findings.iter().map(|f| f.verdict);
    let verdict = verdicts.fold(Verdict::Allowed, Verdict::worst);
    let may_run = matches!(
        source,
        DecisionSource::UserTemporary
            | DecisionSource::UserPermanent
            | DecisionSource::Grant
            | DecisionSource::FullAuto
    ) || (source == DecisionSource::Rule && verdict != Verdict::Refused);
    json!({
        "schema_version": SCHEMA_VERSION, "entry_id": entry, "verdict": verdict,
        "decision": if may_run { "allow" } else { "deny" }, "decision_source": source,
        "findings": findings.iter().map(|f| json!({
            "rule": f.rule, "verdict": f.verdict, "part": span(f.part),
            "reason": f.reason, "remedy": f.remedy, "kind": f.kind,
        })).collect::<Vec<_>>(),
        "programs": programs.iter().map(|p| json!({
            "name": p.name, "args": p.args, "directory": p.directory, "part": span(p.part),
        })).collect::<Vec<_>>(),
    })
}

fn ended(
    ending: RunEnding,
    exit_code: u8,
    duration_ms: u64,
    failure: Option<&str>,
    [stdout, stderr]: &[Kept; 2],
    facts: &RunFacts,
) -> Value {
    let signal = match ending {
        RunEnding::Signal(signal) => Some(signal),
        RunEnding::Exit(_)
        | RunEnding::TimedOut
        | RunEnding::Cancelled
        | RunEnding::NotStarted(_)
        | RunEnding::Failed => None,
    };
    json!({
        "exit_code": exit_code, "signal": signal,
        "timed_out": ending == RunEnding::TimedOut,
        "cancelled": ending == RunEnding::Cancelled,
        "not_started": matches!(ending, RunEnding::NotStarted(_)),
        "failure": failure, "duration_ms": duration_ms, "cpu_ms": facts.cpu_ms,
        "peak_memory": facts.peak_memory, "stopped": facts.stopped,
        "stdout": stdout.text(), "stderr": stderr.text(),
        "truncated": stdout.left_out() + stderr.left_out() > 0,
        "guard_refusals": facts.guard_refusals, "notes": facts.notes,
    })
}

fn put(value: &mut Value, more: Value) {
    if let (Some(all), Value::Object(more)) = (value.as_object_mut(), more) {
        all.extend(more);
    }
}
