//! Calls in code that write or delete the file they name.

use super::strings::call_of;

/// Calls whose first string is a file that is written, made or deleted.
const CHANGES: &[&str] = &[
    "writeFile",
    "writeFileSync",
    "appendFile",
    "appendFileSync",
    "createWriteStream",
    "rm",
    "rmSync",
    "rmdir",
    "rmdirSync",
    "unlink",
    "unlinkSync",
    "truncateSync",
    "mkdir",
    "mkdirSync",
    "makedirs",
    "rmtree",
    "rm_rf",
    "rm_f",
    "mkdir_p",
    "remove",
    "removedirs",
    "file_put_contents",
    "writeTextFile",
    "writeTextFileSync",
    "removeSync",
    "delete",
];

/// Whether the string stands in a call that changes the file it names.
pub(super) fn is_written(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    // `Path("x").write_text(…)`, `open("x", "w")`, `File.write("x", …)`.
    let on_path = after.strip_prefix(')').is_some_and(|rest| {
        [".write_", ".unlink(", ".rmdir(", ".mkdir(", ".touch("]
            .iter()
            .any(|call| rest.starts_with(call))
    });
    // perl: `open(F, '>', 'x')`.
    let mode = before
        .trim_end()
        .strip_suffix(',')
        .unwrap_or_default()
        .trim_end();
    if on_path || mode.ends_with(">'") || mode.ends_with(">\"") {
        return true;
    }
    match call_of(before.trim_end()) {
        Some("open" | "fopen" | "openSync") => {
            let mode = after.strip_prefix(',').unwrap_or_default().trim_start();
            let mode = mode.strip_prefix("mode=").unwrap_or(mode);
            let mode = mode.trim_start_matches(['"', '\'']);
            let end = mode.find(['"', '\'']).unwrap_or(0);
            let mode = mode.get(..end).unwrap_or_default();
            mode.starts_with(['w', 'a', 'x', '>']) || mode.contains('+')
        }
        Some("write") => before.trim_end().ends_with("File.write("),
        Some(word) => CHANGES.contains(&word),
        None => false,
    }
}
