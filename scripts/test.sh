#!/usr/bin/env bash
# The whole test command. Heavy suites are parallel-safe; nextest's profile `ci` gives them time.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

say "format and lints"
cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings

say "licences, bans and sources of what we depend on"
cargo deny --log-level error check licenses bans sources

say "all tests as $(id -un)"
cargo nextest run --workspace --locked --profile ci
cargo test --workspace --doc --locked --quiet
