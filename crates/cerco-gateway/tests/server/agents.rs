//! The agents' door: several at once, each in its bubble.

use serde_json::json;

use crate::http::Page;
use crate::support::Running;

#[test]
fn two_bubbles_of_different_roles_at_once() {
    let gateway = Running::start();
    let (mut coder, mut researcher) = (gateway.agent("Coder"), gateway.agent("Researcher"));
    coder.send(json!({"verb": "run", "command": "allow echo hello"}));
    let refused = researcher.run("allow echo hello");
    assert_eq!(refused["source"], "tools");
    assert!(refused["text"].as_str().unwrap().contains("Researcher"));
    assert_eq!(coder.last()["exit_code"], 0);
    let refused = coder.run("refuse");
    assert!(
        refused["text"]
            .as_str()
            .unwrap()
            .contains("do something else")
    );
    let judged = coder.ask(json!({"verb": "check", "command": "ask git-push x"}));
    assert_eq!(judged["judged"]["verdict"], "asked");
}

#[test]
fn output_belongs_to_its_loop() {
    let gateway = Running::start();
    let mut one = gateway.agent("Coder");
    let entry = one.run("allow echo secret")["entry"].clone();
    let range =
        json!({"verb": "output", "entry": entry, "stream": "stdout", "from": 0, "length": 99});
    assert_eq!(one.ask(range.clone())["base64"], "c2VjcmV0Cg==");
    let mut other = gateway.agent_as(&json!({"role": "Coder", "loop_folder": "b"}));
    assert_eq!(other.ask(range)["reply"], "failed");
}

#[test]
fn hello_comes_first_and_only_known_projects_are_joined() {
    let gateway = Running::start();
    for (more, expected) in [
        (json!({"role": "Coder", "project": "/tmp"}), "failed"),
        (json!({"role": "Nobody"}), "failed"),
        (json!({"role": "Coder", "loop_folder": "../.."}), "failed"),
        (json!({"bubble": "nobody"}), "failed"),
    ] {
        let stream = std::os::unix::net::UnixStream::connect(
            gateway
                .root
                .join("run")
                .join(cerco_gateway::server::AGENT_SOCKET),
        )
        .unwrap();
        let mut hello = json!({
            "id": 1, "verb": "hello", "via": "run", "host": "t",
            "project": gateway.project(), "loop_folder": "a",
        });
        hello
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        std::io::Write::write_all(&mut &stream, format!("{hello}\n").as_bytes()).unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(&stream), &mut line).unwrap();
        let reply: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(reply["reply"], expected, "{hello}");
    }
}

#[test]
fn a_second_gateway_is_told_that_one_runs() {
    let mut gateway = Running::start();
    let (mut second, line) = crate::support::spawn(&gateway.root);
    second.wait().unwrap();
    assert!(line.contains("runs already"), "{line}");
    // The first one is not disturbed; after kill -9 the next one starts at once.
    assert_eq!(gateway.agent("Coder").run("allow true")["exit_code"], 0);
    gateway.kill();
    let root = gateway.root.clone();
    let started = std::time::Instant::now();
    let mut again = Running::start_in(root);
    assert!(started.elapsed().as_secs() < 2);
    assert_eq!(again.agent("Coder").run("allow true")["exit_code"], 0);
    again.kill();
}

#[test]
fn what_a_bubble_says_is_shown_without_its_secrets_and_they_go_nowhere() {
    let gateway = Running::start();
    let mut agent = gateway.agent("Researcher");
    let text = "Run\n```\nAPI_TOKEN=abcdefgh ./deploy.sh\n```\n";
    assert_eq!(
        agent.ask(json!({"verb": "say", "text": text}))["reply"],
        "said"
    );
    let page = Page::sign_in(&gateway);
    let said = page.get("/api/state")["said"][0].clone();
    assert_eq!(said["role"], "Researcher");
    assert_eq!(said["blocks"][0]["is_code"], false);
    assert!(!said.to_string().contains("abcdefgh"), "{said}");
    let open = json!({"shell": "bash", "columns": 80, "rows": 24});
    let id = page.send("POST /api/terminals", &open).json();
    let insert = |block: u32| {
        let from = json!({"code": {"said": said["id"], "block": block}});
        let path = format!("POST /api/terminals/{}/insert", id.as_str().unwrap());
        page.send(&path, &json!({"from": from, "confirmed": true}))
            .json()
    };
    assert_eq!(insert(1)["id"], "masked");
    // Words are no code, and there is no third block.
    assert_eq!(insert(0)["id"], "not_found");
    assert_eq!(insert(2)["id"], "not_found");
}
