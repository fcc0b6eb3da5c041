//! The memory of this process's own data.

/// Has all threads share one heap. For a short-lived program with threads that hardly work:
/// the C library would make each of them a heap of its own, which costs more than they do.
pub fn share() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt takes integers, and is to be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
