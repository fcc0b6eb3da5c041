//! `Reading` → `Judgement`: every rule on everything that was read; the worst finding wins.

use cerco_model::{Command, Judgement, Place, Started, TimeClass};
use cerco_reader::{Assignment, Directory, Output, Reading, Start, StartedBy, Stdin, Text, Word};

use crate::paths;
use crate::rules::{
    Case, Findings, address, endless, git, inline_code, marks, path, proxies, runs_program,
    shell_state, tools, unreadable, windows,
};
use crate::scripts;
use crate::table::{Bound, Meaning, Table};
use crate::text::shown;

/// Reads `command` and judges it.
#[must_use]
pub fn read_and_judge(command: &Command, place: &Place<'_>) -> (Reading<Bound>, Judgement) {
    let reading = cerco_reader::read(command, place, &Table);
    let judgement = judge(&reading, command, place);
    (reading, judgement)
}

/// Judges what was read of `command`.
#[must_use]
pub fn judge(reading: &Reading<Bound>, command: &Command, place: &Place<'_>) -> Judgement {
    let mut out = Findings::default();
    let mut time = TimeClass::Quick;
    unreadable::judge(reading, command, &mut out);
    endless::loops(reading, &mut out);
    for function in &reading.functions {
        shell_state::judge_function(function, &mut out);
    }
    for start in &reading.starts {
        let case = Case {
            reading,
            start,
            place,
        };
        judge_case(&case, &mut out);
        time = time.max(time_of(&start.bound));
    }
    scripts::judge(reading, place, &mut out);
    judge_free(reading, place, &mut out);
    let programs = reading.starts.iter().map(started).collect();
    Judgement::new(out.into_sorted(), programs, time)
}

/// Every rule on one program start.
pub(crate) fn judge_case(case: &Case<'_>, out: &mut Findings) {
    let start = case.start;
    let (info, ends) = marks::quiet(case);
    let ends = ends || endless::is_timed(case);
    if unreadable::hides(start.name.text.known_prefix()) {
        out.refuse(
            cerco_model::Rule::Unreadable,
            start.name.part,
            "the program's name has characters that can't be seen",
            Some("type the name again".into()),
        );
    }
    marks::judge(case, info, ends, out);
    path::judge_name(case, out);
    for used in &start.bound.uses {
        if used.meaning == Meaning::Variable {
            let name = used.value.text(&start.args).known_prefix();
            let name = name.split(['[', '=']).next().unwrap_or(name);
            shell_state::judge_variable(name, &shell_state::unknown(), used.part, false, out);
        }
        if used.meaning == Meaning::Setting {
            let text = used.value.text(&start.args);
            if let Some((name, _)) = text.known_prefix().split_once('=') {
                let value = crate::text::tail(text, name.len() + 1);
                judge_variable(case.place, name.trim(), &value, used.part, false, out);
                path::variable(case, name.trim(), &value, used.part, out);
            }
        }
        path::judge_use(case, used, out);
        address::judge_use(case, used, out);
    }
    if !info && !ends {
        endless::judge(case, out);
        endless::unlisted(case, out);
    }
    inline_code::judge(case, info, out);
    runs_program::judge(case, out);
    git::judge(case, out);
    tools::judge(case, out);
    proxies::judge(case, out);
    path::judge_start(case, out);
    let reads = start.bound.name == "read";
    for assignment in &start.assignments {
        variable(case, assignment, reads, out);
    }
    for redirection in &start.redirections {
        path::judge_redirection(case, redirection, out);
    }
}

fn variable(case: &Case<'_>, assignment: &Assignment, reads: bool, out: &mut Findings) {
    let Assignment {
        name, value, part, ..
    } = assignment;
    judge_variable(case.place, name, value, *part, reads, out);
    address::judge_variable(case, name, value, *part, out);
    if name != "PATH" {
        path::variable(case, name, value, *part, out);
    }
}

fn judge_variable(
    place: &Place<'_>,
    name: &str,
    value: &Text,
    part: cerco_model::Part,
    reads: bool,
    out: &mut Findings,
) {
    if paths::windows::is_windows(place) {
        let upper = name.to_ascii_uppercase();
        let name = if windows::steers(name) {
            "PATH"
        } else {
            upper.as_str()
        };
        shell_state::judge_variable(name, value, part, reads, out);
    } else {
        shell_state::judge_variable(name, value, part, reads, out);
    }
}

/// Assignments and redirections that belong to no program.
fn judge_free(reading: &Reading<Bound>, place: &Place<'_>, out: &mut Findings) {
    if reading.assignments.is_empty() && reading.redirections.is_empty() {
        return;
    }
    let nobody = nobody(place);
    let case = Case {
        reading,
        start: &nobody,
        place,
    };
    for assignment in &reading.assignments {
        if assignment.exported {
            variable(&case, assignment, false, out);
        } else {
            judge_variable(
                place,
                &assignment.name,
                &assignment.value,
                assignment.part,
                false,
                out,
            );
        }
    }
    for redirection in &reading.redirections {
        path::judge_redirection(&case, redirection, out);
    }
}

/// A start of nothing, to judge what stands alone.
pub(crate) fn nobody(place: &Place<'_>) -> Start<Bound> {
    Start {
        name: Word {
            text: Text::Known("".into()),
            part: cerco_model::Part::default(),
            spreads: false,
        },
        args: Vec::new(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        stdin: Stdin::Inherited,
        output: Output::Inherited,
        directory: Directory::Known(place.directory.as_str().into()),
        part: cerco_model::Part::default(),
        by: StartedBy::Shell,
        dialect: cerco_model::Dialect::Bash,
        bound: Bound::default(),
    }
}

fn time_of(bound: &Bound) -> TimeClass {
    bound
        .levels
        .iter()
        .rev()
        .find_map(|row| row.time)
        .unwrap_or_default()
}

fn started(start: &Start<Bound>) -> Started {
    Started {
        name: shown(&start.name.text).into_string(),
        args: start
            .args
            .iter()
            .map(|word| shown(&word.text).into_string())
            .collect(),
        directory: match &start.directory {
            Directory::Known(directory) => Some(directory.to_string()),
            Directory::Unknown => None,
        },
        part: start.part,
    }
}
