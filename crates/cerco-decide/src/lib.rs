//! Who has to be asked about a command, and what an answer clears.
//!
//! Tools → filter → grants → Full Auto → [`Cleared`](cerco_model::Cleared), and the ask desk
//! as a state machine that is given its clock. No thread, no socket, no real time: a caller
//! drives it with events and carries out what comes back.
#![forbid(unsafe_code)]
