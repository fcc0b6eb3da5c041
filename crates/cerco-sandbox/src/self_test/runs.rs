//! The runs of a self-test, and what follows from them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use super::ground::{self, Ground};
use super::table::{self, Found};
use super::{Asked, Outcome, State, WORD};
use crate::foreground::{Finished, Streams, attended};
use crate::launch::Sandbox;
use crate::plan::STAGE;
use crate::refusal::Refusal;
use crate::request::{Limits, Request};
use crate::survey::survey;

/// All attempts together take less than a second on a machine that does little else.
const LONGEST: Duration = Duration::from_secs(6);
/// The second run's time, which is meant to be up.
const SHORT: Duration = Duration::from_millis(500);
/// As the command line says that a command's time was up.
const TIMED_OUT: u8 = 124;

/// Makes everything; in words what failed before anything could be tried.
pub(super) fn all(sandbox: &Sandbox, asked: &Asked) -> Result<Vec<Outcome>, String> {
    let mut ground = Ground::new(asked).map_err(|e| {
        format!(
            "no project could be made in {}: {e}",
            asked.scratch.display()
        )
    })?;
    let said = ground.path("said");
    let mut words = vec![OsString::from("all")];
    words.extend(ground.names.encode());
    let finished = run(sandbox, &ground, asked, &words, LONGEST, Some(said.clone()))
        .map_err(|why| why.to_string())?;
    let told = told(&std::fs::read_to_string(said).unwrap_or_default());
    let silent = why_silent(&finished);
    ground.finished = Some(finished);
    let mut outcomes: Vec<Outcome> = table::attempts()
        .map(|attempt| {
            let inside = told.get(attempt.id);
            outcome(
                (attempt.id, attempt.what),
                inside,
                attempt.look.map_or(Ok(()), |look| look(&ground)),
                &silent,
            )
        })
        .collect();
    outcomes.push(plain(table::LINK, link(&ground, asked)));
    outcomes.push(plain(table::TIME, time(sandbox, &ground, asked)));
    Ok(outcomes)
}

/// What the inside told, by name.
fn told(text: &str) -> HashMap<String, Found> {
    text.lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, '\t');
            let id = fields.next()?.to_owned();
            let found = match (fields.next()?, fields.next()) {
                ("ok", _) => Ok(()),
                ("no", Some(why)) => Err(why.to_owned()),
                _ => return None,
            };
            Some((id, found))
        })
        .collect()
}

/// Why an attempt may have told nothing.
fn why_silent(finished: &Finished) -> String {
    if finished.notes.is_empty() {
        format!("it did not come to its end (exit {})", finished.code)
    } else {
        finished.notes.join("; ")
    }
}

/// The worst of both sides; silence is never good.
fn outcome(
    (id, what): (&'static str, &'static str),
    inside: Option<&Found>,
    outside: Found,
    silent: &str,
) -> Outcome {
    let (state, found) = match (inside, outside) {
        (_, Err(why)) => (State::Broken, why),
        (Some(Err(why)), Ok(())) => (State::Broken, why.clone()),
        (None, Ok(())) => (State::Unknown, silent.to_owned()),
        (Some(Ok(())), Ok(())) => (State::Holds, String::new()),
    };
    Outcome {
        id,
        what,
        state,
        found,
    }
}

fn plain(names: (&'static str, &'static str), found: Found) -> Outcome {
    outcome(names, Some(&Ok(())), found, "")
}

/// A loop's folder that a link leads out of the project.
fn link(ground: &Ground, asked: &Asked) -> Found {
    let mut request = request(ground, asked);
    request.loop_folder = ground.path("project/loops/link");
    symlink(ground.path("outside"), &request.loop_folder).map_err(|e| e.to_string())?;
    request.directory = request.loop_folder.clone();
    match survey(&request) {
        Err(Refusal::Link { .. }) => Ok(()),
        Err(other) => Err(format!("it is refused for another reason: {other}")),
        Ok(_) => Err("it is taken for a folder".to_owned()),
    }
}

/// Processes that left their session and ignore polite requests, and a time that is up.
fn time(sandbox: &Sandbox, ground: &Ground, asked: &Asked) -> Found {
    let mark = format!("{}-late", ground.names.mark);
    let words = ["stay".into(), mark.clone().into()];
    let finished =
        run(sandbox, ground, asked, &words, SHORT, None).map_err(|why| why.to_string())?;
    if finished.code != TIMED_OUT {
        return Err(format!("it ended with {} instead", finished.code));
    }
    ground::nobody_with(&mark)
}

fn request(ground: &Ground, asked: &Asked) -> Request {
    let own = ground.names.own.clone();
    let mut hidden = asked.hidden.clone();
    hidden.push(ground.path("project/app"));
    Request {
        project: ground.names.project.clone(),
        directory: own.clone(),
        other_loops: vec![
            own.join("deep/er/inner"),
            ground.path("project/loops/other"),
        ],
        loop_folder: own,
        hidden,
        home: asked.home.clone(),
        limits: Limits {
            // Filled to the brim in one attempt; the others are as for any command.
            scratch_bytes: 4 << 20,
            ..Limits::default()
        },
        ..Request::default()
    }
}

fn run(
    sandbox: &Sandbox,
    ground: &Ground,
    asked: &Asked,
    words: &[OsString],
    limit: Duration,
    said: Option<PathBuf>,
) -> Result<Finished, Refusal> {
    let mut command: Vec<OsString> = vec![STAGE.into(), WORD.into()];
    command.extend_from_slice(words);
    let file = |path: PathBuf| -> io::Result<OwnedFd> { Ok(File::create(path)?.into()) };
    let streams = Streams {
        stdout: file(said.unwrap_or_else(|| "/dev/null".into())),
        stderr: file("/dev/null".into()),
    };
    let request = request(ground, asked);
    let mut quiet = |_: &str| {};
    let environment = &asked.environment;
    attended(
        sandbox,
        &request,
        &command,
        environment,
        Some(limit),
        streams,
        &mut quiet,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inside: Option<&Found>, outside: Found, expected: State) {
        let outcome = outcome(("a.b", "…"), inside, outside, "silent");
        assert_eq!(outcome.state, expected);
        assert_eq!(outcome.found.is_empty(), expected == State::Holds);
    }

    #[test]
    fn the_worst_side_counts_and_silence_is_not_good() {
        let bad = || Err("got through".to_owned());
        check(Some(&Ok(())), Ok(()), State::Holds);
        check(Some(&bad()), Ok(()), State::Broken);
        check(Some(&Ok(())), bad(), State::Broken);
        check(None, Ok(()), State::Unknown);
        check(None, bad(), State::Broken);
    }

    #[test]
    fn only_whole_lines_count() {
        let told = told("a\tok\nb\tno\tit got\tout\nc\nd\tno\n");
        assert_eq!(told.len(), 2);
        assert_eq!(told["b"], Err("it got\tout".to_owned()));
    }
}
