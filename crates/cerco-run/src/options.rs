//! What a run takes besides the cleared command.

use std::time::Duration;

use cerco_egress::Egress;

use crate::capture::Spill;
use crate::guard::Judge;
use crate::launch::KeeperProgram;
use crate::shell::Shell;

/// Makes the run's journal entry durable; the reason, where it can't be.
pub type Entry<'a> = &'a dyn Fn() -> Result<(), String>;

/// How long commands may run (SPEC §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For most.
    pub quick: Duration,
    /// For package managers, compilers, build tools and test runners.
    pub long: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            quick: Duration::from_mins(2),
            long: Duration::from_mins(10),
        }
    }
}

/// What a run takes besides the cleared command.
#[derive(Clone)]
pub struct Options<'a> {
    /// How its keeper is started.
    pub keeper: KeeperProgram,
    /// The shell; that of whose dialect the command was read.
    pub shell: Shell,
    /// Standard input; empty where there is none.
    pub stdin: Option<Vec<u8>>,
    /// The clocks.
    pub times: Times,
    /// Where the whole output is kept on disk; nowhere where nothing is given.
    pub spill: Option<Spill>,
    /// The guard. Must be given where the command was judged with the guard active.
    pub guard: Option<&'a dyn Judge>,
    /// Who answers inside the sandbox for package registries. Must be given where the
    /// sandbox is asked for with such a network.
    pub egress: Option<Egress>,
    /// Called once, before the command starts; without the sandbox before anything is
    /// started, with it while the sandbox is built, whose last step waits. The command does
    /// not start where it fails. Nothing: the entry is durable already.
    pub entry: Option<Entry<'a>>,
}

impl Options<'_> {
    /// The usual ones: the running program as keeper, no input, no copy on disk, no guard,
    /// no way to registries.
    #[must_use]
    pub fn new(shell: Shell) -> Self {
        Self {
            keeper: KeeperProgram::own(),
            shell,
            stdin: None,
            times: Times::default(),
            spill: None,
            guard: None,
            egress: None,
            entry: None,
        }
    }
}
