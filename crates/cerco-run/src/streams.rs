//! Reading what a command says: both streams, and Cerco's own lines among them.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd};

use cerco_model::Captured;

use crate::capture::{Capture, Spill};
use crate::sink::{Sink, Stream};

/// One pipe is read this much at a time, in bytes.
const CHUNK: usize = 64 << 10;

/// The three pipes and what was kept of them.
pub(crate) struct Streams {
    pipes: [(Stream, Option<PipeReader>); 3],
    stdout: Capture,
    stderr: Capture,
    buffer: Vec<u8>,
}

impl Streams {
    /// `notes` are Cerco's own lines; they come out as standard error.
    pub(crate) fn new(
        stdout: PipeReader,
        stderr: PipeReader,
        notes: PipeReader,
        spill: Option<&Spill>,
    ) -> io::Result<Self> {
        for pipe in [&stdout, &stderr, &notes] {
            cerco_sys::poll::never_block(pipe.as_fd())?;
        }
        Ok(Self {
            pipes: [
                (Stream::Stdout, Some(stdout)),
                (Stream::Stderr, Some(stderr)),
                (Stream::Stderr, Some(notes)),
            ],
            stdout: Capture::new(spill.map(|s| (s, "stdout"))),
            stderr: Capture::new(spill.map(|s| (s, "stderr"))),
            buffer: vec![0; CHUNK],
        })
    }

    /// The pipes that have not ended yet.
    pub(crate) fn open(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.pipes
            .iter()
            .filter_map(|(_, p)| p.as_ref().map(AsFd::as_fd))
    }

    /// Takes one chunk from each pipe that has something. Answers whether any had.
    pub(crate) fn take(&mut self, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        for (stream, pipe) in &mut self.pipes {
            let Some(reader) = pipe else { continue };
            match reader.read(&mut self.buffer) {
                Ok(0) => *pipe = None,
                Ok(length) => {
                    any = true;
                    let bytes = self.buffer.get(..length).unwrap_or_default();
                    match stream {
                        Stream::Stdout => self.stdout.take(bytes),
                        Stream::Stderr => self.stderr.take(bytes),
                    }
                    sink.output(*stream, bytes);
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                    _ => *pipe = None,
                },
            }
        }
        any
    }

    /// Takes what is still in the pipes. The tree is empty: nothing comes any more,
    /// unless somebody outside of it was given a pipe; for him nobody waits.
    pub(crate) fn drain(&mut self, sink: &mut dyn Sink) {
        // What fits into the pipes at once, and no more.
        for _ in 0..64 {
            if !self.take(sink) {
                return;
            }
        }
    }

    pub(crate) fn finish(self) -> (Captured, Captured) {
        (self.stdout.finish(), self.stderr.finish())
    }
}
