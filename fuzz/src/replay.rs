//! Runs the stored corpus of a fuzz target through its check.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// No input of a few hundred bytes takes this long, on a busy machine and unoptimised.
const LONGEST: Duration = Duration::from_secs(5);

/// Fails with the names of the files that `check` fails on.
pub fn replay(target: &str, check: fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut count = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the corpus is there") {
        let path = entry.expect("an entry").path();
        let data = std::fs::read(&path).expect("a file of the corpus");
        let began = Instant::now();
        let ended = std::panic::catch_unwind(|| check(&data)).is_ok();
        if !ended || began.elapsed() > LONGEST {
            wrong.push(path);
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{target}: {wrong:?}");
    assert!(
        count >= 20,
        "{target}: only {count} files in {}",
        folder.display()
    );
}
