//! The project's files that look like secrets: what the setting `hide_secrets`, or a board's
//! own choice, hides inside the sandbox. The names are those of rule `secret`.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use cerco_filter::paths::secret::is_secret_name;

/// So many names are looked at; in a larger project some would not be known.
const MOST: usize = 2_000_000;

/// The project is too large to be looked through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the project has more than {MOST} files, too many to find those that look like secrets; \
     the command was not run. Let the sandbox show them (for this board or in general, in Settings), or move what is \
     generated out of the project"
)]
pub struct TooLarge;

/// Files, folders of secrets, and folders that can't be looked into, which may hold some and
/// which a command that owns them could open. A link counts as what it leads to, where that is
/// in the project.
pub(crate) fn secrets(project: &Path) -> Result<Vec<PathBuf>, TooLarge> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([project.to_path_buf()]);
    let mut left = MOST;
    while let Some(folder) = folders.pop_front() {
        let Ok(list) = fs::read_dir(&folder) else {
            found.push(folder);
            continue;
        };
        for entry in list {
            left = left.checked_sub(1).ok_or(TooLarge)?;
            let Ok(entry) = entry else {
                found.push(folder.clone());
                break;
            };
            let path = entry.path();
            let below = path.strip_prefix(project).unwrap_or(&path);
            let kind = entry.file_type();
            if is_secret_name(&below.to_string_lossy()) {
                let real = fs::canonicalize(&path);
                found.extend(real.ok().filter(|real| real.starts_with(project)));
            } else if kind.is_ok_and(|kind| kind.is_dir()) {
                folders.push_back(path);
            }
        }
    }
    // Nothing hides the ground that everything stands on.
    found.retain(|path| path != project);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_found() {
        let root = std::env::temp_dir().join(format!("cerco-secrets-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for file in [
            ".env",
            ".env.example",
            "src/main.rs",
            "deep/er/server.key",
            "deep/.aws/config",
            "plain.txt",
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        #[cfg(unix)]
        for (target, link) in [("plain.txt", ".env.local"), ("/etc/hostname", "id_rsa")] {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        let root = root.canonicalize().unwrap();
        let mut found = secrets(&root).unwrap();
        found.sort();
        let mut expected = vec![".env", "deep/.aws", "deep/er/server.key"];
        if cfg!(unix) {
            expected.push("plain.txt");
        }
        let expected: Vec<PathBuf> = expected.iter().map(|path| root.join(path)).collect();
        assert_eq!(found, expected);
        fs::remove_dir_all(&root).unwrap();
    }
}
