//! What a script's name says, where the script itself can't be read.

use cerco_model::Rule;

const ENDLESS: &[&str] = &[
    "dev",
    "start",
    "serve",
    "watch",
    "develop",
    "preview",
    "server",
    "storybook",
    "hot",
];
const PUBLISHES: &[&str] = &["publish"];

/// The rules that a script of this name is taken to break.
pub(super) fn rules(name: &str) -> &'static [Rule] {
    // `dev:web` and `web:dev` are servers, `build:dev` and `start:ci` are not.
    let mut words = name.split([':', '.', '/']);
    let first = words.next().unwrap_or(name);
    let rest: Vec<&str> = words.collect();
    let finishing = rest
        .iter()
        .flat_map(|word| word.split(['-', '_']))
        .any(|w| matches!(w, "ci" | "build" | "test" | "check" | "lint" | "once"));
    if PUBLISHES.contains(&name) {
        return &[Rule::Publish];
    }
    if !finishing && ENDLESS.contains(&first)
        || matches!(first, "test" | "lint" | "build" | "types") && rest.last() == Some(&"watch")
    {
        return &[Rule::Endless];
    }
    &[]
}
