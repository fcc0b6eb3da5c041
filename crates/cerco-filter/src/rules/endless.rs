//! Rule `endless`: what never ends by itself. Most of it is in the program table; here is what
//! needs a number or a look around.

use cerco_model::{Rule, Verdict};
use cerco_reader::Reading;

use super::{About, Case, Findings, reason};
use crate::table::Bound;

/// The longest `sleep` in seconds: the time of a quick command.
const LONGEST_SLEEP: f64 = 120.0;
/// The longest `timeout` in seconds that makes an endless program end in time.
const LONGEST_TIMEOUT: f64 = 600.0;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Endless,
    verdict: Verdict::Refused,
    sentence: "Anything that never ends: servers, watch modes, followers, prompts, editors, pagers, endless loops.",
    reason: "`{}` doesn't end by itself",
    instead: "open it in the terminal, or use the form that ends (`vite build`, `vitest run`, `timeout 20 …`)",
    matches: &[
        "npm run dev",
        "tail -f build.log",
        "sleep infinity",
        "while true; do date; done",
    ],
    not: &[
        "vite build",
        "tail -n 20 build.log",
        "timeout 20 npm run dev",
        "sleep 2",
    ],
};

/// Whether a `timeout` around it ends it in time.
pub(crate) fn is_timed(case: &Case<'_>) -> bool {
    case.parents().any(|start| {
        let bound = &start.bound;
        bound.row().is_some_and(|row| row.name == "timeout")
            && bound
                .words
                .first()
                .and_then(|index| start.args.get(*index as usize))
                .and_then(|word| seconds(word.text.known()?))
                .is_some_and(|limit| limit > 0.0 && limit <= LONGEST_TIMEOUT)
    })
}

/// `sleep` beyond the limit.
pub(crate) fn judge(case: &Case<'_>, out: &mut Findings) {
    if let Some(seconds) = super::windows::waits(case)
        && seconds > LONGEST_SLEEP
    {
        out.refuse(
            Rule::Endless,
            case.start.part,
            format!("it waits longer than {LONGEST_SLEEP} seconds"),
            Some("wait less, or for the thing itself with a limit".into()),
        );
    }
    if case.bound().row().is_none_or(|row| row.name != "sleep") {
        return;
    }
    let total: f64 = case
        .bound()
        .words
        .iter()
        .filter_map(|index| case.start.args.get(*index as usize))
        .map(|word| word.text.known().and_then(seconds).unwrap_or(0.0))
        .sum();
    if total > LONGEST_SLEEP {
        out.refuse(
            Rule::Endless,
            case.start.part,
            format!("it sleeps longer than {LONGEST_SLEEP} seconds"),
            Some("sleep less, or wait for the thing itself with a limit".into()),
        );
    }
}

/// A program that isn't in the table and is told to serve or to watch: by the name of what it
/// is told to do, as a script of the project is (`npx some-tool dev`, `./tool serve`).
pub(crate) fn unlisted(case: &Case<'_>, out: &mut Findings) {
    if !case.bound().levels.is_empty() {
        return;
    }
    let words = || case.start.args.iter().filter_map(|word| word.text.known());
    let finishes = words().any(|word| matches!(word, "-h" | "--help" | "--version" | "--once"));
    let verb = words().find(|word| !word.starts_with('-'));
    // `./deploy.sh dev` goes to the place of that name.
    let own = case.start.name.text.known_prefix().contains(['/', '\\']);
    let serves = verb
        .filter(|verb| !(own && *verb == "dev"))
        .is_some_and(|verb| {
            let mut names = verb.split(':');
            let names = (names.next(), names.next());
            matches!(
                names,
                (
                    Some("dev" | "serve" | "watch" | "develop" | "runserver"),
                    None
                ) | (_, Some("dev" | "serve" | "watch" | "run-server"))
                    | (Some("server"), Some("run" | "start"))
                    | (Some("messenger"), Some("consume"))
            )
        });
    let watches = words().any(|word| matches!(word, "--watch" | "--watchAll" | "--live-reload"));
    if (serves || watches) && !finishes {
        let name = case.bound().name.as_str();
        let words = verb.filter(|_| serves).map(|verb| format!("{name} {verb}"));
        let why = reason(&ABOUT, words.as_deref().unwrap_or(name));
        out.refuse(
            Rule::Endless,
            case.start.part,
            why,
            Some(ABOUT.instead.into()),
        );
    }
}

/// `10`, `1.5m`, `infinity`; nothing for what is no duration.
fn seconds(text: &str) -> Option<f64> {
    let text = text.to_ascii_lowercase();
    if text.starts_with("inf") {
        return Some(f64::INFINITY);
    }
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at_checked(at)?,
        None => (text.as_str(), ""),
    };
    let factor = match unit {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|n| n * factor)
}

/// Loops without an end.
pub(crate) fn loops(reading: &Reading<Bound>, out: &mut Findings) {
    for part in &reading.endless_loops {
        out.refuse(
            Rule::Endless,
            *part,
            reason(&ABOUT, "this loop"),
            Some("give the loop an end (`for i in $(seq 1 30)`, `break`)".into()),
        );
    }
}
