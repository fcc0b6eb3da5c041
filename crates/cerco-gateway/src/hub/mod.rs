//! The desk driver: boards, windows, asks, runs, and what becomes of them.
//!
//! It carries out what the ask desk (`cerco-decide`) decides and holds no rule itself. A
//! command starts only with the desk's permit in hand and its entry on the disk.

mod again;
mod answers;
mod asks;
mod boards;
mod bubbles;
mod entries;
mod error;
pub mod feed;
mod joining;
mod kept;
mod layers;
mod look_up;
mod loops;
pub mod output;
mod retention;
mod rules;
mod runs;
mod said;
mod settings_file;
mod settle;
mod start;
pub mod store;
mod turns;
mod view;
mod windows;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cerco_decide::{Desk, Moment, Now};

pub use boards::BubbleRef;
pub use error::HubError;
pub use joining::Joining;
pub use runs::{How, RunRequest, Say};

use crate::engine::Engine;
use crate::folders::{Folders, private_folder};
use crate::journal::{self, Journal};
use crate::settings::Settings;
use crate::wire::{self, Event, Numbered, Readiness};
use asks::{Meta, Past};
use boards::BoardState;
use output::{Outputs, Windows};
use runs::Running;
use store::Store;
use windows::Page;

/// Everything that changes, behind one lock that is never held while waiting or writing.
struct Core {
    desk: Desk,
    boards: Vec<BoardState>,
    metas: BTreeMap<cerco_decide::AskId, Meta>,
    settled: VecDeque<Past>,
    pages: BTreeMap<u64, Page>,
    /// Which page a window of the desk belongs to; grants name it long after it closed.
    page_of: BTreeMap<cerco_decide::WindowId, u64>,
    runs: BTreeMap<i64, Running>,
    settings: Settings,
    readiness: Vec<Readiness>,
    next: u64,
    event: u64,
}

impl Core {
    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Tells every window.
    fn tell(&mut self, event: &Event) {
        self.event += 1;
        for page in self.pages.values() {
            page.feed.push(Numbered {
                number: self.event,
                event: event.clone(),
            });
        }
    }
}

/// The gateway's heart.
pub struct Hub {
    core: Mutex<Core>,
    journal: Mutex<Journal>,
    store: Mutex<Store>,
    engine: Arc<dyn Engine>,
    outputs: Outputs,
    feeds: Windows,
    self_test: Mutex<()>,
    turns: Arc<tokio::sync::Semaphore>,
    config: PathBuf,
    started_at: u64,
    began: retention::Began,
}

impl Hub {
    /// Puts it together from what was kept. No grants, no asks, no runs.
    pub fn open(folders: &Folders, engine: Arc<dyn Engine>) -> Result<Arc<Self>, HubError> {
        private_folder(&folders.state)?;
        let started_at = unix_ms();
        let journal = Journal::open(&folders.state, started_at)?;
        let newest = journal.entries(&journal::Query {
            limit: 1,
            ..journal::Query::default()
        })?;
        let began = retention::Began::with_newest(newest.first().map(|e| e.opening.time));
        let store = Store::open(&folders.state)?;
        let saved = store.load()?;
        let settings = Settings::load(&folders.config)?;
        let mut core = Core {
            desk: Desk::new(desk_settings(&settings)),
            boards: Vec::new(),
            metas: BTreeMap::new(),
            settled: VecDeque::new(),
            pages: BTreeMap::new(),
            page_of: BTreeMap::new(),
            runs: BTreeMap::new(),
            settings,
            readiness: Vec::new(),
            next: 0,
            event: 0,
        };
        core.restore(saved, &folders.config)?;
        Ok(Arc::new(Self {
            core: Mutex::new(core),
            journal: Mutex::new(journal),
            store: Mutex::new(store),
            engine,
            outputs: Outputs::open(&folders.state)?,
            feeds: Windows::default(),
            self_test: Mutex::new(()),
            turns: turns::turns(),
            config: folders.config.clone(),
            started_at,
            began,
        }))
    }

