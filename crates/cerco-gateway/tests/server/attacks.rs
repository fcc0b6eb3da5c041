//! The attacks of UX.md §9, each over the real door.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::{Page, connect, headers, origin, raw};
use crate::support::{Running, until};

#[test]
fn a_page_of_another_site_gets_nowhere() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let port = gateway.port;
    let body = json!({"project": gateway.project()}).to_string();
    let change = |old: &str, new: &str| -> Vec<String> {
        let lines = page.headers().into_iter();
        let changed = lines.map(|l| {
            if l.starts_with(old) {
                new.to_owned()
            } else {
                l
            }
        });
        changed.filter(|l| !l.is_empty()).collect()
    };
    let rows: &[(&str, String, u16)] = &[
        ("origin:", String::new(), 403),
        ("origin:", "origin: null".to_owned(), 403),
        ("origin:", "origin: http://evil.example".to_owned(), 403),
        ("origin:", format!("origin: http://localhost:{port}"), 403),
        ("host:", format!("host: evil.example:{port}"), 421),
        ("host:", format!("host: localhost:{port}"), 403),
        (
            "sec-fetch-site:",
            "sec-fetch-site: cross-site".to_owned(),
            403,
        ),
        ("content-type:", "content-type: text/plain".to_owned(), 415),
        ("cookie:", String::new(), 401),
        ("cookie:", "cookie: cerco_0=00".to_owned(), 401),
        ("x-cerco-page:", String::new(), 401),
        ("x-cerco-page:", "x-cerco-page: 00".to_owned(), 401),
    ];
    for (old, new, status) in rows {
        let answer = raw(port, "POST /api/boards", &change(old, new), &body);
        assert_eq!(answer.status, *status, "{old} {new}: {}", answer.body);
    }
    assert_eq!(
        raw(port, "POST /api/boards", &page.headers(), &body).status,
        200
    );
    // Preflights get no CORS header, whoever asks.
    let answer = raw(
        port,
        "OPTIONS /api/boards",
        &change("origin:", "origin: http://evil.example"),
        "",
    );
    assert!(answer.status >= 400 && !answer.head.contains("access-control"));
    // Changing with GET does not exist.
    for path in ["/api/boards", "/api/session", "/api/readiness"] {
        assert_eq!(
            raw(port, &format!("GET {path}"), &page.headers(), "").status,
            405,
            "{path}"
        );
    }
}

#[test]
fn a_foreign_websocket_is_not_let_in() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    for (cookie, from) in [
        (page.cookie.as_str(), ""),
        (page.cookie.as_str(), "http://evil.example"),
        (page.cookie.as_str(), "null"),
        ("", origin(gateway.port).as_str()),
    ] {
        assert!(
            connect(gateway.port, cookie, from).is_err(),
            "{cookie} {from}"
        );
    }
    // With the cookie but another page's key it gets no word.
    let mut socket = connect(gateway.port, &page.cookie, &origin(gateway.port)).unwrap();
    let hello = json!({"type": "hello", "key": "0".repeat(64)}).to_string();
    socket
        .send(tokio_tungstenite::tungstenite::Message::Text(hello.into()))
        .unwrap();
    assert!(!matches!(
        socket.read(),
        Ok(tokio_tungstenite::tungstenite::Message::Text(_))
    ));
    drop(page.window());
}

#[test]
fn a_code_works_once() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    assert_eq!(
        Page::with_code(gateway.port, &gateway.code)
            .err()
            .unwrap()
            .status,
        401
    );
    let again = page.send("POST /api/page", &json!({}));
    assert_eq!(again.status, 200);
    assert_eq!(page.send("DELETE /api/session", &Value::Null).status, 204);
    assert_eq!(page.send("GET /api/state", &Value::Null).status, 401);
}

#[test]
fn every_answer_wears_the_headers() {
    let gateway = Running::start();
    for path in ["/", "/nothing", "/api/state"] {
        let head = raw(
            gateway.port,
            &format!("GET {path}"),
            &headers(gateway.port),
            "",
        )
        .head;
        for (name, value) in cerco_gateway::doors::HEADERS {
            assert!(
                head.contains(&format!("{name}: {value}")),
                "{path}: {name}\n{head}"
            );
        }
    }
}

