//! The interpreter of a text that runs nothing: it follows values, directories and
//! branches, and writes down every program that would be started.
//!
//! Where a value isn't settled it says unknown; where a program isn't settled it says
//! so as a doubt. Every bound (steps, values, nesting) ends in a doubt or an unknown,
//! never in silence.

mod absent;
mod arith;
mod assign;
mod brace;
mod branches;
mod builtins;
mod call;
mod choice;
mod cond;
mod edit;
mod expand;
mod fields;
mod fold;
mod functions;
mod glob;
mod inner;
mod lent;
mod loops;
mod names;
mod own;
mod param;
mod pattern;
mod redirect;
mod run;
mod scopes;
mod slice;
mod tilde;
mod variables;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cerco_model::{Dialect, Part, Place};
use compact_str::CompactString;
use smallvec::SmallVec;

use self::choice::Choices;
use super::parse::Anchor;
use super::state::{Alts, Store, Val, Var};
use super::tree::{List, Parsed, Stmt};
use crate::{Directory, Doubt, Inner, Output, Programs, Reading, Redirection, Stdin, Text};

/// A function as far as it is settled which one it is.
#[derive(Clone, Debug)]
struct Definition {
    bodies: SmallVec<[Rc<Stmt>; 1]>,
    /// Whether the name surely is this function, not a program.
    certain: bool,
}

/// What a substitution collects of what its commands write.
#[derive(Debug)]
struct Capture {
    text: CompactString,
    known: bool,
}

/// A variable that a function made its own.
#[derive(Debug)]
struct Hidden {
    name: CompactString,
    /// What the caller has under the name.
    outer: Var,
    /// How deep in branches the function stood when it did so.
    branches: u32,
}

/// A loop that is being read.
#[derive(Debug, Default)]
struct LoopFrame {
    /// Something in it leaves it.
    left: bool,
}

/// Where names of the text's own making stop counting: the limits of one reading.
const MAX_DEPTH: u32 = 90;
/// Commands in commands through wrappers and code strings.
const MAX_INNER: u32 = 12;
const MAX_FUNCTIONS: usize = 500;
/// Longer values are unknown.
const MAX_VALUE: usize = 1 << 16;

#[expect(
    clippy::struct_excessive_bools,
    reason = "facts about the text, independent of each other"
)]
pub(super) struct Eval<'a, P: Programs> {
    place: &'a Place<'a>,
    programs: &'a P,
    dialect: Dialect,
    /// The part of everything, where the text stands inside another.
    at: Option<Part>,
    out: Reading<P::Bound>,
    store: Store,
    functions: Rc<BTreeMap<CompactString, Definition>>,
    called: BTreeSet<CompactString>,
    calls: Vec<CompactString>,
    /// Redirections of enclosing groups.
    redirs: Vec<Redirection>,
    stdin: Stdin,
    output: Output,
    capture: Option<Capture>,
    /// What the last command's status surely is.
    status: Option<bool>,
    choices: Choices,
    /// What each substitution of the command in hand yields, by its address.
    folded: Vec<(usize, Alts)>,
    loops: Vec<LoopFrame>,
    /// Loops below this one belong to an enclosing shell.
    loop_floor: usize,
    /// Greater than 0 where it isn't settled that the commands run at all.
    branches: u32,
    depth: u32,
    inner_depth: u32,
    budget: u64,
    spent_out: bool,
    inner: Vec<Inner>,
    /// Whether a program was started that may have changed the tree.
    tree_touched: bool,
    /// Options changed what globs do.
    odd_globs: bool,
    /// Somewhere in the text stands a subscript with a substitution in it, and the
    /// substitution may be a value: `[ $i -lt 3 ]` beside `$((i+1))` is none.
    armed: bool,
    /// `set -e`: a list may end at any command that fails.
    errexit: bool,
    /// Something may still run behind an error of the shell's: another line, or the shell
    /// around this one.
    goes_on: bool,
    /// `return`, `break` or `continue` was read since this was last cleared.
    jumped: bool,
    /// Code that runs when the shell ends or is signalled.
    trapped: Vec<(Rc<List>, Part)>,
    /// What the functions being read hide from their callers, to be put back.
    locals: Vec<Vec<Hidden>>,
    /// Names that the functions being read were given values of for one call.
    given: Vec<CompactString>,
    /// How often something was declared.
    declares: usize,
    /// How deep values are read as expressions of values.
    numbers_deep: u8,
}

