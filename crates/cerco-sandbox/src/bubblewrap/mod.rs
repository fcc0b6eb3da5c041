//! bubblewrap as a launcher: where it is, what it can do, its options.

mod arguments;
mod features;
mod find;
mod memory;

pub use arguments::Flag;
pub(crate) use arguments::{arguments, to_bytes};
pub use features::{Features, Unusable};
pub(crate) use find::find;
pub use find::{Bubblewrap, NotFound};
