//! A command's arguments, and the blocks among them.

use cerco_model::Part;

use super::Walker;
use crate::powershell::names;
use crate::powershell::tree::{Argument, Command, Kind};
use crate::powershell::value::{Joined, Value};
use crate::{Programs, Text, Word};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn arguments(&mut self, command: &Command, name: &str, items: &Value) -> Vec<Word> {
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

    pub(in crate::powershell) fn word(&self, value: &Value, part: Part) -> Word {
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
}

fn part_of(command: &Command) -> Part {
    command.part
}
