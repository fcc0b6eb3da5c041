//! Files that look like a secret, by name. Letter case never matters: a case-blind disk
//! opens `.ENV` as `.env`.

use cerco_reader::{Piece, Text};

/// Endings of names that hold a secret.
const ENDINGS: &[&str] = &[
    "pem",
    "key",
    "p12",
    "pfx",
    "jks",
    "keystore",
    "bks",
    "ppk",
    "p8",
    "crt",
    "cer",
    "der",
    "p7b",
    "kdbx",
    "kdb",
    "psafe3",
    "agilekeychain",
    "keychain",
    "ovpn",
    "tfstate",
    "env",
];

/// Whole names that hold a secret.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".git-credentials",
    ".dockercfg",
    ".htpasswd",
    ".s3cfg",
    ".boto",
    ".vault-token",
    ".vault_pass",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.csv",
    "credentials.xml",
    "credentials.yml",
    "credentials.yaml",
    "credentials.ini",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "kubeconfig",
    "terraform.tfstate.backup",
    "application_default_credentials.json",
    "wallet.dat",
    "access_tokens.db",
    "accesstokens.json",
    "azureprofile.json",
    "logins.json",
    "key3.db",
    "key4.db",
    "secring.gpg",
    "auth.json",
];

/// Beginnings of `.json` names that hold a service account's key.
const ACCOUNTS: &[&str] = &[
    "service-account",
    "service_account",
    "serviceaccount",
    "client_secret",
    "gcp-key",
    "firebase-adminsdk",
];

/// Endings that make an example out of a secret's name.
const EXAMPLES: &[&str] = &[
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".d.ts",
    ".tmpl",
    ".schema",
];

/// Folders all of whose files are secrets.
const FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".password-store",
];

/// Whether the path `path` (any spelling) names a secret.
#[must_use]
pub fn is_secret_name(path: &str) -> bool {
    let mut parts = path.rsplit(['/', '\\']);
    // Windows drops blanks and dots at the end of a name.
    let mut name = parts.next().unwrap_or(path);
    if name.is_empty() {
        name = parts.next().unwrap_or_default();
    }
    let name = name.trim_end_matches(' ');
    if name.is_empty() || name.len() > 255 {
        return false;
    }
    let parent = parts.next().unwrap_or_default();
    let holds = |folder: &str| FOLDERS.iter().any(|f| folder.eq_ignore_ascii_case(f));
    if holds(name) || holds(parent) || parts.any(holds) {
        return !name.to_ascii_lowercase().ends_with(".pub")
            && !name.eq_ignore_ascii_case("known_hosts");
    }
    if !name.contains('.')
        && !name.contains('_')
        && !name.eq_ignore_ascii_case("credentials")
        && !name.eq_ignore_ascii_case("kubeconfig")
    {
        return false;
    }
    is_secret_file(&name.to_ascii_lowercase(), parent)
}

/// `name` is lower case.
fn is_secret_file(name: &str, parent: &str) -> bool {
    if EXAMPLES.iter().any(|e| name.ends_with(e)) {
        return false;
    }
    if NAMES.contains(&name) || name.starts_with(".env.") {
        return true;
    }
    if name == "config.json" && parent == ".docker" {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    match ending {
        "yaml" | "yml" | "conf" => stem == "kubeconfig",
        "kubeconfig" => true,
        "json" => {
            ACCOUNTS.iter().any(|start| stem.starts_with(start)) || stem.ends_with("-credentials")
        }
        "backup" => stem.ends_with(".tfstate"),
        "env" => !matches!(stem, "example" | "sample" | "template" | "dist"),
        ending => ENDINGS.contains(&ending),
    }
}

/// Whether `text` names a secret or is a pattern that could match one.
#[must_use]
pub fn is_secret(text: &Text) -> bool {
    match text {
        // A pattern that nothing matched when it was expanded may match when it is used.
        Text::Known(known) if known.contains(['*', '?', '[']) => {
            let mut tokens = Vec::new();
            glob(known, &mut tokens);
            is_secret_name(known) || could_match(&tokens)
        }
        Text::Known(known) => is_secret_name(known),
        Text::Partly(pieces) => {
            let tokens = last_name(pieces);
            let literal: Option<String> = tokens
                .iter()
                .map(|t| match t {
                    Token::Is(c) => Some(*c),
                    Token::Any | Token::One | Token::Of(_) => None,
                })
                .collect();
            match literal {
                Some(name) => is_secret_name(&name),
                None => could_match(&tokens),
            }
        }
    }
}

/// A piece of a pattern.
enum Token<'a> {
    Is(char),
    Any,
    One,
    Of(&'a str),
}

/// The tokens of a path's last name.
fn last_name(pieces: &[Piece]) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Known(text) => {
                for c in text.chars() {
                    if c == '/' {
                        tokens.clear();
                    } else {
                        tokens.push(Token::Is(c.to_ascii_lowercase()));
                    }
                }
            }
            Piece::Unknown => tokens.push(Token::Any),
            Piece::Glob(source) => glob(source, &mut tokens),
        }
    }
    tokens
}

