//! What the fuzz targets check. Each target is one call; `cargo nextest` replays the stored
//! corpus (`corpus/<target>`) through the same functions.

#![forbid(unsafe_code)]

pub mod judging;
pub mod place;
pub mod reading;