    /// Since when it runs, in milliseconds since 1970.
    #[must_use]
    pub fn started_at(&self) -> u64 {
        self.started_at
    }

    /// Settles what the passing of time settles. To be called several times a second.
    pub fn tick(&self) {
        let mut core = self.core();
        let events = core.desk.tick(now());
        core.carry_out(events);
    }

    /// Looks at every backend again. May take seconds.
    pub fn check_readiness(&self) -> Vec<Readiness> {
        let readiness = self.engine.readiness();
        let mut core = self.core();
        core.readiness.clone_from(&readiness);
        core.tell(&Event::ReadinessChanged {
            readiness: readiness.clone(),
        });
        readiness
    }

    /// Tries to get out of the sandbox, one try at a time. Takes seconds.
    pub fn self_test(&self) -> Result<wire::SelfTest, HubError> {
        let alone = match self.self_test.try_lock() {
            Ok(alone) => alone,
            Err(std::sync::TryLockError::Poisoned(alone)) => alone.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => return Err(HubError::Busy),
        };
        let found = self.engine.self_test();
        drop(alone);
        Ok(found)
    }

    /// The settings, as windows see them.
    #[must_use]
    pub fn settings(&self) -> wire::Settings {
        wire_settings(&self.core().settings)
    }

    /// Takes new settings: first on the disk, then in use.
    pub fn set_settings(&self, wanted: &wire::SettingsChange) -> Result<wire::Settings, HubError> {
        // The store's lock, so that of two windows the later one's settings are those in use.
        let writing = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = settings_file::change(&self.config, wanted)?;
        let mut core = self.core();
        core.desk.set_settings(desk_settings(&settings));
        core.settings = settings;
        let now = wire_settings(&core.settings);
        core.tell(&Event::SettingsChanged {
            settings: now.clone(),
        });
        drop(core);
        drop(writing);
        self.forget_old()?;
        Ok(now)
    }

    /// Somebody tried what only a person may do: every window is told.
    pub fn alarm(&self, text: &str) {
        let text = crate::words::shown(text);
        self.core().tell(&Event::Alarm {
            at: unix_ms(),
            text,
        });
    }

    /// Tells every window something that isn't the hub's own.
    pub fn tell(&self, event: &Event) {
        self.core().tell(event);
    }

    /// Ends every run and every ask, and says goodbye.
    pub fn shut_down(&self) {
        let (runs, asks): (Vec<_>, Vec<_>) = {
            let mut core = self.core();
            core.tell(&Event::Goodbye);
            (
                core.runs.values().map(|r| r.cancel.clone()).collect(),
                core.metas.keys().copied().collect(),
            )
        };
        for ask in asks {
            self.withdraw(ask);
        }
        for cancel in runs {
            cancel.cancel();
        }
    }

    /// How many commands run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.core().runs.len()
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps boards and Full Auto.
    fn save(&self) -> Result<(), HubError> {
        // The store's lock first, so that an older state can't overtake a newer one.
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let saved = self.core().saved();
        store.save(&saved)?;
        Ok(())
    }
}

fn now() -> Now {
    Now {
        moment: Moment(cerco_sys::clock::since_boot()),
        unix_ms: unix_ms(),
    }
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn desk_settings(settings: &Settings) -> cerco_decide::Settings {
    cerco_decide::Settings {
        answer_time: Duration::from_secs(settings.ask_seconds.into()),
        ..cerco_decide::Settings::default()
    }
}

fn wire_settings(settings: &Settings) -> wire::Settings {
    wire::Settings {
        sandbox: settings.sandbox,
        backend: settings.backend,
        network: settings.network,
        hide_secrets: settings.hide_secrets,
        ask_seconds: settings.ask_seconds,
        retention_days: settings.retention_days,
        language: settings.language,
    }
}
