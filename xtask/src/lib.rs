//! What the house checks in `tests/` share: the workspace as cargo and git see it.
//!
//! Nothing of the product depends on this crate.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The workspace's root folder.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

/// What `cargo metadata` says of the workspace and all it depends on.
pub fn metadata() -> Result<Value, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())
}

/// The files of the working tree that git tracks or would track, relative to the root.
pub fn files() -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root())
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

/// The packages of the workspace itself.
pub fn members(metadata: &Value) -> impl Iterator<Item = &Value> {
    let ids = metadata.get("workspace_members").and_then(Value::as_array);
    let packages = metadata.get("packages").and_then(Value::as_array);
    packages.into_iter().flatten().filter(move |package| {
        ids.is_some_and(|ids| package.get("id").is_some_and(|id| ids.contains(id)))
    })
}

/// A package's name.
#[must_use]
pub fn name(package: &Value) -> &str {
    package
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The names a package depends on, with the kind of each (`normal`, `build`, `dev`).
#[must_use]
pub fn dependencies(package: &Value) -> Vec<(&str, &str)> {
    let list = package.get("dependencies").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|d| {
            let kind = d.get("kind").and_then(Value::as_str).unwrap_or("normal");
            Some((d.get("name")?.as_str()?, kind))
        })
        .collect()
}
