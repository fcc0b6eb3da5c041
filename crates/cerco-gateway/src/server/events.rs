//! A window's WebSocket: live events out, signs of life in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};

use super::Gateway;
use super::guard::cookies;
use crate::doors::MAX_FRAME;
use crate::wire::{Event, Numbered, WindowMessage};

/// How often a page says that it is there; it is present for three of these after each.
const BEAT_MS: u64 = 5000;
/// How long a connection may take to say the page's key, and to be silent afterwards.
const FIRST_WORD: Duration = Duration::from_secs(5);
const LONGEST_SILENCE: Duration = Duration::from_mins(1);

pub(super) async fn upgrade(
    State(gateway): State<Arc<Gateway>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let cookies = cookies(&headers);
    upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        .on_upgrade(move |socket| live(gateway, cookies, socket))
}

/// The text of the next message; nothing when the connection is over, silent or speaks
/// anything else.
pub(super) async fn next_text(
    receiver: &mut (impl StreamExt<Item = Result<Message, axum::Error>> + Unpin),
    patience: Duration,
) -> Option<String> {
    loop {
        match tokio::time::timeout(patience, receiver.next()).await {
            Ok(Some(Ok(Message::Text(text)))) => return Some(text.to_string()),
            Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
            _ => return None,
        }
    }
}

async fn live(gateway: Arc<Gateway>, cookies: String, socket: WebSocket) {
    let (sender, mut receiver) = socket.split();
    let Some(WindowMessage::Hello { key }) = message(&mut receiver, FIRST_WORD).await else {
        return;
    };
    let signed_in = |gateway: &Gateway| {
        let checked = gateway.sessions().check(&cookies, &key, Instant::now());
        checked.is_ok()
    };
    if !signed_in(&gateway) {
        return;
    }
    let (window, feed, event) = gateway.hub.open_window();
    let welcome = Event::Welcome {
        window: window.clone(),
        beat_ms: BEAT_MS,
        event,
    };
    let sending = tokio::spawn(send_all(sender, feed.reader(), welcome));
    while let Some(message) = message(&mut receiver, LONGEST_SILENCE).await {
        if !signed_in(&gateway) {
            break;
        }
        match message {
            WindowMessage::Beat => gateway.hub.beat(&window),
            WindowMessage::Shown { asks } => gateway.hub.shown(&window, &asks),
            WindowMessage::Watch { entries } => gateway.hub.watch(&window, entries),
            WindowMessage::Hello { .. } => break,
        }
    }
    gateway.hub.close_window(&window);
    sending.abort();
}

async fn message(
    receiver: &mut (impl StreamExt<Item = Result<Message, axum::Error>> + Unpin),
    patience: Duration,
) -> Option<WindowMessage> {
    serde_json::from_str(&next_text(receiver, patience).await?).ok()
}

async fn send_all(
    mut sender: SplitSink<WebSocket, Message>,
    mut events: crate::hub::feed::Reader,
    welcome: Event,
) {
    let mut next = Some(Numbered {
        number: 0,
        event: welcome,
    });
    while let Some(event) = next {
        let Ok(text) = serde_json::to_string(&event) else {
            return;
        };
        if sender.send(Message::Text(text.into())).await.is_err() {
            return;
        }
        next = events.next().await;
    }
}
