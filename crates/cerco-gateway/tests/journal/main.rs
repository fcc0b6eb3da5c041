//! The journal on a real disk.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod many;

use std::fs;
use std::path::PathBuf;

use cerco_gateway::journal::{
    Closing, Decided, Decision, DecisionSource, EntryId, FILE_NAME, Journal, JournalError, Opening,
    Query, Run, Saying,
};
use cerco_model::{Finding, Judgement, Kind, Part, Rule, Started, TimeClass, Verdict};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cerco-journal-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
    fn open(&self, now: u64) -> Journal {
        Journal::open(&self.0, now).unwrap()
    }
    fn file(&self) -> PathBuf {
        self.0.join(FILE_NAME)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn opening(time: u64, text: &str) -> Opening {
    let start = text.find("git").unwrap_or_default();
    let finding = Finding {
        rule: Rule::GitChange,
        verdict: Verdict::Asked,
        part: Part::new(start, text.len()),
        reason: "It changes the remote.".into(),
        remedy: None,
        kind: Some(Kind::fixed("git push")),
    };
    let started = Started {
        name: "git".into(),
        args: vec!["push".into()],
        directory: None,
        part: Part::new(start, text.len()),
    };
    let judgement = Judgement::new(vec![finding], vec![started], TimeClass::Quick);
    let decided = Decided::at_once(Decision::Pending, DecisionSource::Rule);
    Opening {
        project: "/p".into(),
        board: "/p".into(),
        role: "Coder".into(),
        loop_name: "a".into(),
        cwd: "/p/a".into(),
        env_removed: vec!["NPM_TOKEN".into()],
        ..Opening::of(time, text, &judgement, decided)
    }
}

#[test]
fn an_entry_has_every_field_and_no_secret() {
    let scratch = Scratch::new("fields");
    let mut journal = scratch.open(1000);
    let id = journal
        .begin(&opening(1000, "API_KEY=hunter2 git push"))
        .unwrap();
    let decided = Decided {
        ask_id: Some(3),
        answered_by: Some("terminal".into()),
        waited_ms: Some(70),
        ..Decided::at_once(Decision::Allow, DecisionSource::UserTemporary)
    };
    journal.decide(id, &decided).unwrap();
    let run = Run::Ended {
        exit_code: Some(0),
        signal: None,
        timed_out: false,
        cancelled: false,
        failure: None,
        duration_ms: 12,
        output_bytes: 34,
        guard_refusals: Vec::new(),
    };
    journal.close(id, &Closing::at(2000, run)).unwrap();
    let again = Closing::at(3000, Run::Interrupted);
    assert!(matches!(
        journal.close(id, &again),
        Err(JournalError::NotOpen)
    ));

    let json = journal.entry(id).unwrap().unwrap().to_json();
    let expected = serde_json::json!({
        "schema_version": 1, "seq": 1, "entry_id": "0001", "time": "1970-01-01T00:00:01.000Z",
        "project": "/p", "board": "/p", "bubble": null, "role": "Coder", "loop": "a",
        "host": "cli", "command": "API_KEY=*** git push", "cwd": "/p/a",
        "parts": [{"part": [12, 20], "name": "git"}], "verdict": "asked",
        "reasons": [{"rule": "git-change", "verdict": "asked", "part": [12, 20],
            "text": "It changes the remote.", "remedy": null, "kind": "git push"}],
        "decision": "allow", "decision_source": "user_temporary", "ask_id": 3,
        "answered_by": "terminal", "waited_ms": 70, "sandbox": null,
        "env_removed": ["NPM_TOKEN"], "trace_id": null, "state": "ended",
        "closed": "1970-01-01T00:00:02.000Z", "exit_code": 0, "signal": null,
        "timed_out": false, "cancelled": false, "failure": null, "duration_ms": 12,
        "output_bytes": 34, "guard_refusals": [],
    });
    assert_eq!(json, expected);
    drop(journal);
    for file in fs::read_dir(&scratch.0).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(7).any(|w| w == b"hunter2"));
    }
}

