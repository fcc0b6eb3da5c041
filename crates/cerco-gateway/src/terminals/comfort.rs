//! What a shell of the person's is started with so that it marks its prompts (OSC 133) and
//! says its folder (OSC 7). Only for comfort on the page: nothing is decided by the marks,
//! which any program can print. No file of the person's is touched, and what they set
//! themselves stays.

/// bash runs this before each prompt. It takes itself out of the environment, so that no
/// program started from the shell gets it. A folder's name may be an agent's: what isn't
/// printable in it must not reach the terminal.
const PROMPT_COMMAND: &str = concat!(
    r#"printf '\e]133;D;%s\a\e]7;file://%s\a\e]133;A\a' "$?" "${PWD//[^[:print:]]/?}"; "#,
    "export -n PROMPT_COMMAND PS0"
);
/// bash prints this when a command begins.
const PS0: &str = r"\e]133;C\a";

/// Every variable that a terminal's shell gets beside the person's own.
pub(super) fn environment(shell: &str) -> Vec<(&'static str, &'static str)> {
    let mut all = vec![("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];
    if shell == "bash" {
        let marks = [("PROMPT_COMMAND", PROMPT_COMMAND), ("PS0", PS0)];
        all.extend(
            marks
                .into_iter()
                .filter(|(name, _)| std::env::var_os(name).is_none()),
        );
    }
    all
}
