//! Reading what stands in another process's memory: a path, a list of arguments.
//!
//! Everything read is an adversary's: every length is bounded, and nothing is assumed
//! of the bytes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::processes::Pid;

/// The kernel never takes more than this for arguments and environment together, however
/// the stack limit is set (three quarters of 8 MiB).
pub const MAX_BYTES: usize = 6 << 20;
/// More words than this in one list are not read.
const MAX_WORDS: usize = 1 << 20;

/// Another process's memory, opened. Stays with the same memory when the process number
/// is used again; a program started meanwhile has other memory.
#[derive(Debug)]
pub struct Memory(File);

impl Memory {
    /// Opens the memory of `pid`: the same user's, or a descendant's where Yama asks for
    /// that.
    pub fn open(pid: Pid) -> io::Result<Self> {
        File::open(format!("/proc/{pid}/mem")).map(Self)
    }

    /// Fills `buffer` from `address` on.
    pub fn read_exact(&self, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(buffer, address)
    }

    /// The NUL-terminated bytes at `address`, at most `limit` long.
    pub fn string(&self, address: u64, limit: usize) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut at = address;
        loop {
            // Up to the end of the page: the next one may not be there.
            let mut chunk = [0; 4096];
            let room = 4096 - usize::try_from(at % 4096).unwrap_or_default();
            let chunk = chunk.get_mut(..room.min(512)).unwrap_or_default();
            let got = self.0.read_at(chunk, at)?;
            let chunk = chunk.get(..got).unwrap_or_default();
            if chunk.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(end) = chunk.iter().position(|byte| *byte == 0) {
                text.extend(chunk.iter().take(end));
                return within(text, limit);
            }
            text.extend_from_slice(chunk);
            if text.len() > limit {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            at = at
                .checked_add(got as u64)
                .ok_or(io::ErrorKind::InvalidData)?;
        }
    }

    /// The strings of the NULL-terminated list of pointers at `address`; all together at
    /// most `limit` bytes. A null `address` is an empty list, as it is to the kernel.
    pub fn strings(&self, address: u64, limit: usize) -> io::Result<Vec<Vec<u8>>> {
        let mut list = Vec::new();
        let mut left = limit;
        let mut at = address;
        while at != 0 {
            let mut pointer = [0; size_of::<u64>()];
            self.read_exact(at, &mut pointer)?;
            let pointer = u64::from_ne_bytes(pointer);
            if pointer == 0 {
                break;
            }
            let text = self.string(pointer, left)?;
            left = left
                .checked_sub(text.len() + 1)
                .ok_or(io::ErrorKind::FileTooLarge)?;
            list.push(text);
            if list.len() > MAX_WORDS {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            at = at
                .checked_add(size_of::<u64>() as u64)
                .ok_or(io::ErrorKind::InvalidData)?;
        }
        Ok(list)
    }
}

fn within(text: Vec<u8>, limit: usize) -> io::Result<Vec<u8>> {
    if text.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Memory {
        Memory::open(Pid::try_from(std::process::id()).unwrap()).unwrap()
    }

    fn address<T>(of: &T) -> u64 {
        std::ptr::from_ref(of) as u64
    }

    #[test]
    fn strings_are_read_across_pages_and_up_to_their_limit() {
        let mut bytes = vec![b'x'; 10_000];
        bytes.push(0);
        let at = address(&bytes[0]);
        assert_eq!(own().string(at, 20_000).unwrap().len(), 10_000);
        assert!(own().string(at, 9_999).is_err());
    }

    #[test]
    fn lists_end_at_null_and_at_their_limit() {
        let words = [c"git", c"status"];
        let list = [words[0].as_ptr() as u64, words[1].as_ptr() as u64, 0];
        let at = address(&list);
        assert_eq!(
            own().strings(at, 100).unwrap(),
            [b"git".to_vec(), b"status".to_vec()]
        );
        assert!(own().strings(at, 8).is_err());
        assert_eq!(own().strings(0, 8).unwrap(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn what_is_not_mapped_is_an_error() {
        assert!(own().string(8, 100).is_err());
        assert!(own().strings(u64::MAX - 3, 100).is_err());
    }
}
