//! `cd`, `pushd`, `popd`: the directory is followed as far as the text and the tree settle it.

use cerco_model::EntryKind;
use compact_str::CompactString;

use crate::posix::eval::Eval;
use crate::posix::eval::variables::{DIRECTORY, STACK, scalar};
use crate::posix::state::{Val, Var, unknown};
use crate::{Programs, Text, Word};

impl<P: Programs> Eval<'_, P> {
    /// A directory as `cd` would take it, from the one it is in.
    fn target(&mut self, text: &Text) -> Option<CompactString> {
        let path = text.known()?;
        if path.starts_with('/') {
            return Some(normal(path));
        }
        if self.has_search_path() {
            return None;
        }
        let Val::Text(Text::Known(base)) = self.value(DIRECTORY) else {
            return None;
        };
        Some(normal(&format!("{base}/{path}")))
    }

    /// Whether `cd` may find a directory elsewhere than in this one.
    pub(super) fn has_search_path(&self) -> bool {
        self.store.get("CDPATH").is_some() || self.place.environment.contains_key("CDPATH")
    }

    pub(super) fn cd(&mut self, args: &[Word]) {
        let mut args = args;
        let mut physical = false;
        while let [first, rest @ ..] = args {
            match first.text.known() {
                Some("--") => {
                    args = rest;
                    break;
                }
                Some(flag) if flag.len() > 1 && flag.starts_with('-') => {
                    physical = flag.contains('P');
                    args = rest;
                }
                _ => break,
            }
        }
        let to = match args {
            [] => scalar(self.value("HOME")).unwrap_or_else(|| Text::Known("".into())),
            [word, ..] if word.text.known() == Some("-") => {
                scalar(self.value("OLDPWD")).unwrap_or_else(unknown)
            }
            [word, ..] => word.text.clone(),
        };
        let to = if args.first().is_some_and(|w| w.spreads) {
            unknown()
        } else {
            to
        };
        self.go(&to, physical);
    }

    fn go(&mut self, to: &Text, physical: bool) {
        let old = self.value(DIRECTORY);
        self.status = None;
        if to.known() == Some("") {
            return;
        }
        let new = match self.target(to) {
            Some(path) => {
                let path = if physical {
                    self.place.tree.resolve(&path).map(CompactString::from)
                } else {
                    Some(path)
                };
                Self::text_of(path)
            }
            None => unknown(),
        };
        let sure = new.known().map(|path| self.is_there(path));
        let mut var = Var::of(Val::Text(new));
        match sure {
            Some(There::Yes | There::CantSay) => self.status = Some(true),
            Some(There::No) => var.alts.push(old.clone()),
            None => {}
        }
        self.set_var(DIRECTORY, var);
        self.set_value("OLDPWD", old);
        if self.store.get("PWD").is_some() {
            let pwd = self.var_now(DIRECTORY);
            self.set_var("PWD", pwd);
        }
    }

    /// Whether `cd` there works. A tree that can't be read says nothing; in one that can
    /// a folder that isn't there (yet), or that a program may have removed, may fail.
    fn is_there(&self, path: &str) -> There {
        let tree = self.place.tree;
        let parent = match path.rsplit_once('/') {
            Some(("", _)) | None => "/",
            Some((parent, _)) => parent,
        };
        let folder = tree
            .resolve(path)
            .and_then(|real| tree.entry(&real))
            .is_some_and(|kind| kind == EntryKind::Folder);
        if folder {
            return if self.tree_touched {
                There::No
            } else {
                There::Yes
            };
        }
        let readable =
            tree.names(parent, 4_096).is_some() || tree.entry(&self.place.directory).is_some();
        if readable { There::No } else { There::CantSay }
    }

    pub(super) fn pushd(&mut self, args: &[Word]) {
        let here = scalar(self.value(DIRECTORY)).unwrap_or_else(unknown);
        let mut stack = match self.value(STACK) {
            Val::Array(list) => list,
            Val::Unset | Val::Text(_) | Val::Unknown => return self.lost(),
        };
        match args {
            [] => match stack.pop() {
                Some(top) => {
                    stack.push(here);
                    self.set_value(STACK, Val::Array(stack));
                    self.go(&top, false);
                }
                None => self.status = Some(false),
            },
            [word]
                if !word.spreads
                    && word.text.known().is_none_or(|t| !t.starts_with(['+', '-'])) =>
            {
                stack.push(here);
                self.set_value(STACK, Val::Array(stack));
                let text = word.text.clone();
                self.go(&text, false);
            }
            _ => self.lost(),
        }
    }

    pub(super) fn popd(&mut self, args: &[Word]) {
        match (self.value(STACK), args) {
            (Val::Array(mut list), []) => match list.pop() {
                Some(top) => {
                    self.set_value(STACK, Val::Array(list));
                    self.go(&top, false);
                }
                None => self.status = Some(false),
            },
            _ => self.lost(),
        }
    }

    /// The directory isn't followed any more.
    fn lost(&mut self) {
        self.set_value(STACK, Val::Unknown);
        self.set_value(DIRECTORY, Val::any_text());
    }
}

/// Whether a folder is there to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    Yes,
    No,
    CantSay,
}

/// An absolute path without `.`, `..` and doubled slashes, as `cd` takes them out.
fn normal(path: &str) -> CompactString {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut out = CompactString::const_new("/");
    out.push_str(&parts.join("/"));
    out
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn paths_as_cd_takes_them() {
        assert_eq!(normal("/a//b/./c/../d"), "/a/b/d");
        assert_eq!(normal("/.."), "/");
    }
}
