//! The reader of cmd.exe's text on any bytes; `src/reading.rs` says what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cerco_fuzz::reading::cmd(data));
