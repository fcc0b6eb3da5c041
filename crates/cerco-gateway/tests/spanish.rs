//! What the gateway, the sandbox and the readiness checks say to a person stands in
//! `spanish.txt` too. The sentences are taken from the sources themselves: one that is
//! written tomorrow without its Spanish fails here, whether or not anything brings it about.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cerco_gateway::terminals::insert::words;
use cerco_gateway::wire::{Backend, InsertRefusal};

const REFUSALS: [InsertRefusal; 7] = [
    InsertRefusal::ControlCharacters,
    InsertRefusal::SeveralLines,
    InsertRefusal::ProgramRuns,
    InsertRefusal::TooLong,
    InsertRefusal::Ended,
    InsertRefusal::Masked,
    InsertRefusal::NoSafeWay,
];

/// Whose sentences reach the page: a folder or file of the workspace, and after which words
/// of the code a sentence stands there.
const SAYS: &[(&str, &[&str])] = &[
    (
        "cerco-gateway/src",
        &[
            "#[error(",
            "HubError::Wrong(",
            "Failure::new(",
            ".alarm(",
            "CantStart(",
            "error(",
        ],
    ),
    (
        "cerco-gateway/src/hub/runs.rs",
        &["-> String {\n    format!("],
    ),
    ("cerco-decide/src", &["#[error("]),
    ("cerco-model/src", &["#[error("]),
    ("cerco-sandbox/src/refusal.rs", &["#[error("]),
    (
        "cerco-sandbox/src/self_test",
        &["Err(", "refused(", "done("],
    ),
    ("cerco-filter/src/custom", &["format!(", "message: "]),
];

/// What isn't said on the page: the command line's own, the agents' door, and the start.
const NOT_ON_THE_PAGE: &[&str] = &[
    "cerco-gateway/src/client",
    "cerco-gateway/src/server/agents.rs",
    "cerco-gateway/src/server/mod.rs",
    "cerco-gateway/src/file_calls.rs",
    "cerco-gateway/src/journal/id.rs",
];

#[test]
fn every_sentence_has_its_spanish_one() {
    let known = table();
    let mut said: BTreeSet<String> = cerco_sandbox::readiness::failures()
        .iter()
        .flat_map(|failure| [failure.found, failure.text])
        .chain(cerco_sandbox::self_test::sentences())
        .chain(REFUSALS.map(words))
        .chain(Backend::ALL.into_iter().filter_map(Backend::unsupported))
        .map(str::to_owned)
        .collect();
    said.extend(of_sources());
    // The noun of this one decides the Spanish words around it.
    said.remove(&gone("{}"));
    said.extend(of_nouns());
    let missing: Vec<_> = said
        .iter()
        .filter(|text| !known.contains_key(*text))
        .collect();
    assert!(missing.is_empty(), "spanish.txt lacks {missing:#?}");
}

#[test]
fn the_sources_are_read_as_they_are_written() {
    let code = r#"#[error("{} holds {limit} of \"{}\"; \
        take fewer", shown(path))] A(u8), #[error("{0}")] B,
        Err(HubError::Wrong(format!("no {{loop}} in {at}")))
        Failure::new(404, "not_found", "nothing".to_owned())
        HubError::Wrong(error.to_string()); "not of it"
        #[cfg(test)] mod tests { HubError::Wrong("x") }"#;
    let mut found = BTreeSet::new();
    for mark in ["#[error(", "HubError::Wrong(", "Failure::new("] {
        found.extend(sentences(code, mark));
    }
    let expected = [
        "nothing",
        "no {loop} in {}",
        "{} holds {} of \"{}\"; take fewer",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}

/// What isn't there any more, by each noun that the hub says it with.
fn of_nouns() -> Vec<String> {
    let hub = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/hub");
    let mut files = Vec::new();
    sources(&hub, &[], &mut files);
    let code: Vec<String> = files
        .iter()
        .map(|f| fs::read_to_string(f).unwrap())
        .collect();
    let nouns = code.iter().flat_map(|code| sentences(code, "NotFound("));
    nouns.map(|noun| gone(&noun)).collect()
}

fn gone(noun: &str) -> String {
    format!("there is no such {noun} (any more); load the page again")
}

/// The table, which may have nothing twice and no gap on one side only.
fn table() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spanish.txt");
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    let mut known = BTreeMap::new();
    for block in lines
        .split(|line| line.is_empty())
        .filter(|b| !b.is_empty())
    {
        let [english, spanish] = *block else {
            unreachable!("an English line and a Spanish one belong together: {block:?}")
        };
        let gaps = |text: &str| (text.matches("{}").count(), text.matches("{…}").count());
        assert_eq!(gaps(english), gaps(spanish), "{english}");
        let before = known.insert(english.to_owned(), spanish.to_owned());
        assert!(before.is_none(), "twice: {english}");
    }
    known
}

