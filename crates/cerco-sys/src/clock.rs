//! The clock that goes on while the machine sleeps and can't be set (`CLOCK_BOOTTIME`).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Time since the machine started, sleep included.
#[must_use]
pub fn since_boot() -> Duration {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `now` is live and writable, and all-zero is a valid timespec.
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_BOOTTIME, now.as_mut_ptr());
        now.assume_init()
    };
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or_default(),
        u32::try_from(now.tv_nsec).unwrap_or_default(),
    )
}

/// A descriptor that becomes readable at a set time, also right after the machine wakes
/// from a sleep that went past it.
#[derive(Debug)]
pub struct Alarm(OwnedFd);

impl Alarm {
    /// An alarm that is not set.
    pub fn new() -> io::Result<Self> {
        // SAFETY: timerfd_create takes two integers.
        let fd = unsafe {
            libc::timerfd_create(libc::CLOCK_BOOTTIME, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Sets it to go off once, `after` from now. An earlier setting is forgotten.
    pub fn set(&self, after: Duration) -> io::Result<()> {
        // Zero would switch it off instead.
        let after = after.max(Duration::from_nanos(1));
        // SAFETY: an all-zero itimerspec is a valid value of plain integers.
        let mut setting: libc::itimerspec = unsafe { std::mem::zeroed() };
        setting.it_value.tv_sec = after.as_secs().try_into().unwrap_or(libc::time_t::MAX);
        setting.it_value.tv_nsec = after.subsec_nanos().into();
        // SAFETY: `setting` is live; the old value may be null.
        let done = unsafe {
            libc::timerfd_settime(
                self.0.as_raw_fd(),
                0,
                &raw const setting,
                std::ptr::null_mut(),
            )
        };
        if done == 0 {
            return Ok(());
        }
        Err(io::Error::last_os_error())
    }
}

impl AsFd for Alarm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_goes_off_once_its_time_has_come() {
        let alarm = Alarm::new().unwrap();
        let before = since_boot();
        alarm.set(Duration::from_millis(30)).unwrap();
        let ready = crate::poll::wait(&[alarm.as_fd()], Some(Duration::from_secs(5))).unwrap();
        assert_eq!(ready, [crate::poll::Ready::Readable]);
        assert!(since_boot().checked_sub(before).unwrap() >= Duration::from_millis(30));
    }
}
