//! Goes through the tree and adds every program start to the reading.
//!
//! It follows the values and the directory that the text settles. A body that may run
//! later, several times or not at all is read with everything it changes unknown, so that
//! no order of running shows it a value the reading didn't.

mod arguments;
mod assign;
mod bodies;
mod command;
mod pipeline;
mod values;
mod yields;

use std::collections::BTreeMap;

use cerco_model::Part;

use crate::powershell::cursor::Trouble;
use crate::powershell::names;
use crate::powershell::scan::Changes;
use crate::powershell::tree::{Block, Statement};
use crate::powershell::value::Value;
use crate::windows::starts::{Entry, Starts};
use crate::{Directory, Programs};

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
