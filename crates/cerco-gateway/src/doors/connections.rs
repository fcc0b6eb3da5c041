//! How many connections there may be, without anybody being able to lock the person out.
//!
//! A limit that refuses the newest lets 1,000 idle connections keep the browser away. So
//! it is the OLDEST connection that has not signed in which has to go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::AbortHandle;

/// At most so many connections that have not signed in.
pub const MAX_STRANGERS: usize = 32;
/// At most so many that have; a page needs seven.
pub const MAX_SIGNED_IN: usize = 256;

#[derive(Debug, Default)]
struct Open {
    next: u64,
    strangers: BTreeMap<u64, Option<AbortHandle>>,
    signed_in: BTreeMap<u64, Option<AbortHandle>>,
}

/// The open connections.
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Mutex<Open>>);

/// One connection's place; given back when dropped.
#[derive(Debug)]
pub struct Seat {
    connections: Connections,
    number: u64,
}

impl Connections {
    /// A new connection. The oldest stranger goes when there are too many.
    #[must_use]
    pub fn take(&self) -> Seat {
        let mut open = self.lock();
        open.next += 1;
        let number = open.next;
        open.strangers.insert(number, None);
        if open.strangers.len() > MAX_STRANGERS {
            stop_oldest(&mut open.strangers);
        }
        drop(open);
        Seat {
            connections: self.clone(),
            number,
        }
    }

    /// How many there are: strangers and signed in.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let open = self.lock();
        (open.strangers.len(), open.signed_in.len())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// How to end it when it has to go. Ends it at once when it had to go already.
    pub fn stop_with(&self, handle: AbortHandle) {
        let mut open = self.connections.lock();
        match open.strangers.get_mut(&self.number) {
            Some(place) => *place = Some(handle),
            None => match open.signed_in.get_mut(&self.number) {
                Some(place) => *place = Some(handle),
                None => handle.abort(),
            },
        }
    }

    /// It signed in: it doesn't have to go for a stranger any more.
    pub fn signed_in(&self) {
        let mut open = self.connections.lock();
        if let Some(handle) = open.strangers.remove(&self.number) {
            open.signed_in.insert(self.number, handle);
            if open.signed_in.len() > MAX_SIGNED_IN {
                stop_oldest(&mut open.signed_in);
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.strangers.remove(&self.number);
        open.signed_in.remove(&self.number);
    }
}

fn stop_oldest(list: &mut BTreeMap<u64, Option<AbortHandle>>) {
    if let Some((_, Some(handle))) = list.pop_first() {
        handle.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stranger_goes_and_a_signed_in_one_stays() {
        let connections = Connections::default();
        let person = connections.take();
        person.signed_in();
        let seats: Vec<Seat> = (0..1000).map(|_| connections.take()).collect();
        assert_eq!(connections.count(), (MAX_STRANGERS, 1));
        drop(seats);
        assert_eq!(connections.count(), (0, 1));
        drop(person);
        assert_eq!(connections.count(), (0, 0));
    }
}
