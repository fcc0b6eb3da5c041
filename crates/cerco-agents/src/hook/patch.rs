//! Which files a patch of Codex's `apply_patch` touches. Only the headers are read; a
//! patch without any is trouble, not a patch without files.

use serde_json::{Map, Value};

const HEADERS: [&str; 4] = [
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

pub(super) fn paths(input: &Map<String, Value>) -> Result<Vec<String>, String> {
    let patch = ["command", "input", "patch"]
        .iter()
        .find_map(|key| input.get(*key).and_then(Value::as_str))
        .ok_or("the patch is no text")?;
    let paths: Vec<String> = patch
        .lines()
        .filter_map(|line| {
            let line = line.trim();
            HEADERS.iter().find_map(|header| line.strip_prefix(header))
        })
        .map(|path| path.trim().to_owned())
        .collect();
    if paths.is_empty() {
        return Err("the patch names no file".into());
    }
    Ok(paths)
}
