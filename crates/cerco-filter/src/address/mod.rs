//! Which web addresses are package registries, GitHub, Docker Hub or this computer.
//!
//! An address is parsed as a browser would (WHATWG) and its host is looked up label by label
//! from the end: no host can hide in a longer name, a path or a user name.

mod hosts;
mod image;
mod package;
mod remote;

use cerco_model::Place;
use cerco_reader::Text;
use url::{Host, Url};

pub(crate) use hosts::is_allowed as is_allowed_host;
pub use hosts::is_known as is_known_host;
pub(crate) use image::registry as image_registry;
pub(crate) use package::{Package, package};
pub(crate) use remote::{Remote, remote};

/// What an address turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// One of the known ones.
    Known,
    /// Another one, or a spelling that hides where it leads.
    Foreign(String),
    /// Its host isn't known before the command runs.
    Unclear,
    /// A file of this computer.
    File(String),
}

/// Judges a web address, with or without its scheme.
pub(crate) fn address(text: &Text, place: &Place<'_>) -> Address {
    match text {
        Text::Known(known) => known_address(known, place),
        // Signs that the shell takes for a pattern (`[::1]`) stay as written: no file is so named.
        Text::Partly(_) if !text.has_unknown() => known_address(&crate::text::shown(text), place),
        Text::Partly(_) => {
            // Known once the beginning holds the whole host: `https://api.github.com/x/$y`.
            let start = text.known_prefix();
            let host_from = start.find("://").map_or(0, |at| at + 3);
            let ended = start
                .get(host_from..)
                .is_some_and(|rest| rest.contains(['/', '?', '#']));
            // Else what follows may be a longer name, or a user name's `@` and another host.
            if ended {
                known_address(start, place)
            } else {
                Address::Unclear
            }
        }
    }
}

/// The addresses with a scheme in a text (`{"url": "https://…"}`).
pub(crate) fn inside(text: &Text) -> Vec<Text> {
    let Some(known) = text.known() else {
        return if text.known_prefix().contains("://") {
            vec![text.clone()]
        } else {
            Vec::new()
        };
    };
    known
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ','))
        .filter(|word| word.contains("://"))
        .map(|word| Text::Known(word.into()))
        .collect()
}

fn known_address(text: &str, place: &Place<'_>) -> Address {
    let text = text.trim();
    let foreign = |why: &str| Address::Foreign(why.to_owned());
    if text.is_empty() {
        return Address::Known;
    }
    if text.contains(|c: char| c == '\\' || c.is_control()) {
        return foreign(
            "an address with backslashes or control characters can lead elsewhere than it seems",
        );
    }
    if let Some(path) = text.strip_prefix("file:") {
        return Address::File(
            path.trim_start_matches("//localhost")
                .trim_start_matches("//")
                .to_owned(),
        );
    }
    let plain = text.strip_prefix("git+").unwrap_or(text);
    let full = if plain.starts_with("//") {
        format!("http:{plain}")
    } else if plain.contains("://") {
        plain.to_owned()
    } else {
        format!("http://{plain}")
    };
    let Some((scheme, rest)) = full.split_once("://") else {
        return foreign("it is no address that can be read");
    };
    let scheme = scheme.to_ascii_lowercase();
    let shell = matches!(scheme.as_str(), "ssh" | "git");
    if !shell
        && !matches!(
            scheme.as_str(),
            "http" | "https" | "ws" | "wss" | "docker" | "oci"
        )
    {
        return foreign("only http and https addresses may be reached");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if authority.contains('%') {
        return foreign("its host is written in escapes");
    }
    if !authority.is_ascii() {
        return foreign("its host has letters that look like others");
    }
    if let Some((user, _)) = authority.rsplit_once('@')
        && !(shell && user == "git")
    {
        return foreign("the part before `@` hides which host is meant");
    }
    // The parser knows the special rules of http (odd numbers for an address) only for it.
    let Ok(url) = Url::parse(&format!("http://{rest}")) else {
        return foreign("it is no address that can be read");
    };
    let Some(host) = url.host() else {
        return foreign("it has no host");
    };
    host_of(&host, authority, place)
}

fn host_of(host: &Host<&str>, written: &str, place: &Place<'_>) -> Address {
    let written = written.rsplit_once('@').map_or(written, |(_, host)| host);
    match host {
        Host::Ipv4(ip) => {
            let canonical = ip.to_string();
            if written.split(':').next() != Some(canonical.as_str()) {
                return Address::Foreign(format!("`{written}` is an odd spelling of {canonical}"));
            }
            if ip.is_loopback() || ip.is_unspecified() {
                Address::Known
            } else {
                Address::Foreign(format!("{canonical} is another computer"))
            }
        }
        Host::Ipv6(ip) if ip.is_loopback() || ip.is_unspecified() => Address::Known,
        Host::Ipv6(ip) => Address::Foreign(format!("{ip} is another computer")),
        Host::Domain(name) => {
            if hosts::is_allowed(name, place) {
                Address::Known
            } else {
                Address::Foreign(format!(
                    "{name} is no package registry, GitHub, Docker Hub or this computer"
                ))
            }
        }
    }
}

/// Judges a bare host, `host:port` or `user@host`.
pub(crate) fn host(text: &Text, place: &Place<'_>) -> Address {
    match text {
        Text::Known(known) => {
            let bare = known.strip_prefix('@').unwrap_or(known);
            let bare = if bare.matches(':').count() > 1 && !bare.contains('[') {
                format!("[{bare}]")
            } else {
                bare.to_owned()
            };
            known_address(&bare, place)
        }
        Text::Partly(_) => Address::Unclear,
    }
}
