//! Asks and answers: three answers, several windows, no window, time, Full Auto.

use serde_json::{Value, json};

use crate::http::Page;
use crate::support::{Running, until};

fn id(card: &Value) -> &str {
    card["id"].as_str().unwrap()
}

#[test]
fn each_answer_does_what_it_says() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");

    agent.send(json!({"verb": "run", "command": "ask git-commit echo one"}));
    let card = window.read_ask();
    assert_eq!(
        card["kinds"],
        json!([{"kind": "git-commit", "grantable": true}])
    );
    assert_eq!(card["command"]["pieces"][0]["findings"], json!([0]));
    let answer = page.answer(&window, id(&card), &json!({"answer": "allow_once"}));
    assert_eq!(answer.json(), json!({"result": "settled"}));
    assert_eq!(agent.last()["exit_code"], 0);

    // Once is once: it is asked again. Always: it is not.
    agent.send(json!({"verb": "run", "command": "ask git-commit echo two"}));
    let card = window.read_ask();
    let always = json!({"answer": "allow_always", "kinds": ["git-commit"]});
    assert_eq!(page.answer(&window, id(&card), &always).status, 200);
    assert_eq!(agent.last()["reply"], "ended");
    assert_eq!(agent.run("ask git-commit echo three")["reply"], "ended");
    let state = page.get("/api/state");
    assert_eq!(state["boards"][0]["grants"][0]["used"], 1);
    assert_eq!(
        state["boards"][0]["grants"][0]["window"],
        window.id.as_str()
    );

    // A kind that was not shown can't be granted.
    agent.send(json!({"verb": "run", "command": "ask git-push echo four"}));
    let card = window.read_ask();
    let forged = json!({"answer": "allow_always", "kinds": ["delete files"]});
    assert_eq!(page.answer(&window, id(&card), &forged).status, 422);
    let deny = json!({"answer": "deny", "note": "use a branch"});
    assert_eq!(page.answer(&window, id(&card), &deny).status, 200);
    let denied = agent.last();
    assert_eq!(
        (&denied["reply"], &denied["source"]),
        (&json!("refused"), &json!("user_reject"))
    );
    assert_eq!(denied["note"], "use a branch");

    // The journal has it all, newest first.
    let journal = page.get("/api/journal");
    let sources: Vec<&str> = journal["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["source"].as_str().unwrap())
        .collect();
    assert_eq!(
        sources,
        ["user_reject", "grant", "user_permanent", "user_temporary"]
    );
    assert_eq!(
        page.get("/api/journal?text=three")["entries"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    // A revoked grant is gone.
    let revoke = "DELETE /api/boards/project/grants/git-commit";
    assert_eq!(page.send(revoke, &Value::Null).status, 204);
    agent.send(json!({"verb": "run", "command": "ask git-commit echo five"}));
    window.read_ask();
}

#[test]
fn the_first_of_two_windows_counts() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let (mut one, mut two) = (page.window(), page.window());
    let mut agent = gateway.agent("Coder");
    agent.send(json!({"verb": "run", "command": "ask git-push echo x"}));
    let card = one.read_ask();
    assert_eq!(two.read_ask()["id"], card["id"]);
    let deny = json!({"answer": "deny"});
    assert_eq!(
        page.answer(&two, id(&card), &deny).json()["result"],
        "settled"
    );
    let late = page.answer(&one, id(&card), &json!({"answer": "allow_once"}));
    assert_eq!(late.json()["result"], "too_late");
    assert_eq!(late.json()["now"]["window"], two.id.as_str());
    assert_eq!(one.event("ask_settled")["state"]["answer"], "deny");
    assert_eq!(agent.last()["source"], "user_reject");
}

#[test]
fn no_window_refuses_at_once_and_says_so() {
    let gateway = Running::start();
    let mut agent = gateway.agent("Coder");
    let refused = agent.run("ask git-push echo x");
    assert_eq!(refused["source"], "no_window");
    assert!(refused["text"].as_str().unwrap().contains("cerco open"));
    // A page that is signed in but has no live connection is no window.
    let page = Page::sign_in(&gateway);
    assert_eq!(agent.run("ask git-push echo x")["source"], "no_window");
    drop(page.window());
    until("the window is gone", || {
        page.get("/api/state")["asks"] == json!([])
    });
}

#[test]
fn nobody_allows_before_reading_and_bursts_are_refused() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");
    agent.send(json!({"verb": "run", "command": "ask git-push echo x"}));
    let card = window.event("ask")["card"].clone();
    let allow = json!({"answer": "allow_once"});
    // Not shown at all, and just shown.
    assert_eq!(
        page.answer(&window, id(&card), &allow).json()["result"],
        "too_fast"
    );
    window.say(&json!({"type": "shown", "asks": [card["id"]]}));
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(
        page.answer(&window, id(&card), &allow).json()["result"],
        "too_fast"
    );
    assert!(
        window.event("alarm")["text"]
            .as_str()
            .unwrap()
            .contains("faster")
    );
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(
        page.answer(&window, id(&card), &allow).json()["result"],
        "settled"
    );
    assert_eq!(agent.last()["reply"], "ended");
}

