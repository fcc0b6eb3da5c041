//! Every word that crosses a door of the gateway, as plain types: the page's HTTP and
//! WebSocket API, the agents' socket and the person's socket.
//!
//! The page's TypeScript (`web/src/wire.ts`) and the schemas of the API description are
//! generated from these types, so the three can't drift apart. Nothing here decides or
//! acts. Times are milliseconds since 1970 (UTC); lengths are bytes.
//!
//! Request types refuse unknown fields: a misspelt `"kinds"` must not read as "all".

mod agent;
mod ask;
mod board;
mod docker;
mod event;
mod ids;
mod journal;
mod output;
mod person;
mod rules;
mod said;
mod self_test;
mod session;
mod settings;
mod terminal;
mod verdict;

pub use agent::*;
pub use ask::*;
pub use board::*;
pub use docker::*;
pub use event::*;
pub use ids::*;
pub use journal::*;
pub use output::*;
pub use person::*;
pub use rules::*;
pub use said::*;
pub use self_test::*;
pub use session::*;
pub use settings::*;
pub use terminal::*;
pub use verdict::*;

/// The version of these types. It grows when an old reader would misread a new writer.
pub const SCHEMA_VERSION: u32 = 1;

/// Milliseconds since 1970 (UTC).
pub type Millis = u64;

#[cfg(test)]
mod typescript;
