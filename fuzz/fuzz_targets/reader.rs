//! The POSIX reader on any bytes; `src/reading.rs` says what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cerco_fuzz::reading::posix(data));