fn of_sources() -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let left_out: Vec<PathBuf> = NOT_ON_THE_PAGE.iter().map(|p| crates.join(p)).collect();
    let mut all = BTreeSet::new();
    for (place, marks) in SAYS {
        let mut files = Vec::new();
        sources(&crates.join(place), &left_out, &mut files);
        let before = all.len();
        for file in &files {
            let code = fs::read_to_string(file).unwrap();
            for mark in *marks {
                all.extend(sentences(&code, mark));
            }
        }
        assert!(
            all.len() > before,
            "{place} says nothing: it was moved or writes it otherwise"
        );
    }
    all
}

fn sources(at: &Path, left_out: &[PathBuf], files: &mut Vec<PathBuf>) {
    if left_out.iter().any(|path| path == at) {
        return;
    }
    if at.is_dir() {
        for entry in fs::read_dir(at).unwrap() {
            sources(&entry.unwrap().path(), left_out, files);
        }
    } else if at.extension().is_some_and(|end| end == "rs") {
        files.push(at.to_owned());
    }
}

/// The first sentence between the brackets that `mark` opens, at each place of it.
fn sentences(code: &str, mark: &str) -> Vec<String> {
    let end = code.find("#[cfg(test)]").unwrap_or(code.len());
    let code = code.get(..end).unwrap();
    let places = code.match_indices(mark).map(|(at, _)| at + mark.len());
    places
        .filter_map(|at| {
            let texts = literals(code.get(at..).unwrap());
            // The name of a failure comes before its words.
            texts.into_iter().nth(usize::from(mark == "Failure::new("))
        })
        .map(|text| with_plain_gaps(&text))
        // A path alone is no sentence, nor is what goes on after a `;`.
        .filter(|text| text.chars().any(char::is_alphabetic) && !text.starts_with(['/', ';']))
        .collect()
}

/// The string literals up to the bracket that closes what is open at the start.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 1;
    let mut signs = code.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' => found.push(literal(&mut signs)),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

fn literal(signs: &mut std::str::Chars<'_>) -> String {
    let mut text = String::new();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => break,
            '\\' => match signs.next() {
                Some('\n') => {
                    let rest = signs.as_str().trim_start();
                    *signs = rest.chars();
                }
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            other => text.push(other),
        }
    }
    text
}

/// Whatever fills a gap, the table writes `{}`; doubled braces are braces.
fn with_plain_gaps(text: &str) -> String {
    let mut plain = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '{' | '}' if signs.peek() == Some(&sign) => {
                signs.next();
                plain.push(sign);
            }
            '{' => {
                signs.by_ref().take_while(|c| *c != '}').for_each(drop);
                plain.push_str("{}");
            }
            other => plain.push(other),
        }
    }
    // Gaps side by side are one to whoever reads.
    while plain.contains("{}{}") {
        plain = plain.replace("{}{}", "{}");
    }
    plain
}
