//! A board's session: its grants and its Full Auto switch.

use std::collections::BTreeMap;

use cerco_model::{Authority, Judgement, Kind};
use compact_str::CompactString;
use serde::Serialize;

use crate::{Now, WindowId};

/// Names a board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct BoardId(pub CompactString);

/// An "Allow always this session". It is nowhere but in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// What it covers.
    pub kind: Kind,
    /// When it was made, in milliseconds since 1970.
    pub since_unix_ms: u64,
    /// The window it was made in.
    pub by: WindowId,
    /// How many commands it let run.
    pub used: u64,
}

/// The switch while it is on. Durable: the caller keeps it and gives it back at start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FullAuto {
    /// Since when, in milliseconds since 1970.
    pub since_unix_ms: u64,
    /// How many asks it answered.
    pub allowed: u64,
}

/// One project's session.
#[derive(Clone, Debug, Default)]
pub struct Board {
    grants: BTreeMap<Kind, Grant>,
    full_auto: Option<FullAuto>,
}

impl Board {
    /// A board as it stands after a start: no grants, Full Auto as it was left.
    #[must_use]
    pub fn restored(full_auto: Option<FullAuto>) -> Self {
        Self {
            grants: BTreeMap::new(),
            full_auto,
        }
    }

    /// Its grants, by kind.
    pub fn grants(&self) -> impl Iterator<Item = &Grant> {
        self.grants.values()
    }

    /// Whether a grant covers `kind`.
    #[must_use]
    pub fn grants_kind(&self, kind: &Kind) -> bool {
        kind.is_grantable() && self.grants.contains_key(kind)
    }

    /// Full Auto, where it is on.
    #[must_use]
    pub fn full_auto(&self) -> Option<FullAuto> {
        self.full_auto
    }

    /// On whose word the judgement's asked kinds may run without asking anybody now;
    /// nothing where a person has to be asked. Counts the use.
    pub(crate) fn standing_authority(&mut self, judgement: &Judgement) -> Option<Authority> {
        let kinds = judgement.asked_kinds();
        if kinds.is_empty() {
            // `Cleared::issue` refuses this for anything but an allowed judgement.
            return Some(Authority::Rule);
        }
        if kinds.iter().all(|kind| self.grants_kind(kind)) {
            for kind in &kinds {
                if let Some(grant) = self.grants.get_mut(kind) {
                    grant.used = grant.used.saturating_add(1);
                }
            }
            return Some(Authority::Grants(kinds));
        }
        let full_auto = self.full_auto.as_mut()?;
        full_auto.allowed = full_auto.allowed.saturating_add(1);
        Some(Authority::FullAuto)
    }

    pub(crate) fn grant(&mut self, kind: &Kind, by: WindowId, now: Now) {
        if !kind.is_grantable() {
            return;
        }
        self.grants.entry(kind.clone()).or_insert_with(|| Grant {
            kind: kind.clone(),
            since_unix_ms: now.unix_ms,
            by,
            used: 0,
        });
    }

    pub(crate) fn revoke(&mut self, kind: &Kind) -> bool {
        self.grants.remove(kind).is_some()
    }

    pub(crate) fn set_full_auto(&mut self, now: Option<Now>) {
        self.full_auto = match (self.full_auto, now) {
            (Some(on), Some(_)) => Some(on),
            (None, Some(now)) => Some(FullAuto {
                since_unix_ms: now.unix_ms,
                allowed: 0,
            }),
            (_, None) => None,
        };
    }
}
