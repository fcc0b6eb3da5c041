//! How a judgement is shown, to people and as JSON.

use cerco_model::{Captured, Ending, Finding, Judgement, Outcome, Part, Verdict};
use serde_json::{Value, json};

use crate::out::{Out, Style, shown, underlined};

/// The form of every JSON object that Cerco prints.
pub(crate) const SCHEMA_VERSION: u32 = 1;

fn span(part: Part) -> [u32; 2] {
    [part.start, part.end]
}

/// The findings and programs, as cases/README.md says.
pub(crate) fn judgement_json(judgement: &Judgement) -> Value {
    let findings: Vec<Value> = judgement
        .findings()
        .iter()
        .map(|f| {
            json!({
                "rule": f.rule, "verdict": f.verdict, "part": span(f.part),
                "reason": f.reason, "remedy": f.remedy, "kind": f.kind,
            })
        })
        .collect();
    let programs: Vec<Value> = judgement
        .programs
        .iter()
        .map(|p| json!({ "name": p.name, "args": p.args, "directory": p.directory, "part": span(p.part) }))
        .collect();
    json!({ "verdict": judgement.verdict(), "findings": findings, "programs": programs })
}

/// The lines that show why: each finding with its part underlined.
pub(crate) fn findings(
    text: &str,
    judgement: &Judgement,
    paint: impl Fn(Style, &str) -> String,
) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in judgement.findings() {
        // Without a part the whole text is meant, and there may be too much of it.
        if finding.part.start < finding.part.end {
            let [command, marks] = underlined(text, finding.part);
            lines.push(format!("  {command}"));
            lines.push(format!("  {}", paint(style(finding.verdict), &marks)));
        }
        lines.push(format!("  {}", sentence(finding, &paint)));
        if let Some(remedy) = &finding.remedy {
            lines.push(format!("  instead: {}", shown(remedy)));
        }
    }
    lines
}

fn sentence(finding: &Finding, paint: &impl Fn(Style, &str) -> String) -> String {
    let kind = match &finding.kind {
        Some(kind) => format!(" [{}]", shown(kind)),
        None => String::new(),
    };
    let rule = paint(Style::Bold, &finding.rule.id());
    format!("{rule}{kind}: {}", shown(&finding.reason))
}

pub(crate) fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Allowed => Style::Good,
        Verdict::Asked => Style::Ask,
        Verdict::Refused => Style::Bad,
    }
}

/// Says on standard error why a command does not run.
pub(crate) fn say_refusal(out: Out, text: &str, judgement: &Judgement) {
    out.say(out.styled_talk(Style::Bad, "cerco: refused"));
    for line in findings(text, judgement, |style, t| out.styled_talk(style, t)) {
        out.say(line);
    }
}

/// How a run ended, as JSON.
pub(crate) fn ended(outcome: &Outcome) -> Value {
    let ms = |d: std::time::Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
    let signal = match outcome.ending {
        Ending::Signal(signal) => Some(signal),
        Ending::Exit(_)
        | Ending::TimedOut
        | Ending::Cancelled
        | Ending::NotStarted(_)
        | Ending::Failed => None,
    };
    json!({
        "exit_code": outcome.ending.exit_code(), "signal": signal,
        "timed_out": outcome.ending == Ending::TimedOut,
        "cancelled": outcome.ending == Ending::Cancelled,
        "not_started": matches!(outcome.ending, Ending::NotStarted(_)),
        "failure": outcome.failure,
        "duration_ms": ms(outcome.usage.wall), "cpu_ms": ms(outcome.usage.cpu),
        "peak_memory": outcome.usage.peak_memory, "stopped": outcome.stopped,
        "stdout": kept(&outcome.stdout), "stderr": kept(&outcome.stderr),
        "truncated": outcome.stdout.omitted + outcome.stderr.omitted > 0,
        "guard_refusals": outcome.guard_refusals,
    })
}

fn kept(captured: &Captured) -> String {
    let mut text = String::from_utf8_lossy(&captured.head).into_owned();
    if captured.omitted > 0 {
        use std::fmt::Write;
        // Writing to a string can't fail.
        let _ = write!(text, "\n[… {} bytes left out …]\n", captured.omitted);
        text.push_str(&String::from_utf8_lossy(&captured.tail));
    }
    text
}
