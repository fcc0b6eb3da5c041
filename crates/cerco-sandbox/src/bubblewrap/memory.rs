//! What an installed bubblewrap can do, remembered between runs: asking it means starting
//! it, which costs as much as half a sandbox.
//!
//! A memory is good for one file as it is now, and is never proof that the sandbox works:
//! that is only ever the start itself. Whoever can write the memory (a command that ran
//! without the sandbox) can take away two belts whose braces stay, and no more.

use std::fs::{self, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::features::Features;

/// The form of the line.
const FORM: &str = "1";
const NAME: &str = "bubblewrap";
/// No line is longer.
const LONGEST: u64 = 512;

/// What `file` could do when it was asked, where it has not changed since.
pub(super) fn recall(folder: &Path, file: &Metadata) -> Option<Features> {
    let path = folder.join(NAME);
    if fs::metadata(&path).ok()?.len() > LONGEST {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let both = [true, false];
    both.into_iter()
        .flat_map(|sizes| {
            both.map(|disables_user_namespaces| Features {
                sizes,
                disables_user_namespaces,
            })
        })
        .find(|features| line(file, *features) == text)
}

/// Remembers. Where that fails it is asked again the next time.
pub(super) fn keep(folder: &Path, file: &Metadata, features: Features) {
    let new = folder.join(format!("{NAME}.{}", std::process::id()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut out| out.write_all(line(file, features).as_bytes()))
        .and_then(|()| fs::rename(&new, folder.join(NAME)));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
}

/// The change time is among it, which no user can set back.
fn line(file: &Metadata, features: Features) -> String {
    format!(
        "{FORM} {} {} {} {} {}.{} {} {}\n",
        file.dev(),
        file.ino(),
        file.mode(),
        file.len(),
        file.ctime(),
        file.ctime_nsec(),
        features.sizes,
        features.disables_user_namespaces,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_for_one_file_as_it_is() {
        let folder = std::env::temp_dir().join(format!("cerco-memory-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("program");
        fs::write(&program, "one").unwrap();
        let facts = || fs::metadata(&program).unwrap();
        assert_eq!(recall(&folder, &facts()), None);
        let features = Features {
            sizes: true,
            disables_user_namespaces: false,
        };
        keep(&folder, &facts(), features);
        assert_eq!(recall(&folder, &facts()), Some(features));
        fs::write(&program, "another").unwrap();
        assert_eq!(recall(&folder, &facts()), None);
        fs::write(folder.join(NAME), "x".repeat(600)).unwrap();
        assert_eq!(recall(&folder, &facts()), None);
        fs::remove_dir_all(&folder).unwrap();
    }
}
