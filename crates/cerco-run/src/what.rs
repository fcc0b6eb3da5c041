//! A cleared command as a program to start: its words, its environment, its time.

use std::ffi::OsString;
use std::time::Duration;

use cerco_model::{Cleared, Containment, TimeClass};

use crate::environment::MARK;
use crate::guard::RunBy;
use crate::options::Options;
use crate::plain::plain_program;

/// The command as a program to start.
pub(crate) struct What {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) mark: String,
    pub(crate) limit: Duration,
    pub(crate) run_by: RunBy,
}

pub(crate) fn prepare<C: Containment>(
    cleared: &Cleared<C>,
    options: &Options<'_>,
) -> Result<What, String> {
    let command = cleared.command();
    if command.dialect() != options.shell.dialect() {
        return Err(format!(
            "the command was judged as {:?}, and {} would run it; judge it again for that shell",
            command.dialect(),
            options.shell.program().display()
        ));
    }
    let mark = cleared
        .environment()
        .iter()
        .find(|(name, _)| name == MARK)
        .map(|(name, value)| format!("{name}={value}"))
        .ok_or("the command was judged without a run's environment; judge it again with one")?;
    let (program, arguments, run_by) = if let Some(words) = plain_program(command.text()) {
        let mut words = words.into_iter().map(OsString::from);
        let program = words.next().unwrap_or_default();
        (program, words.collect(), RunBy::Nobody)
    } else {
        let arguments = options.shell.arguments(command.text());
        (
            options.shell.program().into(),
            arguments.into_iter().map(OsString::from).collect(),
            RunBy::Shell,
        )
    };
    Ok(What {
        program,
        arguments,
        environment: cleared
            .environment()
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        mark,
        limit: match cleared.time() {
            TimeClass::Quick => options.times.quick,
            TimeClass::Long => options.times.long,
        },
        run_by,
    })
}
