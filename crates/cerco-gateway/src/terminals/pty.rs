//! One terminal: a shell on a pseudo terminal, what was drawn, and who looks at it.
//!
//! A window that does not draw what it gets pauses the shell (the kernel then holds the
//! program that writes), so that a flood costs neither memory nor the page.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use portable_pty::{ChildKiller, CommandBuilder, MasterPty, native_pty_system};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::insert::{self, Foreground, Insert, Reader};
use super::marks::Marks;
use super::replay::{Cut, replay};
use super::size::Size;
use super::{Shell, TerminalError};
use crate::wire::InsertRefusal;

/// How much may be sent to a window before it has drawn what went before.
const MAX_UNDRAWN: u64 = 256 * 1024;
/// How much of what was drawn is kept for a window that comes back.
const MAX_SCROLLBACK: usize = 1024 * 1024;
/// How many pieces of typing may wait for a shell that doesn't read.
const MAX_TYPED: usize = 256;

/// What a viewer gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// Bytes to draw.
    Output(Vec<u8>),
    /// The shell ended with this status.
    Ended(u32),
}

/// A window that looks at a terminal. Dropping it takes it off.
#[derive(Debug)]
pub struct Viewer {
    pty: Arc<Pty>,
    number: u64,
    /// What was drawn before it came; to be drawn first, with answers switched off.
    pub scrollback: Vec<u8>,
    receiver: UnboundedReceiver<Shown>,
}

impl Viewer {
    /// The next thing to draw; nothing when the terminal is gone.
    pub async fn next(&mut self) -> Option<Shown> {
        self.receiver.recv().await
    }

    /// The window drew so many bytes.
    pub fn drawn(&self, bytes: u64) {
        self.pty.drawn(self.number, bytes);
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let mut state = self.pty.state();
        state.viewers.retain(|v| v.number != self.number);
        self.pty.drained.notify_all();
    }
}

#[derive(Debug)]
struct Watching {
    number: u64,
    undrawn: u64,
    sender: UnboundedSender<Shown>,
}

#[derive(Debug, Default)]
struct State {
    marks: Marks,
    scrollback: VecDeque<u8>,
    cut: bool,
    viewers: Vec<Watching>,
    last_viewer: u64,
    ended: Option<u32>,
    hung_up: bool,
}

/// A shell on a pseudo terminal.
pub struct Pty {
    shell: String,
    process: u32,
    master: Mutex<Box<dyn MasterPty + Send>>,
    killer: Mutex<Box<dyn ChildKiller + Send + Sync>>,
    typed: SyncSender<Vec<u8>>,
    state: Mutex<State>,
    drained: Condvar,
}

impl std::fmt::Debug for Pty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pty")
            .field("shell", &self.shell)
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

impl Pty {
    /// Starts a shell in `folder` (else the person's home).
    pub fn start(
        shell: &Shell,
        folder: Option<PathBuf>,
        size: Size,
    ) -> Result<Arc<Self>, TerminalError> {
        let system = |error: &dyn std::fmt::Display| TerminalError::System(error.to_string());
        let pair = native_pty_system()
            .openpty(size.pty())
            .map_err(|e| system(&e))?;
        let mut command = CommandBuilder::new(&shell.path);
        for (name, value) in super::comfort::environment(&shell.name) {
            command.env(name, value);
        }
        if let Some(folder) = folder {
            command.cwd(folder);
        }
        let child = pair.slave.spawn_command(command).map_err(|e| system(&e))?;
        drop(pair.slave);
        let reader = pair.master.try_clone_reader().map_err(|e| system(&e))?;
        let writer = pair.master.take_writer().map_err(|e| system(&e))?;
        let (typed, to_type) = sync_channel(MAX_TYPED);
        let pty = Arc::new(Self {
            shell: shell.name.clone(),
            process: child.process_id().unwrap_or_default(),
            master: Mutex::new(pair.master),
            killer: Mutex::new(child.clone_killer()),
            typed,
            state: Mutex::default(),
            drained: Condvar::new(),
        });
        thread::spawn(move || write_all(writer, &to_type));
        let reading = Arc::clone(&pty);
        thread::spawn(move || reading.read_all(reader, child));
        Ok(pty)
    }

    /// The shell's name.
    #[must_use]
    pub fn shell(&self) -> &str {
        &self.shell
    }

