//! Unquoted text and the tildes in it.

use cerco_model::Dialect;

use super::Eval;
use super::fields::Fields;
use super::variables::{is_name, scalar};
use crate::posix::state::{Val, unknown};
use crate::posix::tree::Quote;
use crate::{Programs, Text};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn bare(&mut self, text: &str, first: bool, last: bool, fields: &mut Fields) {
        if first
            && fields.bits.is_empty()
            && let Some(after) = text.strip_prefix('~')
        {
            let (user, rest) = match after.find('/') {
                Some(at) => after.split_at(at),
                None if last => (after, ""),
                // `~"x"` and `~$x` are no tilde.
                None => return fields.literal(text, Quote::Bare),
            };
            match self.tilde(user) {
                Some(home) => {
                    fields.whole(&home, Quote::Double);
                    fields.literal(rest, Quote::Bare);
                }
                None => fields.literal(text, Quote::Bare),
            }
            return;
        }
        // bash does it for arguments that look like assignments, too, but not once more
        // for the value of one.
        if first
            && fields.splits
            && fields.bits.is_empty()
            && let Some((name, value)) = text.split_once('=')
            && self.dialect != Dialect::Sh
            && !fields.braced
            && value.contains('~')
            && is_name(name.strip_suffix('+').unwrap_or(name))
        {
            fields.literal(name, Quote::Double);
            let count = value.split(':').count();
            for (i, piece) in value.split(':').enumerate() {
                fields.literal(if i == 0 { "=" } else { ":" }, Quote::Double);
                let Some(after) = piece.strip_prefix('~') else {
                    fields.literal(piece, Quote::Bare);
                    continue;
                };
                let (user, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
                let ends = last || i + 1 < count || !rest.is_empty();
                match self.tilde(user).filter(|_| ends) {
                    Some(home) => {
                        fields.whole(&home, Quote::Double);
                        fields.literal(rest, Quote::Bare);
                    }
                    None => fields.literal(piece, Quote::Bare),
                }
            }
            return;
        }
        fields.literal(text, Quote::Bare);
    }

    fn tilde(&mut self, user: &str) -> Option<Text> {
        let home = |path: &str| Some(Text::Known(path.into()));
        match user {
            "" => match self.value("HOME") {
                Val::Unset => home(&self.place.home),
                val => scalar(val),
            },
            // What bash makes of `x=~=~` and `~:~` follows no rule.
            _ if user.contains(['=', ':']) && self.dialect != Dialect::Sh => Some(unknown()),
            "+" | "-" if self.dialect == Dialect::Sh => None,
            "+" => scalar(self.value("PWD")),
            "-" => scalar(self.value("OLDPWD")),
            // An entry of the directory stack.
            _ if self.dialect != Dialect::Sh && is_entry(user) => Some(unknown()),
            _ if user == self.place.user => home(&self.place.home),
            "root" => home("/root"),
            _ if user
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) =>
            {
                // Without such a user it stays what is written: `sbt ~test`.
                let key = compact_str::format_compact!("\0~{user}");
                let exists = self.choices.pick(&key, 2) != Some(1);
                exists.then(unknown)
            }
            _ => None,
        }
    }
}

/// `+1`, `-0`.
fn is_entry(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
