//! A parser that panics has parsed nothing.
//!
//! The parser is other people's code and the text may be written against it: slices at
//! spans that don't lie in the text have been seen. A panic in it is caught here and
//! counts as text that can't be read. The process' panic hook hears nothing of it, so
//! that no text can write to anybody's standard error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// What `run` returns; nothing where it panicked. The panic is not reported.
///
/// `run` must not leave anything half done behind: what it worked on is dropped.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let hook = take_hook();
        set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                hook(info);
            }
        }));
    });
    let outside = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outside);
    result.ok()
}

#[cfg(test)]
#[allow(clippy::panic, reason = "panics are what is tested")]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    static HEARD: AtomicU32 = AtomicU32::new(0);

    /// Tests run one a process, so the hook is this test's own.
    #[test]
    fn a_panic_inside_is_caught_and_unheard_and_one_outside_is_heard() {
        set_hook(Box::new(|_| {
            HEARD.fetch_add(1, Ordering::Relaxed);
        }));
        assert_eq!(guarded(|| 7), Some(7));
        let inner: Option<u8> = guarded(|| panic!("hostile text"));
        assert_eq!((inner, HEARD.load(Ordering::Relaxed)), (None, 0));
        let nested = guarded(|| {
            let inner: Option<u8> = guarded(|| panic!("one deeper"));
            inner.is_none()
        });
        assert_eq!((nested, HEARD.load(Ordering::Relaxed)), (Some(true), 0));
        assert!(catch_unwind(|| panic!("our own")).is_err());
        assert_eq!(HEARD.load(Ordering::Relaxed), 1);
    }
}
