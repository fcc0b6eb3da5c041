//! Members behind a value: calls of .NET and of objects.
//!
//! A call is a start of its own, named `[Type]::Member` or `.Member`, so that the program
//! table says what it does. A call whose member isn't known is a doubt.

use super::scan;
use super::tree::{Expression, Kind, Step, StepKind};
use super::value::{self, Value};
use super::walk::Walker;
use crate::{Programs, Word};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn postfix(&mut self, base: &Expression, steps: &[Step]) -> Value {
        let mut type_name = match &base.kind {
            Kind::Type(name) => Some(name.as_str()),
            _ => None,
        };
        let is_item = matches!(&base.kind, Kind::Variable(name) if name == "_" || name == "psitem");
        let mut value = self.expression(base);
        for step in steps {
            let (is_static, name, arguments) = match &step.kind {
                StepKind::Index(index) => {
                    let index = self.expression(index);
                    value = indexed(&value, &index);
                    type_name = None;
                    continue;
                }
                StepKind::Member {
                    is_static,
                    name,
                    arguments,
                } => (*is_static, name, arguments),
            };
            let member = self.expression(name);
            let part = self.part(step.part);
            let Some(member) = member.as_known().map(str::to_owned) else {
                self.starts
                    .doubt(part, "the member isn't known before the command runs");
                value = Value::Unknown;
                continue;
            };
            let Some(arguments) = arguments else {
                value = match member.to_ascii_lowercase().as_str() {
                    // The items of a listing, named in full.
                    "fullname" | "name" | "path" | "pspath" if is_item => value,
                    _ => Value::Unknown,
                };
                continue;
            };
            let lower = member.to_ascii_lowercase();
            let runs_now = matches!(lower.as_str(), "foreach" | "where");
            let mut values = Vec::new();
            for argument in arguments {
                values.push(match &argument.kind {
                    Kind::Block(block) if runs_now => {
                        self.block_now(block, Value::Unknown);
                        Value::Block
                    }
                    _ => self.expression(argument),
                });
            }
            if lower.starts_with("invoke") {
                self.starts.doubt_with(
                    part,
                    "what is invoked isn't known before the command runs",
                    Some("write the command out"),
                );
                self.forget_everything();
                value = Value::Unknown;
                continue;
            }
            let words: Vec<Word> = arguments
                .iter()
                .zip(&values)
                .flat_map(|(argument, value)| match value {
                    Value::List(list) => list
                        .iter()
                        .map(|value| self.word(value, argument.part))
                        .collect(),
                    other => vec![self.word(other, argument.part)],
                })
                .collect();
            let called = match type_name {
                Some(name) if is_static => format!("[{name}]::{member}"),
                _ => format!(".{member}"),
            };
            if runs_now && !values.contains(&Value::Block) {
                // `.ForEach('Delete')` calls that member of every item.
                let target = values.first().and_then(Value::as_known).map(str::to_owned);
                match target {
                    Some(target) => self.start_named(&format!(".{target}"), Vec::new(), step.part),
                    None => self
                        .starts
                        .doubt(part, "the member isn't known before the command runs"),
                }
            }
            let folded = if type_name.is_none() {
                value::method(&value, &lower, &values)
            } else {
                Value::Unknown
            };
            let is_shell_state = lower == "setenvironmentvariable" || lower == "set";
            self.start_named(&called, words, step.part);
            if is_shell_state {
                self.forget_everything();
            }
            value = folded;
            type_name = None;
        }
        value
    }

    /// The name of the start that stands for setting a member, where it is one.
    pub(super) fn member_set(target: &Expression) -> Option<String> {
        let Kind::Postfix(base, steps) = &target.kind else {
            return None;
        };
        let StepKind::Member { name: member, .. } = &steps.last()?.kind else {
            return None;
        };
        // Read already, with the target; a name that isn't written out is a doubt there.
        let member = scan::literal(member).unwrap_or_default();
        match (&base.kind, steps.len()) {
            (Kind::Type(name), 1) => Some(format!("[{name}]::{member}=")),
            _ => Some(format!(".{member}=")),
        }
    }
}

fn indexed(value: &Value, index: &Value) -> Value {
    let Some(index) = index.as_known().and_then(|n| n.parse::<usize>().ok()) else {
        return Value::Unknown;
    };
    match value {
        Value::List(values) => values.get(index).cloned().unwrap_or(Value::Unknown),
        Value::Text(text) => text
            .known()
            .and_then(|text| text.chars().nth(index))
            .map_or(Value::Unknown, |c| Value::known(c.to_string())),
        Value::Block | Value::Hash | Value::Null | Value::Unknown => Value::Unknown,
    }
}
