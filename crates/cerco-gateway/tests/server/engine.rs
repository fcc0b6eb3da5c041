//! A scripted engine: the first word says what the filter would say, the rest is run.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use cerco_decide::{Permit, Request};
use cerco_gateway::engine::{
    Cancel, Ended, Engine, EngineError, OutputSink, Prepared, ReadyRun, RunOptions, Way, Where,
};
use cerco_gateway::journal::Held;
use cerco_gateway::wire::{Readiness, SelfTest, Stream};
use cerco_model::{
    Bare, Captured, Command as Text, Dialect, Ending, Finding, Guard, Judgement, Kind, NoTree,
    Outcome, Part, Place, Rule, TimeClass, Usage, Verdict,
};

/// `allow X`, `ask KIND X`, `refuse X`.
pub(crate) struct Scripted;

impl Engine for Scripted {
    fn judge(&self, at: &Where, text: &str) -> Result<Prepared, EngineError> {
        let command = Text::new(text.as_bytes().to_vec(), Dialect::Bash)
            .map_err(|e| EngineError(e.to_string()))?;
        let finding = |verdict, kind: Option<&str>| Finding {
            rule: Rule::GitChange,
            verdict,
            part: Part::new(0, text.len()),
            reason: "scripted".into(),
            remedy: (verdict == Verdict::Refused).then(|| "do something else".into()),
            kind: kind.map(|k| Kind::named(k.to_owned())),
        };
        let mut words = text.split(' ');
        let findings = match words.next() {
            Some("allow") => Vec::new(),
            Some("ask") => vec![finding(Verdict::Asked, words.next())],
            _ => vec![finding(Verdict::Refused, None)],
        };
        let place = Place {
            project: at.project.clone(),
            loop_folder: at.this_loop.folder.display().to_string(),
            directory: at.directory.clone(),
            other_loops: Vec::new(),
            home: String::new(),
            user: String::new(),
            environment: std::collections::BTreeMap::default(),
            sandbox: at.sandbox,
            guard: Guard::Off,
            allowed_hosts: Vec::new(),
            tree: &NoTree,
        };
        let judgement = Judgement::new(findings, Vec::new(), TimeClass::Quick);
        Ok(Prepared {
            request: Request::new(at.who.clone(), command, &place, judgement),
            env_removed: vec!["A_TOKEN".to_owned()],
            way: Box::new(Scripted),
        })
    }

    fn readiness(&self) -> Vec<Readiness> {
        Vec::new()
    }

    fn self_test(&self) -> SelfTest {
        std::thread::sleep(Duration::from_millis(500));
        SelfTest {
            holds: true,
            outcomes: Vec::new(),
            not_ready: None,
        }
    }
}

impl Way for Scripted {
    fn make_ready(self: Box<Self>) -> Result<Box<dyn ReadyRun>, EngineError> {
        Ok(self)
    }
}

impl ReadyRun for Scripted {
    fn held(&self) -> Option<Held> {
        None
    }

    fn after_waiting(&mut self) {}

    fn run(
        self: Box<Self>,
        permit: Permit,
        _: RunOptions,
        sink: Arc<dyn OutputSink>,
        cancel: &Cancel,
    ) -> Ended {
        let cleared = permit.clear::<Bare>().unwrap();
        let text = cleared.command().text();
        let skip = if text.starts_with("ask") { 2 } else { 1 };
        let line: Vec<&str> = text.split(' ').skip(skip).collect();
        let outcome = |ending| Ended {
            outcome: Outcome {
                ending,
                failure: None,
                stdout: Captured::default(),
                stderr: Captured::default(),
                usage: Usage::default(),
                guard_refusals: Vec::new(),
                stopped: 0,
            },
            notes: Vec::new(),
        };
        if line.first() == Some(&"flood") {
            let chunk = vec![b'x'; 64 * 1024];
            for _ in 0..line[1].parse::<u64>().unwrap() * 16 {
                sink.output(Stream::Stdout, &chunk);
            }
            return outcome(Ending::Exit(0));
        }
        let mut child = Command::new("sh")
            .args(["-c", &line.join(" ")])
            .current_dir(cleared.directory())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let reading = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = std::io::Read::read(&mut stdout, &mut buffer) {
                sink.output(Stream::Stdout, &buffer[..length]);
            }
        });
        let ending = loop {
            if cancel.is_cancelled() {
                child.kill().unwrap();
                child.wait().unwrap();
                break Ending::Cancelled;
            }
            if let Some(status) = child.try_wait().unwrap() {
                break Ending::Exit(u8::try_from(status.code().unwrap_or(1)).unwrap());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        // As the real one: the output comes before the end. (What went into the background may
        // hold the pipe open for ever.)
        let waits = std::time::Instant::now();
        while ending != Ending::Cancelled
            && !reading.is_finished()
            && waits.elapsed() < Duration::from_secs(2)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        outcome(ending)
    }
}
