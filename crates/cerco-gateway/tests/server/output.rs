//! Kept output: without secrets on the disk, and served in ranges, to a page and to an agent.

use base64::Engine as _;
use serde_json::json;

use crate::http::Page;
use crate::support::Running;

/// Written piece by piece, so that secrets come cut in two.
const SAYS: &str = r#"for part in 'one API_' 'KEY=hu' 'sh-hush two' ' --tok' 'en hush' '-hush three'; do printf '%s' "$part"; sleep 0.05; done"#;
const KEPT: &str = "one API_KEY=********* two --token ********* three";

#[test]
fn no_secret_of_an_output_is_on_the_disk() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let mut agent = gateway.agent("Coder");
    let ended = agent.run(&format!("allow {SAYS}"));
    assert_eq!(ended["exit_code"], 0, "{ended}");
    assert_eq!(ended["stdout_bytes"], KEPT.len());
    let entry = ended["entry"].as_str().unwrap();

    let range = |from: usize, length: usize| {
        let query = format!("stream=stdout&from={from}&length={length}");
        page.get(&format!("/api/entries/{entry}/output?{query}"))
    };
    let text = |value: &serde_json::Value| {
        let pieces = value["pieces"].as_array().unwrap().iter();
        pieces
            .map(|piece| piece["text"].as_str().unwrap())
            .collect::<String>()
    };
    let whole = range(0, 1000);
    assert_eq!(text(&whole), KEPT);
    assert_eq!(whole["total"], KEPT.len());
    for (from, length) in [(0, 4), (4, 9), (10, 7), (KEPT.len() - 3, 100)] {
        let part = range(from, length);
        let to = (from + length).min(KEPT.len());
        assert_eq!(text(&part).as_bytes(), &KEPT.as_bytes()[from..to]);
        assert_eq!((&part["from"], &part["to"]), (&json!(from), &json!(to)));
    }
    let verb =
        json!({"verb": "output", "entry": entry, "stream": "stdout", "from": 4, "length": 9});
    let read = agent.ask(verb);
    let bytes = base64::engine::general_purpose::STANDARD.decode(read["base64"].as_str().unwrap());
    assert_eq!(bytes.unwrap(), &KEPT.as_bytes()[4..13]);

    // Nowhere in the state folder, the journal with its log included.
    let mut folders = vec![gateway.root.join("state")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                let found = bytes.windows(9).any(|at| at == b"hush-hush");
                assert!(!found, "{}", path.display());
            }
        }
    }
    assert!(files >= 3, "{files}: nothing was looked at");
}