#[test]
fn only_its_owner_can_read_it() {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new("modes");
        let mut journal = scratch.open(0);
        journal.record(&opening(0, "git push")).unwrap();
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(scratch.0.clone()), 0o700);
        let mut files = 0;
        for file in fs::read_dir(&scratch.0).unwrap() {
            assert_eq!(mode(file.unwrap().path()), 0o600);
            files += 1;
        }
        assert!(files >= 2, "the file and its WAL");
        drop(journal);
        fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Journal::open(&scratch.0, 0).unwrap_err().to_string();
        assert!(error.contains("chmod 700"), "{error}");
    }
}

#[test]
fn what_a_crash_left_open_is_closed_and_what_runs_is_not() {
    let scratch = Scratch::new("crash");
    let mut journal = scratch.open(0);
    let crashed = journal.begin(&opening(0, "git push")).unwrap();
    let running = journal.begin(&opening(1, "git push")).unwrap();
    // Acknowledged means durable: a second connection sees it while the first is open.
    let other = rusqlite::Connection::open(scratch.file()).unwrap();
    let sql = "UPDATE entries SET owner = '4194305 1 an-earlier-boot' WHERE seq = ?1";
    assert_eq!(other.execute(sql, [crashed.0]).unwrap(), 1);
    drop(journal);
    let journal = scratch.open(500);
    let closing = journal.entry(crashed).unwrap().unwrap().closing;
    assert_eq!(closing, Some(Closing::at(500, Run::Interrupted)));
    assert_eq!(journal.entry(running).unwrap().unwrap().closing, None);
}

#[test]
fn it_is_searched_by_words_board_verdict_and_page() {
    let scratch = Scratch::new("search");
    let mut journal = scratch.open(0);
    for n in 0..30 {
        journal
            .record(&opening(n, &format!("git push origin branch{n}")))
            .unwrap();
    }
    let found = |query: Query| -> Vec<i64> {
        let entries = journal.entries(&query).unwrap();
        entries.iter().map(|e| e.id.0).collect()
    };
    let text = |t: &str| Query {
        text: Some(t.into()),
        limit: 3,
        ..Query::default()
    };
    assert_eq!(found(text("branch7")), [8]);
    assert_eq!(found(text("remote BRANCH")), [30, 29, 28]);
    assert_eq!(found(text("git-change origin")), [30, 29, 28]);
    assert_eq!(found(text("nowhere")), [] as [i64; 0]);
    // No word is an operator of the search.
    for odd in [
        "\"",
        "NOT",
        "a OR b*",
        "(",
        "^x",
        "git NEAR push",
        "'; DROP TABLE entries",
    ] {
        found(text(odd));
    }
    let page = Query {
        before: Some(EntryId(3)),
        ..Query::default()
    };
    assert_eq!(found(page), [2, 1]);
    let none = Query {
        verdict: Some(Verdict::Refused),
        ..Query::default()
    };
    assert_eq!(found(none), [] as [i64; 0]);
    let other = Query {
        board: Some("/q".into()),
        ..Query::default()
    };
    assert_eq!(found(other), [] as [i64; 0]);
}

