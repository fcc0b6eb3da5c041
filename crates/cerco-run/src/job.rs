//! What Cerco hands its keeper: one program to start, as bytes.
//!
//! It goes through memory that only the two of them see, never through arguments or an
//! environment: a `pkill -f` that matches the command must not match the keeper.

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use cerco_sys::launch::Propagation;

/// What the started program is to the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leader {
    /// The command itself.
    Command,
    /// A launcher that puts the command into the sandbox: ending it ends everything in
    /// it, at once.
    Launcher,
}

/// When the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    /// When the program was executed.
    AtOnce,
    /// When Cerco says so, which hears it from the stage inside.
    WhenTold,
}

/// Whether program starts are held for the guard, by the first process itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// They are; the descriptor of the guard's socket is among those sent.
    Starts,
    /// They are not (or the stage inside sees to it).
    Nothing,
}

/// One program to start and to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// `NAME=value`, complete.
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: OsString,
    /// `NAME=value` by which the run's processes are known.
    pub(crate) mark: OsString,
    pub(crate) limit: Duration,
    pub(crate) leader: Leader,
    pub(crate) begins: Begins,
    pub(crate) holds: Holds,
    /// Whether the program gets a mount namespace of its own.
    pub(crate) propagation: Propagation,
    /// The numbers under which the descriptors after the fixed ones are handed on.
    pub(crate) keep: Vec<RawFd>,
    /// At most this many processes, and bytes of memory, in a control group where one
    /// can be made.
    pub(crate) most_processes: Option<u64>,
    pub(crate) most_memory: Option<u64>,
}

impl Job {
    /// As bytes. Every field ends with NUL, which none can hold; nothing when one does.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut out = Writer(Vec::new());
        out.text(&self.program)?;
        out.list(&self.arguments)?;
        out.number(self.environment.len() as u64);
        for (name, value) in &self.environment {
            out.text(name)?;
            out.text(value)?;
        }
        out.text(&self.directory)?;
        out.text(&self.mark)?;
        out.number(u64::try_from(self.limit.as_millis()).ok()?);
        out.number(u64::from(self.leader == Leader::Launcher));
        out.number(u64::from(self.begins == Begins::WhenTold));
        out.number(u64::from(self.holds == Holds::Starts));
        out.number(u64::from(self.propagation == Propagation::Private));
        out.number(self.keep.len() as u64);
        for number in &self.keep {
            out.number(u64::try_from(*number).ok()?);
        }
        out.number(self.most_processes.unwrap_or_default());
        out.number(self.most_memory.unwrap_or_default());
        Some(out.0)
    }

    /// From bytes; nothing when they are not exactly a job.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader(bytes);
        let job = Self {
            program: from.text()?,
            arguments: from.list(Reader::text)?,
            environment: from.list(|r| Some((r.text()?, r.text()?)))?,
            directory: from.text()?,
            mark: from.text()?,
            limit: Duration::from_millis(from.number()?),
            leader: match from.number()? {
                0 => Leader::Command,
                1 => Leader::Launcher,
                _ => return None,
            },
            begins: match from.number()? {
                0 => Begins::AtOnce,
                1 => Begins::WhenTold,
                _ => return None,
            },
            holds: match from.number()? {
                0 => Holds::Nothing,
                1 => Holds::Starts,
                _ => return None,
            },
            propagation: match from.number()? {
                0 => Propagation::Shared,
                1 => Propagation::Private,
                _ => return None,
            },
            keep: from.list(|r| RawFd::try_from(r.number()?).ok())?,
            most_processes: Some(from.number()?).filter(|n| *n > 0),
            most_memory: Some(from.number()?).filter(|n| *n > 0),
        };
        from.0.is_empty().then_some(job)
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn text(&mut self, text: &OsStr) -> Option<()> {
        if text.as_bytes().contains(&0) {
            return None;
        }
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
        Some(())
    }

    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(number.to_string().as_bytes());
        self.0.push(0);
    }

    fn list(&mut self, list: &[OsString]) -> Option<()> {
        self.number(list.len() as u64);
        list.iter().try_for_each(|text| self.text(text))
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn text(&mut self) -> Option<OsString> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.0.get(..end)?.to_vec();
        self.0 = self.0.get(end + 1..)?;
        Some(OsString::from_vec(text))
    }

    fn number(&mut self) -> Option<u64> {
        self.text()?.to_str()?.parse().ok()
    }

    fn list<T>(&mut self, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| entry(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), "echo '\n'".into(), OsString::new()],
            environment: vec![("A".into(), "b=c".into())],
            directory: "/p/a".into(),
            mark: "CERCO_RUN=1".into(),
            limit: Duration::from_mins(2),
            leader: Leader::Launcher,
            begins: Begins::WhenTold,
            holds: Holds::Starts,
            propagation: Propagation::Private,
            keep: vec![9, 11],
            most_processes: Some(512),
            most_memory: None,
        }
    }

    #[test]
    fn a_job_comes_back_as_it_went() {
        assert_eq!(Job::decode(&job().encode().unwrap()).unwrap(), job());
    }

    #[test]
    fn a_nul_byte_or_a_damaged_job_is_no_job() {
        let mut bad = job();
        bad.arguments.push("a\0b".into());
        assert_eq!(bad.encode(), None);
        let bytes = job().encode().unwrap();
        assert_eq!(Job::decode(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Job::decode(&[bytes, b"more\0".to_vec()].concat()), None);
        assert_eq!(Job::decode(b""), None);
    }
}
