//! Tcl and expect: `exec`, `spawn`, `system`, `open "|command"`.

use cerco_reader::Text;

use super::unknown;

/// The commands of every such call; one with a variable in it isn't known.
pub(super) fn commands(text: &str) -> Vec<Text> {
    let mut found = Vec::new();
    for call in ["exec", "spawn", "system", "open"] {
        for (at, _) in text.match_indices(call) {
            let before = text.get(..at).unwrap_or_default();
            // A command begins a line, a block or a substitution.
            let begins = before
                .trim_end_matches([' ', '\t'])
                .chars()
                .next_back()
                .is_none_or(|c| "\n;[{\"".contains(c));
            let rest = text.get(at + call.len()..).unwrap_or_default();
            if begins && rest.starts_with([' ', '\t']) {
                found.extend(command(call, rest));
            }
        }
    }
    found
}

fn command(call: &str, rest: &str) -> Option<Text> {
    let end = rest.find(['\n', ';', ']']).unwrap_or(rest.len());
    let rest = rest.get(..end)?.trim();
    let rest = if call == "open" {
        rest.trim_start_matches(['"', '{']).strip_prefix('|')?
    } else {
        rest
    };
    if rest.contains(['$', '[']) && call != "system" {
        let first = rest
            .split_ascii_whitespace()
            .find(|word| !word.starts_with('-'));
        if first.is_none_or(|word| word.contains(['$', '['])) {
            return Some(unknown());
        }
    }
    let words: Vec<&str> = rest
        .split_ascii_whitespace()
        .skip_while(|word| word.starts_with('-'))
        .map(|word| word.trim_matches(['"', '{', '}']))
        .collect();
    (!words.is_empty()).then(|| Text::Known(words.join(" ").into()))
}
