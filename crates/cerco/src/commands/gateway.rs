//! `cerco down`, `status`, `open`: what a person says to a gateway that is up.

use std::process::{Command, Stdio};

use cerco_gateway::client::{ClientError, PersonClient};
use cerco_gateway::folders::Folders;
use serde_json::json;

use crate::cli::OpenArgs;
use crate::failure::{Failure, code};
use crate::inside;
use crate::out::{Out, shown};
use crate::report::SCHEMA_VERSION;

use super::log::unix_ms;

/// Whether a browser is to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Browser {
    Open,
    Leave,
}

impl Browser {
    /// Opens it, where one can be: the link was printed, so failing is no failure.
    pub(crate) fn go(self, url: &str) {
        if self == Self::Leave {
            return;
        }
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let program = if cfg!(target_os = "macos") {
            "open"
        } else if set("DISPLAY") || set("WAYLAND_DISPLAY") {
            "xdg-open"
        } else {
            return;
        };
        let _ = Command::new(program)
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}

/// The gateway, or the words that none is up.
pub(crate) fn connected() -> Result<PersonClient, Failure> {
    let folders = Folders::from_environment().map_err(Failure::own)?;
    PersonClient::connect(&folders)
        .map_err(Failure::own)?
        .ok_or_else(|| Failure::own("no gateway is up; start it with: cerco up"))
}

/// What the gateway refuses is refused; all else is our failure.
pub(crate) fn said(error: ClientError) -> Failure {
    match error {
        ClientError::Refused(text) => Failure {
            code: code::REFUSED,
            what: Some(text),
        },
        ClientError::Gone(_) | ClientError::Unknown(_) => Failure::own(error),
    }
}

/// Prints a link that signs a browser in, and opens it.
pub(crate) fn sign_in(
    person: &mut PersonClient,
    browser: Browser,
    out: Out,
) -> Result<(), Failure> {
    let url = match person.open() {
        Ok(url) => Ok(url),
        Err(ClientError::Refused(why)) => Err(why),
        Err(error) => return Err(Failure::own(error)),
    };
    let status = person.status().map_err(Failure::own)?;
    if out.json {
        out.json(&json!({
            "schema_version": SCHEMA_VERSION, "up": true, "address": status.address,
            "url": url.as_ref().ok(), "pid": status.pid,
        }))?;
    }
    match url {
        Ok(url) => {
            if !out.json {
                out.data(&url)?;
                out.say("cerco: the link signs one browser in, once, within a minute");
            }
            browser.go(&url);
        }
        Err(why) => {
            if !out.json {
                out.data(&status.address)?;
            }
            out.say(format_args!("cerco: no sign-in link: {}", shown(why)));
        }
    }
    Ok(())
}

pub(crate) fn open(args: &OpenArgs, out: Out) -> Result<u8, Failure> {
    inside::persons_only("opening the page")?;
    let mut person = connected()?;
    let url = person.open().map_err(said)?;
    if out.json {
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "url": url }))?;
    } else {
        out.data(&url)?;
    }
    if !args.no_browser {
        Browser::Open.go(&url);
    }
    Ok(0)
}

pub(crate) fn down(out: Out) -> Result<u8, Failure> {
    inside::persons_only("ending the gateway")?;
    connected()?.down().map_err(said)?;
    if out.json {
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "up": false }))?;
    } else {
        out.data("the gateway is down")?;
    }
    Ok(0)
}

pub(crate) fn status(out: Out) -> Result<u8, Failure> {
    let folders = Folders::from_environment().map_err(Failure::own)?;
    let Some(mut person) = PersonClient::connect(&folders).map_err(Failure::own)? else {
        if out.json {
            out.json(&json!({ "schema_version": SCHEMA_VERSION, "up": false }))?;
        } else {
            out.data("no gateway is up; start it with: cerco up")?;
        }
        return Ok(code::NOT_UP);
    };
    let status = person.status().map_err(Failure::own)?;
    if out.json {
        out.json(&json!({ "schema_version": SCHEMA_VERSION, "up": true, "status": status }))?;
        return Ok(0);
    }
    let up = unix_ms().saturating_sub(status.started_at) / 1000;
    out.data(format_args!(
        "up for {} (process {}), version {}",
        span(up),
        status.pid,
        shown(&status.version)
    ))?;
    out.data(format_args!("page      {}", shown(&status.address)))?;
    out.data(format_args!("windows   {}", status.windows))?;
    out.data(format_args!("boards    {}", status.boards))?;
    out.data(format_args!("asks      {}", status.asks))?;
    out.data(format_args!("running   {}", status.runs))?;
    Ok(0)
}

fn span(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
