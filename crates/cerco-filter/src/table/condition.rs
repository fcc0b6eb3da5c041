//! Whether a condition of the table holds for a call.

use cerco_reader::{Assignment, Output, Stdin, Word};

use super::{Atom, Bound, Condition};

/// What conditions look at.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The options and words found so far.
    pub bound: &'a Bound,
    /// The arguments.
    pub args: &'a [Word],
    /// The assignments in front of it.
    pub assignments: &'a [Assignment],
    /// Standard input.
    pub stdin: &'a Stdin,
    /// Standard output, where it is known already.
    pub output: Option<Output>,
}

impl Condition {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, facts: Facts<'_>) -> bool {
        (self.when.is_empty() || any(self.when, facts)) && !any(self.unless, facts)
    }
}

fn any(clauses: super::Clauses, facts: Facts<'_>) -> bool {
    clauses
        .iter()
        .any(|all| all.iter().all(|atom| holds(atom, facts)))
}

fn holds(atom: &Atom, facts: Facts<'_>) -> bool {
    let Facts {
        bound,
        args,
        assignments,
        stdin,
        output,
    } = facts;
    match atom {
        Atom::Option(name) => bound.has(name),
        Atom::OptionIs(name, pattern) => bound
            .seen
            .iter()
            .filter(|seen| seen.row.names.contains(name))
            .filter_map(|seen| seen.value.as_ref()?.text(args).known())
            .any(|value| matches(pattern, value)),
        Atom::Args(count) => {
            // The words of the program that a wrapper starts are words of the wrapper too.
            let rest = bound
                .rest
                .map_or(0, |at| args.len().saturating_sub(at as usize));
            bound.words.len() + rest >= *count as usize
        }
        Atom::Word(pattern) => bound
            .words
            .iter()
            .filter_map(|index| args.get(*index as usize))
            .any(|word| match word.text.known() {
                Some(text) => matches(pattern, text),
                None => pattern
                    .strip_suffix('*')
                    .is_some_and(|start| word.text.known_prefix().starts_with(start)),
            }),
        Atom::Variable(name) => assignments.iter().any(|a| a.name == *name),
        Atom::Terminal => matches!(stdin, Stdin::Inherited),
        Atom::Piped => !matches!(stdin, Stdin::Inherited),
        Atom::Screen => output == Some(Output::Inherited),
        Atom::Not(inner) => !holds(inner, facts),
    }
}

/// `*` at the beginning or the end of `pattern` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), None) => text.ends_with(end),
        (None, Some(start)) => text.starts_with(start),
        (Some(_), Some(_)) => text.contains(pattern.trim_matches('*')),
        (None, None) => text == pattern,
    }
}
