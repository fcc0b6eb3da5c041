//! Calls of a language's own library that do what a rule refuses: ending processes, changing
//! permissions, serving without end.

use cerco_model::Rule;

use crate::table::Language;

/// Beginnings of calls and what they do, in any language whose library has them.
const CALLS: &[(&str, Rule)] = &[
    ("os.kill(", Rule::Process),
    ("os.killpg(", Rule::Process),
    ("process.kill(", Rule::Process),
    ("Process.kill", Rule::Process),
    ("posix_kill(", Rule::Process),
    ("Deno.kill(", Rule::Process),
    ("os.chmod(", Rule::Permissions),
    ("os.chown(", Rule::Permissions),
    (".chmod(0", Rule::Permissions),
    ("fs.chmod", Rule::Permissions),
    ("chmodSync(", Rule::Permissions),
    ("chownSync(", Rule::Permissions),
    ("File.chmod", Rule::Permissions),
    ("FileUtils.chmod", Rule::Permissions),
    ("Deno.chmod", Rule::Permissions),
    (".serve_forever(", Rule::Endless),
    ("http.server.test(", Rule::Endless),
    ("Deno.serve(", Rule::Endless),
    ("Bun.serve(", Rule::Endless),
];

/// Calls that only these two languages write without a module in front.
const BARE: &[(&str, Rule)] = &[
    ("kill", Rule::Process),
    ("chmod", Rule::Permissions),
    ("chown", Rule::Permissions),
];

/// The calls in `text` that a rule refuses, as they are written, with the rule.
pub(crate) fn refused(language: Language, text: &str) -> Vec<(&'static str, Rule)> {
    let mut found: Vec<_> = CALLS
        .iter()
        .filter(|(call, _)| text.contains(call))
        .cloned()
        .collect();
    if matches!(language, Language::Perl | Language::Php) {
        found.extend(
            BARE.iter()
                .filter(|(word, _)| is_called(text, word))
                .cloned(),
        );
    }
    found
}

/// Whether `word` stands alone with an argument behind it: `kill 9, $x`, `chmod(0755, "x")`.
fn is_called(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + word.len()..).unwrap_or_default().trim_start();
        before.is_none_or(|c| !(c.is_alphanumeric() || "_$@%>:-\"'".contains(c)))
            && after.starts_with(|c: char| c.is_ascii_digit() || "('\"".contains(c))
    })
}
