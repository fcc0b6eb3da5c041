//! Redirections.

use shuck_ast as s;

use super::command::Lower;
use crate::posix::tree::{Redir, RedirKind};

impl Lower<'_> {
    pub(super) fn redirect(&mut self, redirect: &s::Redirect) -> Redir {
        // `cmd &>f x` is `cmd & >f x` to a POSIX shell, `{fd}>f` and `22>f` a word and a
        // redirection.
        let bash_only = redirect.fd_var.is_some()
            || redirect.fd.is_some_and(|fd| fd > 9)
            || matches!(
                redirect.kind,
                s::RedirectKind::OutputBoth | s::RedirectKind::HereString
            )
            || self.raw(redirect.span).starts_with('&');
        if bash_only {
            self.only_bash(redirect.span);
        }
        if redirect.fd_var.is_some() {
            self.unsure(
                redirect.span,
                "a variable is given a number here, which isn't followed",
            );
        }
        let kind = match redirect.kind {
            s::RedirectKind::Output | s::RedirectKind::Clobber => RedirKind::Write,
            s::RedirectKind::Append => RedirKind::Append,
            s::RedirectKind::Input => RedirKind::Read,
            s::RedirectKind::ReadWrite => RedirKind::ReadWrite,
            s::RedirectKind::HereDoc | s::RedirectKind::HereDocStrip => RedirKind::HereDoc,
            s::RedirectKind::HereString => RedirKind::HereString,
            s::RedirectKind::DupOutput => RedirKind::DupOut,
            s::RedirectKind::DupInput => RedirKind::DupIn,
            s::RedirectKind::OutputBoth => RedirKind::Both,
        };
        let word = match &redirect.target {
            s::RedirectTarget::Word(word) => {
                let raw = self.raw(word.span);
                let dup = matches!(kind, RedirKind::DupIn | RedirKind::DupOut);
                if dup && raw.len() > 1 && raw.starts_with('-') {
                    // `>&-x` closes, and `x` is a word.
                    self.unsure(redirect.span, "it isn't clear where this redirection ends");
                }
                self.word(word)
            }
            s::RedirectTarget::Heredoc(heredoc) => self.heredoc(heredoc),
        };
        Redir {
            // `{name}>`: the shell picks a descriptor above 9.
            fd: redirect.fd_var.as_ref().map_or(redirect.fd, |_| Some(10)),
            kind,
            word,
            part: self.part(redirect.span),
        }
    }
}
