//! Commands that stand in files: every case of the reader, run as it is written.

use std::path::Path;

use crate::generate::{Generated, left_out};

/// The case folders whose commands real shells run as well.
const FOLDERS: [&str; 2] = ["reader-posix", "reader-shells"];

/// Every command of the case files, once with programs that succeed and once with ones
/// that fail.
pub(crate) fn commands() -> Vec<Generated> {
    let mut out = Vec::new();
    for folder in FOLDERS {
        let folder = format!("{}/../../cases/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).expect("the case folder") {
            out.extend(of_file(&entry.expect("an entry").path()));
        }
    }
    out
}

/// The commands of one file, an empty line between them; lines behind `=> ` are answers.
/// Those of `sh.txt` are a plain POSIX shell's.
pub(crate) fn of_file(file: &Path) -> Vec<Generated> {
    let dash = file.file_stem().is_some_and(|name| name == "sh");
    let all = std::fs::read_to_string(file).expect("a case file");
    let mut out = Vec::new();
    for case in all.split("\n\n") {
        let lines = case.lines().filter(|line| !line.starts_with("=> "));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.trim_matches('\n');
        if text.is_empty() || left_out(text) {
            continue;
        }
        out.extend([false, true].map(|fails| Generated {
            text: text.to_owned(),
            dash,
            fails,
        }));
    }
    out
}
