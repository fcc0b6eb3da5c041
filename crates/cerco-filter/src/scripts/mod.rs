//! Scripts of the project's own files (`npm run X`, `make X`): looked up and judged for what
//! the sandbox can't answer (`endless`, `remote`, `publish`, `process`, `address`), by the same
//! reader. What can't be found or read is judged by its name. Never runs anything.

mod lookup;
mod makefile;
mod names;
mod pyproject;
mod taskfile;

use cerco_model::{Dialect, Place, Rule};
use cerco_reader::{Directory, Reading, Start, read_nested};

use crate::judge::judge_case;
use crate::rules::{Case, Findings, about, endless, marks, reason};
use crate::table::{Bound, Meaning, Table};

/// Scripts that start scripts are followed this far; a cycle ends here at the latest.
const DEEPEST: usize = 6;

/// The rules a script is judged for.
const JUDGED: [Rule; 5] = [
    Rule::Endless,
    Rule::Remote,
    Rule::Publish,
    Rule::Process,
    Rule::Address,
];

/// A way of running scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runner {
    /// npm, pnpm, yarn, bun: `package.json`.
    Package,
    /// deno: `deno.json`.
    Deno,
    /// composer: `composer.json`.
    Composer,
    /// make.
    Make,
    /// just.
    Just,
    /// Task: `Taskfile.yml`.
    Task,
    /// Python's project tools: `pyproject.toml` and the like.
    Python,
    /// Another one: by name only.
    Other,
}

impl Runner {
    fn of(program: &str) -> Self {
        match program {
            "npm" | "pnpm" | "yarn" | "bun" => Self::Package,
            "deno" => Self::Deno,
            "composer" => Self::Composer,
            "make" => Self::Make,
            "just" => Self::Just,
            "task" => Self::Task,
            "pdm" | "poe" => Self::Python,
            _ => Self::Other,
        }
    }
}

/// Whether the project's `package.json` has a script of that name.
pub(crate) fn has_package_script(name: &str, folder: &str, place: &Place<'_>) -> bool {
    lookup::package_script(name, folder, place).is_some()
}

/// Judges every script that a start runs.
pub(crate) fn judge(reading: &Reading<Bound>, place: &Place<'_>, out: &mut Findings) {
    for start in &reading.starts {
        let mut path = Vec::new();
        judge_start(
            &Case {
                reading,
                start,
                place,
            },
            false,
            &mut path,
            out,
        );
    }
}

fn judge_start(case: &Case<'_>, timed: bool, path: &mut Vec<String>, out: &mut Findings) {
    let start = case.start;
    let Some(row) = start.bound.row() else { return };
    let (info, ends) = marks::quiet(case);
    if info {
        return;
    }
    let timed = timed || ends || endless::is_timed(case);
    let runner = Runner::of(row.name);
    for (name, part) in named(start, runner) {
        let key = format!("{}:{name}", row.name);
        if path.contains(&key) || path.len() >= DEEPEST {
            continue;
        }
        let folder = match case.directory() {
            Directory::Known(folder) => Some(folder.as_str()),
            Directory::Unknown => None,
        };
        let found = folder.and_then(|f| lookup::script(runner, &name, f, start, case.place));
        let Some(texts) = found else {
            // `pdm run X` is the program X where there is no such script, and was judged so.
            if runner != Runner::Python || row.name == "poe" {
                by_name(case, &name, part, timed, out);
            }
            continue;
        };
        path.push(key);
        for text in texts {
            // A recipe that can't be read says nothing: the sandbox holds it, and its programs
            // are judged when they start.
            let reading = read_nested(&text, Dialect::Sh, part, case.place, &Table);
            let mut inside = Findings::default();
            endless::loops(&reading, &mut inside);
            for start in &reading.starts {
                let case = Case {
                    reading: &reading,
                    start,
                    place: case.place,
                };
                judge_case(&case, &mut inside);
                judge_start(&case, timed, path, &mut inside);
            }
            for finding in inside.into_sorted() {
                let skipped = timed && finding.rule == Rule::Endless;
                if JUDGED.contains(&finding.rule) && !skipped {
                    let why = format!("the script `{name}` does this: {}", finding.reason);
                    out.refuse(finding.rule, part, why, finding.remedy);
                }
            }
        }
        path.pop();
    }
}

/// The scripts a start names; `make` alone runs its first target, `npm test` runs `test`.
fn named(start: &Start<Bound>, runner: Runner) -> Vec<(String, cerco_model::Part)> {
    let mut names: Vec<_> = start
        .bound
        .uses
        .iter()
        .filter(|used| used.meaning == Meaning::Script)
        .filter_map(|used| {
            let text = used.value.text(&start.args);
            // `run-p watch:*`: what stands in front of the pattern says what they do.
            let start = text.known_prefix();
            let name = text
                .known()
                .unwrap_or_else(|| start.trim_end_matches([':', '-']));
            (!name.is_empty()).then(|| (name.to_owned(), used.part))
        })
        .filter(|(name, _)| !name.contains('='))
        .collect();
    let sub = start.bound.levels.get(1).map(|row| row.name);
    if runner == Runner::Package
        && let Some(sub @ ("test" | "start" | "stop" | "restart")) = sub
    {
        names.push((sub.to_owned(), start.part));
    }
    if runner == Runner::Python
        && let Some(word) = start.bound.rest.and_then(|at| start.args.get(at as usize))
        && let Some(name) = word.text.known()
    {
        names.push((name.to_owned(), word.part));
    }
    if matches!(runner, Runner::Make | Runner::Just | Runner::Task) && names.is_empty() {
        names.push((String::new(), start.part));
    }
    names
}

fn by_name(case: &Case<'_>, name: &str, part: cerco_model::Part, timed: bool, out: &mut Findings) {
    // `npm run test:watch -- --run`
    let finishes = names::is_watch(name)
        && case.start.args.iter().any(|word| {
            matches!(
                word.text.known(),
                Some("--run" | "--watch=false" | "--watchAll=false" | "--no-watch" | "--once")
            )
        });
    for rule in names::rules(name) {
        if *rule == Rule::Endless && (timed || finishes) {
            continue;
        }
        let Some(about) = about(rule) else { continue };
        let words = format!("{} {name}", case.words());
        out.refuse(
            rule.clone(),
            part,
            reason(about, &words),
            Some(about.instead.into()),
        );
    }
}
