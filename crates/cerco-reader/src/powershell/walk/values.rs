//! The value of an expression.

use cerco_model::Part;

use super::{Goes, Walker, environment_name, unscoped};
use crate::Programs;
use crate::powershell::tree::{Expression, Fragment, Kind};
use crate::powershell::value::{Joined, Value};
use crate::powershell::{names, value};
use crate::windows::environment;

impl<P: Programs> Walker<'_, '_, P> {
    pub(in crate::powershell) fn expression(&mut self, expression: &Expression) -> Value {
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

    pub(super) fn text(&mut self, fragments: &[Fragment]) -> Value {
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
    pub(super) fn percent(&self, text: &str) -> Value {
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
