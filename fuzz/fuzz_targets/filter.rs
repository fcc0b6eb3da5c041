//! The filter on any bytes of any dialect; `src/judging.rs` says what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cerco_fuzz::judging::judged(data));
