//! Redirections of one command.

use cerco_model::{Dialect, Part};

use super::Eval;
use crate::posix::tree::{Redir, RedirKind};
use crate::{Directory, Output, Programs, Redirection, RedirectionKind, Stdin, Text, Word};

/// What the redirections of a command come to.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    pub(super) list: Vec<Redirection>,
    pub(super) stdin: Option<Stdin>,
    pub(super) output: Option<Output>,
    pub(super) part: Option<Part>,
    /// A file or descriptor that isn't there keeps the command from running.
    pub(super) may_fail: bool,
}

impl<P: Programs> Eval<'_, P> {
    /// The same for what runs in a process of its own: in bash that one expands them, so what
    /// they set (`ls > ${x:=evil}`) is set in it alone.
    pub(super) fn redirections_apart(&mut self, redirs: &[Redir]) -> Redirected {
        if self.dialect == Dialect::Sh {
            return self.if_reached(|e| e.redirections(redirs));
        }
        let mark = self.store.mark();
        let out = self.redirections(redirs);
        self.store.undo(mark);
        out
    }

    pub(super) fn redirections(&mut self, redirs: &[Redir]) -> Redirected {
        let mut out = Redirected::default();
        for redir in redirs {
            out.part = Some(out.part.map_or(redir.part, |p| p.cover(redir.part)));
            self.redirection(redir, &mut out);
        }
        out
    }

    /// `>&2`, `<&3`: what another descriptor leads to.
    fn duplicated(
        &mut self,
        kind: RedirKind,
        fd: Option<i32>,
        from: Option<&str>,
        out: &mut Redirected,
    ) {
        match (kind, fd, from) {
            (RedirKind::DupOut, None | Some(1), Some("1")) => {}
            (RedirKind::DupOut, None | Some(1), from) => {
                out.output = Some(Output::File);
                if from != Some("2") {
                    self.capture_unknown();
                }
            }
            (_, None | Some(0), _) => out.stdin = Some(Stdin::Pipe(None)),
            _ => {}
        }
    }

    fn redirection(&mut self, redir: &Redir, out: &mut Redirected) {
        let word = match redir.kind {
            RedirKind::HereDoc | RedirKind::HereString => Word {
                text: self.one(&redir.word),
                part: self.at.unwrap_or(redir.word.part),
                spreads: false,
            },
            RedirKind::Read
            | RedirKind::Write
            | RedirKind::Append
            | RedirKind::ReadWrite
            | RedirKind::Both
            | RedirKind::DupIn
            | RedirKind::DupOut => {
                let mut words = Vec::new();
                self.expand(&redir.word, &mut words);
                // Several words make bash fail; the first is what a name could be.
                let spread = words.len() != 1;
                let part = self.at.unwrap_or(redir.word.part);
                let mut word = words.into_iter().next().unwrap_or(Word {
                    text: Text::Known("".into()),
                    part,
                    spreads: false,
                });
                if spread {
                    word.text = crate::posix::state::unknown();
                }
                word
            }
        };
        out.may_fail |= may_fail(redir.kind, &word.text);
        // What the shell itself says of errors then stands between what is written.
        if redir.fd == Some(2) && redir.kind == RedirKind::DupOut {
            self.capture_unknown();
        }
        let fd = redir.fd;
        let kind = match redir.kind {
            RedirKind::HereDoc | RedirKind::HereString => {
                if fd.unwrap_or(0) == 0 {
                    out.stdin = Some(Stdin::Text(word));
                }
                return;
            }
            RedirKind::Read => RedirectionKind::Read,
            RedirKind::Write | RedirKind::Both => RedirectionKind::Write,
            RedirKind::Append => RedirectionKind::Append,
            RedirKind::ReadWrite => RedirectionKind::ReadWrite,
            RedirKind::DupIn | RedirKind::DupOut => {
                let descriptor = word.text.known().is_some_and(|text| {
                    let digits = text.strip_suffix('-').unwrap_or(text);
                    digits.bytes().all(|b| b.is_ascii_digit())
                });
                let to_file = redir.kind == RedirKind::DupOut && fd.is_none_or(|fd| fd == 1);
                if descriptor || !to_file {
                    self.duplicated(redir.kind, fd, word.text.known(), out);
                    return;
                }
                // `>&file` is `&>file`.
                RedirectionKind::Write
            }
        };
        match kind {
            RedirectionKind::Read | RedirectionKind::ReadWrite => {
                if fd.unwrap_or(0) == 0 {
                    out.stdin = Some(Stdin::File(word.clone()));
                }
            }
            RedirectionKind::Write | RedirectionKind::Append => {
                if fd.unwrap_or(1) == 1 {
                    out.output = Some(Output::File);
                    // `/dev/stdout` leads back into the pipe.
                    if !word.text.known_prefix().starts_with(|c| c != '/')
                        && word.text.known() != Some("/dev/null")
                    {
                        self.capture_unknown();
                    }
                }
            }
        }
        let directory: Directory = self.directory();
        out.list.push(Redirection {
            kind,
            target: word,
            directory,
        });
    }
}

fn may_fail(kind: RedirKind, target: &Text) -> bool {
    let known = target.known();
    match kind {
        RedirKind::HereDoc | RedirKind::HereString => false,
        RedirKind::DupIn | RedirKind::DupOut if matches!(known, Some("0" | "1" | "2")) => false,
        RedirKind::Read
        | RedirKind::Write
        | RedirKind::Append
        | RedirKind::ReadWrite
        | RedirKind::Both
        | RedirKind::DupIn
        | RedirKind::DupOut => known != Some("/dev/null"),
    }
}
