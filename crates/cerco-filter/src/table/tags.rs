//! The first byte of each part of a condition in the stored table. `build.rs` writes them,
//! `stored.rs` reads them.

pub(crate) const OPTION: u8 = 0;
pub(crate) const OPTION_IS: u8 = 1;
pub(crate) const ARGS: u8 = 2;
pub(crate) const WORD: u8 = 3;
pub(crate) const VARIABLE: u8 = 4;
pub(crate) const TERMINAL: u8 = 5;
pub(crate) const SCREEN: u8 = 6;
pub(crate) const PIPED: u8 = 7;
pub(crate) const NOT: u8 = 8;
