//! The home folder: hidden, but for the toolchains that builds need. Data with its look-up.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::facts::{Found, Opened};
use crate::survey::found;

/// Folders below the home that hold programs and downloaded packages. They are opened
/// again read-only; what else lies in the home stays hidden. Where credentials lie beside
/// such folders, these are named one by one: a file that a tool writes anew while a command
/// runs is then hidden like everything else.
const TOOLCHAINS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cabal/bin",
    ".cabal/lib",
    ".cabal/packages",
    ".cabal/share",
    ".cabal/store",
    ".cache/pip",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/bin",
    ".cargo/git",
    ".cargo/registry",
    ".conda/envs",
    ".conda/pkgs",
    ".deno",
    ".dotnet",
    ".elan",
    ".fnm",
    ".gem/ruby",
    ".gem/specs",
    ".ghcup",
    ".gradle/caches",
    ".gradle/jdks",
    ".gradle/native",
    ".gradle/wrapper",
    ".ivy2/cache",
    ".ivy2/local",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".m2/repository",
    ".m2/wrapper",
    ".nix-profile",
    ".npm/_cacache",
    ".npm/_npx",
    ".nuget/packages",
    ".nuget/plugins",
    ".nvm",
    ".opam",
    ".pub-cache/bin",
    ".pub-cache/git",
    ".pub-cache/global_packages",
    ".pub-cache/hosted",
    ".pub-cache/hosted-hashes",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rye",
    ".sdkman",
    ".stack/pantry",
    ".stack/programs",
    ".stack/setup-exe-cache",
    ".stack/snapshots",
    ".volta",
    ".yarn/berry/cache",
    ".yarn/berry/index",
    ".yarn/bin",
    ".yarn/releases",
    "anaconda3",
    "go/bin",
    "go/pkg",
    "mambaforge",
    "miniconda3",
    "miniforge3",
];

/// Files and folders in these that hold credentials. A `*` is any one name.
const CREDENTIALS: &[&str] = &[
    ".asdf/.git",
    ".asdf/installs/nodejs/*/etc/npmrc",
    ".asdf/installs/python/*/pip.conf",
    ".asdf/plugins/*/.git",
    ".conda/envs/*/.condarc",
    ".conda/envs/*/condarc",
    ".conda/envs/*/pip.conf",
    ".dotnet/corefx",
    ".fnm/node-versions/*/installation/etc/npmrc",
    ".local/pipx/venvs/*/pip.conf",
    ".local/share/fnm/node-versions/*/installation/etc/npmrc",
    ".local/share/mise/installs/node/*/etc/npmrc",
    ".local/share/mise/installs/python/*/pip.conf",
    ".local/share/mise/plugins/*/.git",
    ".local/share/pipx/venvs/*/pip.conf",
    ".local/share/pnpm/.npmrc",
    ".local/share/uv/tools/*/pip.conf",
    ".nvm/.git",
    ".nvm/.npmrc",
    ".nvm/versions/node/*/etc/npmrc",
    ".opam/plugins/opam-publish",
    ".pyenv/.git",
    ".pyenv/plugins/*/.git",
    ".pyenv/versions/*/pip.conf",
    ".rbenv/.git",
    ".rbenv/plugins/*/.git",
    ".rye/config.toml",
    ".rye/credentials",
    ".volta/hooks.json",
    ".volta/tools/image/node/*/etc/npmrc",
    "anaconda3/.condarc",
    "anaconda3/condarc",
    "anaconda3/condarc.d",
    "anaconda3/envs/*/.condarc",
    "anaconda3/pip.conf",
    // Clones, whose settings have the addresses that they came from. Nothing that is offline
    // needs them: what builds read lies beside.
    "go/pkg/mod/cache/vcs",
    "mambaforge/.condarc",
    "mambaforge/condarc.d",
    "mambaforge/pip.conf",
    "miniconda3/.condarc",
    "miniconda3/condarc",
    "miniconda3/condarc.d",
    "miniconda3/envs/*/.condarc",
    "miniconda3/envs/*/pip.conf",
    "miniconda3/pip.conf",
    "miniforge3/.condarc",
    "miniforge3/condarc.d",
    "miniforge3/pip.conf",
];

/// Cargo's settings: builds need them, and they may hold a registry's token.
const CARGO_SETTINGS: &[&str] = &[".cargo/config.toml", ".cargo/config"];
const MAX_SETTINGS: u64 = 64 << 10;

/// What of `home` is opened again, and the credentials in it.
pub(crate) fn opened(home: &Path, more: &[PathBuf]) -> (Vec<Opened>, Vec<Found>) {
    let mut toolchains = toolchains(home, more);
    let credentials = credentials(home, &toolchains);
    toolchains.extend(cargo_settings(home));
    (toolchains, credentials)
}

