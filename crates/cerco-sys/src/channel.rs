//! A pair of connected sockets that keep messages apart and carry descriptors.
//!
//! Between Cerco and its keeper, and between a command's first process and the guard.
//! When one side ends, the other reads end-of-file: that is how each learns of the
//! other's death, without a clock.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// The most descriptors one message may carry (the kernel's own limit is 253).
pub const MAX_DESCRIPTORS: usize = 64;

/// Room for a control message with [`MAX_DESCRIPTORS`] descriptors, aligned as the
/// kernel wants it.
#[repr(align(16))]
struct Control([u8; 1024]);

/// Two connected ends. Neither is inherited by a started program.
pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: `ends` has room for the two descriptors the call writes.
    let done = unsafe {
        libc::socketpair(
            libc::AF_UNIX,
            libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC,
            0,
            ends.as_mut_ptr(),
        )
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    let [a, b] = ends;
    // SAFETY: the kernel just gave us both descriptors; nobody else owns them.
    Ok(unsafe { (OwnedFd::from_raw_fd(a), OwnedFd::from_raw_fd(b)) })
}

/// Sends one message, whole or not at all, with copies of `descriptors`.
///
/// Async-signal-safe: no allocation, no lock. A closed other end is an error, never a
/// signal.
pub fn send(socket: BorrowedFd<'_>, message: &[u8], descriptors: &[RawFd]) -> io::Result<()> {
    if descriptors.len() > MAX_DESCRIPTORS {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut part = libc::iovec {
        iov_base: message.as_ptr().cast_mut().cast(),
        iov_len: message.len(),
    };
    let mut control = Control([0; 1024]);
    // SAFETY: an all-zero msghdr is a valid value: null pointers with length zero.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    let bytes = u32::try_from(size_of_val(descriptors)).map_err(|_| io::ErrorKind::InvalidInput)?;
    if bytes > 0 {
        header.msg_control = control.0.as_mut_ptr().cast();
        // SAFETY: pure arithmetic on a length.
        header.msg_controllen = unsafe { libc::CMSG_SPACE(bytes) } as _;
        // SAFETY: the control buffer is live, aligned and larger than CMSG_SPACE of
        // MAX_DESCRIPTORS descriptors, so the first header and its data lie inside it.
        unsafe {
            let first = libc::CMSG_FIRSTHDR(&raw const header);
            (*first).cmsg_level = libc::SOL_SOCKET;
            (*first).cmsg_type = libc::SCM_RIGHTS;
            (*first).cmsg_len = libc::CMSG_LEN(bytes) as _;
            std::ptr::copy_nonoverlapping(
                descriptors.as_ptr().cast::<u8>(),
                libc::CMSG_DATA(first),
                size_of_val(descriptors),
            );
        }
    }
    loop {
        // SAFETY: `header` and everything it points to are live during the call.
        let sent =
            unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, libc::MSG_NOSIGNAL) };
        if usize::try_from(sent) == Ok(message.len()) {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// One received message.
#[derive(Debug)]
pub struct Received {
    /// How many bytes of the buffer it filled; none means that the other side is gone.
    pub length: usize,
    /// The descriptors it carried; close-on-exec.
    pub descriptors: Vec<OwnedFd>,
}

/// Receives one message into `buffer`, waiting for it. A message longer than the buffer
/// is an error, never cut short.
pub fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Received> {
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    let mut control = MaybeUninit::new(Control([0; 1024]));
    // SAFETY: an all-zero msghdr is a valid value: null pointers with length zero.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = size_of::<Control>() as _;
    let length = loop {
        // SAFETY: `header` and everything it points to are live and writable.
        let got =
            unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) };
        if let Ok(length) = usize::try_from(got) {
            break length;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };
    let descriptors = take_descriptors(&header);
    if header.msg_flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(Received {
        length,
        descriptors,
    })
}

fn take_descriptors(header: &libc::msghdr) -> Vec<OwnedFd> {
    let mut taken = Vec::new();
    // SAFETY: the kernel filled the control buffer that `header` points to and set its
    // length; the CMSG functions stay inside that length. Each descriptor in it was
    // just given to us and is taken exactly once.
    unsafe {
        let mut next = libc::CMSG_FIRSTHDR(header);
        while !next.is_null() {
            if (*next).cmsg_level == libc::SOL_SOCKET && (*next).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*next).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let data = std::slice::from_raw_parts(libc::CMSG_DATA(next), bytes);
                for number in data.as_chunks().0 {
                    taken.push(OwnedFd::from_raw_fd(RawFd::from_ne_bytes(*number)));
                }
            }
            next = libc::CMSG_NXTHDR(header, next);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_message_arrives_whole_with_its_descriptor() {
        let (a, b) = pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        send(a.as_fd(), b"job", &[writer.as_raw_fd()]).unwrap();
        drop(writer);
        let mut buffer = [0; 16];
        let mut got = receive(b.as_fd(), &mut buffer).unwrap();
        assert_eq!(&buffer[..got.length], b"job");
        File::from(got.descriptors.remove(0))
            .write_all(b"through")
            .unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
    }

    #[test]
    fn the_death_of_one_side_is_an_empty_message() {
        let (a, b) = pair().unwrap();
        drop(a);
        assert_eq!(receive(b.as_fd(), &mut [0; 4]).unwrap().length, 0);
        assert!(send(b.as_fd(), b"x", &[]).is_err());
    }

    #[test]
    fn a_message_too_long_for_the_buffer_is_an_error() {
        let (a, b) = pair().unwrap();
        send(a.as_fd(), b"longer", &[]).unwrap();
        assert!(receive(b.as_fd(), &mut [0; 3]).is_err());
    }
}
