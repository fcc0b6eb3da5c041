//! The description, the page's files, and the terminal over its WebSocket.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::http::{Page, headers, raw};
use crate::support::{Running, until};

#[test]
fn every_described_route_exists_and_is_guarded() {
    let gateway = Running::start();
    let description = raw(
        gateway.port,
        "GET /api/openapi.json",
        &headers(gateway.port),
        "",
    )
    .json();
    assert_eq!(description, cerco_gateway::server::description());
    let mut seen = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            seen += 1;
            let path = path.replace(['{', '}'], "");
            let first = format!("{} {path}", method.to_uppercase());
            let status = raw(gateway.port, &first, &headers(gateway.port), "{}").status;
            let open = matches!(
                (method.as_str(), path.as_str()),
                ("get", "/api/openapi.json") | ("post" | "delete", "/api/session")
            );
            assert!(open || status == 401, "{first} without a session: {status}");
        }
    }
    assert!(seen > 20);
    let page = Page::sign_in(&gateway);
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods
            .as_object()
            .unwrap()
            .keys()
            .filter(|m| *m != "delete")
        {
            let path = path.replace(['{', '}'], "");
            let status = page
                .send(&format!("{} {path}", method.to_uppercase()), &json!({}))
                .status;
            assert_ne!(status, 405, "{method} {path}");
        }
    }
}

#[test]
fn without_a_built_page_it_says_how_to_build_it() {
    let gateway = Running::start();
    let answer = raw(gateway.port, "GET /", &headers(gateway.port), "");
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("text/html"));
    assert!(answer.body.contains("make page") || answer.body.contains("<script"));
    assert_eq!(
        raw(
            gateway.port,
            "GET /../../etc/passwd",
            &headers(gateway.port),
            ""
        )
        .status,
        404
    );
}

#[test]
fn a_terminal_types_shows_and_takes_an_entrys_command() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let entry = gateway.agent("Coder").run("allow echo from-the-log")["entry"].clone();
    let masked = gateway.agent("Coder").run("allow echo API_TOKEN=abcdefgh")["entry"].clone();
    let shells = page.get("/api/state")["shells"].clone();
    assert!(
        shells.as_array().unwrap().contains(&json!("bash")),
        "{shells}"
    );
    let open = json!({"shell": "bash", "folder": gateway.project(), "columns": 80, "rows": 24});
    let id = page.send("POST /api/terminals", &open).json();
    let id = id.as_str().unwrap();
    for wrong in ["/bin/bash", "../bash", "python3"] {
        let open = json!({"shell": wrong, "columns": 80, "rows": 24});
        assert_eq!(
            page.send("POST /api/terminals", &open).status,
            422,
            "{wrong}"
        );
    }
    let insert = |entry: &Value, confirmed: bool| {
        let body = json!({"from": {"entry": entry}, "confirmed": confirmed});
        page.send(&format!("POST /api/terminals/{id}/insert"), &body)
            .json()
    };
    until("the shell takes text", || {
        insert(&entry, true)["result"] == "inserted"
    });
    assert_eq!(insert(&masked, true)["id"], "masked");
    assert_eq!(insert(&json!("ZZZZ"), true)["id"], "not_found");

    let stream = std::net::TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    stream
        .set_read_timeout(Some(std::time::Duration::from_secs(20)))
        .unwrap();
    let request = tokio_tungstenite::tungstenite::http::Request::builder()
        .uri(format!(
            "ws://127.0.0.1:{}/api/terminals/{id}/io",
            page.port
        ))
        .header("host", format!("127.0.0.1:{}", page.port))
        .header("origin", format!("http://127.0.0.1:{}", page.port))
        .header("cookie", &page.cookie)
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .body(())
        .unwrap();
    let (mut socket, _) = tokio_tungstenite::tungstenite::client(request, stream).unwrap();
    let say = |socket: &mut tokio_tungstenite::tungstenite::WebSocket<_>, value: Value| {
        socket
            .send(Message::Text(value.to_string().into()))
            .unwrap();
    };
    say(&mut socket, json!({"type": "hello", "key": page.key}));
    say(&mut socket, json!({"type": "input", "data": "\u{3}"}));
    // The kernel throws away what is typed together with Ctrl-C.
    std::thread::sleep(std::time::Duration::from_millis(500));
    say(
        &mut socket,
        json!({"type": "input", "data": "echo $((40+2))-done\r"}),
    );
    let mut seen = Vec::new();
    while !seen.windows(7).any(|w| w == b"42-done") {
        if let Message::Binary(bytes) = socket.read().unwrap() {
            seen.extend_from_slice(&bytes);
        }
    }
    assert!(!gateway.project().join("from-the-log").exists());
    say(&mut socket, json!({"type": "input", "data": "exit 3\r"}));
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            let event: Value = serde_json::from_str(&text).unwrap();
            if event["type"] == "ended" {
                assert_eq!(event["code"], 3);
                break;
            }
        }
    }
    assert_eq!(
        page.send(&format!("DELETE /api/terminals/{id}"), &Value::Null)
            .status,
        204
    );
}
