//! Orphans that the gateway adopted and that have ended: nobody else waits for them.

use std::collections::HashSet;
use std::time::Duration;

use cerco_sys::harden::collect;
use cerco_sys::peer::{ProcessId, processes};

/// A child that somebody waits for is collected within milliseconds; one that is still
/// there a round later is nobody's.
const ROUND: Duration = Duration::from_secs(10);

/// Collects strays for as long as the gateway runs.
pub(super) async fn collect_all(own: u32) {
    let mut seen: HashSet<ProcessId> = HashSet::new();
    loop {
        tokio::time::sleep(ROUND).await;
        let before = std::mem::take(&mut seen);
        let round = tokio::task::spawn_blocking(move || collect_old(own, &before));
        seen = round.await.unwrap_or_default();
    }
}

fn collect_old(own: u32, before: &HashSet<ProcessId>) -> HashSet<ProcessId> {
    let all = processes().unwrap_or_default();
    let ended = all.into_iter().filter(|p| p.parent == own && p.ended);
    let (old, new): (Vec<_>, Vec<_>) = ended.partition(|p| before.contains(&p.id));
    for process in old {
        collect(process.id.pid);
    }
    new.into_iter().map(|p| p.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stays_ended_for_a_round_is_collected() {
        let child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        while !cerco_sys::peer::process(pid).unwrap().ended {
            std::thread::sleep(Duration::from_millis(5));
        }
        let own = std::process::id();
        let seen = collect_old(own, &HashSet::new());
        assert!(cerco_sys::peer::process(pid).is_some());
        collect_old(own, &seen);
        assert!(cerco_sys::peer::process(pid).is_none());
        drop(child);
    }
}
