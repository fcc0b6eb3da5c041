#!/usr/bin/env bash
# The whole test command. Heavy suites are parallel-safe; nextest's profile `ci` gives them time.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

# First, because the binary carries the page.
say "the page: types, unit tests, bundle"
(cd web && npm ci --no-audit --no-fund --loglevel=error && npm run build && npm test)

say "format and lints"
cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings

say "licences, bans and sources of what we depend on"
cargo deny --log-level error check licenses bans sources

say "examples in the documentation"
cargo test --workspace --doc --locked --quiet

cargo build --locked -p cerco

# Needs the package registry the first time, for the client itself.
say "the official MCP client drives bubbles of three roles"
tests/mcp/run.sh target/debug/cerco

say "the page in a browser, against the gateway"
(cd web && CERCO=../target/debug/cerco npm run e2e)

# Protections can be switched off in this build of one crate only; no target builds cerco with it.
say "attempts to get out, seen to succeed without their protection"
cargo nextest run -p cerco-sandbox --features mutations --locked --profile ci -E 'test(mutations::) | test(what_is_off_is_told)'

# The containment suite drives the product's own binary, and runs each attempt as this
# user and, as root, as the ordinary user `cerco-test` too.
say "all tests as $(id -un)"
CERCO=$PWD/target/debug/cerco cargo nextest run --workspace --locked --profile ci
