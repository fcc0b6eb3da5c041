//! Goes through the tree and adds every program start to the reading.
//!
//! It follows the values and the directory that the text settles. A body that may run
//! later, several times or not at all is read with everything it changes unknown, so that
//! no order of running shows it a value the reading didn't.

use std::collections::BTreeMap;

use cerco_model::Part;

use super::cursor::Trouble;
use super::names;
use super::scan::{self, Changes};
use super::tree::{
    Argument, Block, CallBy, Command, Compound, Element, Ends, Expression, Fragment, Kind,
    Pipeline, Redirect, Statement,
};
use super::value::{self, Joined, Value};
use crate::windows::starts::{Draft, Entry, Starts};
use crate::windows::{environment, path};
use crate::{
    Assignment, Directory, Function, Output, Programs, Redirection, RedirectionKind, Stdin, Text,
    Word,
};

/// Where the output of what is read goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goes {
    Out,
    /// Into a variable, an argument, a condition.
    Caught,
}

pub(super) struct Walker<'a, 'p, P: Programs> {
    pub(super) starts: Starts<'a, 'p, P>,
    entry: Entry,
    /// Values of variables the text assigned; not there = never assigned = unknown.
    variables: BTreeMap<String, Value>,
    /// Environment variables the text assigned, upper case.
    environment: BTreeMap<String, Value>,
    /// What `$_` stands for.
    item: Value,
    directory: Directory,
    before: Directory,
    pushed: Vec<Directory>,
    /// Functions certainly defined, with what a call of them may change.
    functions: BTreeMap<String, Changes>,
    /// Whether the whole text moves at all.
    moves: bool,
    /// Whether what is read now runs for certain, once, in order.
    depth_of_bodies: u32,
    /// How many expressions were read: past a limit loops are read once, values unknown.
    work: u32,
}

/// How much is read with each settled value of a loop by itself.
const MAX_WORK: u32 = 100_000;

impl<'a, 'p, P: Programs> Walker<'a, 'p, P> {
    pub(super) fn new(starts: Starts<'a, 'p, P>, entry: Entry) -> Self {
        Self {
            starts,
            directory: entry.directory.clone(),
            before: entry.directory.clone(),
            entry,
            variables: BTreeMap::new(),
            environment: BTreeMap::new(),
            item: Value::Unknown,
            pushed: Vec::new(),
            functions: BTreeMap::new(),
            moves: false,
            depth_of_bodies: 0,
            work: 0,
        }
    }

    /// Reads the whole text, and says where it stopped being readable.
    pub(super) fn program(mut self, block: &Block, trouble: Option<Trouble>) {
        let mut changes = Changes::default();
        changes.block(block);
        self.moves = changes.moves;
        self.statements(&block.statements, Goes::Out);
        if let Some(trouble) = trouble {
            let part = self.part(trouble.part);
            self.starts
                .doubt(part, format!("can't be read: {}", trouble.why));
        }
    }

    /// The part of the command a person sees.
    pub(super) fn part(&self, part: Part) -> Part {
        self.entry.at.unwrap_or(part)
    }

    pub(super) fn statements(&mut self, statements: &[Statement], goes: Goes) -> Value {
        let mut value = Value::Null;
        for (index, statement) in statements.iter().enumerate() {
            let yielded = self.statement(statement, goes);
            value = if index == 0 { yielded } else { Value::Unknown };
        }
        value
    }

