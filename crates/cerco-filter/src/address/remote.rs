//! Git remotes: a name, an address, `user@host:path`, or a path.

use cerco_model::Place;
use cerco_reader::Text;

use super::{Address, address, known_address};

/// What a remote turned out to be.
pub(crate) enum Remote {
    /// The name of a configured remote.
    Name,
    /// An address.
    Address(Address),
    /// A path.
    Path,
    /// A transport that runs a program (`ext::…`).
    Program,
}

/// Judges a remote.
pub(crate) fn remote(text: &Text, place: &Place<'_>) -> Remote {
    let start = text.known_prefix();
    if start.contains("::") {
        return Remote::Program;
    }
    if start.contains("://") {
        return Remote::Address(address(text, place));
    }
    let Some(known) = text.known() else {
        return Remote::Address(Address::Unclear);
    };
    if let Some((host, path)) = known.split_once(':')
        && !host.contains('/')
        && host.len() > 1
        && !path.is_empty()
    {
        return Remote::Address(known_address(&format!("ssh://{host}/"), place));
    }
    if known.contains('/') || known.starts_with(['.', '~']) {
        return Remote::Path;
    }
    Remote::Name
}
