//! What is covered inside must stay what it is outside. A cover lies on a file, not on a
//! name: when an editor or a tool outside writes a file anew by renaming, the kernel lets
//! the cover go with the old one, and the new one can be seen and written inside.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cerco_sys::poll;
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

use crate::facts::Identity;
use crate::walk::identity;

/// Most commands are over sooner than the kernel has given up a list of watched folders:
/// closing one waits for every reader of such lists on the machine (`synchronize_srcu`, 8 to
/// 15 ms measured). So there are no events at first, only frequent looks.
const AT_FIRST: Duration = Duration::from_millis(100);
const TURN_AT_FIRST: Duration = Duration::from_millis(2);
/// Events tell of changes in the folders around; a folder further up can be exchanged as
/// well, and where there are no more events to be had, this is all there is.
const TURN: Duration = Duration::from_millis(250);
const TURN_WITHOUT_EVENTS: Duration = Duration::from_millis(10);

/// One path that is hidden or protected inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Covered {
    /// Where.
    pub(crate) path: PathBuf,
    /// Which file or folder is covered; none where there was nothing to cover.
    pub(crate) identity: Option<Identity>,
}

impl Covered {
    fn is_as_it_was(&self) -> bool {
        let now = fs::symlink_metadata(&self.path);
        now.ok().map(|facts| identity(&facts)) == self.identity
    }
}

/// Says so when one of `covered` becomes another one, until the other end of `hears` is
/// closed, and once more then.
pub(super) fn until_change(covered: &[Covered], hears: &PipeReader) -> io::Result<Option<String>> {
    let changed = |what_came_of_it: &str| {
        let changed = covered.iter().find(|one| !one.is_as_it_was())?;
        Some(format!(
            "{} was made anew on this computer while the command ran, so what it hides or protects no longer was{what_came_of_it}",
            crate::refusal::shown(&changed.path)
        ))
    };
    let begun = Instant::now();
    let mut events = None;
    let mut turn = TURN_AT_FIRST;
    loop {
        if turn == TURN_AT_FIRST && begun.elapsed() >= AT_FIRST {
            events = Events::of(covered).ok();
            turn = events.as_ref().map_or(TURN_WITHOUT_EVENTS, |_| TURN);
        }
        // After the events are on: a change before that shows here.
        if let Some(changed) = changed("; the command was stopped") {
            return Ok(Some(changed));
        }
        loop {
            let mut list = vec![hears.as_fd()];
            list.extend(events.as_ref().map(|events: &Events| events.fd.as_fd()));
            let ready = poll::wait(&list, Some(turn))?;
            let is_ready = |at: usize| ready.get(at).is_some_and(|ready| ready.is_ready());
            if is_ready(0) {
                return Ok(changed(""));
            }
            if !is_ready(1) || events.as_ref().is_none_or(Events::concern) {
                break;
            }
        }
    }
}

/// Changes of names in the folders around what is covered.
struct Events {
    fd: OwnedFd,
    names: HashMap<i32, Vec<OsString>>,
}

impl Events {
    fn of(covered: &[Covered]) -> io::Result<Self> {
        let fd = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut names: HashMap<i32, Vec<OsString>> = HashMap::new();
        let flags = WatchFlags::MOVE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        for one in covered {
            let Some((folder, name)) = one.path.parent().zip(one.path.file_name()) else {
                continue;
            };
            match add_watch(&fd, folder, flags) {
                Ok(watch) => names.entry(watch).or_default().push(name.to_owned()),
                // The folder isn't there (yet): the turns see it come.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self { fd, names })
    }

    /// Reads what there is; whether any of it is about what is covered, or was lost.
    fn concern(&self) -> bool {
        let mut buffer = [MaybeUninit::<u8>::uninit(); 4096];
        let mut reader = Reader::new(&self.fd, &mut buffer);
        let mut concerns = false;
        loop {
            let Ok(event) = reader.next() else {
                return concerns;
            };
            let name = event.file_name().map(|name| name.to_bytes().to_vec());
            concerns |= match (self.names.get(&event.wd()), name) {
                (Some(names), Some(name)) => {
                    use std::os::unix::ffi::OsStrExt;
                    names.iter().any(|known| known.as_bytes() == name)
                }
                _ => true,
            };
            if concerns {
                return true;
            }
        }
    }
}
