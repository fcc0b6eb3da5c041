//! Reading and setting variables: the text's own, the shell's, the environment's.

use compact_str::CompactString;

use super::{Eval, MAX_VALUE, own};
use crate::posix::state::{Changes, Val, Var, unknown};
use crate::{Directory, Piece, Programs, Text};

/// The store's name for the directory; no variable can have it.
pub(super) const DIRECTORY: &str = "";
/// The positional parameters, an array.
pub(super) const POSITIONAL: &str = "@";
/// The stack of `pushd`, an array, newest last.
pub(super) const STACK: &str = "%";

impl<P: Programs> Eval<'_, P> {
    /// What `name` is before the text sets it.
    pub(super) fn unset_var(&self, name: &str) -> Var {
        let mut var = Var::of(match name {
            POSITIONAL | STACK => Val::Array(Vec::new()),
            "IFS" => Val::known(" \t\n"),
            // The shell sets these before it runs anything.
            "SHELL" | "TERM" | "PATH" | "HOME" if !self.place.environment.contains_key(name) => {
                Val::Unknown
            }
            "OPTARG" | "REPLY" | "_" | "PS4" | "PS1" | "PS2" | "COLUMNS" | "LINES" => Val::Unknown,
            // Some of them are lists.
            _ if own::is_own(name, self.dialect) => Val::Unknown,
            _ => match self.place.environment.get(name) {
                Some(value) => Val::known(value),
                None => Val::Unset,
            },
        });
        var.exported = self.place.environment.contains_key(name);
        var
    }

    pub(super) fn var_now(&self, name: &str) -> Var {
        match self.store.get(name) {
            Some(var) => var.clone(),
            None => self.unset_var(name),
        }
    }

    /// The value that the present round of the command takes.
    pub(super) fn value(&mut self, name: &str) -> Val {
        match name {
            "PWD" if self.store.get("PWD").is_none() => return self.value(DIRECTORY),
            "?" | "$" | "!" | "-" | "0" => return Val::any_text(),
            _ => {}
        }
        if let Some(index) = name
            .parse::<usize>()
            .ok()
            .filter(|_| !name.starts_with('+'))
        {
            return self.positional(index);
        }
        let Some(var) = self.store.get(name) else {
            return match self.place.environment.get(name) {
                Some(value) if name != "IFS" => Val::known(value),
                Some(_) | None => {
                    let mut var = self.unset_var(name);
                    var.alts.pop().unwrap_or(Val::Unknown)
                }
            };
        };
        match self.choices.pick(name, var.alts.len()) {
            Some(at) => var.alts.get(at).cloned().unwrap_or(Val::Unknown),
            None => Val::Unknown,
        }
    }

    fn positional(&mut self, index: usize) -> Val {
        match self.value(POSITIONAL) {
            Val::Array(list) => match index.checked_sub(1).and_then(|i| list.into_iter().nth(i)) {
                Some(text) => Val::Text(text),
                None => Val::Unset,
            },
            Val::Unset | Val::Text(_) | Val::Unknown => Val::Unknown,
        }
    }

    pub(super) fn set_var(&mut self, name: &str, mut var: Var) {
        self.told(name, &var);
        for val in &mut var.alts {
            if let Val::Text(Text::Known(text)) = val
                && text.len() > MAX_VALUE
            {
                *val = Val::any_text();
            }
            if let Val::Array(list) = val
                && list.len() > 4_096
            {
                *val = Val::Unknown;
            }
        }
        if let Some(old) = self.store.get(name) {
            let is_list = |val: &Val| matches!(val, Val::Array(_) | Val::Unknown);
            let sets_first = var.alts.iter().any(|val| matches!(val, Val::Text(_)));
            var.listed |= sets_first && (old.listed || old.alts.iter().any(is_list));
        }
        if let Some(old) = self.store.get(name).filter(|old| old.fixed).cloned() {
            // Not what a trap may set at any moment, but what is read-only.
            if old.alts.as_slice() != [Val::Unknown] {
                self.fails();
            }
            var = crate::posix::state::either(var, old);
        }
        self.store.set(name, var);
    }

    /// An error of the shell's: what follows up to the end of the line isn't run, what
    /// stands on the next one is.
    pub(super) fn fails(&mut self) {
        self.doubt(
            self.at.unwrap_or_default(),
            "the shell fails here and leaves commands out",
        );
    }

    /// Sets the value and keeps what the name is otherwise.
    pub(super) fn set_value(&mut self, name: &str, val: Val) {
        let (exported, integer) = match self.store.get(name) {
            Some(var) => (var.exported, var.integer),
            None => (self.place.environment.contains_key(name), false),
        };
        let val = if integer { Val::Unknown } else { val };
        self.set_var(
            name,
            Var {
                alts: smallvec::smallvec![val],
                exported,
                integer,
                fixed: false,
                listed: false,
            },
        );
    }

    pub(super) fn join(&mut self, ways: &[Changes]) {
        let mut store = std::mem::take(&mut self.store);
        store.join(ways, |name| self.unset_var(name));
        self.store = store;
    }

    pub(super) fn blur(&mut self, mark: crate::posix::state::Mark) {
        let mut store = std::mem::take(&mut self.store);
        store.blur(mark, |name| self.unset_var(name));
        self.store = store;
    }

    pub(super) fn directory(&mut self) -> Directory {
        match self.value(DIRECTORY) {
            Val::Text(Text::Known(path)) => Directory::Known(path),
            Val::Text(Text::Partly(_)) | Val::Unset | Val::Array(_) | Val::Unknown => {
                Directory::Unknown
            }
        }
    }

    /// The first character of IFS joins `"$*"`; the characters split unquoted values.
    pub(super) fn separators(&mut self) -> Option<CompactString> {
        if self.store.get("IFS").is_none() {
            return Some(CompactString::const_new(" \t\n"));
        }
        match self.value("IFS") {
            Val::Unset => Some(CompactString::const_new(" \t\n")),
            Val::Text(Text::Known(text)) => Some(text),
            Val::Text(Text::Partly(_)) | Val::Array(_) | Val::Unknown => None,
        }
    }
}

