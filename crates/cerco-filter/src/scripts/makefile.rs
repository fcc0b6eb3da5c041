//! The recipes of a Makefile or justfile, as far as they are plain: targets, what they need,
//! their lines. Variables stay as they are written; the reader takes them for what isn't known.

use std::collections::BTreeSet;

/// Most targets that are followed from one.
const MOST: usize = 200;

/// The recipe lines of `target` (the first one if empty) and of everything it needs.
pub(super) fn recipe(text: &str, target: &str) -> Option<Vec<String>> {
    let rules = rules(text);
    let first = if target.is_empty() {
        rules
            .iter()
            .find(|r| !r.targets.iter().any(|t| t.starts_with('.')))?
            .targets
            .first()?
    } else {
        target
    };
    if !rules.iter().any(|r| r.targets.contains(&first)) {
        return None;
    }
    let mut lines = Vec::new();
    let mut seen = BTreeSet::new();
    let mut left = vec![first];
    while let Some(target) = left.pop() {
        if !seen.insert(target) || seen.len() > MOST {
            continue;
        }
        for rule in rules.iter().filter(|r| r.targets.contains(&target)) {
            left.extend(rule.needs.iter().copied());
            lines.extend(rule.lines.iter().map(|line| (*line).to_owned()));
        }
    }
    Some(lines)
}

#[derive(Default)]
struct Rule<'a> {
    targets: Vec<&'a str>,
    needs: Vec<&'a str>,
    lines: Vec<&'a str>,
}

fn rules(text: &str) -> Vec<Rule<'_>> {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    for line in text.lines() {
        if line.starts_with(['\t', ' ']) {
            let recipe = line.trim().trim_start_matches(['@', '-', '+']);
            if let Some(rule) = rules.last_mut()
                && !recipe.is_empty()
                && !recipe.starts_with('#')
            {
                rule.lines.push(recipe);
            }
            continue;
        }
        let line = line.split(" #").next().unwrap_or(line);
        if line.starts_with('#') || line.contains(":=") || line.contains("?=") {
            continue;
        }
        let Some((targets, needs)) = line.split_once(':') else {
            continue;
        };
        if targets.contains('=') {
            continue;
        }
        let (needs, inline) = needs.split_once(';').unwrap_or((needs, ""));
        let mut rule = Rule {
            // A justfile's recipe has its parameters behind its name.
            targets: targets
                .split_whitespace()
                .map(|t| t.trim_start_matches('@'))
                .collect(),
            needs: needs
                .split_whitespace()
                .filter(|n| *n != "|" && *n != ":")
                .collect(),
            lines: Vec::new(),
        };
        if !inline.trim().is_empty() {
            rule.lines.push(inline.trim());
        }
        rules.push(rule);
    }
    rules
}
