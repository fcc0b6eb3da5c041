//! What the installed bubblewrap can do, read from its own help text.

use std::path::Path;
use std::process::{Command, Stdio};

/// Options that came later than the oldest version that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// `--size` (0.7): without it a private folder may take half of the memory.
    pub sizes: bool,
    /// `--disable-userns` (0.8, not when set-user-id): the filter covers it.
    pub disables_user_namespaces: bool,
}

/// Why a bubblewrap can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Before 0.5: no `--perms`, so a hidden folder could be listed.
    TooOld,
    /// It could not be started, or said nothing.
    Silent(String),
}

/// Whether the file takes its owner's rights when it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Privilege {
    /// An ordinary program.
    None,
    /// Set-user-id: it refuses some options.
    SetUserId,
}

/// Asks `program` for its options.
pub(super) fn probe(program: &Path, privilege: Privilege) -> Result<Features, Unusable> {
    let output = Command::new(program)
        .arg("--help")
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Unusable::Silent(e.to_string()))?;
    let text = [output.stdout, output.stderr].concat();
    read(&String::from_utf8_lossy(&text), privilege)
}

/// What a help text says.
fn read(help: &str, privilege: Privilege) -> Result<Features, Unusable> {
    let has = |option: &str| help.split_whitespace().any(|word| word == option);
    if !has("--ro-bind") {
        return Err(Unusable::Silent("its help text names no mounts".to_owned()));
    }
    if !has("--perms") {
        return Err(Unusable::TooOld);
    }
    Ok(Features {
        sizes: has("--size"),
        disables_user_namespaces: has("--disable-userns") && privilege == Privilege::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(help: &str, privilege: Privilege, expected: &Result<Features, Unusable>) {
        assert_eq!(&read(help, privilege), expected, "{help}");
    }

    #[test]
    fn versions() {
        let new = "--ro-bind SRC DEST\n --perms OCTAL\n --size BYTES\n --disable-userns  Disable";
        let features = |sizes, disables_user_namespaces| {
            Ok(Features {
                sizes,
                disables_user_namespaces,
            })
        };
        check(new, Privilege::None, &features(true, true));
        check(new, Privilege::SetUserId, &features(true, false));
        check(
            "--ro-bind A B --perms N",
            Privilege::None,
            &features(false, false),
        );
        check("--ro-bind A B", Privilege::None, &Err(Unusable::TooOld));
        assert!(matches!(
            read("", Privilege::None),
            Err(Unusable::Silent(_))
        ));
    }
}
