//! Names of variables that hold credentials. Data with its look-up.

/// Parts of a name that mark a credential, in any letter case (SPEC §4). `MONKEY` goes too.
const CREDENTIAL_PARTS: [&str; 6] = [
    "KEY",
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "CREDENTIAL",
    "PRIVATE",
];

/// Whole words of a name, between underscores, that mark a credential too. `PWD` alone is
/// the directory, and `GIT_AUTHOR_NAME` has no `AUTH` in it.
const CREDENTIAL_WORDS: [&str; 12] = [
    "AUTH",
    "COOKIE",
    "COOKIES",
    "CREDS",
    "CRED",
    "DSN",
    "JWT",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PAT",
    "PW",
];

/// Whether a name says that its value is a credential.
pub(crate) fn names_credential(upper: &str) -> bool {
    let mut words = upper.split('_');
    CREDENTIAL_PARTS.iter().any(|part| upper.contains(part))
        || words.any(|word| CREDENTIAL_WORDS.contains(&word))
        || (upper.ends_with("_PWD"))
}
