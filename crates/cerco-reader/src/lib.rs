//! Text → [`Reading`]: every program a command would start, with its arguments,
//! redirections and directory, and everything that can't be known before it runs.
//!
//! The reader never knows what is dangerous, and touches the disk only through the
//! [`Place`](cerco_model::Place) it is given. It is sound or it says so: text it can't
//! read becomes a [`Doubt`], never silence.
#![forbid(unsafe_code)]

mod cmd;
mod dispatch;
mod posix;
mod powershell;
mod programs;
mod reading;
mod text;
mod windows;

pub use dispatch::{read, read_nested};
pub use programs::{Appended, Call, CodeLanguage, Inner, Programs};
pub use reading::{
    Assignment, Directory, Doubt, Function, Output, Reading, Redirection, RedirectionKind, Start,
    StartedBy, Stdin,
};
pub use text::{Piece, Text, Word};
pub use windows::path as windows_path;