    fn statement(&mut self, statement: &Statement, goes: Goes) -> Value {
        match statement {
            Statement::Chain { pipelines } => {
                let mut value = Value::Null;
                for (index, pipeline) in pipelines.iter().enumerate() {
                    let before = self.directory.clone();
                    let yielded = self.pipeline(pipeline, goes);
                    value = if index == 0 { yielded } else { Value::Unknown };
                    // Behind `&&` and `||` it may not have run.
                    if index > 0 && self.directory != before {
                        self.directory = Directory::Unknown;
                    }
                }
                value
            }
            Statement::Assign {
                targets,
                is_plain,
                value,
                part,
            } => {
                let value = self.statement(value, Goes::Caught);
                self.assign_all(targets, *is_plain, value, *part);
                Value::Null
            }
            Statement::Compound {
                heads,
                bodies,
                kind,
                part,
            } => {
                self.compound(heads, bodies, kind, *part, goes);
                Value::Unknown
            }
            Statement::Function { name, part, body } => {
                self.define(name, *part, body);
                Value::Null
            }
            Statement::Leave { value } => {
                if let Some(value) = value {
                    self.statement(value, goes);
                }
                Value::Unknown
            }
            Statement::Break => Value::Null,
            Statement::Unread { part, why } => {
                let part = self.part(*part);
                self.starts.doubt(part, *why);
                self.forget_everything();
                Value::Unknown
            }
        }
    }

    // ---- bodies ----

    fn compound(
        &mut self,
        heads: &[Statement],
        bodies: &[Block],
        kind: &Compound,
        part: Part,
        goes: Goes,
    ) {
        let mut changes = Changes::default();
        for body in bodies {
            changes.block(body);
        }
        let repeats = *kind != Compound::Branch;
        if repeats {
            for head in heads {
                changes.statement(head);
            }
        }
        let mut conditions = Vec::new();
        let (mut each, mut head_start) = (Value::Unknown, 0);
        if let (Compound::Each(_), Some(head)) = (kind, heads.first()) {
            each = self.statement(head, Goes::Caught);
            head_start = 1;
        }
        if repeats {
            self.forget(&changes);
        }
        for head in heads.iter().skip(head_start) {
            conditions.push(self.statement(head, Goes::Caught).holds());
        }
        if repeats {
            // `for ($i = 0; …; $i++)`: the first head ran once, the last many times.
            self.forget(&changes);
        }
        if let Compound::Loop(ends) = kind {
            let is_endless = match ends {
                Ends::Never => true,
                Ends::WhenFalse(head) => conditions.get(*head) == Some(&Some(true)),
                Ends::WhenTrue(head) => conditions.get(*head) == Some(&Some(false)),
            };
            if is_endless && !changes.leaves && !changes.breaks {
                let part = self.part(part);
                self.starts.out.endless_loops.push(part);
            }
        }
        let names = match kind {
            Compound::Each(name) => Some(name),
            Compound::Branch | Compound::Switch | Compound::Loop(_) => None,
        };
        let rounds = match (&each, names) {
            // Each settled value is read once, so that every start is in the list.
            (Value::List(values), Some(_)) if values.len() <= 16 && self.depth_of_bodies < 3 => {
                values.clone()
            }
            (Value::List(_), _) => vec![Value::Unknown],
            (value, _) => vec![value.clone()],
        };
        let before = self.directory.clone();
        self.depth_of_bodies += 1;
        let last = rounds.len().saturating_sub(1);
        for (index, mut round) in rounds.into_iter().enumerate() {
            let is_over = self.work > MAX_WORK && index < last;
            if is_over {
                round = Value::Unknown;
            }
            if let Some(name) = names {
                self.variables.insert(name.clone(), round);
            }
            for body in bodies {
                self.statements(&body.statements, goes);
                self.forget_variables(&changes);
                if self.directory != before {
                    self.directory = Directory::Unknown;
                }
            }
            if is_over {
                break;
            }
        }
        self.depth_of_bodies -= 1;
        self.forget(&changes);
    }

