//! The tree of known hosts (`registries.toml`), and those a person added.

use cerco_model::Place;

/// One label of a host name and what is below it.
pub(super) struct Label {
    name: &'static str,
    host: Option<&'static str>,
    below: bool,
    children: &'static [Self],
}

mod data {
    //! What `build.rs` made of `registries.toml`.
    use super::Label;
    include!(concat!(env!("OUT_DIR"), "/hosts.rs"));
}

/// Whether the host `name` may be reached. Letter case and one dot at the end don't matter.
pub(crate) fn is_allowed(name: &str, place: &Place<'_>) -> bool {
    let plain = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    is_this_computer(&plain) || is_known(name, &place.allowed_hosts)
}

/// Whether the host `name` of another computer may be reached: package registries, GitHub,
/// Docker Hub, and those a person added. Letter case and one dot at the end don't matter.
///
/// What rule `address` says of a name in a text, and the egress proxy of a connection.
#[must_use]
pub fn is_known(name: &str, added: &[String]) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    whose(&name).is_some() || is_added(&name, added)
}

fn is_this_computer(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost") || name == "127.0.0.1" || name == "::1"
}

fn is_added(name: &str, added: &[String]) -> bool {
    added.iter().any(|host| match host.strip_prefix("*.") {
        Some(domain) => name
            .strip_suffix(domain)
            .is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        None => name == host,
    })
}

/// Whose host it is, in the words of the tree.
pub(crate) fn whose(name: &str) -> Option<&'static str> {
    let mut level = data::TREE;
    let mut found = None;
    let mut labels = name.rsplit('.').peekable();
    while let Some(label) = labels.next() {
        let at = level.binary_search_by(|l| l.name.cmp(label)).ok()?;
        let node = level.get(at)?;
        found = node.host;
        if node.below && labels.peek().is_some_and(|l| !l.is_empty()) {
            return found;
        }
        level = node.children;
    }
    found
}
