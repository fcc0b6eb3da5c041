//! What a body does to the state around it, before it is read.
//!
//! A loop's body runs again with what it changed, and a block runs when somebody calls
//! it; so whatever a body assigns or moves must be unknown on the way in. Purely a look
//! at the tree: when in doubt it says "changes".

use std::collections::BTreeSet;

use super::tree::{
    Argument, Block, Command, Element, Expression, Fragment, Kind, Statement, Step, StepKind,
};

/// What a body may change.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts that are only ever switched on"
)]
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Variables it assigns, lower case.
    pub(super) variables: BTreeSet<String>,
    /// It may assign any variable (`Set-Variable`, `-OutVariable`).
    pub(super) any_variable: bool,
    /// It may move to another directory.
    pub(super) moves: bool,
    /// It has a `return`, `exit`, `throw` or a `break` to a label.
    pub(super) leaves: bool,
    /// It has a `break` that ends the loop whose body it is.
    pub(super) breaks: bool,
}

/// Names that move to another directory.
pub(super) fn is_move(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "set-location"
            | "sl"
            | "cd"
            | "chdir"
            | "push-location"
            | "pushd"
            | "pop-location"
            | "popd"
    ) || moved_by_name(&lower).is_some()
}

/// `cd..`, `cd\`, `D:`: functions whose name holds the path.
pub(super) fn moved_by_name(lower: &str) -> Option<String> {
    if let Some(path) = lower.strip_prefix("cd")
        && path.starts_with(['.', '\\', '/', '~'])
    {
        return Some(path.to_owned());
    }
    let mut chars = lower.chars();
    let is_drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.as_str() == ":";
    is_drive.then(|| format!("{lower}\\"))
}

/// Names that may assign a variable by its name.
pub(super) fn sets_variables(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "set-variable"
            | "sv"
            | "set"
            | "new-variable"
            | "nv"
            | "clear-variable"
            | "clv"
            | "remove-variable"
            | "rv"
            | "set-item"
            | "si"
            | "new-item"
            | "ni"
            | "import-clixml"
            | "invoke-expression"
            | "iex"
    )
}

/// Parameters that put a command's output into a variable.
pub(super) fn outputs_to_variable(parameter: &str) -> bool {
    let lower = parameter.trim_start_matches('-').to_ascii_lowercase();
    matches!(lower.as_str(), "ov" | "ev" | "wv" | "iv" | "pv")
        || [
            "variable",
            "outvariable",
            "errorvariable",
            "warningvariable",
            "informationvariable",
            "pipelinevariable",
        ]
        .iter()
        .any(|full| full.starts_with(&lower) && lower.len() >= 2)
}

impl Changes {
    pub(super) fn block(&mut self, block: &Block) {
        self.variables.extend(block.parameters.iter().cloned());
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Chain { pipelines } => {
                for element in pipelines.iter().flat_map(|p| &p.elements) {
                    match element {
                        Element::Command(command) => self.command(command),
                        Element::Expression { value, .. } => self.expression(value),
                    }
                }
            }
            Statement::Assign { targets, value, .. } => {
                for target in targets {
                    self.target(target);
                }
                self.statement(value);
            }
            Statement::Compound {
                heads,
                bodies,
                kind,
                ..
            } => {
                if let super::tree::Compound::Each(name) = kind {
                    self.variables.insert(name.clone());
                }
                for head in heads {
                    self.statement(head);
                }
                let breaks = self.breaks;
                for body in bodies {
                    self.block(body);
                }
                if *kind != super::tree::Compound::Branch {
                    self.breaks = breaks;
                }
            }
            // Its body changes things when it is called; see `Walker::call_function`.
            Statement::Function { body, .. } => {
                let (leaves, breaks) = (self.leaves, self.breaks);
                self.block(body);
                (self.leaves, self.breaks) = (leaves, breaks);
            }
            Statement::Leave { value } => {
                self.leaves = true;
                if let Some(value) = value {
                    self.statement(value);
                }
            }
            Statement::Break => self.breaks = true,
            Statement::Unread { .. } => {
                self.any_variable = true;
                self.moves = true;
            }
        }
    }

    fn target(&mut self, target: &Expression) {
        match &target.kind {
            Kind::Variable(name) => {
                self.variables.insert(name.clone());
            }
            Kind::Cast(_, inner) => self.target(inner),
            Kind::Postfix(inner, steps) => {
                self.target(inner);
                self.steps(steps);
            }
            _ => self.expression(target),
        }
    }

    fn command(&mut self, command: &Command) {
        self.expression(&command.name);
        if let Some(name) = literal(&command.name) {
            self.moves |= is_move(&name);
            self.any_variable |= sets_variables(&name);
        } else {
            // `& $block`, `. file`: whatever they do.
            let is_block = matches!(command.name.kind, Kind::Block(_));
            self.moves |= !is_block;
            self.any_variable |= !is_block;
        }
        for argument in &command.arguments {
            match argument {
                Argument::Value(value) => self.expression(value),
                Argument::Parameter { name, value, .. } => {
                    self.any_variable |= outputs_to_variable(name);
                    if let Some(value) = value {
                        self.expression(value);
                    }
                }
                Argument::Verbatim { .. } => {}
            }
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Member {
                    name, arguments, ..
                } => {
                    self.expression(name);
                    for argument in arguments.iter().flatten() {
                        self.expression(argument);
                    }
                }
                StepKind::Index(index) => self.expression(index),
            }
        }
    }

    // Each part of the tree is looked at once: looking twice would double at every level.
    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            Kind::Text(fragments) => {
                for fragment in fragments {
                    if let Fragment::Value(value) = fragment {
                        self.expression(value);
                    }
                }
            }
            Kind::Statements(statements) => {
                for statement in statements {
                    self.statement(statement);
                }
            }
            Kind::Hash(pairs) => {
                for (key, value) in pairs {
                    self.expression(key);
                    self.statement(value);
                }
            }
            Kind::Block(block) => {
                // `return` in a block ends the block, not the loop around it.
                let leaves = self.leaves;
                self.block(block);
                self.leaves = leaves;
            }
            Kind::Postfix(value, steps) => {
                self.expression(value);
                self.steps(steps);
            }
            Kind::Cast(name, value) => {
                // `[ref]$x` lets a method assign it.
                if name.eq_ignore_ascii_case("ref") {
                    self.target(value);
                } else {
                    self.expression(value);
                }
            }
            Kind::Unary(operator, value) => {
                if operator == "++" || operator == "--" {
                    self.target(value);
                } else {
                    self.expression(value);
                }
            }
            Kind::Binary(first, rest) => {
                self.expression(first);
                for (_, value) in rest {
                    self.expression(value);
                }
            }
            Kind::List(values) => {
                for value in values {
                    self.expression(value);
                }
            }
            Kind::Variable(_) | Kind::Splat | Kind::Type(_) => {}
        }
    }
}

/// The text of a word without variables.
pub(super) fn literal(expression: &Expression) -> Option<String> {
    match &expression.kind {
        Kind::Text(fragments) => match fragments.as_slice() {
            [Fragment::Known(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}
