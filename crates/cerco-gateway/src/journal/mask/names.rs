//! Names that say that a secret follows, and beginnings that are one.

/// The words of SPEC §4, and those that tools use in option names.
const NAMES: &[&str] = &[
    "KEY",
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "CREDENTIAL",
    "PRIVATE",
    "PASSWD",
    "PASSPHRASE",
    "APIKEY",
    "AUTHORIZATION",
];

/// Words that end like one.
const NO_KEYS: &[&str] = &["MONKEY", "DONKEY", "TURKEY", "HOTKEY"];

/// Beginnings of tokens, and how many more letters make one.
const TOKENS: &[(&str, usize)] = &[
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("npm_", 20),
    ("pypi-", 20),
    ("sk-", 16),
    ("sk_live_", 10),
    ("rk_live_", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("eyJ", 30),
    ("dop_v1_", 20),
    ("hf_", 20),
    ("SG.", 20),
];

/// Whether a variable, option or key of this name holds a secret.
pub(super) fn is_secret_name(name: &[u8]) -> bool {
    // None of them is shorter; a flood of `a=` asks for each.
    if name.len() < 3 {
        return false;
    }
    let ends_with = |secret: &str| {
        let at = name.len().checked_sub(secret.len());
        at.and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(secret.as_bytes()))
    };
    let has_part = |secret: &str| {
        name.split(|b| !b.is_ascii_alphanumeric())
            .any(|part| part.eq_ignore_ascii_case(secret.as_bytes()))
    };
    // A whole run of letters: `--keep` and `monkey` are no keys, `API_KEY` and `accessToken` are.
    NAMES
        .iter()
        .any(|secret| ends_with(secret) || has_part(secret))
        && !NO_KEYS.iter().any(|word| {
            let dashes = name.iter().take_while(|b| **b == b'-').count();
            let bare = name.get(dashes..).unwrap_or_default();
            bare.eq_ignore_ascii_case(word.as_bytes())
        })
}

/// How long the token is that `text` begins with.
pub(super) fn token_at(text: &[u8]) -> Option<usize> {
    TOKENS.iter().find_map(|(beginning, more)| {
        let tail = text.strip_prefix(beginning.as_bytes())?;
        let length = tail
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
            .count();
        (length >= *more).then_some(beginning.len() + length)
    })
}
