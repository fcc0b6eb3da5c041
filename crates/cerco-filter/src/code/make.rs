//! Makefiles in an argument or from the standard input: the lines of their recipes,
//! `$(shell command)`, `NAME != command`, and the shell that `SHELL =` names.

use cerco_reader::Text;

use super::unknown;

/// Every command of a makefile's text.
pub(crate) fn commands(text: &str) -> Vec<Text> {
    let mut found = shell_calls(text);
    for line in text.lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            push(recipe, &mut found);
            continue;
        }
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        let name_end = line.find(['=', ':', '!', '?', '+']).unwrap_or(line.len());
        let (name, rest) = line.split_at(name_end);
        let words: Vec<&str> = name.split_ascii_whitespace().collect();
        let name = words.last().copied().unwrap_or_default();
        if let Some(command) = rest.strip_prefix("!=") {
            found.push(Text::Known(command.trim().into()));
        } else if name == "SHELL" {
            let value = rest.trim_start_matches([':', '?', '+', '=', ' ']);
            found.push(Text::Known(value.into()));
        } else if let Some((_, recipe)) = line.split_once(';') {
            push(recipe, &mut found);
        }
    }
    found
}

/// A recipe's line without its marks, as the shell gets it: `$$` is `$` there.
fn push(recipe: &str, found: &mut Vec<Text>) {
    let recipe = recipe.trim().trim_start_matches(['@', '-', '+']);
    if recipe.is_empty() || recipe.starts_with('#') {
        return;
    }
    found.push(if recipe.starts_with("$(") || recipe.starts_with("${") {
        unknown()
    } else {
        Text::Known(recipe.replace("$$", "$").into())
    });
}

/// The commands of `$(shell …)` and `${shell …}`.
pub(crate) fn shell_calls(text: &str) -> Vec<Text> {
    ["$(shell ", "${shell "]
        .iter()
        .flat_map(|call| {
            text.match_indices(call).map(|(at, call)| {
                let rest = text.get(at + call.len()..).unwrap_or_default();
                let close = if call.starts_with("$(") { ')' } else { '}' };
                let open = if close == ')' { '(' } else { '{' };
                let mut depth = 0_usize;
                let end = rest.find(|c: char| {
                    if c == open {
                        depth += 1;
                    } else if c == close {
                        if depth == 0 {
                            return true;
                        }
                        depth -= 1;
                    }
                    false
                });
                Text::Known(
                    rest.get(..end.unwrap_or(rest.len()))
                        .unwrap_or_default()
                        .into(),
                )
            })
        })
        .collect()
}