    /// The shell's process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process
    }

    /// How the shell ended; nothing while it runs.
    #[must_use]
    pub fn ended(&self) -> Option<u32> {
        self.state().ended
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> Size {
        let size = lock(&self.master).get_size().unwrap_or_default();
        Size {
            columns: size.cols,
            rows: size.rows,
        }
    }

    /// Gives it another size.
    pub fn resize(&self, size: Size) {
        // A terminal whose shell has just ended can't be resized; nothing is lost by that.
        let _ = lock(&self.master).resize(size.pty());
    }

    /// Types what the person typed. Returns whether the terminal took it; a shell that
    /// reads nothing fills the queue, and then keys are lost, as on any terminal.
    pub fn type_keys(&self, keys: Vec<u8>) -> bool {
        self.state().marks.typed();
        !matches!(
            self.typed.try_send(keys),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_))
        )
    }

    /// Puts `text` on the input line. Nothing runs.
    pub fn insert(&self, text: &str) -> Result<(), InsertRefusal> {
        let insert = self.prepare(text)?;
        self.typed
            .try_send(insert.bytes().to_vec())
            .map_err(|_| InsertRefusal::ProgramRuns)
    }

    /// What [`Self::insert`] would write now. Nothing is written.
    pub fn prepare(&self, text: &str) -> Result<Insert, InsertRefusal> {
        let (reader, foreground) = self.who_reads();
        if self.ended().is_some() {
            return Err(InsertRefusal::Ended);
        }
        insert::prepare(text, reader, foreground)
    }

    /// The kernel says who is in the foreground and whether it edits the line itself;
    /// neither can be forged by a program's output.
    #[cfg(unix)]
    fn who_reads(&self) -> (Reader, Foreground) {
        let master = lock(&self.master);
        let leader = master
            .process_group_leader()
            .and_then(|p| u32::try_from(p).ok());
        let kernel_edits = master
            .get_termios()
            .is_some_and(|t| t.local_flags.bits() & libc::ICANON != 0);
        drop(master);
        let foreground = if leader == Some(self.process) {
            Foreground::Shell
        } else {
            Foreground::Program
        };
        let reader = if kernel_edits {
            Reader::Kernel
        } else if self.state().marks.bracketed() {
            Reader::Bracketed
        } else {
            Reader::Unknown
        };
        (reader, foreground)
    }

    /// Windows has no such question; a console reads a line until Enter (not tried here).
    #[cfg(not(unix))]
    fn who_reads(&self) -> (Reader, Foreground) {
        (Reader::Kernel, Foreground::Shell)
    }

    /// A window looks at it from now on.
    pub fn view(self: &Arc<Self>) -> Viewer {
        let (sender, receiver) = unbounded_channel();
        let mut state = self.state();
        state.last_viewer += 1;
        let number = state.last_viewer;
        let cut = if state.cut { Cut::Middle } else { Cut::Whole };
        let scrollback = replay(state.scrollback.make_contiguous(), cut);
        if let Some(code) = state.ended {
            let _ = sender.send(Shown::Ended(code));
        }
        state.viewers.push(Watching {
            number,
            undrawn: 0,
            sender,
        });
        drop(state);
        Viewer {
            pty: Arc::clone(self),
            number,
            scrollback,
            receiver,
        }
    }

    /// Hangs up: the shell and what runs in it get the signal of a closed window.
    pub fn hang_up(&self) {
        self.state().hung_up = true;
        self.drained.notify_all();
        // An error means that it has ended already.
        let _ = lock(&self.killer).kill();
    }

    fn drawn(&self, viewer: u64, bytes: u64) {
        let mut state = self.state();
        if let Some(viewer) = state.viewers.iter_mut().find(|v| v.number == viewer) {
            viewer.undrawn = viewer.undrawn.saturating_sub(bytes);
        }
        self.drained.notify_all();
    }

    fn read_all(
        &self,
        mut reader: Box<dyn Read + Send>,
        mut child: Box<dyn portable_pty::Child + Send + Sync>,
    ) {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            self.wait_until_drawn();
            let chunk = match reader.read(&mut buffer) {
                // Linux says EIO when the last program on the terminal is gone.
                Ok(0) | Err(_) => break,
                Ok(length) => buffer.get(..length).unwrap_or_default(),
            };
            self.output(chunk);
        }
        let code = child.wait().map_or(1, |status| status.exit_code());
        let mut state = self.state();
        state.ended = Some(code);
        for viewer in &state.viewers {
            let _ = viewer.sender.send(Shown::Ended(code));
        }
    }

    fn wait_until_drawn(&self) {
        let state = self.state();
        drop(
            self.drained
                .wait_while(state, |state| {
                    !state.hung_up && state.viewers.iter().any(|v| v.undrawn > MAX_UNDRAWN)
                })
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn output(&self, chunk: &[u8]) {
        let mut state = self.state();
        state.marks.output(chunk);
        state.scrollback.extend(chunk);
        let over = state.scrollback.len().saturating_sub(MAX_SCROLLBACK);
        if over > 0 {
            state.scrollback.drain(..over);
            state.cut = true;
        }
        state.viewers.retain_mut(|viewer| {
            viewer.undrawn += chunk.len() as u64;
            viewer.sender.send(Shown::Output(chunk.to_vec())).is_ok()
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn write_all(mut writer: Box<dyn Write + Send>, keys: &std::sync::mpsc::Receiver<Vec<u8>>) {
    for bytes in keys {
        if writer
            .write_all(&bytes)
            .and_then(|()| writer.flush())
            .is_err()
        {
            return;
        }
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
