//! Assignments: to variables, to the environment, to what a variable holds.

use cerco_model::Part;

use super::{Walker, environment_name, unscoped};
use crate::powershell::names;
use crate::powershell::tree::{Expression, Kind};
use crate::powershell::value::Value;
use crate::{Assignment, Programs};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn assign_all(
        &mut self,
        targets: &[Expression],
        is_plain: bool,
        value: Value,
        part: Part,
    ) {
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

    pub(super) fn assign_variable(&mut self, name: &str, value: Value, part: Part) {
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
}
