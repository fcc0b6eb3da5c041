//! Reading what stands in another process's memory: a path, a list of arguments.
//!
//! Everything read is an adversary's: every length is bounded, and nothing is assumed
//! of the bytes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use crate::processes::Pid;

/// The kernel never takes more than this for arguments and environment together, however
/// the stack limit is set (three quarters of 8 MiB).
pub const MAX_BYTES: usize = 6 << 20;
/// More words than this in one list are not read.
const MAX_WORDS: usize = 1 << 20;

/// Memory is read by the page: what is mapped at all is mapped by the page.
const PAGE: usize = 4096;
/// So many pages are remembered: arguments and environment mostly lie on a few.
const REMEMBERED: usize = 64;

/// Another process's memory, opened. Stays with the same memory when the process number
/// is used again; a program started meanwhile has other memory.
///
/// A page is read once and remembered: whoever reads twice reads the same.
#[derive(Debug)]
pub struct Memory {
    file: File,
    pages: RefCell<HashMap<u64, Rc<[u8]>>>,
}

impl Memory {
    /// Opens the memory of `pid`: the same user's, or a descendant's where Yama asks for
    /// that.
    pub fn open(pid: Pid) -> io::Result<Self> {
        Ok(Self {
            file: File::open(format!("/proc/{pid}/mem"))?,
            pages: RefCell::default(),
        })
    }

    /// The page that `address` lies on, and where on it.
    fn page(&self, address: u64) -> io::Result<(Rc<[u8]>, usize)> {
        let at = usize::try_from(address % PAGE as u64).unwrap_or_default();
        let base = address - at as u64;
        let mut pages = self.pages.borrow_mut();
        if let Some(page) = pages.get(&base) {
            return Ok((Rc::clone(page), at));
        }
        let mut page = vec![0; PAGE];
        self.file.read_exact_at(&mut page, base)?;
        let page = Rc::<[u8]>::from(page);
        if pages.len() >= REMEMBERED {
            pages.clear();
        }
        pages.insert(base, Rc::clone(&page));
        Ok((page, at))
    }

    /// Fills `buffer` from `address` on.
    pub fn read_exact(&self, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut from = address;
        let mut rest = buffer;
        while !rest.is_empty() {
            let (page, at) = self.page(from)?;
            let part = page.get(at..).unwrap_or_default();
            let length = part.len().min(rest.len());
            let (now, later) = rest.split_at_mut(length);
            now.copy_from_slice(part.get(..length).unwrap_or_default());
            rest = later;
            from = following(from, length)?;
        }
        Ok(())
    }

    /// The NUL-terminated bytes at `address`, at most `limit` long.
    pub fn string(&self, address: u64, limit: usize) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut from = address;
        loop {
            let (page, at) = self.page(from)?;
            let part = page.get(at..).unwrap_or_default();
            let end = part.iter().position(|byte| *byte == 0);
            text.extend_from_slice(part.get(..end.unwrap_or(part.len())).unwrap_or_default());
            if text.len() > limit {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            if end.is_some() {
                return Ok(text);
            }
            from = following(from, part.len())?;
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
            at = following(at, size_of::<u64>())?;
        }
        Ok(list)
    }
}

fn following(address: u64, length: usize) -> io::Result<u64> {
    address
        .checked_add(length as u64)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
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
