//! Simple commands: assignments, functions, builtins, programs.

use cerco_model::{Dialect, Part};
use compact_str::CompactString;

use super::names::{is_builtin, is_special};
use super::redirect::Redirected;
use super::variables::concat;
use super::{Eval, brace, inner};
use crate::posix::state::{Val, unknown};
use crate::posix::tree::{self, Frag, Operand, ParamOp, Redir, Simple, Value};
use crate::{Assignment, Call, Output, Programs, Start, StartedBy, Stdin, Text, Word};

/// A command with its words expanded.
#[derive(Debug)]
pub(super) struct Expanded {
    pub(super) name: Word,
    pub(super) args: Vec<Word>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) redirected: Redirected,
    pub(super) part: Part,
}

impl<P: Programs> Eval<'_, P> {
    pub(super) fn simple(&mut self, simple: &Simple, redirs: &[Redir]) {
        self.each_choice(|e| e.simple_once(simple, redirs));
    }

    fn simple_once(&mut self, simple: &Simple, redirs: &[Redir]) {
        let mut words = Vec::with_capacity(simple.words.len() + simple.operands.len());
        for word in &simple.words {
            self.expand(word, &mut words);
        }
        let mut declared: Vec<(Assignment, Option<Val>)> = Vec::new();
        for operand in &simple.operands {
            match operand {
                Operand::Word(word) => self.expand(word, &mut words),
                Operand::Assign(assign) => {
                    // `declare x={a,b}` is `declare x=a x=b`.
                    if let Value::Scalar(word) = &assign.value
                        && self.dialect == Dialect::Bash
                        && brace::expand(&word.frags).is_some()
                    {
                        self.doubt(assign.part, "the braces make several assignments");
                    }
                    let (mut assignment, mut val) = self.assignment(assign);
                    // `declare x=a x+=b`: the first is set before the second is.
                    if assign.append && declared.iter().any(|(a, _)| a.name == assign.name) {
                        assignment.value = unknown();
                        val = None;
                    }
                    words.push(Word {
                        text: concat(
                            Text::Known(compact_str::format_compact!("{}=", assignment.name)),
                            &assignment.value,
                        ),
                        part: assignment.part,
                        spreads: false,
                    });
                    declared.push((assignment, val));
                }
            }
        }
        if words
            .iter()
            .any(|w| w.text.known().is_none_or(|t| t.len() > 256))
        {
            let work = words.iter().map(size).sum();
            self.spend(work, Part::default());
        }
        let mut words = words.into_iter();
        let name = words.next();
        let redirected = match name.as_ref().and_then(|name| name.text.known()) {
            Some(name) if self.is_program(name) => self.redirections_apart(redirs),
            Some(_) | None => self.redirections(redirs),
        };
        let Some(name) = name else {
            if let Some(first) = simple.words.first().filter(|word| is_lone_variable(word)) {
                self.doubt(first.part, "the program's name is empty");
            }
            return self.bare_assignments(&simple.assigns, redirected);
        };
        let args: Vec<Word> = words.collect();
        let mut part = args
            .last()
            .map_or(name.part, |last| name.part.cover(last.part));
        let (assignments, values) = self.in_front(&simple.assigns);
        for assignment in &assignments {
            part = part.cover(assignment.part);
        }
        let call = Expanded {
            name,
            args,
            assignments,
            redirected,
            part,
        };
        self.call(call, &values, &declared);
    }

    /// Whether the shell surely starts a file of that name.
    fn is_program(&self, name: &str) -> bool {
        !self.functions.contains_key(name) && !is_builtin(name, self.dialect)
    }

    fn call(
        &mut self,
        call: Expanded,
        values: &[(CompactString, Option<Val>)],
        declared: &[(Assignment, Option<Val>)],
    ) {
        let name = match call.name.text.known() {
            Some(name) if !call.name.spreads => CompactString::from(name),
            _ => return self.unknown_program(call),
        };
        if !self.spend(call.args.len(), call.part) {
            return;
        }
        let mut also_program = true;
        if let Some(definition) = self.functions.get(&name).cloned() {
            also_program = !definition.certain;
            if also_program {
                // It may be a program as well, which leaves the shell as it is.
                let mark = self.store.mark();
                self.branches += 1;
                self.capture_unknown();
                self.function(&name, &definition.bodies, &call, values);
                self.branches -= 1;
                let way = self.store.take(mark);
                self.join(&[way, std::collections::BTreeMap::new()]);
            } else {
                self.perhaps(call.redirected.may_fail, |e| {
                    e.function(&name, &definition.bodies, &call, values);
                });
            }
        }
        if !also_program {
            return;
        }
        if is_builtin(&name, self.dialect) {
            return self.perhaps(call.redirected.may_fail, |e| {
                let lent = e.lend(values);
                e.builtin(&name, call, declared);
                // In front of a special builtin of a POSIX shell an assignment stays.
                if e.dialect != Dialect::Sh || !is_special(&name) {
                    e.take_back(lent);
                }
            });
        }
        self.program(call, StartedBy::Shell);
    }

    fn unknown_program(&mut self, call: Expanded) {
        self.out.redirections.extend(call.redirected.list);
        self.status = None;
        self.capture_unknown();
        self.doubt_with(
            call.name.part,
            "which program this starts isn't known before it runs",
            Some("write the program's name out"),
        );
    }

    /// Starts a program file.
    pub(super) fn program(&mut self, call: Expanded, by: StartedBy) {
        self.fold_program(&call);
        let inherits = call.redirected.stdin.is_none();
        self.start(call, by);
        if inherits {
            self.consume();
        }
        self.tree_touched = true;
        self.status = None;
    }

    /// Writes a start down, binds it, and reads what else it starts.
    pub(super) fn start(&mut self, call: Expanded, by: StartedBy) -> u32 {
        let index = u32::try_from(self.out.starts.len()).unwrap_or(u32::MAX);
        let directory = self.directory();
        self.start_in(call, by, directory);
        index
    }

    pub(super) fn start_in(&mut self, call: Expanded, by: StartedBy, directory: crate::Directory) {
        let index = u32::try_from(self.out.starts.len()).unwrap_or(u32::MAX);
        let stdin = call.redirected.stdin.unwrap_or_else(|| self.stdin.clone());
        let output = call.redirected.output.unwrap_or(self.output);
        let redirections = if self.redirs.is_empty() {
            call.redirected.list
        } else {
            let mut all = self.redirs.clone();
            all.extend(call.redirected.list);
            all
        };
        let mut inner = std::mem::take(&mut self.inner);
        inner.clear();
        let bound = self.programs.bind(
            Call {
                dialect: self.dialect,
                name: &call.name,
                args: &call.args,
                stdin: &stdin,
                directory: &directory,
                assignments: &call.assignments,
            },
            self.place,
            &mut inner,
        );
        let nested = (!inner.is_empty()).then(|| inner::Outer {
            index,
            stdin: stdin.clone(),
            output,
            directory: directory.clone(),
            assignments: call.assignments.clone(),
            part: call.part,
        });
        self.out.starts.push(Start {
            dialect: self.dialect,
            name: call.name,
            args: call.args,
            assignments: call.assignments,
            redirections,
            stdin,
            output,
            directory,
            part: self.at.unwrap_or(call.part),
            by,
            bound,
        });
        match nested {
            Some(outer) => self.inner_starts(&outer, inner),
            None => self.inner = inner,
        }
    }

    /// What a few plain programs write, where it is settled.
    fn fold_program(&mut self, call: &Expanded) {
        if self.capture.is_none() || call.redirected.output.unwrap_or(self.output) != Output::Pipe {
            return;
        }
        if call.redirected.may_fail {
            return self.capture_unknown();
        }
        let args = Self::known_words(&call.args);
        let written = match (call.name.text.known(), args.as_deref()) {
            (Some("cat"), Some([] | ["-"])) => {
                match call.redirected.stdin.as_ref().unwrap_or(&self.stdin) {
                    Stdin::Text(word) => word.text.known().map(CompactString::from),
                    Stdin::Pipe(Some(text)) => text.known().map(CompactString::from),
                    Stdin::Pipe(None) | Stdin::Inherited | Stdin::File(_) => None,
                }
            }
            (Some("basename"), Some([path])) => plain_path(path).map(|p| {
                let mut name = CompactString::from(p.rsplit('/').next().unwrap_or(p));
                name.push('\n');
                name
            }),
            (Some("dirname"), Some([path])) => plain_path(path).map(|p| match p.rsplit_once('/') {
                None => ".\n".into(),
                Some(("", _)) => "/\n".into(),
                Some((folder, _)) => compact_str::format_compact!("{folder}\n"),
            }),
            _ => None,
        };
        match written {
            Some(text) => self.write(Some(&text)),
            None => self.capture_unknown(),
        }
    }
}

/// A path whose parts need no further thought.
fn plain_path(path: &str) -> Option<&str> {
    (!path.is_empty() && !path.ends_with('/') && !path.contains("//") && !path.starts_with('-'))
        .then_some(path)
}

fn size(word: &Word) -> usize {
    match &word.text {
        Text::Known(text) => text.len(),
        Text::Partly(pieces) => pieces.len() * 16,
    }
}

/// Whether a word is made of plain variables only: where a program's name should stand, what
/// is empty here may be something else in the environment of the one who runs it.
fn is_lone_variable(word: &tree::Word) -> bool {
    let is_plain =
        |frag: &Frag| matches!(frag, Frag::Param(param, _) if matches!(param.op, ParamOp::Get));
    !word.frags.is_empty() && word.frags.iter().all(is_plain)
}