fn glob<'a>(source: &'a str, tokens: &mut Vec<Token<'a>>) {
    if source.contains('(') {
        tokens.push(Token::Any);
        return;
    }
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        match c {
            '/' => tokens.clear(),
            '*' => tokens.push(Token::Any),
            '?' => tokens.push(Token::One),
            '[' => {
                let end = rest
                    .char_indices()
                    .skip(2)
                    .find(|(_, c)| *c == ']')
                    .map(|(at, _)| at);
                match end {
                    Some(end) => {
                        tokens.push(Token::Of(rest.get(1..end).unwrap_or_default()));
                        len = end + 1;
                    }
                    None => tokens.push(Token::Is('[')),
                }
            }
            c => tokens.push(Token::Is(c.to_ascii_lowercase())),
        }
        rest = rest.get(len..).unwrap_or_default();
    }
}

/// Names that begin with a dot: a pattern matches them only if it begins with one as well.
const HIDDEN: &[&str] = &[
    ".env",
    ".env.local",
    ".env.production",
    ".envrc",
    ".npmrc",
    ".netrc",
    ".pypirc",
    ".pgpass",
];
/// Names that a pattern must begin to spell.
const SPELLED: &[&str] = &[
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "credentials.json",
    "secrets.yaml",
    "secrets.json",
    "service-account.json",
];
/// Endings that a pattern must spell out.
const ENDED: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".ppk",
    ".kdbx",
    ".tfstate",
    ".env",
    ".crt",
    ".cer",
];

/// `.e*` could match `.env`; `*` could match anything and says nothing.
fn could_match(tokens: &[Token<'_>]) -> bool {
    if matches!(tokens.first(), Some(Token::Is('.'))) {
        return HIDDEN.iter().any(|name| matches(tokens, name));
    }
    let begin: String = tokens.iter().map_while(literal).collect();
    if begin.len() >= 2 && SPELLED.iter().any(|name| matches(tokens, name)) {
        return true;
    }
    let mut end: Vec<char> = tokens.iter().rev().map_while(literal).collect();
    end.reverse();
    let end: String = end.into_iter().collect();
    ENDED.iter().any(|ending| end.ends_with(ending))
}

fn literal(token: &Token<'_>) -> Option<char> {
    match token {
        Token::Is(c) => Some(*c),
        Token::Any | Token::One | Token::Of(_) => None,
    }
}

fn matches(tokens: &[Token<'_>], name: &str) -> bool {
    let mut chars = name.chars();
    match tokens.split_first() {
        None => name.is_empty(),
        Some((Token::Any, rest)) => {
            matches(rest, name)
                || chars
                    .next()
                    .is_some_and(|_| matches(tokens, chars.as_str()))
        }
        Some((token, rest)) => chars.next().is_some_and(|c| {
            let fits = match token {
                Token::Is(is) => *is == c,
                Token::One | Token::Any => true,
                Token::Of(class) => in_class(class, c),
            };
            fits && matches(rest, chars.as_str())
        }),
    }
}

/// Whether `[class]` may hold `c`; a class that isn't plain may hold anything.
fn in_class(class: &str, c: char) -> bool {
    if let Some(none) = class.strip_prefix(['!', '^']) {
        return none.contains('-') || !none.contains(c);
    }
    if class.contains(':') {
        return true;
    }
    let chars: Vec<char> = class.chars().map(|c| c.to_ascii_lowercase()).collect();
    chars.contains(&c)
        || chars
            .windows(3)
            .any(|w| matches!(w, [from, '-', to] if *from <= c && c <= *to))
}
