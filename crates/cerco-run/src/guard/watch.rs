//! The guard at work: on a thread of its own it answers every start that the kernel holds.

use std::collections::HashMap;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cerco_model::GuardRefusal;
use cerco_sys::notify::{Errno, Heard, Held, Listener};
use cerco_sys::processes::{self, Image, Pid};
use cerco_sys::{channel, poll};

use super::look::{self, Seen};
use super::{Judge, RealStart, StartRefusal, Starter};

/// How the guard's work ended.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    pub(crate) refusals: Vec<GuardRefusal>,
    /// Why it stopped answering, where it did before the last process was gone. From
    /// then on the kernel lets no program start.
    pub(crate) broke: Option<io::Error>,
}

/// What runs the text, so that the guard knows its starts from others'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunBy {
    Shell,
    Nobody,
}

/// Receives the listener from `socket` and answers every held start, until the last
/// process that is held is gone or `stop` closes.
pub(crate) fn watch(
    socket: &OwnedFd,
    run_by: RunBy,
    judge: &dyn Judge,
    notes: &mut PipeWriter,
    stop: &PipeReader,
) -> Watched {
    let mut watched = Watched::default();
    let listener = match listener(socket, stop) {
        Ok(Some(listener)) => listener,
        Ok(None) => return watched,
        Err(error) => {
            watched.broke = Some(error);
            return watched;
        }
    };
    let mut guard = Guard {
        listener,
        runs: Runs::Starting(run_by),
        passing_on: HashMap::new(),
        judge,
        notes,
        last: None,
        refusals: Vec::new(),
    };
    watched.broke = guard.answer_all(stop).err();
    watched.refusals = guard.refusals;
    watched
}

/// The listener that the command's first process sends; nothing where none was started.
fn listener(socket: &OwnedFd, stop: &PipeReader) -> io::Result<Option<Listener>> {
    let ready = poll::wait(&[socket.as_fd(), stop.as_fd()], None)?;
    if !ready.first().is_some_and(|ready| ready.is_ready()) {
        return Ok(None);
    }
    let mut got = channel::receive(socket.as_fd(), &mut [0; 16])?;
    Ok(got.descriptors.pop().map(Listener::new))
}

/// What is known of who runs the text.
enum Runs {
    /// The next start is that of the command itself.
    Starting(RunBy),
    /// The next start is the first one after it: whoever makes it still runs the image
    /// that was started, for nobody has started another.
    Started,
    /// A shell runs it, with this image.
    Shell(Image),
    /// It is one plain program.
    Program,
}

struct Guard<'a> {
    listener: Listener,
    runs: Runs,
    /// Programs that pass on what the text gave them, by process: their file. Only those
    /// that the text itself started; what a build tool does with them is its business,
    /// and so is a script whose first line names one.
    passing_on: HashMap<Pid, PathBuf>,
    judge: &'a dyn Judge,
    notes: &'a mut PipeWriter,
    last: Option<(Pid, Vec<String>)>,
    refusals: Vec<GuardRefusal>,
}

