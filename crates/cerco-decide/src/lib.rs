//! Who has to be asked about a command, and what an answer clears.
//!
//! Tools → filter → grants → Full Auto → [`Cleared`](cerco_model::Cleared), and the ask desk
//! as a state machine that is given its clock. No thread, no socket, no real time: a caller
//! drives [`Desk`] and carries out what comes back.
//!
//! What holds, whatever order events come in (tests/properties.rs):
//! a refused judgement never becomes a [`Permit`]; an ask settles once; nothing but a person
//! at a present window, a grant or Full Auto allows an asked command; grants are gone after
//! a restart.
#![forbid(unsafe_code)]

mod board;
mod clock;
mod desk;
mod request;

pub use board::{Board, BoardId, FullAuto, Grant};
pub use clock::{Moment, Now};
pub use desk::{
    Answer, AnswerRefused, Ask, AskId, AskKind, Desk, Event, NoAnswer, Refusal, Settings, Settled,
    Submitted, WindowId,
};
pub use request::{Permit, Request, Who};