    /// Reads a block that runs now, perhaps several times.
    pub(super) fn block_now(&mut self, block: &Block, item: Value) {
        let mut changes = Changes::default();
        changes.block(block);
        self.forget(&changes);
        let rounds = match item {
            Value::List(values) if values.len() <= 16 && self.depth_of_bodies < 3 => values,
            Value::List(_) => vec![Value::Unknown],
            item => vec![item],
        };
        let before = self.directory.clone();
        let outer = self.item.clone();
        self.depth_of_bodies += 1;
        let last = rounds.len().saturating_sub(1);
        for (index, mut round) in rounds.into_iter().enumerate() {
            let is_over = self.work > MAX_WORK && index < last;
            if is_over {
                round = Value::Unknown;
            }
            self.item = round;
            self.statements(&block.statements, Goes::Out);
            self.forget(&changes);
            if is_over {
                break;
            }
        }
        self.depth_of_bodies -= 1;
        self.item = outer;
        if self.directory != before {
            self.directory = Directory::Unknown;
        }
        self.forget(&changes);
    }

    /// Reads a block that somebody may run at any time: nothing is known in it.
    pub(super) fn block_later(&mut self, block: &Block) {
        let variables = std::mem::take(&mut self.variables);
        let assigned: Vec<String> = self.environment.keys().cloned().collect();
        let environment = self.environment.clone();
        for name in assigned {
            self.environment.insert(name, Value::Unknown);
        }
        let outer = std::mem::replace(&mut self.item, Value::Unknown);
        let functions = self.functions.clone();
        let directory = self.directory.clone();
        if self.moves {
            self.directory = Directory::Unknown;
        }
        self.depth_of_bodies += 1;
        self.statements(&block.statements, Goes::Out);
        self.depth_of_bodies -= 1;
        self.directory = directory;
        self.functions = functions;
        self.item = outer;
        self.environment = environment;
        self.variables = variables;
    }

    fn define(&mut self, name: &str, part: Part, body: &Block) {
        let part = self.part(part);
        self.starts.out.functions.push(Function {
            name: name.into(),
            part,
        });
        let mut changes = Changes::default();
        changes.block(body);
        if self.depth_of_bodies == 0 {
            self.functions.insert(name.to_owned(), changes);
        }
        self.block_later(body);
    }

    fn forget_variables(&mut self, changes: &Changes) {
        if changes.any_variable {
            self.forget_all_variables();
        }
        for name in &changes.variables {
            match environment_name(name) {
                Some(name) => {
                    self.environment
                        .insert(name.to_ascii_uppercase(), Value::Unknown);
                }
                None => {
                    self.variables
                        .insert(unscoped(name).to_owned(), Value::Unknown);
                }
            }
        }
    }

    fn forget(&mut self, changes: &Changes) {
        self.forget_variables(changes);
        if changes.moves {
            self.directory = Directory::Unknown;
        }
    }

    fn forget_all_variables(&mut self) {
        for value in self.variables.values_mut() {
            *value = Value::Unknown;
        }
    }

    pub(super) fn forget_everything(&mut self) {
        self.forget_all_variables();
        self.directory = Directory::Unknown;
    }

    // ---- assignments ----

    fn assign_all(&mut self, targets: &[Expression], is_plain: bool, value: Value, part: Part) {
        let values = match (&value, targets) {
            (_, [_]) => vec![value],
            (Value::List(values), _) if values.len() == targets.len() => values.clone(),
            _ => vec![Value::Unknown; targets.len()],
        };
        for (target, value) in targets.iter().zip(values) {
            self.assign(target, is_plain, value, part);
        }
    }

    fn assign(&mut self, target: &Expression, is_plain: bool, value: Value, part: Part) {
        match &target.kind {
            Kind::Variable(name) => {
                // `$a += 'b'` joins; anything else on numbers isn't followed.
                let value = if is_plain { value } else { Value::Unknown };
                self.assign_variable(name, value, part);
            }
            Kind::Cast(_, inner) => self.assign(inner, is_plain, Value::Unknown, part),
            Kind::Postfix(inner, _) => {
                // `$x.y = …` changes what `$x` holds.
                self.expression(target);
                if let Kind::Variable(name) = &inner.kind {
                    self.assign_variable(&name.clone(), Value::Unknown, part);
                }
                if let Some(name) = Self::member_set(target) {
                    let word = self.word(&value, part);
                    self.start_named(&name, vec![word], part);
                }
            }
            _ => {
                self.expression(target);
            }
        }
    }