impl<'a, P: Programs> Eval<'a, P> {
    pub(super) fn new(
        text: &str,
        dialect: Dialect,
        at: Option<Part>,
        place: &'a Place<'a>,
        programs: &'a P,
    ) -> Self {
        let mut eval = Self {
            place,
            programs,
            dialect,
            at,
            out: Reading::default(),
            store: Store::default(),
            functions: Rc::default(),
            called: BTreeSet::new(),
            calls: Vec::new(),
            redirs: Vec::new(),
            stdin: Stdin::Inherited,
            output: Output::Inherited,
            capture: None,
            status: None,
            choices: Choices::default(),
            folded: Vec::new(),
            loops: Vec::new(),
            loop_floor: 0,
            branches: 0,
            depth: 0,
            inner_depth: 0,
            budget: 100_000 + 16 * text.len() as u64,
            spent_out: false,
            inner: Vec::new(),
            tree_touched: false,
            odd_globs: false,
            armed: is_armed(text),
            errexit: false,
            goes_on: text.trim_end().contains('\n'),
            jumped: false,
            trapped: Vec::new(),
            locals: Vec::new(),
            given: Vec::new(),
            declares: 0,
            numbers_deep: 0,
        };
        eval.store
            .set(variables::DIRECTORY, Var::of(Val::known(&place.directory)));
        eval
    }

    /// A nested text starts with what the outer one exported, in its directory.
    pub(super) fn inherit(&mut self, vars: Vec<(CompactString, Var)>, depth: u32) {
        for (name, var) in vars {
            self.store.set(&name, var);
        }
        self.inner_depth = depth;
    }

    pub(super) fn stand_in(&mut self, directory: Directory) {
        let val = match directory {
            Directory::Known(path) => Val::Text(Text::Known(path)),
            Directory::Unknown => Val::any_text(),
        };
        self.store.set(variables::DIRECTORY, Var::of(val));
    }

    pub(super) fn read(self, parsed: &Parsed) -> Reading<P::Bound> {
        self.read_counting(parsed).0
    }

    /// Reads, and says how much work is left.
    pub(super) fn read_counting(mut self, parsed: &Parsed) -> (Reading<P::Bound>, u64) {
        self.armed &= parsed.quotes_opener;
        for unsure in &parsed.unsure {
            self.doubt(unsure.part, unsure.why);
        }
        self.list(&parsed.list);
        self.branches += 1;
        let mut store = std::mem::take(&mut self.store);
        store.any_moment(|name| self.unset_var(name));
        self.store = store;
        for (list, part) in std::mem::take(&mut self.trapped) {
            let at = self.at.replace(self.at.unwrap_or(part));
            self.subshell(|e| e.list(&list));
            self.at = at;
        }
        self.branches -= 1;
        self.uncalled();
        (self.out, self.budget)
    }

    pub(super) fn parse(&mut self, text: &str, part: Part) -> List {
        let parsed = super::parse::parse(text, self.dialect, Anchor::Fixed(part), 0);
        self.armed |= is_armed(text) && parsed.quotes_opener;
        for unsure in &parsed.unsure {
            self.doubt(part, unsure.why);
        }
        parsed.list
    }

    pub(super) fn doubt(&mut self, part: Part, why: impl Into<Cow<'static, str>>) {
        self.doubt_with(part, why, None);
    }

    pub(super) fn doubt_with(
        &mut self,
        part: Part,
        why: impl Into<Cow<'static, str>>,
        remedy: Option<&'static str>,
    ) {
        let part = self.at.unwrap_or(part);
        let doubt = Doubt {
            part,
            reason: why.into(),
            remedy: remedy.map(Cow::Borrowed),
        };
        if !self.out.doubts.contains(&doubt) && self.out.doubts.len() < 1_000 {
            self.out.doubts.push(doubt);
        }
    }

    /// Counts work. When it is used up, the rest is a doubt and nothing more is read.
    pub(super) fn spend(&mut self, work: usize, part: Part) -> bool {
        self.budget = self.budget.saturating_sub(1 + work as u64 / 16);
        if self.budget == 0 && !self.spent_out {
            self.spent_out = true;
            self.doubt(part, "it takes too many steps to read");
        }
        !self.spent_out
    }

    pub(super) fn known_words(words: &[crate::Word]) -> Option<Vec<&str>> {
        words
            .iter()
            .map(|w| if w.spreads { None } else { w.text.known() })
            .collect()
    }

    pub(super) fn text_of(text: Option<CompactString>) -> Text {
        text.map_or_else(super::state::unknown, Text::Known)
    }
}

/// A subscript that holds a substitution is run wherever arithmetic meets its text
/// (READER.md §3): `x='a[$(evil)]'; ((x))`.
fn is_armed(text: &str) -> bool {
    text.find('[').is_some_and(|at| {
        text.get(at..)
            .is_some_and(|rest| rest.contains("$(") || rest.contains('`'))
    })
}

/// Whether `text` is such a subscript.
fn is_injection(text: &str) -> bool {
    is_armed(text)
}
