//! What must hold of a reading of any bytes: it comes to an end, without a panic, and every
//! part that it names lies inside the text.
//!
//! The fuzz targets and the replay of the stored corpus both run these functions.

use cerco_model::{Command, Dialect, Part, Place};
use cerco_reader::{Call, Inner, Programs, Reading, read};

use crate::place::place;

struct NoPrograms;

impl Programs for NoPrograms {
    type Bound = ();
    fn bind(&self, _: Call<'_>, _: &Place<'_>, _: &mut Vec<Inner>) {}
}

/// A POSIX text; its first byte chooses between bash and a plain POSIX shell.
pub fn posix(data: &[u8]) {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let dialect = if first % 2 == 0 {
        Dialect::Bash
    } else {
        Dialect::Sh
    };
    check(text, dialect);
}

/// A PowerShell text.
pub fn powershell(data: &[u8]) {
    check(data, Dialect::PowerShell);
}

/// A text of cmd.exe.
pub fn cmd(data: &[u8]) {
    check(data, Dialect::Cmd);
}

/// Reads `text` as `dialect`; bytes that are no command's text are passed over.
fn check(text: &[u8], dialect: Dialect) {
    let Ok(command) = Command::new(text.to_vec(), dialect) else {
        return;
    };
    let reading = read(&command, &place(dialect), &NoPrograms);
    for part in parts(&reading) {
        assert!(
            part.of(command.text()).is_some(),
            "{part:?} lies outside of {:?}",
            command.text()
        );
    }
}

fn parts(reading: &Reading<()>) -> impl Iterator<Item = Part> + '_ {
    let starts = reading.starts.iter().flat_map(|start| {
        [start.part, start.name.part]
            .into_iter()
            .chain(start.args.iter().map(|word| word.part))
            .chain(start.redirections.iter().map(|r| r.target.part))
    });
    starts
        .chain(reading.doubts.iter().map(|doubt| doubt.part))
        .chain(reading.assignments.iter().map(|a| a.part))
        .chain(reading.redirections.iter().map(|r| r.target.part))
        .chain(reading.functions.iter().map(|f| f.part))
        .chain(reading.endless_loops.iter().copied())
}
