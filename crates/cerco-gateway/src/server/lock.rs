//! One gateway per person: the lock that keeps a second one away.
//!
//! It is the kernel's and goes with the process, so kill -9 leaves none behind. Not at once
//! though: a program that was just being started (forked, not yet become itself) still holds
//! what its starter held. So a taken lock is looked at for a moment before it counts.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::{PERSON_SOCKET, StartError};
use crate::folders::Folders;

const NAME: &str = "gateway.lock";
/// How long a lock may stay taken without anybody listening. A start takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// Takes the lock; an error when another gateway of this person runs or starts.
pub(super) async fn take(folders: &Folders) -> Result<File, StartError> {
    let path = folders.runtime.join(NAME);
    let trouble = |source: io::Error| StartError::Socket {
        path: path.clone(),
        source,
    };
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).map_err(trouble)?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(trouble(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        // Who answers is a gateway that runs; who doesn't is gone, or not there yet.
        let runs = UnixStream::connect(folders.runtime.join(PERSON_SOCKET)).is_ok();
        if runs || started.elapsed() > PATIENCE {
            return Err(StartError::Running);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lock_that_a_starting_program_still_holds_is_waited_for() {
        let root = std::env::temp_dir().join(format!("cerco-lock-{}", std::process::id()));
        let folders = Folders {
            config: root.join("c"),
            state: root.join("s"),
            runtime: root.join("r"),
            cache: root.join("k"),
        };
        std::fs::create_dir_all(&folders.runtime).unwrap();
        let held = take(&folders).await.unwrap();
        let freeing = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(held);
        });
        let held = take(&folders).await.unwrap();
        freeing.await.unwrap();
        // One that stays is somebody's, and one that answers is so at once.
        let second = take(&folders).await;
        assert!(matches!(second, Err(StartError::Running)));
        let socket = folders.runtime.join(PERSON_SOCKET);
        let listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
        let started = Instant::now();
        let third = take(&folders).await;
        assert!(matches!(third, Err(StartError::Running)));
        assert!(started.elapsed() < Duration::from_secs(1));
        drop((held, listener));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
