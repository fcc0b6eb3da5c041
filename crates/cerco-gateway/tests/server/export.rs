//! The journal as JSON lines over HTTP: whole, in order, and however slowly it is read.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::Page;
use crate::support::{Running, spawn};

const ENTRIES: usize = 100_000;

/// A gateway with copies of one entry that was written in earnest, each with its own words.
fn full() -> Running {
    let mut gateway = Running::start();
    gateway.agent("Coder").run("allow echo API_KEY=hush");
    gateway.kill();
    let file = gateway.root.join("state/journal.sqlite");
    rusqlite::Connection::open(file)
        .unwrap()
        .execute_batch(&format!(
            "BEGIN;
             INSERT INTO entries (time, board, verdict, decision, owner, opening, decided, closing)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {ENTRIES})
             SELECT time + i, board, verdict, decision, owner, opening, decided, closing
             FROM entries, n;
             COMMIT"
        ))
        .unwrap();
    let (child, line) = spawn(&gateway.root);
    gateway.adopt(child, &line);
    gateway
}

fn resident_kb(gateway: &Running, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", gateway.child.id())).unwrap();
    let found = status.lines().find_map(|l| l.strip_prefix(line));
    found
        .and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap()
}

fn begin(page: &Page) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    let mut request = "GET /api/journal/export HTTP/1.1\r\n".to_owned();
    for header in page.headers() {
        request.push_str(&header);
        request.push_str("\r\n");
    }
    write!(stream, "{request}connection: close\r\n\r\n").unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(line.contains(" 200 "), "{line}");
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    reader
}

/// Undoes the chunked transfer.
struct Body(BufReader<TcpStream>, usize);

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1 == 0 {
            let mut line = String::new();
            self.0.read_line(&mut line)?;
            self.1 = usize::from_str_radix(line.trim(), 16).unwrap();
            if self.1 == 0 {
                return Ok(0);
            }
        }
        let most = buffer.len().min(self.1);
        let read = self.0.read(&mut buffer[..most])?;
        self.1 -= read;
        if self.1 == 0 {
            self.0.read_exact(&mut [0; 2])?;
        }
        Ok(read)
    }
}

#[test]
fn a_long_journal_is_exported_without_growing_and_nobody_waits_for_its_reader() {
    let gateway = full();
    let page = Page::sign_in(&gateway);
    let before = resident_kb(&gateway, "VmRSS:");
    // One who began and reads nothing: commands are written down all the same.
    let slow = begin(&page);
    std::thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    assert_eq!(gateway.agent("Coder").run("allow true")["exit_code"], 0);
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );

    let started = Instant::now();
    let mut last = 0;
    let mut count = 0;
    for line in BufReader::new(Body(begin(&page), 0)).lines() {
        let line = line.unwrap();
        // Every thousandth is looked at whole.
        if count % 1000 == 0 && count < ENTRIES {
            let entry: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(entry["schema_version"], 1);
            assert_eq!(entry["command"], "allow echo API_KEY=***");
            let seq = entry["seq"].as_u64().unwrap();
            assert!(seq > last, "{seq} after {last}");
            last = seq;
        }
        count += 1;
    }
    let peak = resident_kb(&gateway, "VmHWM:");
    println!(
        "{count} entries in {:?}; resident {before} kB before, {peak} kB at most",
        started.elapsed()
    );
    // The one that ran while the first reader slept is in the second one's export.
    assert_eq!(count, ENTRIES + 1);
    assert!(peak < before + 16 * 1024, "{before} kB, then {peak} kB");
    drop(slow);
}
