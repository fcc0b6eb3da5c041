//! Many writers, many entries.

use cerco_gateway::journal::{Closing, DecisionSource, Journal, Query, Run};

use crate::{Scratch, opening};

#[test]
fn many_processes_write_at_once() {
    let scratch = Scratch::new("many");
    scratch.open(0);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let path = scratch.0.clone();
            std::thread::spawn(move || {
                for n in 0..10 {
                    let mut journal = Journal::open(&path, n).unwrap();
                    let id = journal.begin(&opening(n, "git push")).unwrap();
                    journal.close(id, &Closing::at(n, Run::NotRun)).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let all = Query {
        limit: 100,
        ..Query::default()
    };
    assert_eq!(scratch.open(0).entries(&all).unwrap().len(), 40);
}

/// 100,000 entries: copies of one that was written in earnest, each with words of its own.
/// What is asked takes a few milliseconds in a release build; the bound here leaves room for
/// a debug build on a machine that does other things too.
#[test]
fn a_hundred_thousand_entries_are_searched_quickly() {
    let scratch = Scratch::new("many");
    let mut journal = scratch.open(0);
    journal.record(&opening(10, "git push first")).unwrap();
    rusqlite::Connection::open(scratch.file())
        .unwrap()
        .execute_batch(
            "BEGIN;
             INSERT INTO entries (time, board, verdict, decision, owner, opening, decided, closing)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
             SELECT time + i, board, verdict, decision, owner, opening, decided, closing
             FROM entries, n;
             INSERT INTO texts (rowid, text)
             SELECT seq, 'git commit word' || seq || ' every' FROM entries WHERE seq > 1;
             COMMIT",
        )
        .unwrap();
    let search = |text: &str| {
        let query = Query {
            text: (!text.is_empty()).then(|| text.to_owned()),
            ..Query::default()
        };
        let times = (0..5).map(|_| {
            let started = std::time::Instant::now();
            let found = journal.entries(&query).unwrap().len();
            (started.elapsed(), found)
        });
        times.min().unwrap()
    };
    let nobodys = Query {
        source: Some(DecisionSource::FullAuto),
        ..Query::default()
    };
    let started = std::time::Instant::now();
    assert_eq!(journal.entries(&nobodys).unwrap(), []);
    let time = started.elapsed();
    println!("100,000 entries, none of them decided on that word: {time:?}");
    assert!(time < std::time::Duration::from_millis(1500), "{time:?}");
    for (text, expected) in [
        ("", 50),
        ("word77777", 1),
        ("every", 50),
        ("commit wo", 50),
        ("none", 0),
    ] {
        let (time, found) = search(text);
        println!("100,000 entries, `{text}`: {time:?}");
        assert_eq!(found, expected, "{text}");
        assert!(
            time < std::time::Duration::from_millis(500),
            "{text}: {time:?}"
        );
    }
}
