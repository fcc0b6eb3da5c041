//! Attending to a run: reads its output, passes orders to its keeper, and waits for the
//! report that it is over.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use cerco_model::Outcome;
use cerco_sys::clock::since_boot;
use cerco_sys::{channel, poll};

use crate::inside::Inside;
use crate::job::Job;
use crate::keeper::net;
use crate::launch::Kept;
use crate::message::{LONGEST, Order, Report};
use crate::options::Options;
use crate::settle::{empty, settle};
use crate::sink::{Cancel, Sink, Wanted};
use crate::started::Start;
use crate::streams::Streams;

/// How long a keeper may be silent after everything should be over. It is stopped or
/// stuck then, and Cerco ends the tree itself.
const PATIENCE: Duration = Duration::from_secs(15);

/// Reads, listens and waits until the keeper says that it is over.
pub(crate) fn attend(
    kept: Kept,
    start: Start,
    notes: PipeReader,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> io::Result<Outcome> {
    let Kept {
        mut keeper,
        control,
        stdout,
        stderr,
    } = kept;
    let (bell, rings) = io::pipe()?;
    cancel.wake_by(Some(rings));
    let mut attending = Attending {
        control,
        streams: Streams::new(stdout, stderr, notes, options.spill.as_ref())?,
        job: start.job,
        inside: start.inside,
        cancel,
        told: Wanted::Nothing,
        latest: Duration::MAX,
    };
    let over = attending.listen(&bell, sink);
    cancel.wake_by(None);
    attending.streams.drain(sink);
    let Attending {
        streams,
        job,
        inside,
        control,
        ..
    } = attending;
    let (stdout, stderr) = streams.finish();
    let mut outcome = Outcome {
        stdout,
        stderr,
        ..empty()
    };
    if let Some(report) = over? {
        settle(&mut outcome, report, &job);
        // It has only to take its group away and leave; nobody waits for that. Where it can't
        // end somebody it stays with him.
        drop(control);
        thread::Builder::new()
            .name("leaving keeper".to_owned())
            .spawn(move || keeper.wait())?;
    } else {
        // Killed or stopped by somebody: the command's first process dies with it; who
        // else is left is known by the mark only.
        drop(control);
        keeper.kill()?;
        keeper.wait()?;
        let ended = job.mark.to_str().map_or(0, net);
        outcome.stopped = u32::try_from(ended).unwrap_or(u32::MAX);
        outcome.failure = Some(
            "the process that watches over the command was ended by somebody; the command was stopped"
                .to_owned(),
        );
    }
    if let Some(inside) = inside {
        inside.settle(&mut outcome);
    }
    Ok(outcome)
}

/// What is heard from and told to a keeper and a command.
struct Attending<'a> {
    control: OwnedFd,
    streams: Streams,
    job: Job,
    inside: Option<Inside>,
    cancel: &'a Cancel,
    told: Wanted,
    /// When a keeper that says nothing is no longer waited for, by the clock since boot.
    latest: Duration,
}

impl Attending<'_> {
    /// The keeper's last report; nothing when it is gone without one.
    fn listen(&mut self, bell: &PipeReader, sink: &mut dyn Sink) -> io::Result<Option<Report>> {
        self.expect(self.job.limit);
        loop {
            self.pass_on_cancel();
            let Some(patience) = self.latest.checked_sub(since_boot()) else {
                return Ok(None);
            };
            let mut list = vec![self.control.as_fd(), bell.as_fd()];
            let status = self.inside.as_ref().and_then(Inside::status);
            let has_status = status.is_some();
            list.extend(status);
            list.extend(self.streams.open());
            let ready = poll::wait(&list, Some(patience))?;
            let ready = |at: usize| ready.get(at).is_some_and(|ready| ready.is_ready());
            let (report, rung) = (ready(0), ready(1));
            let status = has_status && ready(2);
            self.streams.take(sink);
            if rung {
                // One read empties it; how many rang doesn't matter.
                let _ = (&mut &*bell).read(&mut [0; 64])?;
            }
            if status && let Some(inside) = &mut self.inside {
                let order = inside.hear(sink);
                if order == Order::Begin {
                    self.expect(self.job.limit);
                }
                self.tell(order);
            }
            if report {
                match self.hear_report(sink) {
                    Heard::More => {}
                    Heard::Over(report) => return Ok(Some(report)),
                    Heard::Gone => return Ok(None),
                }
            }
        }
    }

    fn expect(&mut self, limit: Duration) {
        self.latest = since_boot() + limit + PATIENCE;
    }

    /// Of a keeper that is gone is heard soon enough.
    fn tell(&self, order: Order) {
        let _ = channel::send(self.control.as_fd(), order.encode(), &[]);
    }

    fn pass_on_cancel(&mut self) {
        let wanted = self.cancel.wanted();
        if wanted <= self.told {
            return;
        }
        self.told = wanted;
        self.latest = self.latest.min(since_boot() + PATIENCE);
        self.tell(match wanted {
            Wanted::Kill => Order::Kill,
            Wanted::Stop | Wanted::Nothing => Order::Stop,
        });
    }

    fn hear_report(&mut self, sink: &mut dyn Sink) -> Heard {
        let mut buffer = [0; LONGEST];
        // The first answer is an error where the keeper ended with an order unread: a short
        // command can be over before it is told to begin. Its last report comes after that.
        let mut received = channel::receive(self.control.as_fd(), &mut buffer);
        if received.is_err() {
            received = channel::receive(self.control.as_fd(), &mut buffer);
        }
        // An error again: a keeper that was killed.
        let (length, mut descriptors) =
            received.map_or((0, Vec::new()), |got| (got.length, got.descriptors));
        match Report::decode(buffer.get(..length).unwrap_or_default()) {
            Some(Report::Started(pid)) => {
                match (&mut self.inside, descriptors.pop()) {
                    (None, _) => {
                        self.expect(self.job.limit);
                        sink.began();
                    }
                    (Some(inside), Some(handle)) => inside.launcher_runs(pid, handle.into()),
                    // Without a handle on it nothing may begin.
                    (Some(_), None) => self.tell(Order::Kill),
                }
                Heard::More
            }
            Some(over) => Heard::Over(over),
            None => Heard::Gone,
        }
    }
}

/// What the keeper's socket had to say.
enum Heard {
    /// It goes on.
    More,
    /// The last report.
    Over(Report),
    /// The keeper is gone without one.
    Gone,
}