#[test]
fn it_is_searched_by_the_word_that_decided() {
    let scratch = Scratch::new("source");
    let mut journal = scratch.open(0);
    journal.record(&opening(1, "git push denied")).unwrap();
    let unasked = journal.begin(&opening(2, "git push unasked")).unwrap();
    let decided = Decided::at_once(Decision::Allow, DecisionSource::FullAuto);
    journal.decide(unasked, &decided).unwrap();
    for (source, expected) in [
        (DecisionSource::FullAuto, vec![unasked]),
        (DecisionSource::Grant, vec![]),
    ] {
        let query = Query {
            source: Some(source),
            ..Query::default()
        };
        let found = journal.entries(&query).unwrap();
        assert_eq!(found.iter().map(|e| e.id).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn old_entries_go_open_ones_stay_and_export_has_the_rest() {
    let scratch = Scratch::new("retention");
    let mut journal = scratch.open(0);
    journal.record(&opening(10, "git push old")).unwrap();
    journal.begin(&opening(11, "git push open")).unwrap();
    journal.record(&opening(500, "git push new")).unwrap();
    assert_eq!(journal.forget_before(100).unwrap(), 1);
    let mut left = Vec::new();
    let done: Result<(), ()> = journal
        .export(|entry| {
            left.push(entry.id.0);
            Ok(())
        })
        .unwrap();
    assert_eq!((done, left), (Ok(()), vec![2, 3]));
    let query = Query {
        text: Some("old".into()),
        ..Query::default()
    };
    assert_eq!(journal.entries(&query).unwrap(), []);
    // While the clock was wrong, an entry got an early time. It is not old: those before
    // it are still there.
    journal.record(&opening(3, "git push early")).unwrap();
    journal.record(&opening(600, "git push later")).unwrap();
    assert_eq!(journal.forget_before(100).unwrap(), 0);
    assert_eq!(journal.forget_before(601).unwrap(), 3);
}

#[test]
fn a_damaged_or_newer_file_is_said_and_kept() {
    let scratch = Scratch::new("damaged");
    scratch.open(0).record(&opening(0, "git push")).unwrap();
    let db = rusqlite::Connection::open(scratch.file()).unwrap();
    db.execute_batch("PRAGMA user_version = 9").unwrap();
    drop(db);
    let error = Journal::open(&scratch.0, 0).unwrap_err();
    assert!(
        matches!(error, JournalError::Newer { found: 9, .. }),
        "{error}"
    );

    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(scratch.0.join(format!("{FILE_NAME}{ending}")));
    }
    let junk = b"this is not a journal, but it may be somebody's notes".repeat(200);
    fs::write(scratch.file(), &junk).unwrap();
    let error = Journal::open(&scratch.0, 0).unwrap_err();
    assert!(
        error.to_string().contains("run: cerco log move-aside"),
        "{error}"
    );
    assert_eq!(
        fs::read(scratch.file()).unwrap(),
        junk,
        "nothing was changed"
    );

    fs::create_dir(scratch.0.join("output")).unwrap();
    let aside = Journal::move_aside(&scratch.0, 77).unwrap();
    assert!(scratch.0.join("output.aside-77").exists());
    assert_eq!(fs::read(aside).unwrap(), junk, "nothing was lost");
    assert!(scratch.open(78).record(&opening(78, "git push")).is_ok());
}

#[test]
fn what_is_said_is_kept_bounded_and_goes_with_retention() {
    let scratch = Scratch::new("said");
    let saying = |time: u64, board: &str| Saying {
        time,
        board: board.to_owned(),
        loop_name: "a".to_owned(),
        bubble: "Coder".to_owned(),
        role: "Coder".to_owned(),
        host: "t".to_owned(),
        text: format!("words {time}"),
        masked: false,
    };
    let mut journal = scratch.open(0);
    let other = journal.say(&saying(1, "other")).unwrap();
    let first = journal.say(&saying(2, "shop")).unwrap();
    for time in 3..=1002 {
        journal.say(&saying(time, "shop")).unwrap();
    }
    // One too many: the board's oldest went, the other board's stayed.
    assert_eq!(journal.saying(first).unwrap(), None);
    assert_eq!(journal.saying(other).unwrap(), Some(saying(1, "other")));
    drop(journal);
    let mut journal = scratch.open(0);
    let newest = journal.said(2).unwrap();
    let times: Vec<u64> = newest.iter().map(|(_, kept)| kept.time).collect();
    assert_eq!(times, [1002, 1001]);
    journal.forget_before(1002).unwrap();
    assert_eq!(journal.said(10).unwrap().len(), 1);
}
