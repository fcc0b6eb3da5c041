//! The variables of a cmd text: those of the run, and what the text sets.

use std::collections::BTreeMap;

use cerco_model::Place;

use crate::Directory;
use crate::windows::environment;

/// The longest value that is followed.
const MAX_VALUE: usize = 8192;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Known(String),
    Unknown,
    /// It isn't set.
    Nothing,
}

/// What the text did to the variables so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// Upper case name → value.
    set: BTreeMap<String, Held>,
}

impl Variables {
    pub(super) fn set(&mut self, name: &str, value: Held) {
        let value = match value {
            Held::Known(text) if text.is_empty() => Held::Nothing,
            Held::Known(text) if text.len() > MAX_VALUE => Held::Unknown,
            other => other,
        };
        self.set.insert(name.to_ascii_uppercase(), value);
    }

    /// Nothing that the text set is certain any more.
    pub(super) fn forget(&mut self) {
        for value in self.set.values_mut() {
            *value = Held::Unknown;
        }
    }

    /// Where one of two ways was taken.
    pub(super) fn join(&mut self, other: &Self) {
        for (name, value) in &mut self.set {
            if other.set.get(name) != Some(value) {
                *value = Held::Unknown;
            }
        }
        for name in other.set.keys() {
            if !self.set.contains_key(name) {
                self.set.insert(name.clone(), Held::Unknown);
            }
        }
    }

    pub(super) fn get(&self, name: &str, place: &Place<'_>, directory: &Directory) -> Held {
        if let Some(value) = self.set.get(&name.to_ascii_uppercase()) {
            return value.clone();
        }
        if let Some(value) = environment::look_up(place, name) {
            return Held::Known(value);
        }
        match name.to_ascii_uppercase().as_str() {
            "CD" => match directory {
                Directory::Known(path) => Held::Known(path.to_string()),
                Directory::Unknown => Held::Unknown,
            },
            "DATE"
            | "TIME"
            | "RANDOM"
            | "ERRORLEVEL"
            | "CMDEXTVERSION"
            | "CMDCMDLINE"
            | "HIGHESTNUMANODENUMBER"
            | "PROMPT"
            | "PATHEXT"
            | "COMPUTERNAME"
            | "USERDOMAIN"
            | "NUMBER_OF_PROCESSORS"
            | "PROCESSOR_ARCHITECTURE"
            | "LOGONSERVER"
            | "PATH"
            | "SESSIONNAME" => Held::Unknown,
            _ => Held::Nothing,
        }
    }
}
