//! What is said to whom: judging, the log, help.

use std::fs;

use crate::support::{Person, err, json, out};

#[test]
fn check_says_allowed_refused_asked_by_its_code() {
    let person = Person::new("check");
    for (text, code, word) in [
        ("ls", 0, "allowed"),
        ("ssh host", 3, "refused"),
        ("git push", 4, "asked"),
        ("rm -rf build && git status", 4, "asked"),
    ] {
        let done = person.cerco(&["check", "--loop", "a", "--", text]);
        assert_eq!(done.status.code(), Some(code), "{text}");
        assert_eq!(out(&done).lines().next(), Some(word), "{text}");
        let done = person.cerco(&["--json", "check", "--loop", "a", "--", text]);
        assert_eq!(done.status.code(), Some(code), "{text}");
        assert_eq!(json(&done)["verdict"], word);
        assert_eq!(json(&done)["schema_version"], 1);
    }
}

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let person = Person::new("streams");
    let done = person.run("echo data; echo talk >&2");
    assert_eq!(
        (out(&done).as_str(), err(&done).as_str()),
        ("data\n", "talk\n")
    );
    let done = person.cerco(&["--json", "run", "--loop", "a", "--", "echo data; exit 3"]);
    assert_eq!(done.status.code(), Some(3));
    let value = json(&done);
    assert_eq!(value["stdout"], "data\n");
    assert_eq!(value["exit_code"], 3);
    assert_eq!(value["ran"], true);
    let done = person.cerco(&["--json", "run", "--loop", "a", "--", "ssh host"]);
    let value = json(&done);
    assert_eq!(
        (&value["ran"], &value["exit_code"]),
        (&false.into(), &126.into())
    );
    assert_eq!(value["findings"][0]["rule"], "remote");
    assert!(
        !err(&done).contains('\x1b'),
        "no colours without a terminal"
    );
}

#[test]
fn jsonl_answers_line_by_line_in_order() {
    let person = Person::new("jsonl");
    let place = r#""project":"/srv/project","loop":"/srv/project/loops/a","home":"/home/u","env":{"HOME":"/home/u","PATH":"/usr/bin"},"sandbox":true"#;
    let input = format!(
        "{{\"id\":\"one\",\"command\":\"cat ../b/f\",{place}}}\n\n\
         {{\"id\":2,\"command\":\"cat ../b/f\",{}}}\n\
         {{\"id\":\"ps\",\"command\":\"Get-Content src\\\\a.txt\",\"dialect\":\"powershell\",\"project\":\"C:\\\\p\",\"loop\":\"C:\\\\p\\\\a\",\"home\":\"C:\\\\Users\\\\u\",\"env\":{{}}}}\n\
         {{\"command\":\"ssh host\"}}\n",
        place.replace("true", "false")
    );
    let done = person.with_input(&["check", "--jsonl", "--loop", "a"], input.as_bytes());
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let answers: Vec<serde_json::Value> = out(&done)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let short: Vec<String> = answers
        .iter()
        .map(|a| format!("{} {}", a["id"], a["verdict"]))
        .collect();
    let expected = [
        r#""one" "allowed""#,
        r#"2 "refused""#,
        r#""ps" "allowed""#,
        r#"null "refused""#,
    ];
    assert_eq!(short, expected);
    assert_eq!(answers[0]["programs"][0]["name"], "cat");
    let finding = &answers[1]["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["part"]),
        (&"path".into(), &serde_json::json!([4, 10]))
    );

    let wrong = person.with_input(
        &["check", "--jsonl", "--loop", "a"],
        b"{\"command\":\"ls\"}\nno json\n",
    );
    assert_eq!(wrong.status.code(), Some(2));
    let lines: Vec<String> = out(&wrong).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].contains("line 2:") && lines[1].contains("\"refused\""));
}

