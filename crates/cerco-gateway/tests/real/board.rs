//! A board's sandbox, as a person chose it on the page, seen by an agent at its door:
//! package registries only, and its secret-looking files hidden.

use cerco_gateway::client::AgentClient;
use cerco_gateway::wire::{Reply, RunEnding};
use serde_json::{Value, json};

use crate::http::Page;
use crate::stand_in::StandIn;
use crate::support::{Ground, Running, connect, ending, run};

const INSTALL: &str = "npm_config_cafile=$PWD/ca.pem npm install --no-audit --no-fund \
    --registry=https://npm.registry.example/ standin && node -p 'require(\"standin\")'\n";

pub(crate) fn check() {
    let ground = Ground::new("board");
    let registries = StandIn::start(ground.root().join("registries"));
    let folder = ground.project().join("a");
    std::fs::copy(registries.folder.join("ca.pem"), folder.join("ca.pem")).unwrap();
    for (file, text) in [
        ("package.json", r#"{"name": "app", "version": "1.0.0"}"#),
        (".env", "PORT=1\n"),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    ground.script("install.sh", INSTALL);
    ground.script("evil.sh", "curl -sS -m 5 https://evil.example/\n");
    ground.script("look.sh", "test -s .env && echo seen || echo hidden\n");
    let settings = "sandbox = true\nallowed_hosts = [\"*.registry.example\"]\n";
    std::fs::write(ground.root().join("config/config.toml"), settings).unwrap();

    let gateway = Running::start(ground.root(), Some(registries.table));
    let page = Page::with_code(gateway.port, &gateway.code).unwrap();
    let mut agent = connect(ground.root()).unwrap().unwrap();
    network(&page, &mut agent);
    secrets(&page, &mut agent);
}

fn choose(page: &Page, path: &str, body: &Value) {
    let answer = page.send(&format!("PUT /api/boards/project/{path}"), body);
    assert_eq!(answer.status, 204, "{answer:?}");
}

/// Fetches from the stand-in's npm registry, in plain.
const FETCH: &str = "curl -sSf -m 10 http://npm.registry.example/standin";

fn network(page: &Page, agent: &mut AgentClient) {
    // As the settings say: none.
    let (reply, _) = run(agent, FETCH);
    assert_ne!(ending(&reply), RunEnding::Exit(0), "{reply:?}");

    choose(page, "network", &json!({"network": "registries_only"}));
    let (reply, said) = run(agent, FETCH);
    assert_eq!(ending(&reply), RunEnding::Exit(0), "{reply:?}");
    assert!(said.starts_with(br#"{"name": "standin""#));
    let (reply, said) = run(agent, "./install.sh");
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(ending(&reply), RunEnding::Exit(0), "{reply:?} {said}");
    assert!(said.ends_with("42\n"), "{said}");

    // Another host, written in the text: the filter. Hidden in a script: the proxy, and the
    // journal keeps it.
    let (reply, _) = run(agent, "curl -sS https://evil.example/");
    assert!(matches!(reply, Reply::Refused { .. }), "{reply:?}");
    let (reply, _) = run(agent, "./evil.sh");
    let Reply::Ended {
        entry,
        ending: RunEnding::Exit(1..),
        ..
    } = reply
    else {
        panic!("{reply:?}");
    };
    let entry = page.get(&format!("/api/entries/{}", entry.0)).to_string();
    assert!(entry.contains("connect evil.example:443"), "{entry}");
    // This computer's own servers are none of the sandbox's.
    let inside = format!("curl -sS -m 5 http://127.0.0.1:{}/", page.port);
    let (reply, _) = run(agent, &inside);
    assert_ne!(ending(&reply), RunEnding::Exit(0), "{reply:?}");

    // Taken back, it counts from the next command.
    choose(page, "network", &json!({"network": null}));
    let (reply, _) = run(agent, FETCH);
    assert_ne!(ending(&reply), RunEnding::Exit(0), "{reply:?}");
}

fn secrets(page: &Page, agent: &mut AgentClient) {
    let mut sees = || String::from_utf8(run(agent, "./look.sh").1).unwrap();
    assert_eq!(sees(), "seen\n");
    choose(page, "hide-secrets", &json!({"hide_secrets": true}));
    assert_eq!(sees(), "hidden\n");
    choose(page, "hide-secrets", &json!({"hide_secrets": null}));
    assert_eq!(sees(), "seen\n");
}
