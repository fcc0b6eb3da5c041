//! What a word of the command becomes when the shell has expanded it.

use cerco_model::Part;
use compact_str::CompactString;

/// A piece of an expanded word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// These characters, literally.
    Known(CompactString),
    /// An unquoted pattern operator the shell matches against the tree: `*`, `?`, `[a-z]`,
    /// an extended pattern. It stays as written where nothing matches.
    Glob(CompactString),
    /// Any text; not known before the command runs.
    Unknown,
}

/// The text of an expanded word, as far as it is settled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    /// Exactly this.
    Known(CompactString),
    /// Put together from pieces, at least one of which is not [`Piece::Known`].
    Partly(Box<[Piece]>),
}

impl Text {
    /// The whole text where it is settled.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Partly(_) => None,
        }
    }

    /// The characters it certainly begins with.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        match self {
            Self::Known(text) => text,
            Self::Partly(pieces) => match pieces.first() {
                Some(Piece::Known(text)) => text,
                Some(Piece::Glob(_) | Piece::Unknown) | None => "",
            },
        }
    }

    /// Whether any of it is unknown (a glob alone is not: it is matched against the tree).
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        match self {
            Self::Known(_) => false,
            Self::Partly(pieces) => pieces.contains(&Piece::Unknown),
        }
    }
}

/// One expanded word and where it stands in the command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// Its text.
    pub text: Text,
    /// The part of the command that wrote it.
    pub part: Part,
    /// Whether it may become any number of words, none included (an unquoted unknown
    /// value, `"$@"`). A glob that matches several names is expanded to several words
    /// where the tree could be read.
    pub spreads: bool,
}
