//! Judges what the reader found: [`Reading`](cerco_reader::Reading) + [`Place`](cerco_model::Place) →
//! [`Judgement`](cerco_model::Judgement).
//!
//! The rules are code, one file each; what a program's arguments mean is data (`programs/**/*.toml`),
//! and so are the allowed hosts (`registries.toml`). Nothing here touches the disk except through the
//! place it is given, knows a role or a grant, or starts a process. Verdicts are only ever joined by
//! taking the stricter.
#![forbid(unsafe_code)]

mod address;
mod code;
mod custom;
mod guard;
mod judge;
pub mod paths;
mod person;
mod rules;
mod scripts;
pub mod table;
mod text;

pub use address::is_known_host;
pub use custom::{CustomError, CustomRules, Level, RuleLine};
pub use guard::{PASS_ON, judge_start};
pub use judge::{judge, read_and_judge};
pub use person::{Base, PERSON_FILES, PersonFile};
pub use rules::{About, all as rules};
pub use table::Table;
