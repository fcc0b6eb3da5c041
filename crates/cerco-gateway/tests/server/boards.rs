//! What a person makes and sets on the page: loops, bubbles, settings.

use serde_json::{Value, json};

use crate::http::Page;
use crate::support::Running;

#[test]
fn loops_and_bubbles_are_made_and_ended() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    std::fs::create_dir_all(gateway.project().join("a/deep")).unwrap();
    std::os::unix::fs::symlink("/etc", gateway.project().join("out")).unwrap();
    let open = json!({"project": gateway.project()});
    assert_eq!(page.send("POST /api/boards", &open).json(), "project");
    let make = |folder: &str| {
        let body = json!({"name": folder, "folder": folder});
        page.send("POST /api/boards/project/loops", &body)
    };
    for wrong in ["../elsewhere", "out", "missing", "/etc", "a"] {
        assert_eq!(make(wrong).status, 422, "{wrong}");
    }
    let deep = make("a/deep").json();
    let deep = deep.as_str().unwrap();
    let state = page.get("/api/state");
    let loops = state["boards"][0]["loops"].as_array().unwrap();
    let nested = loops.iter().find(|l| l["id"] == deep).unwrap();
    let parent = loops.iter().find(|l| l["name"] == "a").unwrap();
    assert_eq!(nested["parent"], parent["id"]);

    let custom = json!({"name": "Writer", "tools": {"custom": ["read_files", "write_files"]}});
    let bubble = page
        .send(&format!("POST /api/loops/{deep}/bubbles"), &custom)
        .json();
    let coder = json!({"name": "coder", "tools": {"custom": ["run_commands"]}});
    assert_eq!(
        page.send(&format!("POST /api/loops/{deep}/bubbles"), &coder)
            .status,
        422
    );
    let mut agent = gateway.agent_as(&json!({"loop_folder": "a/deep", "bubble": "Writer"}));
    assert_eq!(agent.run("allow touch x")["source"], "tools");
    let end = format!("DELETE /api/bubbles/{}", bubble.as_str().unwrap());
    assert_eq!(page.send(&end, &Value::Null).status, 204);
    assert_eq!(agent.run("allow touch x")["reply"], "failed");
    assert_eq!(
        page.send(&format!("DELETE /api/loops/{deep}"), &Value::Null)
            .status,
        204
    );
    let own = format!("DELETE /api/loops/{}", parent["id"].as_str().unwrap());
    assert_eq!(page.send(&own, &Value::Null).status, 422);
}

#[test]
fn settings_are_written_and_checked() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut settings = page.get("/api/settings");
    settings["ask_seconds"] = 10.into();
    settings["language"] = "es".into();
    assert_eq!(page.send("PUT /api/settings", &settings).json(), settings);
    let text = std::fs::read_to_string(gateway.root.join("config/config.toml")).unwrap();
    assert!(
        text.contains("ask_seconds = 10") && !text.contains("sandbox"),
        "{text}"
    );
    settings["ask_seconds"] = 1.into();
    assert_eq!(page.send("PUT /api/settings", &settings).status, 422);
    settings["unknown"] = 1.into();
    assert_eq!(page.send("PUT /api/settings", &settings).status, 400);
}
