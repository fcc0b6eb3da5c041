//! One program start with its real arguments, for the guard that holds it in the kernel.

use cerco_model::{Dialect, Finding, Part, Place, Verdict};
use cerco_reader::{
    Assignment, Call, CodeLanguage, Directory, Inner, Output, Programs, Reading, Start, StartedBy,
    Stdin, Text, Word, read_nested,
};

use crate::custom::CustomRules;
use crate::judge::judge_case;
use crate::rules::{Case, Findings};
use crate::table::{Bound, Table};

/// Programs that start what the text gave them, with what they were given while they ran.
/// They start it themselves, without a shell between, so that it can be judged like a
/// start of the shell's own.
pub const PASS_ON: [&str; 14] = [
    "xargs", "find", "fdfind", "fd", "env", "nice", "nohup", "timeout", "setsid", "stdbuf",
    "ionice", "taskset", "chrt", "time",
];

/// Programs in programs (`busybox env sh`) that are followed; deeper ones are refused.
const DEEPEST: usize = 8;

/// Judges a program start by the rules that refuse: what would be asked about was asked before
/// the command ran.
///
/// `argv` is the program's path or name and its real arguments, `changes` the variables that
/// differ from the run's environment, `directory` where it starts; `custom` are the rules of
/// the person and the project, of which those that refuse count. Its streams aren't looked at:
/// the command's own redirections were judged with its text.
#[must_use]
pub fn judge_start(
    argv: &[String],
    changes: &[(String, String)],
    directory: &str,
    place: &Place<'_>,
    custom: &[CustomRules],
) -> Vec<Finding> {
    let part = Part::default();
    let assignments = changes
        .iter()
        .map(|(name, value)| Assignment {
            name: name.as_str().into(),
            value: Text::Known(value.as_str().into()),
            part,
            exported: true,
        })
        .collect();
    let words = argv
        .iter()
        .map(|arg| Word {
            text: Text::Known(arg.as_str().into()),
            part,
            spreads: false,
        })
        .collect();
    let mut out = Findings::default();
    let directory = Directory::Known(directory.into());
    let scene = Scene { place, custom };
    follow(words, assignments, &directory, scene, 0, &mut out);
    let mut findings = out.into_sorted();
    findings.retain(|finding| finding.verdict == Verdict::Refused);
    findings
}

/// What a start is judged with.
#[derive(Clone, Copy)]
struct Scene<'a> {
    place: &'a Place<'a>,
    custom: &'a [CustomRules],
}

impl Scene<'_> {
    fn judge(self, case: &Case<'_>, out: &mut Findings) {
        judge_case(case, out);
        for rules in self.custom {
            for finding in rules.refusals(case.start) {
                out.refuse(finding.rule, finding.part, finding.reason, finding.remedy);
            }
        }
    }
}

fn follow(
    words: Vec<Word>,
    assignments: Vec<Assignment>,
    directory: &Directory,
    scene: Scene<'_>,
    depth: usize,
    out: &mut Findings,
) {
    let place = scene.place;
    let mut words = words.into_iter();
    let Some(name) = words.next() else { return };
    let args: Vec<Word> = words.collect();
    let mut inner = Vec::new();
    let bound = Table.bind(
        Call {
            name: &name,
            args: &args,
            stdin: &Stdin::Pipe(None),
            directory,
            assignments: &assignments,
            dialect: Dialect::Bash,
        },
        place,
        &mut inner,
    );
    let reading = Reading::<Bound>::default();
    let start = Start {
        name,
        args,
        assignments,
        redirections: Vec::new(),
        stdin: Stdin::Pipe(None),
        output: Output::Pipe,
        directory: directory.clone(),
        part: Part::default(),
        by: StartedBy::Shell,
        dialect: Dialect::Bash,
        bound,
    };
    let case = Case {
        reading: &reading,
        start: &start,
        place,
    };
    scene.judge(&case, out);
    for one in inner {
        if depth >= DEEPEST {
            out.refuse(
                cerco_model::Rule::Unreadable,
                Part::default(),
                "programs in programs are nested too deep",
                None,
            );
            return;
        }
        match one {
            Inner::Program {
                words,
                assignments,
                directory: moved,
                ..
            } => {
                let directory = moved.as_ref().unwrap_or(directory);
                follow(words, assignments, directory, scene, depth + 1, out);
            }
            Inner::Code { language, text, .. } => code(language, &text, scene, out),
            // The program itself comes by here when it really starts.
            Inner::Unreadable { .. } => {}
        }
    }
}

fn code(language: CodeLanguage, text: &Word, scene: Scene<'_>, out: &mut Findings) {
    let place = scene.place;
    let Some(known) = text.text.known() else {
        return;
    };
    let dialect = match language {
        CodeLanguage::Bash => Dialect::Bash,
        CodeLanguage::Sh => Dialect::Sh,
        CodeLanguage::PowerShell => Dialect::PowerShell,
        CodeLanguage::Cmd => Dialect::Cmd,
    };
    let reading = read_nested(known, dialect, Part::default(), place, &Table);
    for start in &reading.starts {
        let case = Case {
            reading: &reading,
            start,
            place,
        };
        scene.judge(&case, out);
    }
}
