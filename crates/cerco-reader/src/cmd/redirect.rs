//! Redirections.

use super::parse::Parser;
use super::tree::Redirect;
use crate::RedirectionKind;

impl Parser<'_> {
    pub(super) fn redirection_here(&self, follows_gap: bool) -> bool {
        let Some(char) = self.peek() else {
            return false;
        };
        char.is('<')
            || char.is('>')
            || (follows_gap
                && char.c.is_some_and(|c| c.is_ascii_digit())
                && (self.next_is(1, '<') || self.next_is(1, '>')))
    }

    /// Takes a redirection, if one comes next.
    pub(super) fn redirection(&mut self, redirections: &mut Vec<Redirect>) -> bool {
        if !self.redirection_here(true) {
            return false;
        }
        if self
            .peek()
            .is_some_and(|c| c.c.is_some_and(|c| c.is_ascii_digit()))
        {
            self.at += 1;
        }
        let mut kind = RedirectionKind::Read;
        if self.next_is(0, '>') {
            kind = RedirectionKind::Write;
            if self.next_is(1, '>') {
                self.at += 1;
                kind = RedirectionKind::Append;
            }
        }
        self.at += 1;
        if self.next_is(0, '&') {
            self.at += 1;
            self.spaces();
            if self
                .peek()
                .is_some_and(|c| c.c.is_some_and(|c| c.is_ascii_digit()))
            {
                self.at += 1;
            }
            return true;
        }
        self.blanks();
        let mut target = Vec::new();
        let mut quoted = false;
        while let Some(char) = self.peek() {
            if char.is('\n') {
                break;
            }
            if char.is('"') {
                quoted = !quoted;
                self.at += 1;
                continue;
            }
            if !quoted {
                if char.is('^') {
                    self.at += 1;
                    self.escaped(&mut target);
                    continue;
                }
                let ends = char.is_delimiter()
                    || ['&', '|', '<', '>'].iter().any(|c| char.is(*c))
                    || (char.is(')') && self.depth > 1);
                if ends {
                    break;
                }
            }
            target.push(char);
            self.at += 1;
        }
        redirections.push(Redirect { kind, target });
        true
    }
}
