//! How long bad input takes until it is answered: 100 ms are promised for each kind.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints and may stop at the first surprise"
)]

#[path = "../tests/cases/bad_input.rs"]
mod cases;

use std::path::Path;
use std::time::Instant;

const TIMES: usize = 11;

fn main() {
    let ground = cases::Ground::new(Path::new(env!("CARGO_BIN_EXE_cerco")));
    for case in ground.cases() {
        let mut times: Vec<_> = (0..TIMES)
            .map(|_| {
                let began = Instant::now();
                let done = ground.cerco(&case.args, &case.input);
                let took = began.elapsed();
                let said = String::from_utf8_lossy(&done.stderr);
                assert_eq!(done.status.code(), Some(case.code), "{}: {said}", case.name);
                assert!(said.contains(case.says), "{}: {said}", case.name);
                took
            })
            .collect();
        times.sort();
        let (median, most) = (times[TIMES / 2], times[TIMES - 1]);
        println!("{:34} median {median:?}, most {most:?}", case.name);
    }
}
