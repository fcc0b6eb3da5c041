//! Builtins: written down like every start, and what they change in the shell is followed.

mod code;
mod declare;
mod directory;
mod input;
mod options;
mod trap;
mod unset;

use super::call::Expanded;
use super::variables::{DIRECTORY, pieces_of};
use super::{Eval, fold};
use crate::posix::state::Val;
use crate::{Assignment, Output, Piece, Programs, StartedBy, Stdin, Text, Word};

impl<P: Programs> Eval<'_, P> {
    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each builtin, to be read as a table"
    )]
    pub(super) fn builtin(
        &mut self,
        name: &str,
        call: Expanded,
        declared: &[(Assignment, Option<Val>)],
    ) {
        let args = call.args.clone();
        let part = call.part;
        let output = call.redirected.output.unwrap_or(self.output);
        let redirected: Vec<_> = call.redirected.list.clone();
        let stdin = call.redirected.stdin.clone();
        let moves_output = call.redirected.output.is_some();
        let index = self.start(call, StartedBy::Builtin);
        self.status = None;
        let mut writes = None;
        let mut quiet = false;
        match name {
            "true" | ":" => {
                quiet = true;
                self.status = Some(true);
            }
            "false" => {
                quiet = true;
                self.status = Some(false);
            }
            "echo" => {
                writes =
                    Self::known_words(&args).and_then(|words| fold::echo(&words, self.dialect));
                self.status = Some(true);
            }
            "printf" => {
                writes = self.printf(&args, &mut quiet);
                self.status = writes.is_some().then_some(true);
            }
            "pwd" => {
                if args.is_empty()
                    && let Val::Text(Text::Known(path)) = self.value(DIRECTORY)
                {
                    writes = Some(compact_str::format_compact!("{path}\n"));
                }
                self.status = args.is_empty().then_some(true);
            }
            "[" | "test" => {
                quiet = true;
                for (at, word) in args.iter().enumerate() {
                    let flag = at.checked_sub(1).and_then(|i| args.get(i));
                    let flag = flag.and_then(|w| w.text.known());
                    if matches!(flag, Some("-v" | "-R")) || flag.is_none() {
                        self.no_subscript(&word.text, word.part);
                    }
                }
            }
            "cd" => {
                // Where it looks along a path it says where it went.
                quiet = !self.has_search_path();
                self.cd(&args);
            }
            "pushd" => self.pushd(&args),
            "popd" => self.popd(&args),
            "export" | "readonly" | "declare" | "typeset" | "local" => {
                quiet = true;
                self.declare(name, &args, declared);
            }
            "unset" => {
                quiet = true;
                self.unset(&args);
            }
            "set" => {
                quiet = true;
                self.set(&args, part);
            }
            "shift" => {
                quiet = true;
                self.shift(&args);
            }
            "read" | "mapfile" | "readarray" | "getopts" => {
                quiet = true;
                self.armed |= holds_opener(stdin.as_ref().unwrap_or(&self.stdin));
                if stdin.is_none() {
                    self.consume();
                }
                self.reads(name, &args);
            }
            "let" => {
                quiet = true;
                self.expressions(&args);
                self.status = None;
            }
            "eval" => {
                quiet = true;
                self.eval(&args, part);
            }
            "source" | "." => {
                self.doubt(part, "the commands in that file can't be read here");
            }
            "exec" => {
                if args.is_empty() && moves_output {
                    self.doubt(part, "what is written from here on goes elsewhere");
                }
                self.redirs.extend(redirected.into_iter().take(64));
                if let Some(stdin) = stdin
                    && args.is_empty()
                {
                    self.stdin = stdin;
                }
                self.wrapped(&args, &["-a"], "cl", index, part);
                if !args.is_empty() {
                    self.leave_shell();
                }
            }
            "command"
                if !args
                    .iter()
                    .any(|w| matches!(w.text.known(), Some("-v" | "-V" | "-pv" | "-pV"))) =>
            {
                quiet = true;
                self.wrapped(&args, &[], "p", index, part);
            }
            "builtin" => {
                quiet = true;
                self.wrapped(&args, &[], "", index, part);
            }
            "trap" => {
                quiet = true;
                self.trap(&args, part);
            }
            "alias"
                if args
                    .iter()
                    .any(|w| w.text.known().is_none_or(|t| t.contains('='))) =>
            {
                self.doubt(part, "an alias changes what later words mean");
            }
            "hash" => {
                quiet = true;
                if args.iter().any(|w| {
                    w.text
                        .known()
                        .is_none_or(|t| t.starts_with('-') && t.contains('p'))
                }) {
                    self.doubt(part, "`hash -p` changes which program a name starts");
                }
            }
            "enable" => self.doubt(part, "`enable` changes which names the shell runs itself"),
            "shopt" => self.shopt(&args, part),
            "complete" | "compgen" | "bind" => {
                self.doubt(part, "it can run commands that are named in its options");
            }
            "jobs"
                if args
                    .iter()
                    .any(|w| w.text.known().is_none_or(|t| t == "-x")) =>
            {
                self.doubt(part, "`jobs -x` runs a command");
            }
            "exit" | "logout" => {
                quiet = true;
                self.leave_shell();
            }
            "return" => {
                quiet = true;
                if self.calls.is_empty() {
                    self.leave_shell();
                } else {
                    let all = self.loops.len();
                    self.leave_loops(all);
                }
            }
            "break" => {
                quiet = true;
                let count = args.first().and_then(|w| w.text.known());
                let count = count
                    .map_or(Some(1), |n| n.parse().ok())
                    .unwrap_or(usize::MAX);
                self.leave_loops(count);
            }
            "continue" => {
                quiet = true;
                // It goes on with the loop; only an outer one is left inside.
                self.jumped = true;
                let count = args.first().and_then(|w| w.text.known());
                let count = count
                    .map_or(Some(1), |n| n.parse().ok())
                    .unwrap_or(usize::MAX);
                if count > 1 {
                    self.leave_loops(count - 1);
                }
                self.capture_unknown();
            }
            "wait" => {
                quiet = true;
                self.wait(&args);
            }
            "umask" | "ulimit" | "unalias" | "bg" | "disown" | "suspend" => {
                quiet = true;
            }
            _ => {}
        }
        // Most of them print something when asked without arguments, or with options.
        let plain = |w: &Word| w.text.known().is_some_and(|t| !t.starts_with(['-', '+']));
        let lists = matches!(
            name,
            "set"
                | "export"
                | "readonly"
                | "declare"
                | "typeset"
                | "local"
                | "trap"
                | "hash"
                | "umask"
                | "ulimit"
                | "cd"
        );
        if lists && (args.is_empty() || !args.iter().all(plain)) {
            quiet = false;
        }
        if output == Output::Pipe && !quiet {
            let outer = std::mem::replace(&mut self.output, output);
            self.write(writes.as_deref());
            self.output = outer;
        }
    }
}

/// Whether a part of a subscript with a substitution may be read from this input.
fn holds_opener(stdin: &Stdin) -> bool {
    let text = match stdin {
        Stdin::Text(word) => word.text.clone(),
        Stdin::Pipe(Some(text)) => text.clone(),
        Stdin::Pipe(None) | Stdin::Inherited | Stdin::File(_) => return false,
    };
    pieces_of(text).iter().any(|piece| match piece {
        Piece::Known(text) | Piece::Glob(text) => text.contains(['[', '$', '`']),
        Piece::Unknown => false,
    })
}