/// The toolchains that exist in `home`, and `more` that the caller knows of.
fn toolchains(home: &Path, more: &[PathBuf]) -> Vec<Opened> {
    let there = names(home);
    let is_there = |name: &&&str| {
        let first = Path::new(name).iter().next();
        let known = there.as_ref().zip(first);
        known.is_none_or(|(there, first)| there.contains(first))
    };
    let known = TOOLCHAINS
        .iter()
        .filter(is_there)
        .map(|name| home.join(name));
    let mut found: Vec<Opened> = Vec::new();
    for at in known.chain(more.iter().cloned()) {
        let Ok(from) = fs::canonicalize(&at) else {
            continue;
        };
        // A link to the home itself, or above it, would open everything again.
        if from.is_dir() && !home.starts_with(&from) && !found.iter().any(|f| f.at == at) {
            found.push(Opened { from, at });
        }
    }
    found
}

/// The names in `home`; nothing where they can't all be told.
fn names(home: &Path) -> Option<HashSet<OsString>> {
    let entries = fs::read_dir(home).ok()?;
    entries.map(|entry| Some(entry.ok()?.file_name())).collect()
}

/// Cargo's settings where every line of them is understood and holds no credential.
fn cargo_settings(home: &Path) -> Vec<Opened> {
    let all = CARGO_SETTINGS.iter().map(|name| home.join(name));
    all.filter_map(|at| {
        let from = fs::canonicalize(&at).ok()?;
        let facts = fs::metadata(&from).ok()?;
        let is_short = facts.is_file() && facts.len() <= MAX_SETTINGS;
        let text = is_short.then(|| fs::read_to_string(&from).ok()).flatten()?;
        holds_no_credential(&text).then_some(Opened { from, at })
    })
    .collect()
}

/// Whether `text` is settings of cargo's, every line of a known form, with nothing that
/// names or looks like a credential. Unsure is no.
fn holds_no_credential(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "token",
        "secret",
        "password",
        "credential",
        "key",
        "auth",
        "proxy",
    ];
    text.lines().map(str::trim).all(|line| {
        if line.is_empty() || matches!(line, "]" | "],") {
            return true;
        }
        let lower = line.to_ascii_lowercase();
        let named = NAMES.iter().any(|name| lower.contains(name));
        let has_user = lower.split("://").skip(1).any(|rest| {
            let host = rest.split(['/', '"', '\'']).next().unwrap_or_default();
            host.contains('@')
        });
        if named || has_user || lower.contains('#') {
            return false;
        }
        let is_header = line.starts_with('[') && line.ends_with(']') && !lower.contains("env");
        let is_part = line.starts_with(['"', '\'']);
        let is_setting = line.split_once('=').is_some_and(|(name, _)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.\"' ".contains(c);
            name.chars().all(plain) && !name.contains("env")
        });
        is_header || is_part || is_setting
    })
}

/// The credentials inside the toolchains that were opened, where they lie and where they
/// are seen.
fn credentials(home: &Path, toolchains: &[Opened]) -> Vec<Found> {
    let mut all = Vec::new();
    for pattern in CREDENTIALS {
        let open = toolchains
            .iter()
            .find(|toolchain| Path::new(pattern).starts_with(below(home, &toolchain.at)));
        let Some(open) = open else {
            continue;
        };
        let Ok(rest) = Path::new(pattern).strip_prefix(below(home, &open.at)) else {
            continue;
        };
        for rest in expanded(&open.from, rest) {
            let Ok(real) = found("the credentials", &open.from.join(&rest)) else {
                continue;
            };
            if open.from != open.at {
                all.push(real.clone());
            }
            all.push(Found {
                path: open.at.join(&rest),
                ..real
            });
        }
    }
    all
}

fn below<'a>(home: &Path, at: &'a Path) -> &'a Path {
    at.strip_prefix(home).unwrap_or(at)
}

/// The paths below `base` that `pattern` means and that exist.
fn expanded(base: &Path, pattern: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::new()];
    for part in pattern {
        if part != "*" {
            for path in &mut paths {
                path.push(part);
            }
            continue;
        }
        let names = |path: &PathBuf| {
            let entries = fs::read_dir(base.join(path))
                .into_iter()
                .flatten()
                .flatten();
            let names = entries.map(|entry| path.join(entry.file_name()));
            names.collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(names).collect();
    }
    paths.retain(|path| fs::symlink_metadata(base.join(path)).is_ok());
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_credential_lies_in_a_toolchain_that_is_opened() {
        for name in CREDENTIALS {
            let open = TOOLCHAINS.iter().any(|t| Path::new(name).starts_with(t));
            assert!(open, "{name} is hidden anyway");
        }
    }

    #[test]
    fn cargos_settings_are_shown_where_nothing_in_them_is_secret() {
        for (text, expected) in [
            (
                "[build]\nrustc-wrapper = \"sccache\"\n[target.x86_64-unknown-linux-gnu]\nrustflags = [\n  \"-C\",\n]\n",
                true,
            ),
            (
                "[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\nregistry = \"sparse+https://host/index/\"\n",
                true,
            ),
            ("[registry]\ntoken = \"x\"\n", false),
            ("[source.m]\nregistry = \"https://u:p@host/\"\n", false),
            ("[env]\nX = \"y\"\n", false),
            ("env.X = \"y\"\n", false),
            ("x LEAKME", false),
            ("[build]\n\u{1}", false),
        ] {
            assert_eq!(holds_no_credential(text), expected, "{text}");
        }
    }
}
