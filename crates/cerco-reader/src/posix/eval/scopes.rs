//! Stretches of commands apart from the rest: what they write, subshells, several values.

use std::rc::Rc;

use cerco_model::Dialect;
use compact_str::CompactString;

use super::functions::either_defined;
use super::{Capture, Eval, MAX_VALUE};
use crate::posix::state::Changes;
use crate::{Output, Piece, Programs, Stdin, Text};

impl<P: Programs> Eval<'_, P> {
    /// Whatever is written from here on isn't settled.
    pub(super) fn capture_unknown(&mut self) {
        if let Some(capture) = &mut self.capture {
            capture.known = false;
        }
    }

    pub(super) fn write(&mut self, text: Option<&str>) {
        if self.output != Output::Pipe {
            return;
        }
        if let Some(capture) = &mut self.capture {
            match text {
                Some(text) if capture.text.len() + text.len() <= MAX_VALUE => {
                    capture.text.push_str(text);
                }
                Some(_) | None => capture.known = false,
            }
        }
    }

    /// The text a list writes, with the trailing newlines; unknown where not settled.
    pub(super) fn captured(&mut self, run: impl FnOnce(&mut Self)) -> Option<CompactString> {
        match self.piped(run)? {
            Text::Known(text) => Some(text),
            Text::Partly(_) => None,
        }
    }

    /// What a list writes into a pipe: where it isn't settled, what is certainly among it, and
    /// something unknown in front of it, in between and behind it.
    pub(super) fn piped(&mut self, run: impl FnOnce(&mut Self)) -> Option<Text> {
        let outer = self.capture.replace(Capture {
            text: CompactString::default(),
            known: true,
        });
        let output = std::mem::replace(&mut self.output, Output::Pipe);
        run(self);
        self.output = output;
        let capture = std::mem::replace(&mut self.capture, outer);
        // A trap may have written as well; bash takes `-e` back in a substitution.
        let cut_short = self.errexit && self.dialect == Dialect::Sh;
        let known = |c: &Capture| c.known && self.trapped.is_empty() && !cut_short;
        let capture = capture?;
        if known(&capture) {
            return Some(Text::Known(capture.text));
        }
        let pieces = || [Piece::Known(capture.text.clone()), Piece::Unknown];
        (!capture.text.is_empty()).then(|| Text::Partly(Box::new(pieces())))
    }

    /// Something may have read the input, and what follows gets the rest.
    pub(super) fn consume(&mut self) {
        if matches!(self.stdin, Stdin::Pipe(Some(_)) | Stdin::Text(_)) {
            self.stdin = Stdin::Pipe(None);
        }
    }

    /// Goes back to the input that was there before; the one in between may have been the
    /// same, and have been read.
    pub(super) fn go_on_reading(&mut self, before: Stdin) {
        let read = matches!(self.stdin, Stdin::Pipe(None));
        self.stdin = before;
        if read {
            self.consume();
        }
    }

    /// Runs something that can't change this shell.
    pub(super) fn subshell(&mut self, run: impl FnOnce(&mut Self)) {
        let mark = self.store.mark();
        let functions = Rc::clone(&self.functions);
        let floor = std::mem::replace(&mut self.loop_floor, self.loops.len());
        let jumped = self.jumped;
        let redirs = self.redirs.len();
        let stdin = self.stdin.clone();
        let output = self.output;
        let goes_on = std::mem::replace(&mut self.goes_on, true);
        run(self);
        self.goes_on = goes_on;
        self.output = output;
        self.go_on_reading(stdin);
        self.redirs.truncate(redirs);
        self.jumped = jumped;
        self.loop_floor = floor;
        let inner = std::mem::replace(&mut self.functions, functions);
        // What it defined is gone, but for code that it said to run at its end.
        if !self.trapped.is_empty() {
            either_defined(&mut self.functions, &inner);
        }
        self.store.undo(mark);
    }

    /// Reads what may not be reached: `a && b` inside an expression, the operand of an
    /// expansion. What it sets may be set or not.
    pub(super) fn if_reached<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.store.mark();
        let result = run(self);
        if self.store.written_since(mark) > 0 {
            self.blur(mark);
        }
        self.store.keep(mark);
        result
    }

    /// Runs something that its redirections may keep from running at all.
    pub(super) fn perhaps(&mut self, may_fail: bool, run: impl FnOnce(&mut Self)) {
        if !may_fail {
            return run(self);
        }
        let mark = self.store.mark();
        self.branches += 1;
        run(self);
        self.branches -= 1;
        let way = self.store.take(mark);
        self.join(&[way, Changes::new()]);
        self.capture_unknown();
        self.status = None;
    }

    /// Runs a command once for each combination of the values in its words.
    pub(super) fn each_choice(&mut self, mut run: impl FnMut(&mut Self)) {
        let outer = std::mem::take(&mut self.choices);
        let folded = std::mem::take(&mut self.folded);
        let mark = self.store.mark();
        let defined = Rc::clone(&self.functions);
        run(self);
        if self.choices.next() {
            let mut ways = vec![self.store.changes(mark)];
            self.store.undo(mark);
            let mut functions = std::mem::replace(&mut self.functions, Rc::clone(&defined));
            self.branches += 1;
            self.capture_unknown();
            loop {
                let mark = self.store.mark();
                run(self);
                ways.push(self.store.take(mark));
                let round = std::mem::replace(&mut self.functions, Rc::clone(&defined));
                either_defined(&mut functions, &round);
                if !self.choices.next() || self.spent_out {
                    break;
                }
            }
            self.branches -= 1;
            self.functions = functions;
            self.join(&ways);
            self.status = None;
        } else {
            self.store.keep(mark);
        }
        self.choices = outer;
        self.folded = folded;
    }
}
