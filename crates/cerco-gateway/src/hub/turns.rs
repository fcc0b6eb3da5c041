//! Judging takes turns: two hundred agents that ask at once would otherwise be two hundred
//! threads on two processors, each with a stack and a piece of the heap that stay.

use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

use super::Hub;

/// Twice as many as processors: while one waits for the disk another one reads.
pub(super) fn turns() -> Arc<Semaphore> {
    let processors = available_parallelism().map_or(2, usize::from);
    Arc::new(Semaphore::new(2 * processors))
}

impl Hub {
    /// Does what judges or writes to the journal on a thread of its own, when its turn has
    /// come: first come, first served. What runs or waits for a person takes no turn.
    pub async fn in_turn<T: Send + 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Arc<Self>) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // Nobody closes it.
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let hub = Arc::clone(self);
        spawn_blocking(move || {
            let done = act(&hub);
            drop(turn);
            done
        })
        .await
    }
}
