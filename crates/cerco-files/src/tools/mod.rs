//! The tools themselves, one file each. Each is a method of [`crate::LoopFiles`], takes
//! checked paths and returns plain values.

pub(crate) mod delete;
pub(crate) mod edit;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod shift;
pub(crate) mod write;