    fn assign_variable(&mut self, name: &str, value: Value, part: Part) {
        let part = self.part(part);
        if let Some(name) = environment_name(name) {
            self.starts.out.assignments.push(Assignment {
                name: name.into(),
                value: value.in_text(),
                part,
                exported: true,
            });
            self.environment.insert(name.to_ascii_uppercase(), value);
            return;
        }
        if let Some((prefix, _)) = name.split_once(':')
            && !names::is_scope(prefix)
        {
            self.starts.doubt(
                part,
                format!("`${name}` changes what a name means, or writes a file"),
            );
            return;
        }
        let name = unscoped(name);
        if names::steers(name) {
            self.starts.out.assignments.push(Assignment {
                name: format!("${name}").into(),
                value: value.in_text(),
                part,
                exported: false,
            });
        }
        self.variables.insert(name.to_owned(), value);
    }

    // ---- pipelines ----

    fn pipeline(&mut self, pipeline: &Pipeline, goes: Goes) -> Value {
        let last = pipeline.elements.len().saturating_sub(1);
        let mut piped: Option<Value> = None;
        let mut items = Value::Unknown;
        let mut value = Value::Null;
        for (index, element) in pipeline.elements.iter().enumerate() {
            let output = if index < last || goes == Goes::Caught {
                Output::Pipe
            } else {
                Output::Inherited
            };
            value = match element {
                Element::Expression {
                    value,
                    redirections,
                } => {
                    let value = self.expression(value);
                    let redirections = self.redirections(redirections);
                    self.starts.out.redirections.extend(redirections);
                    items = value.clone();
                    value
                }
                Element::Command(command) => {
                    let stdin = match &piped {
                        None => Stdin::Inherited,
                        // What a listing yields stands for its items.
                        Some(Value::Unknown) => Stdin::Pipe(match &items {
                            Value::Text(text) if !text.has_unknown() => Some(text.clone()),
                            _ => None,
                        }),
                        Some(value) => Stdin::Pipe(match value.lines() {
                            text if text.has_unknown() => None,
                            text => Some(text),
                        }),
                    };
                    let (value, next) = self.command(command, stdin, output, &items);
                    items = next;
                    value
                }
            };
            piped = Some(value.clone());
        }
        if pipeline.elements.len() > 1 {
            return match (pipeline.elements.len(), items) {
                // What a list yields stands for its items: `foreach ($f in gci *.ts)`.
                (2, items @ Value::Text(_)) if matches!(value, Value::Unknown) => items,
                _ => Value::Unknown,
            };
        }
        match (&value, items) {
            (Value::Unknown, items @ Value::Text(_)) => items,
            _ => value,
        }
    }

    fn redirections(&mut self, redirects: &[Redirect]) -> Vec<Redirection> {
        let mut read = Vec::new();
        for redirect in redirects {
            let value = self.expression(&redirect.target);
            if value == Value::Null {
                continue;
            }
            let target = self.word(&value, redirect.target.part);
            read.push(Redirection {
                kind: if redirect.appends {
                    RedirectionKind::Append
                } else {
                    RedirectionKind::Write
                },
                target,
                directory: self.directory.clone(),
            });
        }
        read
    }

