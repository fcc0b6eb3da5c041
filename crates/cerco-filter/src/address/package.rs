//! Package names: from the registry, from GitHub, from an address, from a folder.

use cerco_model::Place;
use cerco_reader::Text;

use super::{Address, address, known_address};
use crate::table::Ecosystem;

/// What a package's name turned out to be.
pub(crate) enum Package {
    /// A name of the registry, or GitHub's.
    Known,
    /// An address.
    Address(Address),
    /// A file or folder.
    Path(String),
}

/// Hosts in Go module paths that the public module proxy serves.
const GO_HOSTS: &[&str] = &[
    "golang.org",
    "google.golang.org",
    "gopkg.in",
    "go.uber.org",
    "k8s.io",
    "sigs.k8s.io",
    "gorm.io",
    "gotest.tools",
    "go.opentelemetry.io",
    "cloud.google.com",
    "modernc.org",
    "honnef.co",
    "mvdan.cc",
    "go.etcd.io",
    "filippo.io",
    "connectrpc.com",
    "entgo.io",
    "gonum.org",
    "rsc.io",
    "github.com",
    "dario.cat",
    "go.mongodb.org",
    "buf.build",
    "charm.land",
    "helm.sh",
    "go.starlark.net",
];

/// Whether what stands behind `name@` is a range of versions (`~5.4`) and no folder of the home.
fn is_range(spec: &str) -> bool {
    spec.strip_prefix('~').is_some_and(|rest| {
        let rest = rest.trim_start_matches(['>', '=', ' ', 'v']);
        !rest.contains('/') && rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether a host's name stands in front of a colon: npm takes `user@host.example:path` for an
/// address, whoever the user is.
fn is_host(spec: &str) -> bool {
    let host = spec.split(':').next().unwrap_or_default();
    let inner = host.trim_matches('.');
    inner.contains('.') && !host.contains(['/', '=', '<', '>', '~', '^', ' '])
}

/// Judges a package's name.
pub(crate) fn package(text: &Text, ecosystem: Ecosystem, place: &Place<'_>) -> Package {
    let Some(known) = text.known() else {
        // An unknown name is still a name unless it begins like an address.
        return if text.known_prefix().contains("://") {
            Package::Address(address(text, place))
        } else {
            Package::Known
        };
    };
    // `name@spec`, `name @ spec`: what counts is the spec.
    let spec = match known.get(1..).and_then(|rest| rest.find('@')) {
        Some(at) if ecosystem != Ecosystem::Go && !known.starts_with(['.', '/', '~']) => {
            let (name, spec) = known.split_at(at + 1);
            let spec = spec.trim_start_matches('@').trim();
            let is_scp = !name.contains(['/', ' ', ':'])
                && spec.contains(':')
                && !spec.contains("://")
                && (name.trim() == "git" || is_host(spec));
            if is_scp || name.contains("://") {
                known
            } else {
                spec
            }
        }
        _ => known,
    };
    if let Some((scheme, rest)) = spec.split_once(':') {
        match scheme {
            "file" | "link" | "portal" => {
                return Package::Path(rest.trim_start_matches("//").to_owned());
            }
            "npm" | "jsr" | "workspace" | "catalog" | "patch" | "github" | "gist" => {
                return Package::Known;
            }
            "gitlab" | "bitbucket" => {
                return Package::Address(Address::Foreign(format!("{scheme} is not GitHub")));
            }
            _ => {}
        }
    }
    if let Some(at) = spec.find("://") {
        let scheme = spec.get(..at).unwrap_or_default();
        let plain = scheme.rsplit_once('+').map_or(scheme, |(_, plain)| plain);
        let rest = spec.get(at..).unwrap_or_default();
        if plain == "file" {
            return Package::Path(rest.trim_start_matches("://").to_owned());
        }
        return Package::Address(known_address(&format!("{plain}{rest}"), place));
    }
    if let Some((host, path)) = spec.split_once(':')
        && host.contains('@')
        && !path.is_empty()
    {
        return Package::Address(known_address(&format!("ssh://{host}/"), place));
    }
    if spec.starts_with(['.', '/', '~']) && !(spec.len() < known.len() && is_range(spec)) {
        return Package::Path(spec.to_owned());
    }
    match ecosystem {
        Ecosystem::Go => {
            let (module, _) = spec.split_once('@').unwrap_or((spec, ""));
            let host = module.split('/').next().unwrap_or(module);
            if host.contains('.')
                && !GO_HOSTS.contains(&host)
                && !super::is_allowed_host(host, place)
            {
                return Package::Address(Address::Foreign(format!(
                    "{host} is no module host that is known"
                )));
            }
            Package::Known
        }
        Ecosystem::Pip if spec.contains('/') => Package::Path(spec.to_owned()),
        Ecosystem::Npm if spec.to_ascii_lowercase().ends_with("gz") && spec.contains(".t") => {
            Package::Path(spec.to_owned())
        }
        Ecosystem::Npm
        | Ecosystem::Pip
        | Ecosystem::Cargo
        | Ecosystem::Gem
        | Ecosystem::Composer
        | Ecosystem::Other => Package::Known,
    }
}
