//! What is kept of an output stream: bounded in memory, the whole on disk to a limit.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use cerco_model::Captured;

/// A stream up to this long is kept whole, in bytes (SPEC §4).
const WHOLE: usize = 1 << 20;
/// Of a longer one this much is kept of each end.
const END: usize = 256 << 10;

/// Where the whole of a run's output is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    /// The folder; it must exist and be closed to agents.
    pub folder: PathBuf,
    /// The run's id: the files are `<name>.stdout` and `<name>.stderr`, for the owner only.
    pub name: String,
    /// At most this many bytes of each stream.
    pub limit: u64,
}

impl Spill {
    /// The usual limit of a stream on disk: 64 MiB.
    pub const LIMIT: u64 = 64 << 20;
}

/// Keeps one stream.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    /// Between one and two times what is kept of the end, once there is any.
    tail: Vec<u8>,
    length: u64,
    spill: Option<Disk>,
}

#[derive(Debug)]
struct Disk {
    path: PathBuf,
    file: Option<File>,
    left: u64,
}

impl Capture {
    pub(crate) fn new(spill: Option<(&Spill, &str)>) -> Self {
        Self {
            head: Vec::new(),
            tail: Vec::new(),
            length: 0,
            spill: spill.map(|(spill, stream)| Disk {
                path: spill.folder.join(format!("{}.{stream}", spill.name)),
                file: None,
                left: spill.limit,
            }),
        }
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.length = self.length.saturating_add(bytes.len() as u64);
        if let Some(disk) = &mut self.spill {
            disk.take(bytes);
        }
        if self.tail.is_empty() {
            self.head.extend_from_slice(bytes);
            if self.head.len() > WHOLE {
                let from = self.head.len() - END;
                self.tail.extend(self.head.iter().skip(from));
                self.head.truncate(END);
                self.head.shrink_to_fit();
            }
            return;
        }
        let fresh = bytes.len().saturating_sub(END);
        let fresh = bytes.get(fresh..).unwrap_or_default();
        self.tail.extend_from_slice(fresh);
        // Not each time: a flood would be moved about as often as it is read.
        if self.tail.len() > 2 * END {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let too_many = self.tail.len().saturating_sub(END);
        self.tail.drain(..too_many);
    }

    pub(crate) fn finish(mut self) -> Captured {
        self.trim();
        let kept = (self.head.len() + self.tail.len()) as u64;
        Captured {
            omitted: self.length.saturating_sub(kept),
            head: self.head,
            tail: self.tail,
        }
    }
}

impl Disk {
    /// A full or broken disk ends the copy, never the run; what is in the file then is a
    /// prefix, as it is past the limit.
    fn take(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX);
        let bytes = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        if bytes.is_empty() {
            return;
        }
        if self.file.is_none() {
            self.file = create(&self.path).ok();
        }
        let written = self
            .file
            .as_mut()
            .is_some_and(|f| f.write_all(bytes).is_ok());
        self.left = if written {
            self.left - bytes.len() as u64
        } else {
            0
        };
    }
}

fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(chunks: usize, size: usize) -> Captured {
        let mut capture = Capture::new(None);
        for n in 0..chunks {
            let byte = u8::try_from(n % 251).unwrap();
            capture.take(&vec![byte; size]);
        }
        capture.finish()
    }

    #[test]
    fn up_to_a_mebibyte_nothing_is_left_out() {
        let got = captured(16, 65536);
        assert_eq!((got.head.len(), got.tail.len(), got.omitted), (WHOLE, 0, 0));
    }

    #[test]
    fn past_it_both_ends_stay() {
        for (chunks, size) in [(17, 65536), (3000, 1000), (3, 5 << 20)] {
            let got = captured(chunks, size);
            assert_eq!((got.head.len(), got.tail.len()), (END, END));
            assert_eq!(got.omitted, (chunks * size - 2 * END) as u64);
            assert_eq!(got.head[0], 0);
            let last = u8::try_from((chunks - 1) % 251).unwrap();
            assert_eq!(got.tail.last(), Some(&last));
        }
    }

    #[test]
    fn the_copy_on_disk_ends_at_its_limit_and_is_the_owners() {
        let folder = std::env::temp_dir().join(format!("cerco-spill-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let spill = Spill {
            folder: folder.clone(),
            name: "r1".into(),
            limit: 10,
        };
        let mut capture = Capture::new(Some((&spill, "stdout")));
        capture.take(b"12345678");
        capture.take(b"9abcdef");
        capture.take(b"more");
        assert_eq!(capture.finish().head, b"123456789abcdefmore");
        let file = folder.join("r1.stdout");
        assert_eq!(std::fs::read(&file).unwrap(), b"123456789a");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