    /// Reads a command: what it yields, and what `$_` is in the next element.
    fn command(
        &mut self,
        command: &Command,
        stdin: Stdin,
        mut output: Output,
        items: &Value,
    ) -> (Value, Value) {
        let part = self.part(command.part);
        let name = match &command.name.kind {
            Kind::Block(block) => {
                self.block_now(block, Value::Unknown);
                Value::Block
            }
            _ => self.expression(&command.name),
        };
        let written = name.as_known().map(str::to_owned);
        let called = written.clone().unwrap_or_default();
        let words = self.arguments(command, &called, items);
        let redirections = self.redirections(&command.redirections);
        if !redirections.is_empty() {
            output = Output::File;
        }
        if name == Value::Block {
            self.starts.out.redirections.extend(redirections);
            return (Value::Unknown, Value::Unknown);
        }
        let Some(written) = written.filter(|name| !name.is_empty()) else {
            self.starts.doubt_with(
                part,
                "the program's name isn't known before the command runs",
                Some("write the program's name out"),
            );
            self.starts.out.redirections.extend(redirections);
            self.forget_everything();
            return (Value::Unknown, Value::Unknown);
        };
        if command.by == CallBy::Dot {
            // `. file` and `. name` change the shell itself.
            let mut args = vec![self.word(&name, command.name.part)];
            args.extend(words);
            self.add(
                ".",
                command.name.part,
                args,
                redirections,
                stdin,
                output,
                part,
            );
            self.forget_everything();
            return (Value::Unknown, Value::Unknown);
        }
        if let Some(changes) = self.functions.get(&written.to_lowercase()).cloned() {
            self.starts.out.redirections.extend(redirections);
            self.forget(&changes);
            return (Value::Unknown, Value::Unknown);
        }
        if scan::sets_variables(&written)
            || command.arguments.iter().any(
                |a| matches!(a, Argument::Parameter { name, .. } if scan::outputs_to_variable(name)),
            )
        {
            self.forget_all_variables();
        }
        let (name, words) = match scan::moved_by_name(&written.to_ascii_lowercase()) {
            Some(path) => {
                let text = Value::known(path);
                ("cd".to_owned(), vec![self.word(&text, command.name.part)])
            }
            None => (written.clone(), words),
        };
        let yields = self.yields(&name, &words, &stdin);
        let next = if names::is_list(&name) {
            listed(&words)
        } else {
            passed_on(&name, items)
        };
        let target = scan::is_move(&name).then(|| self.moved(&name, &words));
        self.add(
            &name,
            command.name.part,
            words,
            redirections,
            stdin,
            output,
            part,
        );
        if let Some(directory) = target {
            self.before = std::mem::replace(&mut self.directory, directory);
        }
        (yields, next)
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one start")]
    fn add(
        &mut self,
        name: &str,
        name_part: Part,
        args: Vec<Word>,
        redirections: Vec<Redirection>,
        stdin: Stdin,
        output: Output,
        part: Part,
    ) {
        let draft = Draft {
            name: Word {
                text: Text::Known(name.into()),
                part: self.part(name_part),
                spreads: false,
            },
            args,
            assignments: Vec::new(),
            redirections,
            stdin,
            output,
            directory: self.directory.clone(),
            part,
            by: self.entry.by,
        };
        self.starts.push(draft, self.entry.depth);
    }

    /// Adds a start that the language makes without a command: a call of .NET.
    pub(super) fn start_named(&mut self, name: &str, args: Vec<Word>, part: Part) {
        let mapped = self.part(part);
        self.add(
            name,
            part,
            args,
            Vec::new(),
            Stdin::Inherited,
            Output::Pipe,
            mapped,
        );
    }

    fn arguments(&mut self, command: &Command, name: &str, items: &Value) -> Vec<Word> {
        let is_parallel = command.arguments.iter().any(|a| {
            matches!(a, Argument::Parameter { name, .. }
                if name.len() > 2 && "-parallel".starts_with(&name.to_ascii_lowercase())
                    || name.to_ascii_lowercase().starts_with("-computer"))
        });
        let runs_now = names::runs_block_now(name) && !is_parallel;
        let is_each = names::is_each(name);
        let mut words = Vec::new();
        let mut has_block = false;
        for argument in &command.arguments {
            let (prefix, expression, part) = match argument {
                Argument::Verbatim { text, part } => {
                    let text = self.percent(text);
                    words.push(self.word(&text, *part));
                    continue;
                }
                Argument::Parameter { name, value, part } => match value {
                    None => {
                        words.push(self.word(&Value::known(name.as_str()), *part));
                        continue;
                    }
                    Some(value) => (Some(name), value, *part),
                },
                Argument::Value(value) => (None, value, value.part),
            };
            let value = match &expression.kind {
                Kind::Block(block) => {
                    has_block = true;
                    if runs_now {
                        self.block_now(block, items.clone());
                    } else {
                        self.block_later(block);
                    }
                    Value::Block
                }
                _ => self.expression(expression),
            };
            self.push_words(prefix.map(String::as_str), &value, part, &mut words);
        }
        if is_each && !has_block {
            self.each_member(&words, part_of(command));
        }
        words
    }

    /// `… | ForEach-Object Delete` calls that member of every item.
    fn each_member(&mut self, words: &[Word], part: Part) {
        let Some(word) = words
            .iter()
            .find(|word| !word.text.known_prefix().starts_with('-'))
        else {
            return;
        };
        if let Some(member) = word.text.known() {
            let name = format!(".{member}");
            self.start_named(&name, Vec::new(), part);
        } else {
            let part = word.part;
            self.starts.doubt(
                part,
                "the member to call isn't known before the command runs",
            );
        }
    }

    fn push_words(
        &mut self,
        prefix: Option<&str>,
        value: &Value,
        part: Part,
        words: &mut Vec<Word>,
    ) {
        let values = match value {
            Value::List(values) => values.as_slice(),
            other => std::slice::from_ref(other),
        };
        for (index, value) in values.iter().enumerate() {
            let mut word = self.word(value, part);
            if let (0, Some(prefix)) = (index, prefix) {
                let mut joined = Joined::default();
                joined.known(prefix);
                joined.known(":");
                joined.text(&word.text);
                word.text = joined.finish();
            }
            words.push(word);
        }
    }

    pub(super) fn word(&self, value: &Value, part: Part) -> Word {
        Word {
            text: match value {
                Value::Block => Text::Known("{…}".into()),
                Value::Hash => Text::Known("@{…}".into()),
                other => other.in_text(),
            },
            part: self.part(part),
            spreads: *value == Value::Unknown,
        }
    }

    /// What a command yields, where the language itself settles it.
    fn yields(&self, name: &str, words: &[Word], stdin: &Stdin) -> Value {
        let lower = name.to_ascii_lowercase();
        if names::is_echo(name) && *stdin == Stdin::Inherited {
            let is_plain = words
                .iter()
                .all(|w| !w.spreads && !w.text.known_prefix().starts_with('-'));
            return match words {
                [word] if is_plain => Value::Text(word.text.clone()),
                _ if is_plain => {
                    Value::List(words.iter().map(|w| Value::Text(w.text.clone())).collect())
                }
                _ => Value::Unknown,
            };
        }
        match (lower.as_str(), words) {
            ("get-location" | "gl" | "pwd", []) => self.here(),
            ("join-path", words) => {
                let plain: Vec<&Word> = words
                    .iter()
                    .filter(|w| {
                        !matches!(
                            w.text.known().map(str::to_ascii_lowercase).as_deref(),
                            Some("-path" | "-childpath" | "-p" | "-c")
                        )
                    })
                    .collect();
                let [first, second] = plain.as_slice() else {
                    return Value::Unknown;
                };
                let mut joined = Joined::default();
                joined.text(&first.text);
                joined.known("\\");
                joined.text(&second.text);
                Value::Text(joined.finish())
            }
            _ => Value::Unknown,
        }
    }

    fn here(&self) -> Value {
        match &self.directory {
            Directory::Known(path) => Value::known(path.as_str()),
            Directory::Unknown => Value::Unknown,
        }
    }

    /// Where a command that moves leads.
    fn moved(&mut self, name: &str, words: &[Word]) -> Directory {
        let lower = name.to_ascii_lowercase();
        if matches!(lower.as_str(), "pop-location" | "popd") {
            return self.pushed.pop().unwrap_or(Directory::Unknown);
        }
        if matches!(lower.as_str(), "push-location" | "pushd") {
            self.pushed.push(self.directory.clone());
            if words.is_empty() {
                return self.directory.clone();
            }
        }
        let mut paths = words.iter().filter_map(|word| match word.text.known() {
            Some(text) => match text.strip_prefix('-') {
                Some(parameter) if !parameter.is_empty() => {
                    parameter.split_once(':').map(|(_, value)| Some(value))
                }
                _ => Some(Some(text)),
            },
            None => Some(None),
        });
        match (paths.next(), paths.next()) {
            // PowerShell 7 goes home without a path, 5.1 stays; home reaches further.
            (None, _) => Directory::Known(self.starts.place.home.as_str().into()),
            (Some(Some("-")), None) => self.before.clone(),
            (Some(Some(to)), None) => match &self.directory {
                Directory::Known(from) => path::change(from, &self.starts.place.home, to)
                    .map_or(Directory::Unknown, |to| Directory::Known(to.into())),
                Directory::Unknown => path::change("", &self.starts.place.home, to)
                    .filter(|_| path::is_absolute(to))
                    .map_or(Directory::Unknown, |to| Directory::Known(to.into())),
            },
            _ => Directory::Unknown,
        }
    }

    // ---- expressions ----

    pub(super) fn expression(&mut self, expression: &Expression) -> Value {
        self.work = self.work.saturating_add(1);
        match &expression.kind {
            Kind::Text(fragments) => self.text(fragments),
            Kind::Variable(name) => self.variable(name, expression.part),
            Kind::Splat | Kind::Type(_) => Value::Unknown,
            Kind::Statements(statements) => self.statements(statements, Goes::Caught),
            Kind::Hash(pairs) => {
                for (key, value) in pairs {
                    self.expression(key);
                    self.statement(value, Goes::Caught);
                }
                Value::Hash
            }
            Kind::Block(block) => {
                self.block_later(block);
                Value::Block
            }
            Kind::Cast(name, inner) => self.cast(name, inner, expression.part),
            Kind::Postfix(base, steps) => self.postfix(base, steps),
            Kind::Unary(operator, inner) => {
                let value = self.expression(inner);
                if matches!(operator.as_str(), "++" | "--")
                    && let Kind::Variable(name) = &inner.kind
                {
                    self.assign_variable(&name.clone(), Value::Unknown, expression.part);
                }
                match operator.as_str() {
                    "join" => value::join(&value, &Value::Null),
                    "!" | "not" => value.holds().map_or(Value::Unknown, |is| Value::truth(!is)),
                    "," => Value::List(vec![value]),
                    _ => Value::Unknown,
                }
            }
            Kind::Binary(first, rest) => {
                let mut value = self.expression(first);
                for (operator, right) in rest {
                    let right = self.expression(right);
                    value = value::binary(value, operator, &right);
                }
                value
            }
            Kind::List(values) => {
                Value::List(values.iter().map(|value| self.expression(value)).collect())
            }
        }
    }

    fn text(&mut self, fragments: &[Fragment]) -> Value {
        let mut joined = Joined::default();
        for fragment in fragments {
            match fragment {
                Fragment::Known(text) => joined.known(text),
                Fragment::Value(value) => {
                    let value = self.expression(value);
                    joined.text(&value.in_text());
                }
            }
        }
        Value::Text(joined.finish())
    }

    fn cast(&mut self, name: &str, inner: &Expression, part: Part) -> Value {
        let value = self.expression(inner);
        if !names::is_plain_type(name) {
            let word = self.word(&value, inner.part);
            self.start_named(&format!("[{name}]"), vec![word], part);
            return Value::Unknown;
        }
        match name.to_ascii_lowercase().as_str() {
            "string" => match value {
                Value::List(_) | Value::Text(_) => Value::Text(value.in_text()),
                _ => Value::Unknown,
            },
            "char" => value
                .as_known()
                .and_then(|n| n.parse::<u32>().ok())
                .and_then(char::from_u32)
                .map_or(Value::Unknown, |c| Value::known(c.to_string())),
            _ => Value::Unknown,
        }
    }

    fn variable(&mut self, name: &str, part: Part) -> Value {
        if let Some(name) = environment_name(name) {
            return self.look_up(name);
        }
        if let Some((prefix, _)) = name.split_once(':')
            && !names::is_scope(prefix)
        {
            let part = self.part(part);
            self.starts.doubt(
                part,
                format!("`${name}` reads a drive or a file as a variable"),
            );
            return Value::Unknown;
        }
        let name = unscoped(name);
        if let Some(value) = self.variables.get(name) {
            return value.clone();
        }
        let home = self.starts.place.home.trim_end_matches('\\');
        match name {
            "null" => Value::Null,
            "true" => Value::truth(true),
            "false" => Value::truth(false),
            "home" => Value::known(home),
            "pwd" => self.here(),
            "_" | "psitem" => self.item.clone(),
            "profile" => Value::known(format!(
                "{home}\\Documents\\PowerShell\\Microsoft.PowerShell_profile.ps1"
            )),
            "pshome" => Value::known("C:\\Program Files\\PowerShell\\7"),
            _ => Value::Unknown,
        }
    }

    fn look_up(&self, name: &str) -> Value {
        if let Some(value) = self.environment.get(&name.to_ascii_uppercase()) {
            return value.clone();
        }
        environment::look_up(self.starts.place, name).map_or(Value::Null, Value::known)
    }

    /// `%NAME%` behind `--%`.
    fn percent(&self, text: &str) -> Value {
        let mut joined = Joined::default();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            joined.known(before);
            match after.split_once('%') {
                Some((name, after)) if !name.is_empty() => {
                    match self.look_up(name) {
                        Value::Null => joined.known(&format!("%{name}%")),
                        value => joined.text(&value.in_text()),
                    }
                    rest = after;
                }
                _ => {
                    joined.known("%");
                    rest = after;
                }
            }
        }
        joined.known(rest);
        Value::Text(joined.finish())
    }
}