#[test]
fn custom_rules_of_person_and_project_count() {
    let person = Person::new("rules");
    let rule = |verdict: &str| {
        format!(
            "\n[[rules]]\nid = \"no-apply\"\nverdict = \"{verdict}\"\nprogram = \"terraform\"\nwords = [\"apply\"]\nreason = \"Only the pipeline applies changes.\"\nmatches = [\"terraform apply\"]\nnot = [\"ls\"]\n"
        )
    };
    let own = person.0.join("home/.config/cerco/cerco.toml");
    fs::write(&own, "[allow]\nkinds = [\"git commit\"]\n").unwrap();
    let file = person.project().join("cerco.toml");
    let before = fs::read_to_string(&file).unwrap();

    // Only what a person accepted counts, and nothing that allows can be accepted.
    fs::write(&file, format!("{before}{}", rule("allowed"))).unwrap();
    let refused = person.cerco(&["init"]);
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    let line = before.lines().count() + 4;
    assert!(
        err(&refused).contains(&format!("cerco.toml, line {line}: `verdict` is")),
        "{}",
        err(&refused)
    );
    fs::write(&file, format!("{before}{}", rule("refused"))).unwrap();
    assert_eq!(person.cerco(&["init"]).status.code(), Some(0));

    for (text, code) in [
        ("git commit -m x", 0),
        ("git push", 4),
        ("nice terraform apply", 3),
        ("terraform plan", 0),
    ] {
        let done = person.cerco(&["check", "--loop", "a", "--", text]);
        assert_eq!(done.status.code(), Some(code), "{text}: {}", err(&done));
    }
    let done = person.cerco(&["check", "--loop", "a", "--", "terraform apply"]);
    assert!(
        out(&done).contains("Only the pipeline applies changes."),
        "{}",
        out(&done)
    );
    assert_eq!(person.run("terraform apply").status.code(), Some(126));

    fs::write(&own, "[allow]\nkind = []\n").unwrap();
    let done = person.run("ls");
    assert_eq!(done.status.code(), Some(125));
    assert!(
        err(&done).contains("line 2: unknown field `kind`"),
        "{}",
        err(&done)
    );
}

#[test]
fn the_log_keeps_what_happened_and_no_secret() {
    let person = Person::new("log");
    person.run("A_TOKEN=hunter2 true");
    person.run("ssh host");
    let listed = out(&person.cerco(&["log"]));
    assert!(
        listed.contains("ssh host") && listed.contains("A_TOKEN=***"),
        "{listed}"
    );
    assert!(!listed.contains("hunter2"));
    let found = out(&person.cerco(&["--json", "log", "search", "ssh"]));
    let entry: serde_json::Value = serde_json::from_str(found.trim()).unwrap();
    assert_eq!(
        (&entry["verdict"], &entry["decision"]),
        (&"refused".into(), &"deny".into())
    );
    let shown = out(&person.cerco(&["log", "show", entry["entry_id"].as_str().unwrap()]));
    assert!(shown.contains("^^^"), "{shown}");
    assert_eq!(out(&person.cerco(&["log", "export"])).lines().count(), 2);
}

#[test]
fn help_completions_rules_and_man_pages() {
    let person = Person::new("help");
    let short = out(&person.cerco(&["run", "-h"]));
    let long = out(&person.cerco(&["run", "--help"]));
    assert!(short.len() < long.len() && long.contains("Examples:"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(
            out(&person.cerco(&["completions", shell])).contains("explain"),
            "{shell}"
        );
    }
    let rules = out(&person.cerco(&["rules", "secret"]));
    assert!(rules.starts_with("secret (refused)"), "{rules}");
    let pages = person.0.join("man");
    fs::create_dir(&pages).unwrap();
    let done = person.cerco(&["man", pages.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0));
    assert!(pages.join("cerco-run.1").exists());
    let done = person.cerco(&["explain", "--loop", "a", "--", "git push\u{202e}"]);
    let text = out(&done);
    assert!(
        text.contains("⟦U+202E⟧") && !text.contains('\u{202e}'),
        "{text}"
    );
}