impl Guard<'_> {
    fn answer_all(&mut self, stop: &PipeReader) -> io::Result<()> {
        loop {
            match self.listener.hear(stop.as_fd())? {
                Heard::Held(held) => self.answer(&held)?,
                Heard::Nothing => {
                    let stopped = poll::wait(&[stop.as_fd()], Some(Duration::ZERO))?;
                    if stopped.first().is_some_and(|ready| ready.is_ready()) {
                        return Ok(());
                    }
                }
                Heard::AllGone => return Ok(()),
            }
        }
    }

    fn answer(&mut self, held: &Held) -> io::Result<()> {
        let by = match self.runs {
            Runs::Starting(RunBy::Shell) => {
                self.runs = Runs::Started;
                return self.listener.go_on(held);
            }
            Runs::Starting(RunBy::Nobody) => return self.begin_program(held),
            Runs::Started | Runs::Shell(_) | Runs::Program => self.starter(held.pid),
        };
        let Some(by) = by else {
            self.passing_on.remove(&held.pid);
            return self.listener.go_on(held);
        };
        let seen = look::at(held, by);
        // Only now is it sure that what was read was this process's.
        if !self.listener.still_held(held) {
            return Ok(());
        }
        match seen {
            // A shell tries each folder of PATH. Answered here rather than let go on: the
            // kernel would look again, and find what was put there meanwhile.
            Ok(Seen::NoSuchFile) => self.listener.fail(held, Errno::NotFound),
            Ok(Seen::Start(start)) => match self.judge.judge(&start) {
                None => {
                    self.remember(held.pid, &start);
                    self.listener.go_on(held)
                }
                Some(refusal) => self.refuse(held, words(&start), refusal),
            },
            Err(error) => {
                let refusal = StartRefusal {
                    rule: "unreadable".to_owned(),
                    reason: format!("the arguments of this program start can't be read ({error})"),
                };
                self.refuse(held, Vec::new(), refusal)
            }
        }
    }

    /// The command is one plain program, looked for in each folder of PATH.
    fn begin_program(&mut self, held: &Held) -> io::Result<()> {
        if let Ok(Seen::NoSuchFile) = look::at(held, Starter::Shell) {
            return self.listener.fail(held, Errno::NotFound);
        }
        if let Ok(Seen::Start(start)) = look::at(held, Starter::Shell) {
            self.remember(held.pid, &start);
        }
        self.runs = Runs::Program;
        self.listener.go_on(held)
    }

    /// Who makes a start, where it is to be judged. Whoever can't be looked at counts as
    /// the shell: the stricter reading.
    fn starter(&mut self, pid: Pid) -> Option<Starter> {
        let image = processes::image(pid);
        match (&self.runs, image) {
            (Runs::Started, Some(image)) => {
                self.runs = Runs::Shell(image);
                return Some(Starter::Shell);
            }
            (Runs::Shell(shell), Some(image)) if *shell == image => return Some(Starter::Shell),
            (Runs::Started | Runs::Shell(_), None) => return Some(Starter::Shell),
            (Runs::Starting(_) | Runs::Shell(_) | Runs::Program, _) => {}
        }
        let file = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        let is = |pid: Pid| {
            self.passing_on
                .get(&pid)
                .is_some_and(|known| *known == file)
        };
        let passes_on =
            is(pid) || processes::look_at(pid).is_some_and(|process| is(process.parent));
        let by = Starter::Program(file);
        (passes_on && self.judge.concerns(&by)).then_some(by)
    }

    /// Keeps in mind that `pid` is about to become a program that passes on, where it is.
    fn remember(&mut self, pid: Pid, start: &RealStart) {
        let file = start.file.as_deref().unwrap_or(Path::new(""));
        if self.judge.concerns(&Starter::Program(file.to_owned())) {
            self.passing_on.insert(pid, file.to_owned());
        } else {
            self.passing_on.remove(&pid);
        }
    }

    /// Says why on what Cerco reads as the command's standard error (not through the
    /// process's own: that may be a file, or closed), and fails the start.
    fn refuse(
        &mut self,
        held: &Held,
        argv: Vec<String>,
        StartRefusal { rule, reason }: StartRefusal,
    ) -> io::Result<()> {
        // A search goes on to the next folder of PATH after a refusal, and a signal has a
        // start tried again: one decision, told once.
        let who = (held.pid, argv.clone());
        if self.last.as_ref() != Some(&who) {
            let name = argv.first().map_or("a program", String::as_str);
            let line = format!("cerco: {name} was not started ({rule}): {reason}\n");
            // A run that no longer listens is over.
            let _ = self.notes.write_all(line.as_bytes());
            self.refusals.push(GuardRefusal { argv, rule, reason });
        }
        self.last = Some(who);
        self.listener.fail(held, Errno::Denied)
    }
}

fn words(start: &RealStart) -> Vec<String> {
    let words = start.arguments.iter();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}
