//! Commands whose words have several settled values are run once for each.

use compact_str::CompactString;
use smallvec::SmallVec;

/// More combinations than this in one command are read as unknown values.
const MOST: usize = 64;

/// Which value of each variable the present round takes.
#[derive(Debug, Default)]
pub(super) struct Choices {
    picks: SmallVec<[Pick; 2]>,
    rounds: usize,
    /// The last round: everything that has several values is unknown.
    widened: bool,
}

#[derive(Debug)]
struct Pick {
    key: CompactString,
    at: usize,
    of: usize,
}

impl Choices {
    /// The index to take of `of` values; nothing when it must be read as unknown.
    pub(super) fn pick(&mut self, key: &str, of: usize) -> Option<usize> {
        if of <= 1 {
            return Some(0);
        }
        if let Some(pick) = self.picks.iter().find(|p| p.key == key && p.of == of) {
            return Some(pick.at);
        }
        if self.widened {
            return None;
        }
        self.picks.push(Pick {
            key: key.into(),
            at: 0,
            of,
        });
        Some(0)
    }

    /// Goes on to the next combination, if there is one.
    pub(super) fn next(&mut self) -> bool {
        if self.widened {
            return false;
        }
        self.rounds += 1;
        while let Some(last) = self.picks.last_mut() {
            last.at += 1;
            if last.at < last.of {
                if self.rounds >= MOST {
                    self.widened = true;
                    self.picks.clear();
                }
                return true;
            }
            self.picks.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn every_combination_once() {
        let mut choices = Choices::default();
        let mut got = Vec::new();
        loop {
            let x = choices.pick("x", 2);
            let y = choices.pick("y", 3);
            got.push((x, choices.pick("x", 2), y));
            if !choices.next() {
                break;
            }
        }
        assert_eq!(got.len(), 6);
        assert!(got.iter().all(|(a, b, _)| a == b));
    }
}
