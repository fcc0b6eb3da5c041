//! The real directory tree, as the reader and the filter may ask about it.
//!
//! Every answer is bounded, nothing is ever opened that could block (a pipe named
//! `package.json`) and nothing is changed. What can't be answered is answered with
//! nothing, and the asker takes the stricter reading.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use cerco_model::{EntryKind, Tree};

/// The kernel gives up after as many links (`ELOOP`).
const MAX_LINKS: usize = 40;

/// The tree of this machine, as a project stands in it.
#[derive(Clone, Copy, Debug)]
pub struct RealTree {
    case_blind: bool,
}

impl RealTree {
    /// The tree around `project`; tries once whether names are case-blind there.
    #[must_use]
    pub fn around(project: &Path) -> Self {
        Self {
            case_blind: is_case_blind(project),
        }
    }
}

impl Tree for RealTree {
    fn entry(&self, path: &str) -> Option<EntryKind> {
        let kind = fs::symlink_metadata(path).ok()?.file_type();
        Some(if kind.is_symlink() {
            EntryKind::Link
        } else if kind.is_dir() {
            EntryKind::Folder
        } else if kind.is_file() {
            EntryKind::File
        } else {
            EntryKind::Other
        })
    }

    fn resolve(&self, path: &str) -> Option<String> {
        resolve(Path::new(path))?
            .into_os_string()
            .into_string()
            .ok()
    }

    fn names(&self, path: &str, limit: usize) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path).ok()? {
            if names.len() == limit {
                return None;
            }
            names.push(entry.ok()?.file_name().into_string().ok()?);
        }
        Some(names)
    }

    fn text(&self, path: &str, limit: usize) -> Option<String> {
        if !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut options = OpenOptions::new();
        options.read(true);
        // It may have become a pipe since.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC,
        );
        let file = options.open(path).ok()?;
        let mut text = String::new();
        let most = u64::try_from(limit).ok()?.saturating_add(1);
        file.take(most).read_to_string(&mut text).ok()?;
        (text.len() <= limit).then_some(text)
    }

    fn is_case_blind(&self) -> bool {
        self.case_blind
    }
}

/// Resolves the links of an absolute path one by one, as the kernel would. From the first
/// name that doesn't exist on, the rest is kept as written.
fn resolve(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let mut done = PathBuf::new();
    // What is still to be walked, the next component last.
    let mut rest: Vec<PathBuf> = components(path);
    let mut links = 0;
    while let Some(next) = rest.pop() {
        match next.components().next()? {
            Component::Prefix(_) | Component::RootDir => done.push(&next),
            Component::CurDir => {}
            Component::ParentDir => {
                done.pop();
            }
            Component::Normal(name) => {
                let at = done.join(name);
                match fs::symlink_metadata(&at) {
                    Ok(found) if found.is_symlink() => {
                        links += 1;
                        if links > MAX_LINKS {
                            return None;
                        }
                        rest.extend(components(&fs::read_link(&at).ok()?));
                    }
                    Ok(_) => done = at,
                    Err(error) if is_absent(&error) => done = at,
                    Err(_) => return None,
                }
            }
        }
    }
    Some(done)
}

fn components(path: &Path) -> Vec<PathBuf> {
    let all: Vec<_> = path.components().collect();
    all.into_iter()
        .rev()
        .map(|c| PathBuf::from(c.as_os_str()))
        .collect()
}

/// Nothing is there, or what stands before it is a file.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// Whether a name of the folder is found in the other letter case too.
fn is_case_blind(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        // Can't tell: the stricter reading.
        return true;
    };
    let name = entries
        .flatten()
        .take(1000)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find(|name| name.bytes().any(|b| b.is_ascii_alphabetic()));
    let Some(name) = name else {
        return cfg!(any(windows, target_os = "macos"));
    };
    let other: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_lowercase() {
                c.to_ascii_uppercase()
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect();
    match (
        fs::symlink_metadata(folder.join(name)),
        fs::symlink_metadata(folder.join(other)),
    ) {
        (Ok(one), Ok(two)) => is_same(&one, &two),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, two: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (two.dev(), two.ino())
}

/// Both names exist; without file numbers that counts as one file: the stricter reading.
#[cfg(not(unix))]
fn is_same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn answers_are_the_kernels_and_bounded() {
        let root = std::env::temp_dir().join(format!("cerco-tree-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("a/b")).unwrap();
        let root = root.canonicalize().unwrap();
        fs::write(root.join("a/f"), "text").unwrap();
        symlink("a/b", root.join("relative")).unwrap();
        symlink("/etc", root.join("out")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("../out/passwd", root.join("a/chain")).unwrap();
        let tree = RealTree::around(&root);
        let base = root.to_str().unwrap();
        for (path, expected) in [
            ("/a/f", Some(format!("{base}/a/f"))),
            ("/a/b/../f", Some(format!("{base}/a/f"))),
            ("/relative/../f", Some(format!("{base}/a/f"))),
            ("/relative/new/er", Some(format!("{base}/a/b/new/er"))),
            ("/a/f/../new", Some(format!("{base}/a/new"))),
            ("/out/x", Some("/etc/x".to_owned())),
            ("/a/chain", Some("/etc/passwd".to_owned())),
            ("/loop/x", None),
        ] {
            assert_eq!(tree.resolve(&format!("{base}{path}")), expected, "{path}");
        }
        assert_eq!(tree.resolve("a/f"), None);
        assert_eq!(tree.entry(&format!("{base}/out")), Some(EntryKind::Link));
        assert_eq!(tree.entry(&format!("{base}/a")), Some(EntryKind::Folder));
        assert_eq!(tree.entry(&format!("{base}/none")), None);
        assert_eq!(tree.entry("/dev/null"), Some(EntryKind::Other));
        assert_eq!(
            tree.text(&format!("{base}/a/f"), 4).as_deref(),
            Some("text")
        );
        assert_eq!(tree.text(&format!("{base}/a/f"), 3), None);
        assert_eq!(tree.text("/dev/zero", 10), None);
        assert_eq!(tree.names(base, 3), None);
        assert_eq!(tree.names(base, 9).map(|n| n.len()), Some(4));
        assert!(!tree.is_case_blind());
        fs::remove_dir_all(&root).unwrap();
    }
}
