//! What Cerco and its keeper say to each other, once the job is handed over.

use std::time::Duration;

/// The longest message in bytes.
pub(crate) const LONGEST: usize = 64;

/// From Cerco to the keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The command begins now: the clock starts.
    Begin,
    /// Ask the tree to end, and end it when it doesn't.
    Stop,
    /// End it at once.
    Kill,
}

impl Order {
    pub(crate) fn encode(self) -> &'static [u8] {
        match self {
            Self::Begin => b"begin",
            Self::Stop => b"stop",
            Self::Kill => b"kill",
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        [Self::Begin, Self::Stop, Self::Kill]
            .into_iter()
            .find(|order| order.encode() == bytes)
    }
}

/// How the first process ended, as the keeper saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Exit(u8),
    Signal(u8),
    TimedOut,
    Stopped,
}

/// From the keeper to Cerco.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program could not be executed; the system's error number.
    NotStarted(i32),
    /// The program (the command or its launcher) was executed; its number. Comes with a
    /// descriptor of it.
    Started(i32),
    /// It is over.
    Over {
        ended: Ended,
        /// Processes that were still there and had to be stopped.
        stopped: u32,
        /// Processes that could not be ended; the keeper goes on trying.
        left: u32,
        /// From the beginning to the end of the first process.
        wall: Duration,
        cpu: Duration,
        peak_memory: u64,
    },
}

impl Report {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(LONGEST);
        match self {
            Self::NotStarted(errno) => {
                out.push(b'n');
                out.extend(errno.to_ne_bytes());
            }
            Self::Started(pid) => {
                out.push(b'b');
                out.extend(pid.to_ne_bytes());
            }
            Self::Over {
                ended,
                stopped,
                left,
                wall,
                cpu,
                peak_memory,
            } => {
                out.push(b'o');
                out.extend(match ended {
                    Ended::Exit(n) => [b'e', n],
                    Ended::Signal(n) => [b's', n],
                    Ended::TimedOut => [b't', 0],
                    Ended::Stopped => [b'c', 0],
                });
                out.extend(stopped.to_ne_bytes());
                out.extend(left.to_ne_bytes());
                for time in [wall, cpu] {
                    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
                    out.extend(micros.to_ne_bytes());
                }
                out.extend(peak_memory.to_ne_bytes());
            }
        }
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        match tag {
            b'n' => Some(Self::NotStarted(i32::from_ne_bytes(rest.try_into().ok()?))),
            b'b' => Some(Self::Started(i32::from_ne_bytes(rest.try_into().ok()?))),
            b'o' => {
                let (ended, rest) = rest.split_first_chunk()?;
                let ended = match ended {
                    [b'e', n] => Ended::Exit(*n),
                    [b's', n] => Ended::Signal(*n),
                    [b't', 0] => Ended::TimedOut,
                    [b'c', 0] => Ended::Stopped,
                    _ => return None,
                };
                let (stopped, rest) = rest.split_first_chunk()?;
                let (left, rest) = rest.split_first_chunk()?;
                let (wall, rest) = rest.split_first_chunk()?;
                let (cpu, rest) = rest.split_first_chunk()?;
                Some(Self::Over {
                    ended,
                    stopped: u32::from_ne_bytes(*stopped),
                    left: u32::from_ne_bytes(*left),
                    wall: Duration::from_micros(u64::from_ne_bytes(*wall)),
                    cpu: Duration::from_micros(u64::from_ne_bytes(*cpu)),
                    peak_memory: u64::from_ne_bytes(rest.try_into().ok()?),
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_comes_back_as_it_went() {
        for order in [Order::Begin, Order::Stop, Order::Kill] {
            assert_eq!(Order::decode(order.encode()), Some(order));
        }
        let over = |ended| Report::Over {
            ended,
            stopped: 3,
            left: 1,
            wall: Duration::from_micros(1_234_567),
            cpu: Duration::from_micros(89),
            peak_memory: 1 << 33,
        };
        let reports = [
            Report::NotStarted(2),
            Report::Started(4711),
            over(Ended::Exit(7)),
            over(Ended::Signal(9)),
            over(Ended::TimedOut),
            over(Ended::Stopped),
        ];
        for report in reports {
            let bytes = report.encode();
            assert!(bytes.len() <= LONGEST);
            assert_eq!(Report::decode(&bytes), Some(report));
            assert_eq!(Report::decode(&[&bytes[..], b"x"].concat()), None);
        }
    }
}
