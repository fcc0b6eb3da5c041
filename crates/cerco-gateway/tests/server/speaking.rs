//! Who is speaking (UX.md §9 C): everybody who must not answer for a person, each over the
//! real door with the page's own cookie and key in hand.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use cerco_gateway::doors::Refused;
use cerco_gateway::doors::speaker::Speakers;
use cerco_gateway::server;
use serde_json::{Value, json};

use crate::http::Page;
use crate::support::{Running, until};

/// A script that a command of an agent would run: it has the page's cookie and key (say it
/// read them from a browser's profile) and still can't act.
fn stealing_script(page: &Page, path: &str) -> String {
    let mut lines = page.headers();
    lines.retain(|l| !l.starts_with("sec-"));
    let request = format!(
        "POST {path} HTTP/1.1\\r\\n{}\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\n{{}}",
        lines.join("\\r\\n")
    );
    format!(
        "import socket\ns=socket.create_connection(('127.0.0.1',{}))\ns.sendall(b'{request}')\nd=b''\n\
         while True:\n c=s.recv(4096)\n if not c: break\n d+=c\nopen('answer','wb').write(d)\n",
        page.port
    )
}

#[test]
fn a_command_cannot_speak_for_a_person_however_it_forks() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let loop_folder = gateway.project().join("a");
    std::fs::write(
        loop_folder.join("steal.py"),
        stealing_script(&page, "/api/readiness"),
    )
    .unwrap();
    let mut agent = gateway.agent("Coder");
    for command in [
        "python3 steal.py",
        "setsid python3 steal.py",
        "(setsid sh -c 'python3 steal.py &' &) ; sleep 0.2",
        "env -i /usr/bin/setsid -f /usr/bin/env -i PATH=/usr/bin:/bin python3 steal.py",
    ] {
        let answer = loop_folder.join("answer");
        let _ = std::fs::remove_file(&answer);
        agent.run(&format!("allow {command}"));
        until(command, || {
            std::fs::read(&answer).is_ok_and(|a| !a.is_empty())
        });
        let answer = std::fs::read_to_string(&answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{command}: {answer}");
        assert!(answer.contains("\"agent\""), "{command}: {answer}");
    }
    // The same request from here, which is nobody's command, is taken.
    assert_eq!(page.send("POST /api/readiness", &json!({})).status, 200);
}

#[test]
fn a_command_cannot_open_or_answer_at_the_persons_socket() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut window = page.window();
    let loop_folder = gateway.project().join("a");
    let socket = gateway.root.join("run").join(server::PERSON_SOCKET);
    let script = format!(
        "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect('{}')\ns.sendall(sys.argv[1].encode()+b'\\n')\nopen('answer','wb').write(s.recv(65536))\n",
        socket.display()
    );
    std::fs::write(loop_folder.join("ask.py"), script).unwrap();
    let mut agent = gateway.agent("Coder");
    for verb in [
        json!({"verb": "open"}),
        json!({"verb": "asks"}),
        json!({"verb": "answer", "ask": "1", "answer": "allow_once"}),
        json!({"verb": "down"}),
    ] {
        for how in ["", "setsid -w ", "script -qec "] {
            let line = format!("python3 ask.py '{verb}'");
            // `script` gives it a terminal of its own, in whose foreground it is.
            let line = if how.starts_with("script") {
                format!(
                    "{how}\"python3 ask.py '{}'\" /dev/null",
                    verb.to_string().replace('"', "\\\"")
                )
            } else {
                format!("{how}{line}")
            };
            let _ = std::fs::remove_file(loop_folder.join("answer"));
            assert_eq!(
                agent.run(&format!("allow {line}"))["exit_code"],
                0,
                "{line}"
            );
            let answer = std::fs::read_to_string(loop_folder.join("answer")).unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(
                (&answer["reply"], &answer["id"]),
                (&json!("refused"), &json!("agent")),
                "{line}"
            );
        }
    }
    assert!(
        window.event("alarm")["text"]
            .as_str()
            .unwrap()
            .contains("agent")
    );
}

/// A host: it starts `cerco mcp`, then whatever `then` says, as its own shell tool would.
fn host(gateway: &Running, then: &str) {
    let hello = json!({
        "id": 1, "verb": "hello", "via": "mcp", "host": "h", "role": "Coder",
        "project": gateway.project(), "loop_folder": "a",
    });
    let socket = gateway.root.join("run").join(server::AGENT_SOCKET);
    let mcp = format!(
        "import socket\ns=socket.socket(socket.AF_UNIX)\ns.connect('{}')\ns.sendall(b'{hello}\\n')\ns.recv(4096)\n",
        socket.display()
    );
    std::fs::write(gateway.root.join("mcp.py"), mcp).unwrap();
    std::fs::write(gateway.root.join("then.sh"), then).unwrap();
    let host = "import subprocess\nsubprocess.run(['python3','mcp.py'])\nsubprocess.run(['sh','then.sh'])\n";
    let status = Command::new("python3")
        .args(["-c", host])
        .current_dir(&gateway.root)
        .status()
        .unwrap();
    assert!(status.success());
}

