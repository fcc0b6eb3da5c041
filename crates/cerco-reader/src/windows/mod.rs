//! What the two Windows readers share: paths as text, the variables that Windows always
//! sets, and the list of program starts under construction.
//!
//! Nothing here asks the machine it runs on anything: a Windows command is read the same
//! way on every system.

pub(crate) mod environment;
pub mod path;
pub(crate) mod starts;
