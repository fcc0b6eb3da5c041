//! Builtins: written down like every start, and what they change in the shell is followed.

use cerco_model::{Dialect, EntryKind, Part};
use compact_str::CompactString;

use super::call::Expanded;
use super::redirect::Redirected;
use super::variables::{DIRECTORY, POSITIONAL, STACK, concat, scalar};
use super::{Eval, Hidden, fold};
use crate::posix::state::{Val, Var, unknown};
use crate::{Assignment, Output, Programs, StartedBy, Text, Word};

/// Options that `set` may change without changing how the text is read.
const PLAIN_SET: &str = "euxvCbhmnEHT";

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
                self.status = Some(true);
            }
            "pwd" => {
                if args.is_empty()
                    && let Val::Text(Text::Known(path)) = self.value(DIRECTORY)
                {
                    writes = Some(compact_str::format_compact!("{path}\n"));
                }
                self.status = Some(true);
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
                quiet = true;
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
                self.reads(name, &args);
            }
            "let" => {
                quiet = true;
                for word in &args {
                    match word.text.known() {
                        Some(text) => {
                            let list = self.parse(&format!("(({text}))"), word.part);
                            self.list(&list);
                        }
                        None => self.doubt(word.part, "what this sets isn't known before it runs"),
                    }
                }
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

    fn printf(&mut self, args: &[Word], quiet: &mut bool) -> Option<CompactString> {
        if self.dialect == Dialect::Sh {
            // No `-v` there.
            return Self::known_words(args).and_then(|words| fold::printf(&words));
        }
        if let [first, name, ..] = args
            && first.text.known() == Some("-v")
        {
            *quiet = true;
            self.no_subscript(&name.text, name.part);
            let rest = args.get(2..).unwrap_or_default();
            let text = Self::known_words(rest).and_then(|words| fold::printf(&words));
            match name.text.known() {
                Some(name) if is_name(name) => {
                    let name = CompactString::from(name);
                    let text = Self::text_of(text);
                    self.set_value(&name, Val::Text(text));
                }
                Some(_) => {}
                None => self.doubt(name.part, "what this sets isn't known before it runs"),
            }
            return None;
        }
        if let Some(first) = args.first()
            && first.text.known().is_none_or(|t| t.starts_with("-v"))
            && first.text.known() != Some("-v")
        {
            if first.text.known().is_some() {
                self.doubt(first.part, "`-v` must stand apart from its name to be read");
            }
            return None;
        }
        Self::known_words(args).and_then(|words| fold::printf(&words))
    }

    /// `wait -p name` sets the name, like `read` does.
    fn wait(&mut self, args: &[Word]) {
        let mut sets = false;
        for word in args {
            self.no_subscript(&word.text, word.part);
            let flag = word.text.known().filter(|t| t.starts_with('-'));
            let name = match flag.and_then(|t| t.split_once('p')) {
                Some((_, "")) => {
                    sets = true;
                    continue;
                }
                Some((_, name)) => Some(name),
                None if sets => word.text.known(),
                None => continue,
            };
            sets = false;
            match name {
                Some(name) if is_name(name) => {
                    let name = CompactString::from(name);
                    self.set_value(&name, Val::any_text());
                }
                Some(_) => {}
                None => self.doubt(word.part, "what this sets isn't known before it runs"),
            }
        }
    }

    /// A directory as `cd` would take it, from the one it is in.
    fn target(&mut self, text: &Text) -> Option<CompactString> {
        let path = text.known()?;
        if path.starts_with('/') {
            return Some(normal(path));
        }
        if self.store.get("CDPATH").is_some() || self.place.environment.contains_key("CDPATH") {
            return None;
        }
        let Val::Text(Text::Known(base)) = self.value(DIRECTORY) else {
            return None;
        };
        Some(normal(&format!("{base}/{path}")))
    }

    fn cd(&mut self, args: &[Word]) {
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

    fn pushd(&mut self, args: &[Word]) {
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

    fn popd(&mut self, args: &[Word]) {
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

    fn declare(&mut self, name: &str, args: &[Word], declared: &[(Assignment, Option<Val>)]) {
        if name == "local" && self.calls.is_empty() {
            // Outside of a function it fails and sets nothing.
            self.status = Some(false);
            return;
        }
        let mut exported = name == "export";
        let mut fixed = name == "readonly";
        let mut integer = false;
        let mut odd = false;
        // Inside a function `declare` makes a local, too, but with `-g`.
        let global = args.iter().any(|w| {
            w.text
                .known()
                .is_some_and(|t| t.starts_with('-') && t.contains('g'))
        });
        let scope = match name {
            "local" => Scope::Function,
            "declare" | "typeset" if !global => Scope::Function,
            _ => Scope::Outer,
        };
        let is_declare = matches!(name, "declare" | "typeset" | "local");
        for word in args {
            let Some(text) = word.text.known() else {
                self.no_subscript(&word.text, word.part);
                // `export $x`: any name may be set to anything.
                if word.text.known_prefix().split_once('=').is_none() {
                    self.doubt(word.part, "what this sets isn't known before it runs");
                }
                continue;
            };
            if let Some(flags) = text.strip_prefix('-').filter(|f| !f.is_empty()) {
                exported |= is_declare && flags.contains('x');
                integer |= is_declare && flags.contains('i');
                fixed |= is_declare && flags.contains('r');
                odd |= is_declare && flags.contains(['n', 'A']);
                if is_declare && flags.contains(['u', 'l', 'c']) {
                    self.doubt(word.part, "what is assigned from here on is changed first");
                }
                // Whatever it is given is worked out: by `read`, by a loop, by arithmetic.
                if is_declare && flags.contains('i') && self.armed {
                    self.doubt(word.part, "a value may run what its subscript says");
                }
                if is_declare && flags.contains('n') {
                    self.doubt(
                        word.part,
                        "a name that stands for another can't be followed",
                    );
                }
                continue;
            }
            if text.starts_with('+') {
                continue;
            }
            let (target, value) = match text.split_once('=') {
                Some((target, value)) => (target, Some(value)),
                None => (text, None),
            };
            let append = target.ends_with('+');
            let target = target.trim_end_matches('+');
            if target.contains('[') {
                self.no_subscript(&word.text, word.part);
                let base = target.split('[').next().unwrap_or_default();
                if is_name(base) {
                    let base = CompactString::from(base);
                    self.set_value(&base, Val::Unknown);
                }
                continue;
            }
            let value = value.map(CompactString::from);
            let target = CompactString::from(target);
            if !is_name(&target) || declared.iter().any(|(a, _)| a.name == target) {
                continue;
            }
            let val = match value {
                Some(value) => {
                    let mut text = Text::Known(value);
                    if append {
                        let old = scalar(self.value(&target));
                        text = concat(old.unwrap_or_else(|| Text::Known("".into())), &text);
                    }
                    if integer {
                        self.text_as_number(&text, word.part);
                    }
                    Some(Val::Text(text))
                }
                None => None,
            };
            let flags = Flags {
                exported,
                integer,
                odd,
                fixed,
            };
            self.declared(&target, val, flags, scope, word.part);
        }
        let flags = Flags {
            exported,
            integer,
            odd,
            fixed,
        };
        for (assignment, val) in declared {
            if integer {
                self.text_as_number(&assignment.value, assignment.part);
            }
            let val = val.clone().unwrap_or(Val::Unknown);
            let target = assignment.name.clone();
            self.declared(&target, Some(val), flags, scope, assignment.part);
        }
        self.status = Some(true);
    }

    fn declared(
        &mut self,
        name: &CompactString,
        val: Option<Val>,
        flags: Flags,
        scope: Scope,
        part: Part,
    ) {
        if scope != Scope::Outer && !self.calls.is_empty() {
            self.hide(name);
        }
        let mut var = self.var_now(name);
        var.exported |= flags.exported;
        var.integer |= flags.integer;
        let fixed = var.fixed || flags.fixed;
        match val {
            Some(val) => {
                var.alts = smallvec::smallvec![if flags.odd || flags.integer {
                    Val::Unknown
                } else {
                    val
                }];
            }
            // A bare `local x` hides the outer one.
            // dash takes the outer value over.
            None if scope == Scope::Function
                && !self.calls.is_empty()
                && self.dialect != Dialect::Sh =>
            {
                var.alts = smallvec::smallvec![Val::Unset];
            }
            None => {}
        }
        if var.exported {
            for val in var.alts.clone() {
                self.out.assignments.push(Assignment {
                    name: name.clone(),
                    value: scalar(val).unwrap_or_else(|| Text::Known("".into())),
                    part: self.at.unwrap_or(part),
                    exported: true,
                });
            }
        } else {
            let value = var.alts.first().cloned().and_then(scalar);
            self.out.assignments.push(Assignment {
                name: name.clone(),
                value: value.unwrap_or_else(|| Text::Known("".into())),
                part: self.at.unwrap_or(part),
                exported: false,
            });
        }
        self.set_var(name, var);
        if fixed {
            let mut var = self.var_now(name);
            var.fixed = true;
            self.store.set(name, var);
        }
    }

    /// `local`: the function has the name for itself.
    fn hide(&mut self, name: &CompactString) {
        let outer = self.var_now(name);
        let branches = self.branches;
        if let Some(hidden) = self.locals.last_mut()
            && !hidden
                .iter()
                .any(|h| h.name == *name && h.branches <= branches)
        {
            hidden.push(Hidden {
                name: name.clone(),
                outer,
                branches,
            });
        }
    }

    fn unset(&mut self, args: &[Word]) {
        for word in args {
            match word.text.known() {
                Some("-f") => {
                    // Later calls may reach a program of that name.
                    let functions = std::rc::Rc::make_mut(&mut self.functions);
                    for definition in functions.values_mut() {
                        definition.certain = false;
                    }
                }
                Some(flag) if flag.starts_with('-') => {}
                Some(name) => {
                    let name = CompactString::from(name);
                    if is_name(&name) {
                        self.set_var(&name, Var::of(Val::Unset));
                    } else {
                        self.no_subscript(&Text::Known(name.clone()), word.part);
                        let base = name.split('[').next().unwrap_or_default();
                        self.set_value(base, Val::Unknown);
                    }
                    let functions = std::rc::Rc::make_mut(&mut self.functions);
                    if let Some(definition) = functions.get_mut(&name) {
                        definition.certain = false;
                    }
                }
                None => self.doubt(word.part, "what this unsets isn't known before it runs"),
            }
        }
        self.status = Some(true);
    }

    fn set(&mut self, args: &[Word], part: Part) {
        let mut args = args;
        let mut replaced = false;
        while let [first, rest @ ..] = args {
            let Some(text) = first.text.known() else {
                break;
            };
            if text == "--" || text == "-" {
                replaced = text == "--" || !rest.is_empty();
                args = rest;
                break;
            }
            let Some(flags) = text.strip_prefix(['-', '+']) else {
                break;
            };
            args = rest;
            for flag in flags.chars() {
                match flag {
                    'o' => {
                        let option = args.first().map(|w| w.text.known());
                        args = args.get(1..).unwrap_or_default();
                        match option {
                            None
                            | Some(Some(
                                "pipefail" | "errexit" | "nounset" | "xtrace" | "errtrace"
                                | "functrace" | "noclobber" | "monitor" | "verbose" | "notify"
                                | "noexec" | "nolog" | "vi" | "emacs" | "histexpand",
                            )) => {}
                            Some(Some("noglob")) => self.odd_globs = true,
                            Some(_) => self.doubt(part, "this option changes how text is read"),
                        }
                    }
                    'f' => self.odd_globs = true,
                    c if PLAIN_SET.contains(c) => {}
                    _ => self.doubt(part, "this option changes how text is read"),
                }
            }
        }
        if !args.is_empty() || replaced {
            let spread = args.iter().any(|w| w.spreads);
            let list = args.iter().map(|w| w.text.clone()).collect();
            let val = if spread {
                Val::Unknown
            } else {
                Val::Array(list)
            };
            self.set_var(POSITIONAL, Var::of(val));
        }
        self.status = Some(true);
    }

    fn shift(&mut self, args: &[Word]) {
        let count = match args.first() {
            None => Some(1),
            Some(word) => word.text.known().and_then(|n| n.parse::<usize>().ok()),
        };
        let val = match (self.value(POSITIONAL), count) {
            (Val::Array(list), Some(count)) if count <= list.len() => {
                Val::Array(list.into_iter().skip(count).collect())
            }
            (Val::Array(list), Some(_)) => Val::Array(list),
            _ => Val::Unknown,
        };
        self.set_var(POSITIONAL, Var::of(val));
    }

    fn reads(&mut self, name: &str, args: &[Word]) {
        let with_value = if name == "read" {
            "adinNptu"
        } else {
            "dnOsuCc"
        };
        let mut skip = false;
        let mut named = false;
        for (at, word) in args.iter().enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            let Some(text) = word.text.known() else {
                self.doubt(word.part, "what this sets isn't known before it runs");
                continue;
            };
            if name == "getopts" && at == 0 {
                continue;
            }
            if let Some(flags) = text
                .strip_prefix('-')
                .filter(|f| !f.is_empty() && name != "getopts")
            {
                if let Some(at) = flags.find(|c| with_value.contains(c)) {
                    let flag = flags.get(at..at + 1).unwrap_or_default();
                    let rest = flags.get(at + 1..).unwrap_or_default();
                    skip = rest.is_empty();
                    if flag == "C" {
                        self.doubt(word.part, "`-C` runs a command");
                    }
                    if flag == "a" && name == "read" {
                        skip = false;
                        if !rest.is_empty() {
                            named = true;
                            let array = CompactString::from(rest);
                            self.set_value(&array, Val::Unknown);
                        }
                    }
                }
                continue;
            }
            named = true;
            self.no_subscript(&word.text, word.part);
            let base = CompactString::from(text.split('[').next().unwrap_or_default());
            self.set_value(&base, Val::Unknown);
        }
        match name {
            "read" if !named => self.set_value("REPLY", Val::any_text()),
            "mapfile" | "readarray" if !named => self.set_value("MAPFILE", Val::Unknown),
            "getopts" => {
                self.set_value("OPTARG", Val::Unknown);
                self.set_value("OPTIND", Val::any_text());
            }
            _ => {}
        }
    }

    fn eval(&mut self, args: &[Word], part: Part) {
        let Some(words) = Self::known_words(args) else {
            return self.doubt_with(
                part,
                "the commands in this text aren't known before it runs",
                Some("write the commands out"),
            );
        };
        let text = words.join(" ");
        if !self.spend(text.len() + 64, part) || self.depth > 24 {
            return self.doubt(part, "texts in texts are nested too deeply");
        }
        let list = self.parse(&text, part);
        let at = self.at.replace(self.at.unwrap_or(part));
        self.depth += 8;
        self.nested(|e| e.list(&list));
        self.depth -= 8;
        self.at = at;
        self.status = None;
    }

    /// The command behind `exec`, `command`, `builtin`.
    fn wrapped(&mut self, args: &[Word], valued: &[&str], flags: &str, index: u32, part: Part) {
        let mut args = args;
        while let [first, rest @ ..] = args {
            let Some(text) = first.text.known() else {
                break;
            };
            if text == "--" {
                args = rest;
                break;
            }
            let Some(letters) = text.strip_prefix('-').filter(|l| !l.is_empty()) else {
                break;
            };
            args = rest;
            if valued.contains(&text) {
                args = args.get(1..).unwrap_or_default();
            } else if !letters.chars().all(|c| flags.contains(c)) {
                return self.doubt(first.part, "an option that isn't known");
            }
        }
        let [name, rest @ ..] = args else { return };
        let Some(known) = name.text.known().filter(|_| !name.spreads) else {
            return self.doubt_with(
                name.part,
                "which program this starts isn't known before it runs",
                Some("write the program's name out"),
            );
        };
        let known = CompactString::from(known);
        if self.inner_depth >= super::MAX_INNER {
            return self.doubt(part, "programs that start programs are nested too deeply");
        }
        self.inner_depth += 1;
        let call = Expanded {
            name: name.clone(),
            args: rest.to_vec(),
            assignments: Vec::new(),
            redirected: Redirected::default(),
            part,
        };
        if super::names::is_builtin(&known, self.dialect) && !valued.contains(&"-a") {
            self.builtin(&known, call, &[]);
        } else {
            self.program(call, StartedBy::Start(index));
        }
        self.inner_depth -= 1;
    }

    /// Code that runs later: read now and with what the text leaves at its end.
    fn trap(&mut self, args: &[Word], part: Part) {
        let args = match args {
            [first, rest @ ..] if first.text.known() == Some("--") => rest,
            rest => rest,
        };
        let [code, signals @ ..] = args else { return };
        match code.text.known() {
            Some("-p" | "-l" | "-P" | "" | "-") => return,
            Some(text) if !code.spreads => {
                // `trap INT` alone resets it.
                if signals.is_empty() {
                    return;
                }
                let text = text.to_owned();
                if self.depth > 24 {
                    return self.doubt(part, "texts in texts are nested too deeply");
                }
                let list = self.parse(&text, code.part);
                let at = self.at.replace(self.at.unwrap_or(code.part));
                self.depth += 8;
                self.branches += 1;
                let capture = self.capture.take();
                self.nested(|e| e.subshell(|e| e.list(&list)));
                self.capture = capture;
                self.branches -= 1;
                self.depth -= 8;
                self.at = at;
                self.store.watch();
                self.trapped.push((std::rc::Rc::new(list), code.part));
            }
            _ => self.doubt(
                code.part,
                "the commands in this text aren't known before it runs",
            ),
        }
        self.status = Some(true);
    }

    fn shopt(&mut self, args: &[Word], part: Part) {
        let mut changes = false;
        for word in args {
            match word.text.known() {
                Some("-s" | "-u") => changes = true,
                Some("-q" | "-p") => {}
                Some(
                    "nullglob" | "globstar" | "dotglob" | "extglob" | "failglob" | "nocaseglob",
                ) => {
                    if changes {
                        self.odd_globs = true;
                    }
                }
                Some(_) | None => {
                    if changes {
                        self.doubt(part, "this option changes how text is read");
                    }
                }
            }
        }
    }
}

/// Whose variable a declaration makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The function's own, which starts unset.
    Function,
    /// The one that is there.
    Outer,
}

/// What a declaration says of its names.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options of `declare`, independent of each other"
)]
struct Flags {
    exported: bool,
    integer: bool,
    /// Letter case, associative arrays: the value isn't followed.
    odd: bool,
    fixed: bool,
}

/// Whether a folder is there to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    Yes,
    No,
    CantSay,
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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