/// Waits for what the attempt wrote, and gives it.
fn answer(folder: &Path, what: &str) -> String {
    let file = folder.join("answer");
    until(what, || std::fs::read(&file).is_ok_and(|a| !a.is_empty()));
    let answer = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    answer
}

#[test]
fn what_a_host_started_or_left_behind_cannot_speak_for_a_person() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let steal = stealing_script(&page, "/api/readiness");
    std::fs::write(gateway.root.join("steal.py"), steal).unwrap();
    // Where one sleeps, the host and its shell have ended by then.
    for attempt in [
        "python3 steal.py; true",
        "setsid -f python3 steal.py",
        "(setsid sh -c 'sleep 0.3; python3 steal.py' &)",
        "(setsid env -i PATH=/usr/bin:/bin sh -c 'sleep 0.3; setsid -f python3 steal.py' &)",
    ] {
        host(&gateway, attempt);
        let answer = answer(&gateway.root, attempt);
        assert!(answer.starts_with("HTTP/1.1 403"), "{attempt}: {answer}");
        assert!(answer.contains("\"agent\""), "{attempt}: {answer}");
    }
    // The same request from here, whom no host started, is taken.
    assert_eq!(page.send("POST /api/readiness", &json!({})).status, 200);
}

#[test]
fn what_a_host_left_behind_is_no_person_at_a_terminal_of_its_own() {
    let gateway = Running::start();
    std::fs::write(gateway.root.join("ask.py"), person_script(&gateway)).unwrap();
    let verb = json!({"verb": "open"}).to_string();
    std::fs::write(gateway.root.join("verb"), verb).unwrap();
    let attempt = "(setsid sh -c 'sleep 0.3; script -qec \"python3 ask.py\" /dev/null' &)";
    host(&gateway, attempt);
    let answer: Value = serde_json::from_str(&answer(&gateway.root, attempt)).unwrap();
    assert_eq!(
        (&answer["reply"], &answer["id"]),
        (&json!("refused"), &json!("agent"))
    );
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("starter is gone"), "{text}");
}

/// Whoever runs these tests: a gateway of another user refuses them.
#[test]
fn another_user_cannot_speak_for_a_person() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = listener.local_addr().unwrap();
    let stream = TcpStream::connect(near).unwrap();
    let far = stream.local_addr().unwrap();
    let speakers = Speakers::new(std::process::id());
    let me = cerco_sys::harden::user_id();
    assert_eq!(speakers.check_tcp(near, far, me, &[]), Ok(()));
    let refused = speakers.check_tcp(near, far, me + 1, &[]);
    assert_eq!(refused, Err(Refused::Agent(format!("user {me}"))));
    if me == 0 {
        another_user_over_the_real_doors();
    }
}

/// What only root can play: another user that has the page's cookie and key, and to whom
/// the sockets' folder was opened by mistake.
fn another_user_over_the_real_doors() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let folder = gateway.root.join("open");
    std::fs::create_dir(&folder).unwrap();
    let run = gateway.root.join("run");
    let sockets = [server::PERSON_SOCKET, server::AGENT_SOCKET].map(|name| run.join(name));
    for path in [&folder, &run].into_iter().chain(&sockets) {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(path, mode).unwrap();
    }
    let steal = stealing_script(&page, "/api/readiness");
    std::fs::write(folder.join("steal.py"), steal).unwrap();
    std::fs::write(folder.join("ask.py"), person_script(&gateway)).unwrap();
    let verb = json!({"verb": "status"}).to_string();
    std::fs::write(folder.join("verb"), verb).unwrap();
    let other = |program: &str| {
        let mut command = Command::new("/usr/bin/python3");
        std::os::unix::process::CommandExt::uid(&mut command, 65534);
        command.arg(program).current_dir(&folder).status().unwrap()
    };
    assert!(other("steal.py").success());
    let stolen = answer(&folder, "another user's request");
    assert!(stolen.starts_with("HTTP/1.1 403"), "{stolen}");
    assert!(stolen.contains("user 65534"), "{stolen}");
    // The socket hangs up without a word, whatever is asked.
    other("ask.py");
    let said = std::fs::read(folder.join("answer")).unwrap_or_default();
    assert_eq!(said, b"");
}

/// Sends the line of the file `verb` to the person's socket.
fn person_script(gateway: &Running) -> String {
    let socket = gateway.root.join("run").join(server::PERSON_SOCKET);
    format!(
        "import socket\ns=socket.socket(socket.AF_UNIX)\ns.connect('{}')\ns.sendall(open('verb','rb').read()+b'\\n')\nopen('answer','wb').write(s.recv(65536))\n",
        socket.display()
    )
}

#[test]
fn a_person_at_no_terminal_is_not_believed() {
    let gateway = Running::start();
    // This test has no terminal in whose foreground it is, as an agent's shell tool.
    let answer = gateway.person(&json!({"verb": "open"}));
    assert_eq!(
        (&answer["reply"], &answer["id"]),
        (&json!("refused"), &json!("agent"))
    );
    assert_eq!(
        gateway.person(&json!({"verb": "status"}))["status"]["boards"],
        0
    );
}
