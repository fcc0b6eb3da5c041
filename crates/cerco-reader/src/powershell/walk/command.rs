//! One command: its name, where it stands, and the start it makes.

use cerco_model::Part;

use super::Walker;
use super::pipeline::{listed, passed_on};
use crate::powershell::tree::{Argument, CallBy, Command, Kind};
use crate::powershell::value::Value;
use crate::powershell::{names, scan};
use crate::windows::starts::Draft;
use crate::{Output, Programs, Redirection, Stdin, Text, Word};

impl<P: Programs> Walker<'_, '_, P> {
    /// Reads a command: what it yields, and what `$_` is in the next element.
    pub(super) fn command(
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
        // What a listing yields stands for its items (`gci | % { & $_ }`): a pattern names no program.
        let is_named = |name: &String| {
            !name.is_empty() && (command.by == CallBy::Name || !name.contains(['*', '?']))
        };
        let Some(written) = written.filter(is_named) else {
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
    pub(in crate::powershell) fn start_named(&mut self, name: &str, args: Vec<Word>, part: Part) {
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
}
