//! Settings and a board's own choices: set, told, kept, and never lost to another window.

use serde_json::{Value, json};

use crate::http::Page;
use crate::support::Running;

/// Windows and a command line that all change something else at the same time.
#[test]
fn what_several_change_at_once_is_all_there() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    page.send("POST /api/boards", &json!({"project": gateway.project()}));
    let changes = [
        ("settings", json!({"ask_seconds": 77})),
        ("settings", json!({"retention_days": 33})),
        ("settings", json!({"language": "es"})),
        ("settings", json!({"hide_secrets": true})),
        (
            "boards/project/network",
            json!({"network": "registries_only"}),
        ),
        (
            "boards/project/hide-secrets",
            json!({"hide_secrets": false}),
        ),
    ];
    std::thread::scope(|scope| {
        for (path, body) in &changes {
            let page = &page;
            scope.spawn(move || {
                for _ in 0..5 {
                    let answer = page.send(&format!("PUT /api/{path}"), body);
                    assert!(matches!(answer.status, 200 | 204), "{path}: {answer:?}");
                }
            });
        }
        scope.spawn(|| {
            let config = gateway.root.join("config");
            let mut known = cerco_gateway::project::Known::load(&config).unwrap();
            for number in 0..20 {
                let root = gateway.root.join(format!("other-{number}"));
                known.accept(root, String::new()).unwrap();
            }
        });
    });
    let assert_all = |page: &Page| {
        let state = page.get("/api/state");
        let (settings, board) = (&state["settings"], &state["boards"][0]);
        assert_eq!(settings["ask_seconds"], 77);
        assert_eq!(settings["retention_days"], 33);
        assert_eq!(settings["language"], "es");
        assert_eq!(settings["hide_secrets"], true);
        assert_eq!(board["network"], "registries_only");
        assert_eq!(board["hide_secrets"], false);
    };
    assert_all(&page);
    let config = gateway.root.join("config");
    let known = cerco_gateway::project::Known::load(&config).unwrap();
    assert_eq!(known.projects().len(), 21);
    // On the disk too: after kill -9 another gateway says the same.
    let mut gateway = gateway;
    gateway.kill();
    let again = Running::start_in(gateway.root.clone());
    assert_all(&Page::sign_in(&again));
}

#[test]
fn a_board_hides_secrets_on_its_own_word() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    page.send("POST /api/boards", &json!({"project": gateway.project()}));
    let told = window.event("board_changed");
    assert_eq!(told["board"]["hide_secrets"], Value::Null);
    let set = |body: &Value| {
        page.send("PUT /api/boards/project/hide-secrets", body)
            .status
    };
    for choice in [json!(true), json!(false), Value::Null] {
        assert_eq!(set(&json!({ "hide_secrets": choice })), 204);
        let told = window.event("board_changed");
        assert_eq!(told["board"]["hide_secrets"], choice);
    }
    for wrong in [
        json!({"hide_secrets": "yes"}),
        json!({"hide": true}),
        json!(1),
    ] {
        assert_eq!(set(&wrong), 400, "{wrong}");
    }
    let other = page.send(
        "PUT /api/boards/none/hide-secrets",
        &json!({"hide_secrets": true}),
    );
    assert_eq!(other.status, 404);
}

/// Nothing of a file that is wrong is lost to a click.
#[test]
fn settings_that_do_not_parse_are_not_written_over() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let path = gateway.root.join("config/config.toml");
    let wrong = "# mine\nask_seconds = sixty\n";
    std::fs::write(&path, wrong).unwrap();
    let answer = page.send("PUT /api/settings", &json!({"sandbox": true}));
    assert_eq!(answer.status, 507, "{answer:?}");
    assert!(answer.body.contains("config.toml, line 2"), "{answer:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), wrong);
    assert_eq!(page.get("/api/settings")["sandbox"], false);
}
