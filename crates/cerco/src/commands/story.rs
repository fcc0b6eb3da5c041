//! One command's way through `cerco run`, with its journal entry.

use std::cell::{Cell, RefCell};

use cerco_decide::{NoAnswer, Permit, Settled};
use cerco_gateway::journal::{
    Closing, Decided, Decision, DecisionSource, EntryId, Held, Journal, JournalError, Opening,
};
use cerco_gateway::scene::Scene;
use cerco_gateway::start::{Job, Ready, carry_out};
use cerco_model::{Authority, Ending, Judgement, Outcome};
use cerco_run::{Cancel, KeeperProgram, Shell};
use serde_json::{Value, json};

use crate::failure::{Failure, code};
use crate::out::{Out, Style, shown};
use crate::report::{SCHEMA_VERSION, ended, judgement_json, say_refusal};
use crate::through::Through;

use super::log::unix_ms;

fn source(authority: &Authority) -> DecisionSource {
    match authority {
        Authority::Rule => DecisionSource::Rule,
        Authority::Person(_) => DecisionSource::UserTemporary,
        Authority::Grants(_) => DecisionSource::Grant,
        Authority::FullAuto => DecisionSource::FullAuto,
    }
}

/// One command's way through, with its journal entry.
pub(super) struct Story<'a> {
    pub(super) journal: Late,
    pub(super) scene: &'a Scene,
    pub(super) text: String,
    pub(super) judgement: Judgement,
    pub(super) held: Option<Held>,
    pub(super) keeper: KeeperProgram,
    pub(super) out: Out,
}

/// The journal, opened when it is first written to: in the sandbox that is while the
/// launcher builds it.
#[derive(Default)]
pub(super) struct Late(Option<Journal>);

impl Late {
    fn of(&mut self, scene: &Scene) -> Result<&mut Journal, JournalError> {
        let journal = match self.0.take() {
            Some(journal) => journal,
            None => Journal::open(&scene.folders.state, unix_ms())?,
        };
        Ok(self.0.insert(journal))
    }
}