/// A value as one text: of an array the first element; nothing when it is unset.
pub(super) fn scalar(val: Val) -> Option<Text> {
    match val {
        Val::Unset => None,
        Val::Text(text) => Some(text),
        Val::Array(list) => list.into_iter().next(),
        Val::Unknown => Some(unknown()),
    }
}

/// Two texts one after the other.
pub(super) fn concat(a: Text, b: &Text) -> Text {
    match (a, b) {
        (Text::Known(mut a), Text::Known(b)) => {
            a.push_str(b);
            Text::Known(a)
        }
        (a, b) => {
            let mut pieces = pieces_of(a);
            for piece in pieces_of(b.clone()) {
                match (pieces.last_mut(), piece) {
                    (Some(Piece::Known(last)), Piece::Known(text)) => last.push_str(&text),
                    (Some(Piece::Unknown), Piece::Unknown) => {}
                    (_, piece) => pieces.push(piece),
                }
            }
            Text::Partly(pieces.into_boxed_slice())
        }
    }
}

pub(super) fn pieces_of(text: Text) -> Vec<Piece> {
    match text {
        Text::Known(text) if text.is_empty() => Vec::new(),
        Text::Known(text) => vec![Piece::Known(text)],
        Text::Partly(pieces) => pieces.into_vec(),
    }
}

/// Whether a text may hold a subscript with a substitution.
pub(super) fn may_inject(text: &Text, armed: bool) -> bool {
    match text {
        Text::Known(text) => super::is_injection(text),
        Text::Partly(pieces) => {
            pieces.iter().any(|piece| match piece {
                Piece::Known(text) | Piece::Glob(text) => {
                    text.contains('[') || text.contains("$(") || text.contains('`')
                }
                Piece::Unknown => false,
            }) || armed
        }
    }
}

/// Whether `text` can be a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
