//! Journal entries in the wire's words.

use crate::journal::{self, Closing, Decided};
use crate::wire::{
    AskId, BoardId, BubbleId, Entry, EntryId, Finding, GuardRefused, RunEnding, RunState,
    ShownText, Span,
};
use crate::words::shown;
use cerco_model::Part;

/// An entry as a window sees it. `running` is when its run began, while it runs.
#[must_use]
pub(super) fn entry(kept: &journal::Entry, running: Option<u64>) -> Entry {
    let opening = &kept.opening;
    let decided = &opening.decided;
    let span = |part: [u32; 2]| Span {
        start: part[0],
        end: part[1],
    };
    Entry {
        id: EntryId(kept.id.to_string()),
        seq: u64::try_from(kept.id.0).unwrap_or_default(),
        time: opening.time,
        board: Some(BoardId(opening.board.clone())),
        project: shown(&opening.project),
        loop_id: None,
        loop_folder: shown(&opening.loop_name),
        bubble: opening.bubble.clone().map(BubbleId),
        role: shown(&opening.role),
        host: shown(&opening.host),
        command: command(opening),
        folder: shown(inside(&opening.project, &opening.cwd)),
        verdict: opening.verdict.into(),
        findings: opening
            .reasons
            .iter()
            .map(|r| Finding {
                rule: r.rule.clone(),
                verdict: r.verdict.into(),
                part: span(r.part),
                reason: shown(&r.text),
                remedy: r.remedy.as_deref().map(shown),
                kind: r.kind.as_deref().map(shown),
            })
            .collect(),
        decision: decided.decision,
        source: decided.decision_source,
        ask: decided.ask_id.map(|id| AskId(id.to_string())),
        answered_by: decided.answered_by.as_deref().map(shown),
        waited_ms: decided.waited_ms,
        backend: opening.sandbox.as_ref().map(|held| held.backend.clone()),
        env_removed: opening.env_removed.iter().map(|n| shown(n)).collect(),
        run: run(kept.closing.as_ref(), decided, running),
    }
}

/// A folder as it lies in the project; one outside (there is none today) stays whole.
fn inside<'a>(project: &str, folder: &'a str) -> &'a str {
    match folder.strip_prefix(project) {
        Some("") => ".",
        Some(rest) => rest.strip_prefix('/').unwrap_or(folder),
        None => folder,
    }
}

/// The most of a command that an entry carries, in bytes: a window keeps hundreds of them.
const MAX_COMMAND: usize = 16 * 1024;

/// The masked command. Parts in the journal are those of the masked text.
fn command(opening: &journal::Opening) -> ShownText {
    let deciding = opening.reasons.iter();
    let parts: Vec<Part> = deciding
        .map(|r| Part {
            start: r.part[0],
            end: r.part[1],
        })
        .collect();
    crate::words::shown_parts(&opening.command, &parts, MAX_COMMAND)
}

fn run(closing: Option<&Closing>, decided: &Decided, running: Option<u64>) -> RunState {
    let Some(closing) = closing else {
        return match (running, decided.decision) {
            (Some(since), _) => RunState::Running { since },
            (None, journal::Decision::Pending) => RunState::Waiting,
            (None, _) => RunState::NotRun,
        };
    };
    match &closing.run {
        journal::Run::NotRun => RunState::NotRun,
        journal::Run::Interrupted => RunState::Interrupted,
        journal::Run::Ended {
            exit_code,
            signal,
            timed_out,
            cancelled,
            failure,
            duration_ms,
            output_bytes,
            guard_refusals,
        } => RunState::Ended {
            ending: match (exit_code, signal) {
                _ if *timed_out => RunEnding::TimedOut,
                _ if *cancelled => RunEnding::Cancelled,
                (Some(code), _) if failure.is_some() => RunEnding::NotStarted(*code),
                (Some(code), _) => RunEnding::Exit(*code),
                (None, Some(signal)) => RunEnding::Signal(*signal),
                (None, None) => RunEnding::Failed,
            },
            duration_ms: *duration_ms,
            output_bytes: *output_bytes,
            guard_refusals: guard_refusals
                .iter()
                .map(|(argv, rule)| GuardRefused {
                    argv: vec![shown(argv)],
                    rule: rule.clone(),
                    reason: String::new(),
                })
                .collect(),
        },
    }
}
