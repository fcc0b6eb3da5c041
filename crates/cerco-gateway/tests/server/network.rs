//! A board's network and the self-test, as the page sets and starts them.

use serde_json::{Value, json};

use crate::http::Page;
use crate::support::Running;

#[test]
fn a_boards_network_is_set_told_kept_and_taken_back() {
    let mut gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let opened = page.send("POST /api/boards", &json!({"project": gateway.project()}));
    assert_eq!(opened.status, 200, "{opened:?}");
    assert_eq!(
        window.event("board_changed")["board"]["network"],
        Value::Null
    );
    let board = opened.json().as_str().unwrap().to_owned();
    let set = |body: &Value| page.send(&format!("PUT /api/boards/{board}/network"), body);

    assert_eq!(set(&json!({"network": "registries_only"})).status, 204);
    let told = window.event("board_changed");
    assert_eq!(told["board"]["network"], "registries_only");
    // What isn't one of the two changes nothing, and neither does a misspelt word.
    for wrong in [
        json!({"network": "open"}),
        json!({"netwrk": "off"}),
        json!([]),
    ] {
        assert_eq!(set(&wrong).status, 400, "{wrong}");
    }
    let other = page.send("PUT /api/boards/none/network", &json!({"network": "off"}));
    assert_eq!(other.status, 404);
    let state = page.get("/api/state");
    assert_eq!(state["boards"][0]["network"], "registries_only");
    assert_eq!(state["settings"]["network"], "off");

    // It is there after kill -9, and taken back it follows the settings again.
    gateway.kill();
    let root = gateway.root.clone();
    let second = Running::start_in(root);
    let page = Page::sign_in(&second);
    let state = page.get("/api/state");
    assert_eq!(state["boards"][0]["network"], "registries_only");
    let path = format!("PUT /api/boards/{board}/network");
    assert_eq!(page.send(&path, &json!({"network": null})).status, 204);
    assert_eq!(page.get("/api/state")["boards"][0]["network"], Value::Null);
}

#[test]
fn the_self_test_runs_once_at_a_time() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let headers = page.headers();
    let port = gateway.port;
    let start = move || crate::http::raw(port, "POST /api/self-test", &headers, "");
    let other = start.clone();
    let first = std::thread::spawn(other);
    let second = start();
    let first = first.join().unwrap();
    let mut both = [first.status, second.status];
    both.sort_unstable();
    assert_eq!(both, [200, 409], "{first:?} {second:?}");
    let done = if first.status == 200 { &first } else { &second };
    assert_eq!(done.json()["holds"], true);
    assert_eq!(start().status, 200);
}
