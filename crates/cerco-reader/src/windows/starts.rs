//! Adds program starts to a reading and follows what they start in turn.
//!
//! Whatever the program table says a start runs besides itself is read too, until nothing
//! new comes out. Every limit here ends in a doubt, so that no amount of wrapping or
//! repetition turns into silence.

use std::borrow::Cow;

use cerco_model::{Dialect, Part, Place};

use crate::{
    Appended, Assignment, Call, CodeLanguage, Directory, Doubt, Inner, Output, Piece, Programs,
    Reading, Redirection, Start, StartedBy, Stdin, Text, Word,
};

/// How many wrappers may lie around one program.
const MAX_WRAPPERS: u32 = 24;
/// How many starts one command may have.
const MAX_STARTS: usize = 60_000;

/// Where a reading starts, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The part that every finding in the text is given, for text inside a word.
    pub(crate) at: Option<Part>,
    /// The directory at the beginning.
    pub(crate) directory: Directory,
    /// Who starts the programs of the text.
    pub(crate) by: StartedBy,
    /// How many wrappers and code strings lie around the text.
    pub(crate) depth: u32,
}

impl Entry {
    /// A text of its own, or one with a place in another.
    pub(crate) fn new(at: Option<Part>, place: &Place<'_>) -> Self {
        Self {
            at,
            directory: Directory::Known(place.directory.as_str().into()),
            by: StartedBy::Shell,
            depth: 0,
        }
    }
}

/// A start whose arguments aren't bound yet.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) name: Word,
    pub(crate) args: Vec<Word>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) stdin: Stdin,
    pub(crate) output: Output,
    pub(crate) directory: Directory,
    pub(crate) part: Part,
    pub(crate) by: StartedBy,
}

/// The reading under construction.
pub(crate) struct Starts<'a, 'p, P: Programs> {
    pub(crate) place: &'a Place<'p>,
    programs: &'a P,
    pub(crate) out: &'a mut Reading<P::Bound>,
    dialect: Dialect,
    is_full: bool,
}

impl<'a, 'p, P: Programs> Starts<'a, 'p, P> {
    pub(crate) fn new(
        dialect: Dialect,
        place: &'a Place<'p>,
        programs: &'a P,
        out: &'a mut Reading<P::Bound>,
    ) -> Self {
        Self {
            place,
            programs,
            out,
            dialect,
            is_full: false,
        }
    }

    /// Says that something can't be read.
    pub(crate) fn doubt(&mut self, part: Part, reason: impl Into<Cow<'static, str>>) {
        self.doubt_with(part, reason, None);
    }

    /// Says that something can't be read, and what to write instead.
    pub(crate) fn doubt_with(
        &mut self,
        part: Part,
        reason: impl Into<Cow<'static, str>>,
        remedy: Option<&'static str>,
    ) {
        let doubt = Doubt {
            part,
            reason: reason.into(),
            remedy: remedy.map(Cow::Borrowed),
        };
        if self.out.doubts.last() != Some(&doubt) {
            self.out.doubts.push(doubt);
        }
    }

    /// Adds a start, and everything it starts.
    pub(crate) fn push(&mut self, draft: Draft, depth: u32) {
        if self.out.starts.len() >= MAX_STARTS {
            if !self.is_full {
                self.is_full = true;
                self.doubt(draft.part, "the command starts more programs than are read");
            }
            return;
        }
        if draft.name.text.known().is_none() {
            self.doubt_with(
                draft.name.part,
                "the program's name isn't known before the command runs",
                Some("write the program's name out"),
            );
            return;
        }
        let mut inner = Vec::new();
        let bound = self.programs.bind(
            Call {
                dialect: self.dialect,
                name: &draft.name,
                args: &draft.args,
                stdin: &draft.stdin,
                directory: &draft.directory,
                assignments: &draft.assignments,
            },
            self.place,
            &mut inner,
        );
        let index = u32::try_from(self.out.starts.len()).unwrap_or(u32::MAX);
        let (part, directory) = (draft.part, draft.directory.clone());
        let (stdin, output) = (draft.stdin.clone(), draft.output);
        self.out.starts.push(Start {
            dialect: self.dialect,
            name: draft.name,
            args: draft.args,
            assignments: draft.assignments,
            redirections: draft.redirections,
            stdin: draft.stdin,
            output: draft.output,
            directory: draft.directory,
            part,
            by: draft.by,
            bound,
        });
        if !inner.is_empty() && depth >= MAX_WRAPPERS {
            self.doubt(part, "more wrappers lie around the program than are read");
            return;
        }
        for inner in inner {
            match inner {
                Inner::Program {
                    mut words,
                    assignments,
                    directory: changed,
                    appended,
                } => {
                    if words.is_empty() {
                        continue;
                    }
                    let name = words.remove(0);
                    if appended == Appended::Unknown {
                        words.push(Word {
                            text: Text::Partly(Box::new([Piece::Unknown])),
                            part,
                            spreads: true,
                        });
                    }
                    let draft = Draft {
                        part: part.cover(name.part),
                        name,
                        args: words,
                        assignments,
                        redirections: Vec::new(),
                        stdin: stdin.clone(),
                        output,
                        directory: changed.unwrap_or_else(|| directory.clone()),
                        by: StartedBy::Start(index),
                    };
                    self.push(draft, depth + 1);
                }
                Inner::Code {
                    language,
                    text,
                    directory: changed,
                } => {
                    let entry = Entry {
                        at: Some(text.part),
                        directory: changed.unwrap_or_else(|| directory.clone()),
                        by: StartedBy::Start(index),
                        depth: depth + 1,
                    };
                    self.code(language, &text, entry);
                }
                Inner::Unreadable { part, why } => {
                    self.doubt(part, format!("can't be read: {why}"));
                }
            }
        }
    }

    fn code(&mut self, language: CodeLanguage, text: &Word, entry: Entry) {
        let Some(known) = text.text.known() else {
            self.doubt(
                text.part,
                "the code to run isn't known before the command runs",
            );
            return;
        };
        match language {
            CodeLanguage::PowerShell => {
                crate::powershell::read_in(known, entry, self.place, self.programs, self.out);
            }
            CodeLanguage::Cmd => {
                crate::cmd::read_in(known, entry, self.place, self.programs, self.out);
            }
            CodeLanguage::Bash => self.posix(known, Dialect::Bash, text.part, entry.by),
            CodeLanguage::Sh => self.posix(known, Dialect::Sh, text.part, entry.by),
        }
    }

    /// Reads a POSIX shell's text and adds what it holds.
    fn posix(&mut self, text: &str, dialect: Dialect, part: Part, by: StartedBy) {
        let mut read = crate::posix::read(text, dialect, Some(part), self.place, self.programs);
        let before = u32::try_from(self.out.starts.len()).unwrap_or(u32::MAX);
        for start in &mut read.starts {
            start.by = match start.by {
                StartedBy::Start(index) => StartedBy::Start(index.saturating_add(before)),
                StartedBy::Shell | StartedBy::Builtin => by,
            };
        }
        self.out.starts.append(&mut read.starts);
        self.out.assignments.append(&mut read.assignments);
        self.out.redirections.append(&mut read.redirections);
        self.out.functions.append(&mut read.functions);
        self.out.endless_loops.append(&mut read.endless_loops);
        self.out.doubts.append(&mut read.doubts);
    }
}
