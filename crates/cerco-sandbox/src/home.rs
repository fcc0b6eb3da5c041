//! The home folder: hidden, but for the toolchains that builds need. Data with its look-up.

use std::fs;
use std::path::{Path, PathBuf};

use crate::facts::{Found, Opened};
use crate::survey::found;

/// Folders below the home that hold programs and downloaded packages. They are opened
/// again read-only; what else lies in the home stays hidden.
const TOOLCHAINS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cabal",
    ".cache/pip",
    ".cache/uv",
    ".cache/yarn",
    ".cargo",
    ".conda",
    ".deno",
    ".dotnet",
    ".elan",
    ".fnm",
    ".gem",
    ".ghcup",
    ".gradle",
    ".ivy2",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2",
    ".nix-profile",
    ".npm",
    ".nuget",
    ".nvm",
    ".opam",
    ".pub-cache",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rye",
    ".sdkman",
    ".stack",
    ".volta",
    ".yarn",
    "go",
    "miniconda3",
];

/// Files in these that hold credentials.
const CREDENTIALS: &[&str] = &[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".conda/.condarc",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".gradle/init.gradle",
    ".ivy2/.credentials",
    ".ivy2/credentials",
    ".m2/settings-security.xml",
    ".m2/settings.xml",
    ".npm/_logs",
    ".nuget/NuGet",
    ".nuget/NuGet.Config",
    ".pub-cache/credentials.json",
    ".stack/config.yaml",
    ".yarn/berry/.yarnrc.yml",
];

/// The toolchains that exist in `home`, and `more` that the caller knows of.
pub(crate) fn toolchains(home: &Path, more: &[PathBuf]) -> Vec<Opened> {
    let known = TOOLCHAINS.iter().map(|name| home.join(name));
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

/// The credentials inside the toolchains that were opened.
pub(crate) fn credentials(toolchains: &[Opened]) -> Vec<Found> {
    let mut all = Vec::new();
    for toolchain in toolchains {
        for name in CREDENTIALS {
            let Some((first, rest)) = name.split_once('/') else {
                continue;
            };
            if toolchain.at.ends_with(first) {
                // Where it lies, and where it is seen when the toolchain itself is a link.
                let real = found("the credentials", &toolchain.from.join(rest));
                if let Ok(real) = real {
                    if toolchain.from != toolchain.at {
                        all.push(real.clone());
                    }
                    all.push(Found {
                        path: toolchain.at.join(rest),
                        ..real
                    });
                }
            }
        }
    }
    all
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
}