impl Story<'_> {
    fn journal(&mut self) -> Result<&mut Journal, Failure> {
        self.journal.of(self.scene).map_err(Failure::own)
    }

    fn opening(&self, decided: Decided) -> Opening {
        let scene = self.scene;
        let root = scene.project.root().display().to_string();
        Opening {
            project: root.clone(),
            board: root,
            role: scene.role.name().0.to_string(),
            loop_name: scene.this_loop.name.clone(),
            cwd: scene.directory.display().to_string(),
            sandbox: self.held.clone(),
            env_removed: scene.environment.removed.clone(),
            ..Opening::of(unix_ms(), &self.text, &self.judgement, decided)
        }
    }

    pub(super) fn begin(&mut self, decided: Decided) -> Result<EntryId, Failure> {
        let opening = self.opening(decided);
        self.journal()?.begin(&opening).map_err(Failure::own)
    }

    /// Where it is to be held, found before anybody is asked.
    pub(super) fn make_ready(&mut self) -> Result<Ready, Failure> {
        match Ready::find(self.scene) {
            Ok(ready) => {
                self.held = ready.held();
                Ok(ready)
            }
            Err(failure) => {
                let decided = Decided::at_once(Decision::Deny, DecisionSource::Sandbox);
                let opening = self.opening(decided);
                self.journal()?.record(&opening).map_err(Failure::own)?;
                Err(Failure::own(failure))
            }
        }
    }

    /// Refused without a question.
    pub(super) fn refuse(mut self, source: DecisionSource) -> Result<u8, Failure> {
        let opening = self.opening(Decided::at_once(Decision::Deny, source));
        let id = self.journal()?.record(&opening).map_err(Failure::own)?;
        if !self.judgement.findings().is_empty() && source != DecisionSource::Tools {
            say_refusal(self.out, &self.text, &self.judgement);
        }
        self.report(id, &opening.decided, None)?;
        Ok(code::REFUSED)
    }

    /// Refused after a question.
    fn deny(mut self, id: EntryId, decided: &Decided) -> Result<u8, Failure> {
        self.journal()?.decide(id, decided).map_err(Failure::own)?;
        let closing = Closing::at(unix_ms(), cerco_gateway::journal::Run::NotRun);
        self.journal()?.close(id, &closing).map_err(Failure::own)?;
        self.report(id, decided, None)?;
        Ok(code::REFUSED)
    }

    /// What the terminal said.
    pub(super) fn settled(
        mut self,
        how: Settled,
        id: EntryId,
        mut decided: Decided,
        mut ready: Ready,
        shell: Shell,
        cancel: &Cancel,
    ) -> Result<u8, Failure> {
        let out = self.out;
        let terminal = || Some("terminal".to_owned());
        match how {
            Settled::Allowed(permit) => {
                decided.decision = Decision::Allow;
                decided.decision_source = source(permit.authority());
                decided.answered_by = terminal();
                self.journal()?.decide(id, &decided).map_err(Failure::own)?;
                ready.after_waiting();
                return self.go(*permit, Some(id), ready, shell, cancel);
            }
            Settled::Denied { note } => {
                decided.answered_by = terminal();
                let note = note.map_or_else(String::new, |n| format!(": {}", shown(n)));
                out.say(format_args!("cerco: denied by a person{note}"));
            }
            Settled::Unanswered(NoAnswer::Timeout) => {
                decided.decision_source = DecisionSource::Timeout;
                out.say("cerco: refused, nobody answered in time");
            }
            Settled::Unanswered(NoAnswer::NoWindow) => {
                decided.decision_source = DecisionSource::NoWindow;
                out.say("cerco: refused, the terminal is gone");
            }
            Settled::Unanswered(NoAnswer::Withdrawn) => {
                decided.decision_source = DecisionSource::UserAbort;
                self.deny(id, &decided)?;
                return Ok(Ending::Cancelled.exit_code());
            }
            // This window has no editor, so it never sends an edited text.
            Settled::Edited { .. } => {}
        }
        self.deny(id, &decided)
    }

    /// Runs it. Its entry is written on the way, unless there is one already.
    pub(super) fn go(
        mut self,
        permit: Permit,
        id: Option<EntryId>,
        ready: Ready,
        shell: Shell,
        cancel: &Cancel,
    ) -> Result<u8, Failure> {
        let decided = Decided::at_once(Decision::Allow, source(permit.authority()));
        let mut through = Through::new(self.out.json, cancel.clone());
        let id = Cell::new(id);
        let opening = self.opening(decided.clone());
        let journal = RefCell::new(&mut self.journal);
        let entry = || {
            if id.get().is_none() {
                let mut journal = journal.borrow_mut();
                let begun = journal.of(self.scene).and_then(|j| j.begin(&opening));
                id.set(Some(begun.map_err(|error| error.to_string())?));
            }
            Ok(())
        };
        let job = Job {
            shell,
            keeper: self.keeper.clone(),
            input: None,
            limit: None,
            entry: Some(&entry),
            route: std::sync::Arc::new(cerco_run::Internet::default()),
        };
        let finished = carry_out(self.scene, ready, permit, job, cancel, &mut through);
        // It went wrong before the entry's turn came.
        let id = id.get().map_or_else(|| self.begin(decided.clone()), Ok)?;
        let finished = match finished {
            Ok(finished) => finished,
            // Nothing was started.
            Err(failure) => {
                let closing = Closing::at(unix_ms(), cerco_gateway::journal::Run::NotRun);
                self.journal()?.close(id, &closing).map_err(Failure::own)?;
                return Err(Failure::own(failure));
            }
        };
        for note in &finished.notes {
            self.out.say(format_args!("cerco: {}", shown(note)));
        }
        let outcome = finished.outcome;
        self.journal()?
            .close(id, &Closing::of(unix_ms(), &outcome))
            .map_err(Failure::own)?;
        self.say_ending(&outcome);
        self.report(id, &decided, Some((&outcome, &finished.notes)))?;
        Ok(outcome.ending.exit_code())
    }

    fn say_ending(&self, outcome: &Outcome) {
        let out = self.out;
        if let Some(failure) = &outcome.failure {
            for line in failure.lines() {
                out.say(format_args!("cerco: {}", shown(line)));
            }
        }
        match outcome.ending {
            Ending::TimedOut => out.say(out.styled_talk(
                Style::Bad,
                "cerco: its time was up; everything it had started was stopped",
            )),
            Ending::Cancelled => out.say("cerco: cancelled; everything it had started was stopped"),
            Ending::Exit(_) | Ending::Signal(_) | Ending::NotStarted(_) | Ending::Failed => {
                if outcome.stopped > 0 {
                    out.say(format_args!(
                        "cerco: {} processes that it left behind were stopped",
                        outcome.stopped
                    ));
                }
            }
        }
    }

    fn report(
        &self,
        id: EntryId,
        decided: &Decided,
        ended_as: Option<(&Outcome, &[String])>,
    ) -> Result<(), Failure> {
        if !self.out.json {
            return Ok(());
        }
        let mut value = judgement_json(&self.judgement);
        let mut put = |more: Value| {
            if let (Some(all), Value::Object(more)) = (value.as_object_mut(), more) {
                all.extend(more);
            }
        };
        put(json!({
            "schema_version": SCHEMA_VERSION, "entry_id": id.to_string(),
            "decision": decided.decision, "decision_source": decided.decision_source,
            "sandboxed": self.held.is_some(), "ran": ended_as.is_some(), "exit_code": code::REFUSED,
        }));
        if let Some((outcome, notes)) = ended_as {
            put(ended(outcome));
            put(json!({ "notes": notes }));
        }
        self.out.json(&value)
    }
}
