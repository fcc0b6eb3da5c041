//! Every row of the hosts' contracts (UX.md §2), from `cases/hooks/*.json`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cerco_agents::hook::{About, Asking, Asks, Host, Judge, Mode, Options, Question, Word, serve};
use cerco_model::Dialect;
use serde_json::{Map, Value};

/// Says what the case says, and remembers what it was asked.
struct Scripted {
    word: String,
    seen: Mutex<Map<String, Value>>,
}

impl Judge for Scripted {
    fn judge(&self, question: &Question<'_>) -> Result<Word, String> {
        let about = match &question.about {
            About::Command {
                text,
                dialect: Dialect::PowerShell,
            } => format!("powershell command {text}"),
            About::Command { text, .. } => format!("command {text}"),
            About::Read(paths) => format!("read {}", paths.join(" ")),
            About::Write(paths) => format!("write {}", paths.join(" ")),
        };
        let asking = match question.asking {
            Asking::Wait => "wait",
            Asking::Never => "never",
        };
        *self.seen.lock().unwrap() = Map::from_iter([
            ("about".to_owned(), about.into()),
            ("asking".to_owned(), asking.into()),
            ("directory".to_owned(), question.directory.into()),
            ("session".to_owned(), question.session.into()),
        ]);
        match self.word.as_str() {
            "allowed" => Ok(Word::Allowed),
            "asked" => Ok(Word::Asked {
                reason: "git push changes the remote".into(),
            }),
            "refused" => Ok(Word::Refused {
                reason: "Cerco refuses `ssh host`: remote access. Instead: open it in the terminal"
                    .into(),
            }),
            "refused_silently" => Ok(Word::Refused {
                reason: String::new(),
            }),
            "fails" => Err("the journal can't be opened".into()),
            "panics" => panic!("as the case says"),
            "slow" => {
                std::thread::sleep(Duration::from_secs(5));
                Ok(Word::Allowed)
            }
            other => panic!("no such judge: {other}"),
        }
    }
}

fn check(host: Host, case: &Value) {
    let name = format!("{}: {}", host.word(), case["name"].as_str().unwrap());
    let stdin = match &case["stdin"] {
        Value::String(raw) => raw.clone(),
        value => value.to_string(),
    };
    let options = Options {
        asks: if case["asks"] == "host" {
            Asks::Host
        } else {
            Asks::Cerco
        },
        mode: if case["mode"] == "rewrite" {
            Mode::Rewrite
        } else {
            Mode::Judge
        },
        run_words: ["cerco", "run", "--project", "/p", "--role", "Coder"]
            .map(String::from)
            .to_vec(),
    };
    let judge = Arc::new(Scripted {
        word: case["judge"].as_str().unwrap().to_owned(),
        seen: Mutex::default(),
    });
    let time = Duration::from_millis(if case["judge"] == "slow" { 100 } else { 10_000 });
    let answer = serve(
        host,
        Cursor::new(stdin.into_bytes()),
        options,
        judge.clone(),
        time,
    );
    let expect = &case["expect"];
    assert_eq!(Value::from(answer.exit), expect["exit"], "{name}");
    match &expect["stdout"] {
        Value::Object(_) => {
            let got: Value = serde_json::from_str(&answer.stdout).unwrap();
            assert_eq!(got, expect["stdout"], "{name}");
        }
        _ => assert_eq!(answer.stdout, "", "{name}"),
    }
    match expect["stderr_has"].as_str() {
        Some(text) => assert!(answer.stderr.contains(text), "{name}: {}", answer.stderr),
        None => assert_eq!(answer.stderr, "", "{name}"),
    }
    // Whatever the case says: exit 2 without a text, or a Codex "ask" or bare "allow", runs on.
    assert!(
        answer.exit != 2 || !answer.stderr.trim().is_empty(),
        "{name}"
    );
    if host == Host::Codex && !answer.stdout.is_empty() {
        let got: Value = serde_json::from_str(&answer.stdout).unwrap();
        let inner = &got["hookSpecificOutput"];
        let decision = &inner["permissionDecision"];
        assert_ne!(decision, "ask", "{name}");
        assert!(
            decision != "allow" || inner["updatedInput"].is_object(),
            "{name}"
        );
    }
    if let Value::Object(sees) = &case["sees"] {
        let seen = judge.seen.lock().unwrap();
        for (key, value) in sees {
            assert_eq!(seen.get(key), Some(value), "{name}: {key}");
        }
    }
}

#[test]
fn every_host_is_answered_in_its_own_form() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/hooks");
    for host in Host::ALL {
        let text = std::fs::read_to_string(folder.join(format!("{}.json", host.word()))).unwrap();
        let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
        assert!(cases.len() >= 10, "{}", host.word());
        for case in &cases {
            check(host, case);
        }
    }
}

#[test]
fn an_input_without_end_is_blocked_not_kept() {
    let judge = Arc::new(Scripted {
        word: "allowed".into(),
        seen: Mutex::default(),
    });
    let endless = std::io::repeat(b' ');
    let answer = serve(
        Host::Claude,
        endless,
        Options::default(),
        judge,
        Duration::from_secs(20),
    );
    assert_eq!((answer.exit, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("too long"), "{}", answer.stderr);
}
