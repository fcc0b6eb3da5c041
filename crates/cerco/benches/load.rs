//! What the gateway bears, whole: 5 GB of output, a file of 64 GB, a fork bomb, a memory
//! bomb, a hundred commands at once. Promised: under 100 MB, an answer within 100 ms.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints and may stop at the first surprise"
)]

#[path = "../tests/cases/load.rs"]
mod cases;

use std::path::Path;

fn main() {
    let ground = cases::Ground::new(Path::new(env!("CARGO_BIN_EXE_cerco")));
    for load in cases::loads(5000, 100) {
        let seen = ground.bear(&load);
        let all = &seen.answers;
        println!(
            "{:14} {:8.2?}; {} answers, median {:.2?}, p99 {:.2?}, most {:.2?}; gateway {} KiB, others {} KiB; {} said {:?}",
            load.name,
            seen.took,
            all.len(),
            all[all.len() / 2],
            all[all.len() * 99 / 100],
            all[all.len() - 1],
            seen.gateway_kib,
            seen.others_kib,
            seen.said.len(),
            seen.said.first(),
        );
    }
}
