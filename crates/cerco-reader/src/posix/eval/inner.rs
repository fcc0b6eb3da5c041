//! What a start starts besides itself, as the program table says: read in turn, until
//! nothing new comes out.

use cerco_model::Part;

use super::call::Expanded;
use super::redirect::Redirected;
use super::{Eval, MAX_INNER};
use crate::posix::state::Val;
use crate::{
    Appended, Assignment, CodeLanguage, Directory, Inner, Output, Programs, Reading, StartedBy,
    Stdin, Word,
};

/// The start that the inner ones hang on.
#[derive(Debug)]
pub(super) struct Outer {
    pub(super) index: u32,
    pub(super) stdin: Stdin,
    pub(super) output: Output,
    pub(super) directory: Directory,
    pub(super) assignments: Vec<Assignment>,
    pub(super) part: Part,
}

impl<P: Programs> Eval<'_, P> {
    pub(super) fn inner_starts(&mut self, outer: &Outer, mut list: Vec<Inner>) {
        if self.inner_depth >= MAX_INNER {
            self.doubt(
                outer.part,
                "programs that start programs are nested too deeply",
            );
            return;
        }
        self.inner_depth += 1;
        for inner in list.drain(..) {
            match inner {
                Inner::Program {
                    words,
                    assignments,
                    directory,
                    appended,
                } => self.inner_program(outer, words, assignments, directory, appended),
                Inner::Code {
                    language,
                    text,
                    directory,
                } => self.inner_code(outer, language, &text, directory),
                Inner::Unreadable { part, why } => self.doubt(part, why),
            }
        }
        self.inner_depth -= 1;
        self.inner = list;
    }

    fn inner_program(
        &mut self,
        outer: &Outer,
        words: Vec<Word>,
        mut assignments: Vec<Assignment>,
        directory: Option<Directory>,
        appended: Appended,
    ) {
        let mut words = words.into_iter();
        let Some(name) = words.next() else {
            if appended == Appended::Unknown {
                self.unknown_name(outer.part);
            }
            return;
        };
        if name.spreads || name.text.known().is_none() {
            return self.unknown_name(name.part);
        }
        let mut args: Vec<Word> = words.collect();
        if appended == Appended::Unknown {
            args.push(Word {
                text: crate::posix::state::unknown(),
                part: outer.part,
                spreads: true,
            });
        }
        if !self.spend(args.len(), outer.part) {
            return;
        }
        let part = args
            .last()
            .map_or(name.part, |last| name.part.cover(last.part));
        let mut all = outer.assignments.clone();
        all.append(&mut assignments);
        let call = Expanded {
            name,
            args,
            assignments: all,
            redirected: Redirected {
                stdin: Some(outer.stdin.clone()),
                output: Some(outer.output),
                ..Redirected::default()
            },
            part,
        };
        let directory = directory.unwrap_or_else(|| outer.directory.clone());
        self.start_in(call, StartedBy::Start(outer.index), directory);
    }

    fn unknown_name(&mut self, part: Part) {
        self.doubt_with(
            part,
            "which program this starts isn't known before it runs",
            Some("write the program's name out"),
        );
    }

    fn inner_code(
        &mut self,
        outer: &Outer,
        language: CodeLanguage,
        text: &Word,
        directory: Option<Directory>,
    ) {
        let Some(code) = text.text.known().filter(|_| !text.spreads) else {
            return self.doubt_with(
                text.part,
                "the commands in this text aren't known before it runs",
                Some("write the commands out"),
            );
        };
        if !self.spend(code.len(), text.part) {
            return;
        }
        let part = self.at.unwrap_or(text.part);
        let dialect = match language {
            CodeLanguage::Bash => cerco_model::Dialect::Bash,
            CodeLanguage::Sh => cerco_model::Dialect::Sh,
            CodeLanguage::PowerShell => cerco_model::Dialect::PowerShell,
            CodeLanguage::Cmd => cerco_model::Dialect::Cmd,
        };
        let reading = match language {
            CodeLanguage::Bash | CodeLanguage::Sh => {
                let mut eval = Eval::new(code, dialect, Some(part), self.place, self.programs);
                let mut vars: Vec<_> = self
                    .store
                    .iter()
                    .filter(|(_, var)| var.exported)
                    .map(|(name, var)| (name.clone(), var.clone()))
                    .collect();
                for assignment in &outer.assignments {
                    let mut var = crate::posix::state::Var::of(Val::Text(assignment.value.clone()));
                    var.exported = true;
                    vars.push((assignment.name.clone(), var));
                }
                eval.inherit(vars, self.inner_depth);
                eval.stand_in(directory.unwrap_or_else(|| outer.directory.clone()));
                eval.stdin = outer.stdin.clone();
                eval.budget = self.budget;
                let parsed = crate::posix::parse::parse(
                    code,
                    dialect,
                    crate::posix::parse::Anchor::Fixed(part),
                    0,
                );
                let (reading, budget) = eval.read_counting(&parsed);
                self.budget = budget;
                reading
            }
            CodeLanguage::PowerShell | CodeLanguage::Cmd => {
                crate::read_nested(code, dialect, part, self.place, self.programs)
            }
        };
        self.merge(reading, outer.index);
    }

    /// Takes over what was read in a text inside: its starts hang on `by`.
    fn merge(&mut self, reading: Reading<P::Bound>, by: u32) {
        let base = u32::try_from(self.out.starts.len()).unwrap_or(u32::MAX);
        for mut start in reading.starts {
            start.by = match start.by {
                StartedBy::Shell => StartedBy::Start(by),
                StartedBy::Builtin => StartedBy::Builtin,
                StartedBy::Start(index) => StartedBy::Start(base.saturating_add(index)),
            };
            self.out.starts.push(start);
        }
        self.out.assignments.extend(reading.assignments);
        self.out.redirections.extend(reading.redirections);
        self.out.functions.extend(reading.functions);
        self.out.endless_loops.extend(reading.endless_loops);
        for doubt in reading.doubts {
            if !self.out.doubts.contains(&doubt) {
                self.out.doubts.push(doubt);
            }
        }
    }
}