#[test]
fn the_agents_door_has_no_verb_of_a_person() {
    let gateway = Running::start();
    let mut agent = gateway.agent("Coder");
    for verb in [
        "answer",
        "grant",
        "full_auto",
        "settings",
        "open",
        "down",
        "create_bubble",
        "terminal",
    ] {
        let reply =
            agent.ask(json!({"verb": verb, "ask": "1", "answer": "allow_once", "on": true}));
        assert_eq!(reply["reply"], "failed", "{verb}");
        assert!(
            reply["text"].as_str().unwrap().contains("no request"),
            "{verb}: {reply}"
        );
    }
    // And the people's door doesn't take the agents' words.
    assert_eq!(
        raw(gateway.port, "POST /api/run", &headers(gateway.port), "{}").status,
        401
    );
}

#[test]
fn a_thousand_idle_connections_lock_nobody_out() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let idle: Vec<TcpStream> = (0..1000)
        .filter_map(|_| TcpStream::connect(("127.0.0.1", gateway.port)).ok())
        .collect();
    assert!(idle.len() > 900, "only {} connections", idle.len());
    assert_eq!(page.get("/api/state")["boards"], json!([]));
    // The window that was there before is still there.
    let mut agent = gateway.agent("Coder");
    agent.send(json!({"verb": "run", "command": "ask git-push echo x"}));
    window.event("ask");
    // Those too many were closed.
    until("idle connections are closed", || {
        let closed = idle.iter().filter(|stream| {
            stream.set_nonblocking(true).unwrap();
            let mut stream = *stream;
            matches!(stream.read(&mut [0; 1]), Ok(0))
                || stream
                    .read(&mut [0; 1])
                    .is_err_and(|e| e.kind() != std::io::ErrorKind::WouldBlock)
        });
        closed.count() > 900
    });
}

#[test]
fn long_and_slow_requests_are_bounded() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let long = json!({"project": "x".repeat(2 * 1024 * 1024)});
    assert_eq!(page.send("POST /api/boards", &long).status, 413);
    let mut socket = page.window().socket;
    let frame = "x".repeat(128 * 1024);
    let _ = socket.send(tokio_tungstenite::tungstenite::Message::Text(frame.into()));
    until("the connection is closed", || socket.read().is_err());
    // Half a head, and then nothing.
    let mut slow = TcpStream::connect(("127.0.0.1", gateway.port)).unwrap();
    slow.write_all(b"GET / HT").unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    assert_eq!(page.send("GET /api/settings", &Value::Null).status, 200);
}

#[test]
fn ten_thousand_asks_are_bounded() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let window = page.window();
    let mut agent = gateway.agent("Coder");
    for number in 0..10_000 {
        agent.send(json!({"verb": "run", "command": format!("ask git-push echo {number}")}));
    }
    // One agent has at most so many open; the rest is told to wait.
    until("the asks are there", || {
        page.get("/api/state")["asks"].as_array().unwrap().len() >= 250
    });
    assert!(page.get("/api/state")["asks"].as_array().unwrap().len() <= 256);
    let card = page.get("/api/state")["asks"][0].clone();
    let deny = format!(
        "POST /api/loops/{}/deny-all",
        card["loop_id"].as_str().unwrap()
    );
    let denied = page.send(&deny, &json!({"window": window.id}));
    assert!(denied.json().as_u64().unwrap() >= 250, "{denied:?}");
}

#[test]
fn the_process_keeps_its_memory_to_itself() {
    let gateway = Running::start();
    let pid = gateway.child.id();
    // As root everything may be read; what counts is that the kernel's mark is set: its
    // files in /proc then belong to root, and a core file is never written.
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let core = limits
        .lines()
        .find(|l| l.starts_with("Max core file size"))
        .unwrap();
    assert!(core.contains(" 0 "), "{core}");
    let run = gateway.root.join("run");
    for (name, mode) in [
        (run.clone(), 0o700),
        (run.join("gateway.sock"), 0o600),
        (run.join("person.sock"), 0o600),
    ] {
        let found = std::fs::metadata(&name).unwrap().permissions();
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&found) & 0o777,
            mode,
            "{}",
            name.display()
        );
    }
}
