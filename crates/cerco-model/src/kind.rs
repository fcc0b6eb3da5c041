//! What a grant covers.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

/// A kind of asked command, as a person reads it: `git commit`, `delete files`,
/// `python inline code`.
///
/// "Allow always this session" remembers exactly this and nothing of the text, so
/// an argument can never widen a grant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(Cow<'static, str>);

impl Kind {
    /// An argument that is not known before the program starts. Never grantable.
    pub const UNCLEAR: Self = Self(Cow::Borrowed("unclear"));
    /// Deleting inside the loop's folder.
    pub const DELETE_FILES: Self = Self(Cow::Borrowed("delete files"));

    /// A kind with a fixed name.
    #[must_use]
    pub const fn fixed(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// A kind whose name was put together, e.g. from a program's name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    /// The words shown to the person.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether "always" may be offered for it.
    #[must_use]
    pub fn is_grantable(&self) -> bool {
        *self != Self::UNCLEAR
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
