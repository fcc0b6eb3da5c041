//! Turns `programs/**/*.toml` and `registries.toml` into static data, and stops the build
//! with file and line when one of them says something that doesn't exist.

#[path = "build/condition.rs"]
mod condition;
#[path = "build/emit.rs"]
mod emit;
#[path = "build/form.rs"]
mod form;
#[path = "build/hosts.rs"]
mod hosts;
#[path = "build/store.rs"]
mod store;
#[path = "src/table/tags.rs"]
mod tags;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io::Write};

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A failing write leaves the exit code, which stops the build just as well.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(|e| e.to_string())?);
    let mut files = Vec::new();
    collect(&root.join("programs"), &mut files)?;
    files.sort();
    let mut rows = Vec::new();
    for file in &files {
        let shown = file
            .strip_prefix(&root)
            .unwrap_or(file)
            .display()
            .to_string();
        let text = read(file)?;
        rows.extend(form::rows(&shown, &text)?);
    }
    let (code, bytes) = emit::programs(&rows)?;
    write(&out.join("programs.rs"), code.as_bytes())?;
    write(&out.join("programs.bin"), &bytes)?;
    let hosts = read(&root.join("registries.toml"))?;
    write(&out.join("hosts.rs"), hosts::emit(&hosts)?.as_bytes())?;
    let mut stdout = std::io::stdout();
    for watched in [
        "build.rs",
        "build",
        "programs",
        "registries.toml",
        "src/table/tags.rs",
    ] {
        writeln!(stdout, "cargo::rerun-if-changed={watched}").map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    fs::write(path, content).map_err(|e| format!("{}: {e}", path.display()))
}
