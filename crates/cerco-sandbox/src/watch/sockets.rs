//! A read-only mount doesn't stop connect(2). The sockets that are there before a command
//! starts are covered; the kernel tells nobody when another one is opened, so they are
//! looked for again and again. Only in the project: elsewhere services of the machine come
//! and go, and a command that ended with each of them would be no help to anybody.

use std::collections::HashSet;
use std::fs;
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::is_over;
use crate::plan::visible;
use crate::sockets::{self, Open};
use crate::step::{Step, Why};
use crate::walk::{self, When};

const TURN: Duration = Duration::from_millis(100);

/// Where sockets would be seen inside.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The mounts.
    pub(crate) steps: Vec<Step>,
    pub(crate) project: PathBuf,
    pub(crate) loop_folder: PathBuf,
}

/// Says so when a program outside opens a socket that is seen inside, until the other end of
/// `hears` is closed.
pub(super) fn until_opened(seen: &Seen, hears: &PipeReader) -> io::Result<Option<String>> {
    let mut known: HashSet<Open> = HashSet::new();
    // What is covered now is so until its program opens it anew: the kernel drops a cover
    // with the file under it.
    let mut steps = seen.steps.clone();
    loop {
        for socket in sockets::open_sockets()? {
            if known.contains(&socket) {
                continue;
            }
            if let Some(path) = shown(&socket, &steps, seen)? {
                return Ok(Some(format!(
                    "a program of this computer opened the socket {} while the command ran, which could connect to it; the command was stopped",
                    crate::refusal::shown(&path)
                )));
            }
            known.insert(socket);
        }
        steps.retain(|step| step.why != Why::Socket);
        if is_over(hears, TURN)? {
            return Ok(None);
        }
    }
}

/// Where in the project `socket` is seen inside. One that was bound by a relative name, or by one that
/// leads nowhere here, may lie anywhere in the project; in the loop's folder it can't be
/// told from the command's own.
fn shown(socket: &Open, steps: &[Step], seen: &Seen) -> io::Result<Option<PathBuf>> {
    let is_shown = |path: &PathBuf| path.starts_with(&seen.project) && visible(steps, path);
    match fs::canonicalize(&socket.path) {
        Ok(real) if socket.path.is_absolute() && sockets::is_socket(&real) => {
            Ok(Some(real).filter(is_shown))
        }
        _ if socket.path.is_relative() || socket.path.starts_with(&seen.project) => {
            let skip: [&Path; 1] = [&seen.loop_folder];
            let found = walk::walk(&seen.project, &skip, When::Before)
                .map_err(|_| io::Error::other("the project is too large to look for a socket"))?;
            let mut found = found.sockets.into_iter();
            Ok(found.find(|path| is_shown(path) && sockets::is_held(path)))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Mount;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::thread;

    #[test]
    fn a_late_socket_is_seen_and_one_that_is_hidden_or_was_covered_is_not() {
        let root = std::env::temp_dir().join(format!("cerco-late-{}", std::process::id()));
        fs::create_dir(&root).unwrap();
        let root = root.canonicalize().unwrap();
        for name in ["shown", "hidden", "loop"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let step = |mount, why| Step { mount, why };
        let early = root.join("shown/early");
        let _early = UnixListener::bind(&early).unwrap();
        let connects = early.clone();
        let seen = Seen {
            steps: vec![
                step(Mount::read_only(&root), Why::Project),
                step(
                    Mount::Empty {
                        at: root.join("hidden"),
                        bytes: 1,
                        closed: true,
                    },
                    Why::Hidden,
                ),
                step(Mount::Cover(early), Why::Socket),
            ],
            project: root.clone(),
            loop_folder: root.join("loop"),
        };
        let (hears, open) = io::pipe().unwrap();
        let found = thread::scope(|scope| {
            let watching = scope.spawn(|| until_opened(&seen, &hears));
            let _hidden = UnixListener::bind(root.join("hidden/s")).unwrap();
            let _connection = UnixStream::connect(connects).unwrap();
            // A connection bears the name of the socket that accepted it.
            thread::sleep(3 * TURN);
            assert!(!watching.is_finished());
            let _late = UnixListener::bind(root.join("shown/late")).unwrap();
            watching.join().unwrap()
        });
        drop(open);
        fs::remove_dir_all(&root).unwrap();
        let found = found.unwrap().unwrap();
        assert!(found.contains("/shown/late while"), "{found}");
    }
}
