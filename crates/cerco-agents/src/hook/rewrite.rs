//! A command of the host's shell as a call of `cerco run`.
//!
//! The text goes along in quotes and is judged once more when it runs, so nothing rests
//! on what the hook saw: there is no ticket that could be stolen, kept or replayed
//! (docs/decisions/hooks-rewrite-without-tickets.md).

use cerco_model::Dialect;

use super::call::{Action, Call, Event};
use super::{Mode, Options};

/// The command to run instead, where the host can be told to.
pub(super) fn rewrite(call: &Call, options: &Options) -> Option<String> {
    let Action::Command { text, dialect } = &call.action else {
        return None;
    };
    let can = options.mode == Mode::Rewrite
        && call.event == Event::BeforeTool
        && *dialect == Dialect::Bash;
    if !can || options.run_words.is_empty() {
        return None;
    }
    // On Windows a host's shell is another one than this quoting is for.
    if cfg!(windows) {
        return None;
    }
    let mut words = options.run_words.clone();
    words.push("--".into());
    words.push(text.clone());
    Some(
        words
            .iter()
            .map(|word| quote(word))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// A word that a POSIX shell reads as exactly this text.
pub(crate) fn quote(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ',' | ':' | '+');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a real shell makes of a quoted word is the word.
    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for word in [
            "ls",
            "",
            "a b",
            "it's",
            "''",
            "$HOME `id` $(id) \"x\" \\ !! * ~ # ; & | < >",
            "two\nlines\n",
            "-n",
            "é🦀\u{202e}",
            "'\\''",
            "a=b",
        ] {
            let script = format!("printf %s {}", quote(word));
            let output = std::process::Command::new("sh")
                .args(["-c", &script])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
