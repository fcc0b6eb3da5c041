//! The self-test without the command line around it, with single protections off where the
//! build knows `MUT`; for the containment suite. A line for each outcome.
#![expect(
    clippy::print_stdout,
    reason = "an example talks to the person who started it"
)]

use std::env;
use std::process::ExitCode;

use cerco_sandbox::self_test::{Asked, State};
use cerco_sandbox::stage;

fn main() -> ExitCode {
    if let Some(code) = stage::enter(|_| Err(std::io::ErrorKind::Unsupported.into())) {
        return code;
    }
    let asked = Asked {
        scratch: env::temp_dir(),
        home: env::home_dir(),
        hidden: Vec::new(),
        // Not one variable of this process's own, but for what the suite plants.
        environment: env::vars_os()
            .filter(|(name, _)| name == "PATH" || name == "PLANTED_TOKEN")
            .collect(),
    };
    let outcomes = match outcomes(&asked) {
        Ok(outcomes) => outcomes,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    for outcome in &outcomes {
        println!(
            "{}\t{}\t{}",
            outcome.id,
            outcome.state.as_str(),
            outcome.found
        );
    }
    if outcomes.iter().all(|outcome| outcome.state == State::Holds) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(not(feature = "mutations"))]
fn outcomes(asked: &Asked) -> Result<Vec<cerco_sandbox::self_test::Outcome>, String> {
    cerco_sandbox::self_test::self_test(asked).map_err(|ready| ready.to_string())
}

#[cfg(feature = "mutations")]
#[path = "common/mutations.rs"]
mod mutations;

#[cfg(feature = "mutations")]
fn outcomes(asked: &Asked) -> Result<Vec<cerco_sandbox::self_test::Outcome>, String> {
    let switches = mutations::named(&env::var("MUT").unwrap_or_default())?;
    let sandbox = cerco_sandbox::Sandbox::find(&asked.scratch, asked.home.as_deref())
        .map_err(|why| why.to_string())?;
    Ok(cerco_sandbox::self_test::self_test_in(
        &sandbox.with(switches),
        asked,
    ))
}