/// `env:NAME` → `NAME`.
fn environment_name(name: &str) -> Option<&str> {
    let (prefix, rest) = name.split_once(':')?;
    prefix.eq_ignore_ascii_case("env").then_some(rest)
}

fn unscoped(name: &str) -> &str {
    match name.split_once(':') {
        Some((prefix, rest)) if names::is_scope(prefix) => rest,
        _ => name,
    }
}

fn part_of(command: &Command) -> Part {
    command.part
}

/// What the items of a listing are: a pattern that covers them, where one was given.
fn listed(words: &[Word]) -> Value {
    let mut folder: Option<&str> = None;
    let mut filter: Option<&str> = None;
    let mut expects_filter = false;
    for word in words {
        let Some(text) = word.text.known() else {
            return Value::Unknown;
        };
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("-fi") || lower.starts_with("-inc") {
            expects_filter = true;
        } else if std::mem::take(&mut expects_filter) {
            if filter.replace(text).is_some() {
                return Value::Unknown;
            }
        } else if matches!(lower.as_str(), "-path" | "-p") || !lower.starts_with('-') {
            if !lower.starts_with('-') && folder.replace(text).is_some() {
                return Value::Unknown;
            }
        } else if !matches!(
            lower.as_str(),
            "-recurse" | "-r" | "-file" | "-directory" | "-force" | "-name" | "-s"
        ) {
            return Value::Unknown;
        }
    }
    match (folder, filter) {
        (Some(folder), Some(filter)) => Value::known(format!("{folder}\\{filter}")),
        (None, Some(pattern)) => Value::known(pattern),
        (Some(pattern), None) if pattern.contains('*') => Value::known(pattern),
        (Some(folder), None) => Value::known(format!("{folder}\\*")),
        (None, None) => Value::known("*"),
    }
}

/// Commands that hand on what they were given.
fn passed_on(name: &str, items: &Value) -> Value {
    match name.to_ascii_lowercase().as_str() {
        "where-object" | "where" | "?" | "sort-object" | "sort" | "select-object" | "select" => {
            items.clone()
        }
        _ => Value::Unknown,
    }
}
