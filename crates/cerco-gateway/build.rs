//! Puts the page's built files (`web/dist`, made by `make page`) into the binary. Without
//! them the gateway still builds and says how to build the page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../../web/dist");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, &mut files)?;
    }
    files.sort();
    let mut text = String::from("&[\n");
    for file in files {
        let name = file
            .strip_prefix(&root)?
            .to_str()
            .ok_or("a name is not UTF-8")?;
        let name = name.replace('\\', "/");
        writeln!(
            text,
            "    (\"/{name}\", \"{}\", include_bytes!(\"{}\")),",
            kind(&name),
            file.canonicalize()?.display().to_string().escape_default()
        )?;
    }
    text.push(']');
    fs::write(
        PathBuf::from(std::env::var("OUT_DIR")?).join("assets.rs"),
        text,
    )?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