#[test]
fn an_edited_command_goes_through_every_layer_again() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");
    agent.send(json!({"verb": "run", "command": "ask git-push echo x"}));
    let card = window.read_ask();
    let edit = |text: &str| json!({"answer": "allow_once", "edited": text});
    let refused = page.answer(&window, id(&card), &edit("refuse this"));
    assert_eq!(refused.json()["result"], "edit_refused");
    let settled = page.answer(&window, id(&card), &edit("allow touch edited"));
    assert_eq!(settled.json()["result"], "settled");
    let ended = agent.last();
    assert_eq!(
        (&ended["reply"], &ended["edited"]),
        (&json!("ended"), &json!("allow touch edited"))
    );
    assert!(gateway.project().join("a/edited").exists());
    assert_eq!(
        page.get("/api/journal")["entries"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn full_auto_takes_the_typed_name_and_counts() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut agent = gateway.agent("Coder");
    let path = "PUT /api/boards/project/full-auto";
    for typed in [json!(null), json!("Project"), json!("")] {
        let body = json!({"on": true, "typed": typed, "window": "w1"});
        assert_eq!(page.send(path, &body).status, 422, "{typed}");
    }
    let on = json!({"on": true, "typed": "project", "window": "w1"});
    assert_eq!(page.send(path, &on).status, 204);
    assert_eq!(agent.run("ask git-push echo x")["reply"], "ended");
    // Refusals and tools stay as they are.
    assert_eq!(agent.run("refuse x")["source"], "rule");
    assert_eq!(
        gateway.agent("Researcher").run("allow x")["source"],
        "tools"
    );
    let state = page.get("/api/state");
    assert_eq!(state["boards"][0]["full_auto"]["allowed"], 1);
    let off = json!({"on": false, "window": "w1"});
    assert_eq!(page.send(path, &off).status, 204);
    assert_eq!(agent.run("ask git-push echo x")["source"], "no_window");
}

#[test]
fn cancelling_takes_an_ask_back_and_stops_a_run() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");
    let ask = agent.send(json!({"verb": "run", "command": "ask git-push echo x"}));
    let card = window.read_ask();
    agent.send(json!({"verb": "cancel", "request": ask}));
    assert_eq!(agent.last()["reply"], "cancelled");
    assert_eq!(window.event("ask_settled")["state"]["state"], "withdrawn");
    let late = page.answer(&window, id(&card), &json!({"answer": "allow_once"}));
    assert_eq!(late.json()["result"], "too_late");

    let run = agent.send(json!({"verb": "run", "command": "allow sleep 60"}));
    assert_eq!(agent.next()["reply"], "started");
    agent.send(json!({"verb": "cancel", "request": run}));
    assert_eq!(agent.last()["ending"]["how"], "cancelled");

    // A window stops a run too.
    agent.send(json!({"verb": "run", "command": "allow sleep 60"}));
    let entry = agent.next()["entry"].as_str().unwrap().to_owned();
    until("it can be stopped", || {
        page.send(&format!("POST /api/entries/{entry}/cancel"), &json!({}))
            .status
            == 204
    });
    assert_eq!(agent.last()["exit_code"], 130);
}

#[test]
fn live_output_comes_cleaned_and_a_flood_stalls_nothing() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");
    agent.send(
        json!({"verb": "run", "command": r"allow sleep 0.5; printf '\033]0;t\007\033[31mred'"}),
    );
    let entry = agent.next()["entry"].clone();
    window.say(&json!({"type": "watch", "entries": [entry]}));
    let chunk = window.event("output")["chunk"].clone();
    assert_eq!(chunk["pieces"], json!([{"text": "red", "fg": "1"}]));
    assert_eq!(agent.last()["reply"], "ended");
    let path = format!(
        "/api/entries/{}/output?stream=stdout",
        entry.as_str().unwrap()
    );
    assert_eq!(page.get(&path)["pieces"], chunk["pieces"]);

    // 300 MB, while the window reads nothing: the run goes on at full speed.
    let started = std::time::Instant::now();
    let ended = agent.run("allow flood 300");
    assert_eq!(ended["stdout_bytes"], 300u64 << 20);
    assert!(started.elapsed().as_secs() < 15, "{:?}", started.elapsed());
    let path = format!(
        "/api/entries/{}/output?stream=stdout&from=0&length=9",
        ended["entry"].as_str().unwrap()
    );
    let range = page.get(&path);
    assert_eq!(
        (&range["to"], &range["total"]),
        (&json!(9), &json!(64u64 << 20))
    );
}

#[test]
fn an_unanswered_ask_is_refused_when_its_time_is_up() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut settings = page.get("/api/settings");
    settings["ask_seconds"] = 10.into();
    assert_eq!(page.send("PUT /api/settings", &settings).status, 200);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");
    agent.send(json!({"verb": "run", "command": "ask git-push echo x"}));
    let card = window.read_ask();
    let extend = page.send(
        &format!("POST /api/asks/{}/extend", id(&card)),
        &json!({"window": window.id}),
    );
    assert_eq!(extend.status, 204);
    assert!(window.event("ask")["card"]["left_ms"].as_u64().unwrap() > 100_000);
    let mut other = gateway.agent("Coder");
    let started = std::time::Instant::now();
    other.send(json!({"verb": "run", "command": "ask git-push echo y"}));
    for _ in 0..2 {
        std::thread::sleep(std::time::Duration::from_secs(4));
        window.say(&json!({"type": "beat"}));
    }
    assert_eq!(other.last()["source"], "timeout");
    assert!((9..14).contains(&started.elapsed().as_secs()));
}
