//! The words of Cerco (SPEC §1) as plain types.
//!
//! Every other crate speaks in these. Nothing here reads a file, a clock or an
//! environment, starts a thread or decides anything: a value says what it says.
//! The one piece of behaviour that lives here is [`Cleared::issue`], because the
//! invariant it keeps (a refusal never becomes a run) must hold for every crate.
#![forbid(unsafe_code)]

mod cleared;
mod command;
mod finding;
mod kind;
mod outcome;
mod part;
mod place;
mod role;
mod rule;
mod shown;
mod verdict;

pub use cleared::{Authority, Bare, Cleared, Containment, NotCleared, Sandboxed};
pub use command::{Command, CommandError, Dialect, MAX_COMMAND_BYTES};
pub use finding::{Finding, Judgement, Started, TimeClass};
pub use kind::Kind;
pub use outcome::{Captured, Ending, GuardRefusal, Outcome, Usage};
pub use part::Part;
pub use place::{EntryKind, Guard, NoTree, Place, SandboxState, Tree};
pub use role::{Role, RoleName, Tool, ToolSet};
pub use rule::Rule;
pub use shown::{Shown, ShownPiece};
pub use verdict::Verdict;
