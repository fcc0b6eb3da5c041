//! Names of things, each with a type of its own so that they can't be swapped.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// One board.
    BoardId,
    /// One loop of a board.
    LoopId,
    /// One bubble of a loop.
    BubbleId,
    /// One ask.
    AskId,
    /// One entry of the journal, and the run it records.
    EntryId,
    /// One chat answer of a bubble.
    SaidId,
    /// One grant.
    GrantId,
    /// One window: a page's live connection, or a terminal that answers.
    WindowId,
    /// One terminal of the panel.
    TerminalId,
}
