//! What the gateway and the readiness checks say to a person stands in `spanish.txt` too.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeSet;

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

#[test]
fn every_sentence_has_its_spanish_one() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("spanish.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    let mut known = BTreeSet::new();
    for block in lines
        .split(|line| line.is_empty())
        .filter(|b| !b.is_empty())
    {
        let [english, spanish] = *block else {
            unreachable!("an English line and a Spanish one belong together: {block:?}")
        };
        assert!(known.insert(english), "twice: {english}");
        let gaps = |text: &str| text.matches("{}").count();
        assert_eq!(gaps(english), gaps(spanish), "{english}");
    }
    let mut said: Vec<&str> = cerco_sandbox::readiness::failures()
        .iter()
        .flat_map(|failure| [failure.found, failure.text])
        .collect();
    said.extend(cerco_sandbox::self_test::sentences());
    said.extend(REFUSALS.map(words));
    said.extend(Backend::ALL.into_iter().filter_map(Backend::unsupported));
    let missing: Vec<&&str> = said.iter().filter(|text| !known.contains(**text)).collect();
    assert!(missing.is_empty(), "spanish.txt lacks {missing:#?}");
}
