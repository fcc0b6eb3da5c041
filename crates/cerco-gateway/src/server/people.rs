//! The person's door: a second socket for `cerco open`, `asks`, `answer`, `status` and
//! `down`. Who connects must not descend from a command or a host, and must sit at a
//! terminal, in its foreground: an agent's shell tool does not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;

use super::{Gateway, agents};
use crate::doors::Refused;
use crate::doors::speaker::at_a_terminal;
use crate::hub::HubError;
use crate::wire::{
    Answer, AnswerRequest, AskCard, PersonReply, PersonVerb, SCHEMA_VERSION, Status, WindowId,
};

const MAX_PEOPLE: usize = 32;

pub(super) async fn accept(gateway: Arc<Gateway>, listener: UnixListener) {
    let seats = Arc::new(Semaphore::new(MAX_PEOPLE));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(seat) = Arc::clone(&seats).try_acquire_owned() else {
            continue;
        };
        let gateway = Arc::clone(&gateway);
        tokio::spawn(async move {
            serve(gateway, stream).await;
            drop(seat);
        });
    }
}

/// An address with a new one-time code in its fragment, which browsers never send.
pub(super) fn address(gateway: &Gateway) -> Result<String, getrandom::Error> {
    let code = gateway.sessions().new_code(Instant::now())?;
    Ok(format!("{}/#c={}", gateway.page(), code.reveal()))
}

async fn serve(gateway: Arc<Gateway>, stream: UnixStream) {
    let Ok(peer) = stream.peer_cred() else { return };
    if peer.uid() != gateway.user {
        return;
    }
    let pid = peer.pid().and_then(|p| u32::try_from(p).ok());
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut window = None;
    loop {
        // A terminal that lists asks is a window; it may think for a while.
        let patience = Duration::from_secs(if window.is_some() { 600 } else { 10 });
        let beating = async {
            let mut beats = tokio::time::interval(Duration::from_secs(5));
            loop {
                beats.tick().await;
                if let Some(window) = &window {
                    gateway.hub.beat(window);
                }
            }
        };
        let line = tokio::select! {
            line = tokio::time::timeout(patience, agents::line(&mut reader)) => line,
            () = beating => break,
        };
        let Ok(Some(line)) = line else { break };
        let Ok(verb) = serde_json::from_slice::<PersonVerb>(&line) else {
            break;
        };
        let reply = match check(&gateway, pid, &verb).await {
            Ok(()) => act(&gateway, verb, &mut window).await,
            Err(refused) => PersonReply::Refused {
                id: refused.id_and_status().0.to_owned(),
                text: refused.to_string(),
            },
        };
        let Ok(mut line) = serde_json::to_vec(&reply) else {
            break;
        };
        line.push(b'\n');
        if writer.write_all(&line).await.is_err() {
            break;
        }
    }
    if let Some(window) = window {
        gateway.hub.close_window(&window);
    }
}

async fn check(gateway: &Arc<Gateway>, pid: Option<u32>, verb: &PersonVerb) -> Result<(), Refused> {
    if *verb == PersonVerb::Status {
        return Ok(());
    }
    let pid = pid.ok_or(Refused::UnknownSpeaker)?;
    let gateway = Arc::clone(gateway);
    let looked = tokio::task::spawn_blocking(move || {
        let terminals = gateway.terminals.shell_processes();
        let found = gateway
            .speakers
            .check_process(pid, &terminals)
            .and_then(|()| at_a_terminal(pid));
        if let Err(refused) = &found {
            gateway.hub.alarm(&refused.to_string());
        }
        found
    });
    looked.await.unwrap_or(Err(Refused::UnknownSpeaker))
}

async fn act(
    gateway: &Arc<Gateway>,
    verb: PersonVerb,
    window: &mut Option<WindowId>,
) -> PersonReply {
    match verb {
        PersonVerb::Open => match address(gateway) {
            Ok(url) => PersonReply::Address { url },
            Err(error) => refused("random", &error),
        },
        PersonVerb::Status => PersonReply::Status {
            status: status(gateway),
        },
        PersonVerb::Asks => PersonReply::Asks {
            asks: show(gateway, window),
        },
        PersonVerb::Answer { ask, answer, note } => {
            if answer == Answer::AllowAlways {
                let text = "\"always\" is given on the page only; run: cerco open";
                return refused("page_only", &text);
            }
            let Some(window) = window.clone() else {
                return refused("not_shown", &"list the asks first, on the same connection");
            };
            let request = AnswerRequest {
                answer,
                kinds: Vec::new(),
                note,
                edited: None,
                window,
            };
            let hub = Arc::clone(&gateway.hub);
            let done = tokio::task::spawn_blocking(move || hub.answer(&ask, &request)).await;
            match done {
                Ok(Ok(result)) => PersonReply::Answered { result },
                Ok(Err(error)) => refused(hub_id(&error), &error),
                Err(error) => refused("failed", &error),
            }
        }
        PersonVerb::Down => {
            gateway.go_down();
            PersonReply::GoingDown
        }
    }
}

fn hub_id(error: &HubError) -> &'static str {
    error.id_and_status().0
}

fn refused(id: &str, text: &dyn std::fmt::Display) -> PersonReply {
    PersonReply::Refused {
        id: id.to_owned(),
        text: text.to_string(),
    }
}

/// The terminal becomes a window, and its asks count as shown from now on.
fn show(gateway: &Gateway, window: &mut Option<WindowId>) -> Vec<AskCard> {
    let id = window.get_or_insert_with(|| gateway.hub.open_window().0);
    let asks = gateway.hub.asks();
    let ids: Vec<_> = asks.iter().map(|card| card.id.clone()).collect();
    gateway.hub.shown(id, &ids);
    asks
}

fn status(gateway: &Gateway) -> Status {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (boards, asks) = gateway.hub.boards_and_asks();
    Status {
        schema_version: SCHEMA_VERSION,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        address: gateway.page(),
        started_at: gateway.hub.started_at(),
        windows: count(gateway.hub.windows()),
        boards: count(boards),
        asks: count(asks),
        runs: count(gateway.hub.running()),
    }
}
