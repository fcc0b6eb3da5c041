//! A small HTTP client that can send anything, and a window that speaks as a page does.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

use crate::support::Running;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

/// Sends exactly these header lines and this body.
pub(crate) fn raw(port: u16, first: &str, headers: &[String], body: &str) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut request = format!("{first} HTTP/1.1\r\n");
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    let length = body.len();
    let _ = write!(
        stream,
        "{request}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    Answer {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// A signed-in page.
pub(crate) struct Page {
    pub(crate) port: u16,
    pub(crate) cookie: String,
    pub(crate) key: String,
}

impl Page {
    pub(crate) fn sign_in(gateway: &Running) -> Self {
        Self::with_code(gateway.port, &gateway.code).unwrap()
    }

    pub(crate) fn with_code(port: u16, code: &str) -> Result<Self, Answer> {
        let body = json!({"code": code}).to_string();
        let answer = raw(port, "POST /api/session", &headers(port), &body);
        if answer.status != 200 {
            return Err(answer);
        }
        let cookie = answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
        Ok(Self {
            port,
            cookie: cookie.split(';').next().unwrap().to_owned(),
            key: answer.json()["key"].as_str().unwrap().to_owned(),
        })
    }

    pub(crate) fn headers(&self) -> Vec<String> {
        let mut all = headers(self.port);
        all.push(format!("cookie: {}", self.cookie));
        all.push(format!("x-cerco-page: {}", self.key));
        all
    }

    pub(crate) fn send(&self, first: &str, body: &Value) -> Answer {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        raw(self.port, first, &self.headers(), &body)
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = self.send(&format!("GET {path}"), &Value::Null);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Opens the page's live connection.
    pub(crate) fn window(&self) -> Window {
        let mut window = Window {
            socket: connect(self.port, &self.cookie, &origin(self.port)).unwrap(),
            id: String::new(),
        };
        window.say(&json!({"type": "hello", "key": self.key}));
        let welcome = window.event("welcome");
        welcome["window"]
            .as_str()
            .unwrap()
            .clone_into(&mut window.id);
        window
    }

    /// Answers an ask as the page does.
    pub(crate) fn answer(&self, window: &Window, ask: &str, more: &Value) -> Answer {
        let mut body = json!({"window": window.id});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.send(&format!("POST /api/asks/{ask}/answer"), &body)
    }
}

pub(crate) fn origin(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// What a browser sends with every change.
pub(crate) fn headers(port: u16) -> Vec<String> {
    vec![
        format!("host: 127.0.0.1:{port}"),
        format!("origin: {}", origin(port)),
        "content-type: application/json".to_owned(),
        "sec-fetch-site: same-origin".to_owned(),
    ]
}

/// A WebSocket to the live events, with any cookie and origin.
pub(crate) fn connect(
    port: u16,
    cookie: &str,
    origin: &str,
) -> Result<WebSocket<TcpStream>, Box<tungstenite::Error>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut request = tungstenite::http::Request::builder()
        .uri(format!("ws://127.0.0.1:{port}/api/events"))
        .header("host", format!("127.0.0.1:{port}"))
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("cookie", cookie);
    if !origin.is_empty() {
        request = request.header("origin", origin);
    }
    match tungstenite::client(request.body(()).unwrap(), stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
        Err(tungstenite::HandshakeError::Interrupted(_)) => panic!("the handshake hangs"),
    }
}

/// A page's live connection.
pub(crate) struct Window {
    pub(crate) socket: WebSocket<TcpStream>,
    pub(crate) id: String,
}

impl Window {
    pub(crate) fn say(&mut self, message: &Value) {
        self.socket
            .send(Message::Text(message.to_string().into()))
            .unwrap();
    }

    /// The next event of this type; others are passed over.
    pub(crate) fn event(&mut self, kind: &str) -> Value {
        loop {
            let message = self
                .socket
                .read()
                .unwrap_or_else(|e| panic!("no {kind}: {e}"));
            if let Message::Text(text) = message {
                let event: Value = serde_json::from_str(&text).unwrap();
                if event["type"] == kind {
                    return event;
                }
            }
        }
    }

    /// Waits for the next ask, shows it, and lets the time pass that reading takes.
    pub(crate) fn read_ask(&mut self) -> Value {
        let card = self.event("ask")["card"].clone();
        self.say(&json!({"type": "shown", "asks": [card["id"]]}));
        std::thread::sleep(Duration::from_millis(600));
        card
    }
}
