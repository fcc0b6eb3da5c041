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
/// Parts of a project that have a server of their own.
const PARTS: &[&str] = &[
    "web", "app", "api", "client", "server", "frontend", "backend", "ui", "site", "docs", "vite",
    "next", "electron", "tauri", "mobile", "desktop", "css", "tailwind", "all", "remix",
];
const PUBLISHES: &[&str] = &["publish"];

/// Whether a script of this name watches tests or what is checked, which may be told not to.
pub(super) fn is_watch(name: &str) -> bool {
    matches!(
        name,
        "test:watch" | "watch:test" | "test-watch" | "unit:watch" | "watch"
    )
}

/// The rules that a script of this name is taken to break.
pub(super) fn rules(name: &str) -> &'static [Rule] {
    // `dev:web` and `web:dev` are servers, `build:dev` and `start:ci` are not.
    let mut words = name.split([':', '.', '/']);
    let first = words.next().unwrap_or(name);
    // `npm:watch-*` of concurrently.
    let first = first.strip_suffix("-*").unwrap_or(first);
    let rest: Vec<&str> = words.collect();
    let finishing = rest
        .iter()
        .flat_map(|word| word.split(['-', '_']))
        .any(|w| matches!(w, "ci" | "build" | "test" | "check" | "lint" | "once"));
    // `publish:docs` may lay out pages; `release:publish` does what it says.
    if PUBLISHES.contains(&name) || rest.last().is_some_and(|last| PUBLISHES.contains(last)) {
        return &[Rule::Publish];
    }
    // `api:dev`; `db:dev` and `deploy:dev` name a place and not a server.
    let last = rest.last().copied().unwrap_or_default();
    let served = matches!(last, "serve" | "watch")
        || matches!(last, "dev" | "start" | "server") && PARTS.contains(&first);
    if !finishing && (ENDLESS.contains(&first) || served)
        || matches!(first, "test" | "lint" | "build" | "types") && rest.last() == Some(&"watch")
    {
        return &[Rule::Endless];
    }
    &[]
}
