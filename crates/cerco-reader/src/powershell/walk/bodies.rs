//! Blocks that run now, several times, later, or not at all.
//!
//! Whatever a body may change is forgotten before and after it, so that no order of
//! running shows it a value the reading didn't.

use cerco_model::Part;

use super::{Goes, MAX_WORK, Walker, environment_name, unscoped};
use crate::powershell::scan::Changes;
use crate::powershell::tree::{Block, Compound, Ends, Statement};
use crate::powershell::value::Value;
use crate::{Directory, Function, Programs};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn compound(
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
    pub(in crate::powershell) fn block_now(&mut self, block: &Block, item: Value) {
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
    pub(in crate::powershell) fn block_later(&mut self, block: &Block) {
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

    pub(super) fn define(&mut self, name: &str, part: Part, body: &Block) {
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

    pub(super) fn forget(&mut self, changes: &Changes) {
        self.forget_variables(changes);
        if changes.moves {
            self.directory = Directory::Unknown;
        }
    }

    pub(super) fn forget_all_variables(&mut self) {
        for value in self.variables.values_mut() {
            *value = Value::Unknown;
        }
    }

    pub(in crate::powershell) fn forget_everything(&mut self) {
        self.forget_all_variables();
        self.directory = Directory::Unknown;
    }
}
