//! Several words of a command line as one command text that means exactly those words.

/// Words that a shell would take for its grammar where a program's name stands.
const GRAMMAR: &[&str] = &[
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// The text that starts `words` as a program with arguments: each word quoted where it is
/// anything but plain, so that no blank, glob, `;` or `$` in it means something.
#[must_use]
pub fn join(words: &[String]) -> String {
    let texts: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(at, word)| quote(word, at == 0))
        .collect();
    texts.join(" ")
}

fn quote(word: &str, is_name: bool) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+:,./-".contains(c);
    // In front, `A=b` would be an assignment and `if` the shell's own word.
    let all_plain = word.chars().all(|c| plain(c) || (c == '=' && !is_name));
    if !word.is_empty() && all_plain && !(is_name && GRAMMAR.contains(&word)) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        for (words, text) in [
            (&["git", "status"] as &[&str], "git status"),
            (
                &["git", "commit", "-m", "it's; rm -rf *"],
                r"git commit -m 'it'\''s; rm -rf *'",
            ),
            (&["make", "CC=gcc"], "make CC=gcc"),
            (&["A=b", "x"], "'A=b' x"),
            (&["if", "x"], "'if' x"),
            (
                &["echo", "if", "", "$HOME", "~", "{a,b}", "a\nb"],
                "echo if '' '$HOME' '~' '{a,b}' 'a\nb'",
            ),
        ] {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            assert_eq!(join(&words), text);
        }
    }
}
