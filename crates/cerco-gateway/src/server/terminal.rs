//! The person's terminals over HTTP and WebSocket. Agents' doors know no word of this.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::{SinkExt, StreamExt};

use super::Gateway;
use super::api::{Wanted, on_hub};
use super::events::next_text;
use super::guard::{Failure, cookies};
use crate::doors::MAX_FRAME;
use crate::hub::Hub;
use crate::terminals::{Pty, Shown, Size, TerminalError, insert::words};
use crate::wire::{
    Event, InsertRefusal, InsertRequest, InsertResult, InsertSource, OpenTerminal, Terminal,
    TerminalEvent, TerminalId, TerminalMessage,
};
use crate::words::shown_text;

impl From<TerminalError> for Failure {
    fn from(error: TerminalError) -> Self {
        Self::new(422, "no_terminal", crate::words::shown(&error.to_string()))
    }
}

fn found(gateway: &Gateway, id: &TerminalId) -> Result<Arc<Pty>, Failure> {
    gateway.terminals.get(id).ok_or_else(|| {
        Failure::new(
            404,
            "not_found",
            "there is no such terminal (any more)".to_owned(),
        )
    })
}

fn tell(gateway: &Gateway) {
    let terminals = gateway.terminals.list();
    gateway.hub.tell(&Event::TerminalsChanged { terminals });
}

pub(super) async fn list(State(gateway): State<Arc<Gateway>>) -> Json<Vec<Terminal>> {
    Json(gateway.terminals.list())
}

pub(super) async fn open(
    State(gateway): State<Arc<Gateway>>,
    Wanted(body): Wanted<OpenTerminal>,
) -> Result<Json<TerminalId>, Failure> {
    let folder = body.folder.map(PathBuf::from);
    if folder
        .as_ref()
        .is_some_and(|f| !f.is_absolute() || !f.is_dir())
    {
        return Err(Failure::new(
            422,
            "no_folder",
            "there is no such folder".to_owned(),
        ));
    }
    let size = Size {
        columns: body.columns,
        rows: body.rows,
    };
    let id = gateway.terminals.open(&body.shell, folder, size)?;
    tell(&gateway);
    Ok(Json(id))
}

pub(super) async fn close(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<TerminalId>,
) -> Result<StatusCode, Failure> {
    found(&gateway, &id)?;
    gateway.terminals.close(&id);
    tell(&gateway);
    Ok(StatusCode::NO_CONTENT)
}

/// "Run in terminal": the text comes from our own record of the entry or chat answer.
pub(super) async fn insert(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<TerminalId>,
    Wanted(body): Wanted<InsertRequest>,
) -> Result<Json<InsertResult>, Failure> {
    let pty = found(&gateway, &id)?;
    let from = body.from;
    let kept = move |hub: &Hub| match &from {
        InsertSource::Entry(entry) => hub.kept_command(entry),
        InsertSource::Code { said, block } => hub.kept_code(said, *block),
    };
    let (text, masked) = on_hub(&gateway, kept).await?;
    let command = shown_text(&text, &[]);
    let refused = |why: InsertRefusal, command| {
        Ok(Json(InsertResult::Refused {
            id: why,
            text: words(why).to_owned(),
            command,
        }))
    };
    if masked {
        return refused(InsertRefusal::Masked, command);
    }
    if let Err(why) = pty.prepare(&text) {
        return refused(why, command);
    }
    // A text that wraps or hides something is looked at first, as on an ask's card.
    let wraps = text.contains('\n') || text.chars().count() > pty.size().columns.into();
    if (wraps || command.has_hidden) && !body.confirmed {
        return Ok(Json(InsertResult::Preview { command }));
    }
    match pty.insert(&text) {
        Ok(()) => Ok(Json(InsertResult::Inserted)),
        Err(why) => refused(why, command),
    }
}

pub(super) async fn upgrade(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<TerminalId>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Failure> {
    let pty = found(&gateway, &id)?;
    let cookies = cookies(&headers);
    Ok(upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        .on_upgrade(move |socket| live(gateway, cookies, pty, socket)))
}

async fn live(gateway: Arc<Gateway>, cookies: String, pty: Arc<Pty>, socket: WebSocket) {
    let (mut sender, mut receiver) = socket.split();
    let first = next_text(&mut receiver, Duration::from_secs(5)).await;
    let first = first.and_then(|text| serde_json::from_str(&text).ok());
    let Some(TerminalMessage::Hello { key }) = first else {
        return;
    };
    let signed_in = |gateway: &Gateway| {
        let checked = gateway.sessions().check(&cookies, &key, Instant::now());
        checked.is_ok()
    };
    if !signed_in(&gateway) {
        return;
    }
    let mut viewer = pty.view();
    let scrollback = std::mem::take(&mut viewer.scrollback);
    let head = TerminalEvent::Scrollback {
        bytes: scrollback.len() as u64,
    };
    if send(&mut sender, &head).await.is_err() {
        return;
    }
    for chunk in scrollback.chunks(MAX_FRAME) {
        if sender
            .send(Message::Binary(chunk.to_vec().into()))
            .await
            .is_err()
        {
            return;
        }
    }
    loop {
        tokio::select! {
            shown = viewer.next() => match shown {
                Some(Shown::Output(bytes)) => {
                    if sender.send(Message::Binary(bytes.into())).await.is_err() {
                        return;
                    }
                }
                Some(Shown::Ended(code)) => {
                    tell(&gateway);
                    if send(&mut sender, &TerminalEvent::Ended { code }).await.is_err() {
                        return;
                    }
                }
                None => return,
            },
            text = next_text(&mut receiver, Duration::from_hours(12)) => {
                let message = text.and_then(|text| serde_json::from_str(&text).ok());
                if !signed_in(&gateway) {
                    return;
                }
                match message {
                    Some(TerminalMessage::Input { data }) => {
                        pty.type_keys(data.into_bytes());
                    }
                    Some(TerminalMessage::Resize { columns, rows }) => {
                        pty.resize(Size { columns, rows });
                    }
                    Some(TerminalMessage::Drawn { bytes }) => viewer.drawn(bytes),
                    Some(TerminalMessage::Hello { .. }) | None => return,
                }
            }
        }
    }
}

async fn send(
    sender: &mut (impl SinkExt<Message> + Unpin),
    event: &TerminalEvent,
) -> Result<(), ()> {
    let text = serde_json::to_string(event).map_err(|_| ())?;
    sender
        .send(Message::Text(text.into()))
        .await
        .map_err(|_| ())
}
