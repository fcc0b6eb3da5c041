//! `cerco run`: text → judgement → decision → run → journal, in one process.
//!
//! The order is the promise: an entry is durable before the command starts; a command that
//! the sandbox can't hold does not start; nobody is asked about what can't run anyway.

use cerco_decide::{
    BoardId, Desk, Event, NoAnswer, Permit, Refusal, Request, Settings as DeskSettings, Settled,
    Submitted, Who,
};
use cerco_gateway::journal::{
    Closing, Decided, Decision, DecisionSource, EntryId, Held, Journal, Opening,
};
use cerco_gateway::scene::{Scene, Wanted};
use cerco_gateway::start::{Job, Ready, carry_out};
use cerco_gateway::wire::NetworkSetting;
use cerco_model::{
    Authority, Captured, Dialect, Ending, Judgement, Outcome, SandboxState, Verdict,
};
use cerco_run::{Cancel, KeeperProgram, Shell};
use serde_json::{Value, json};

use crate::ask::{Clock, Terminal};
use crate::cli::{NetworkArg, PlaceArgs, RunArgs};
use crate::failure::{Failure, code};
use crate::inside;
use crate::judged::{Judged, judge};
use crate::out::{Out, Style, shown};
use crate::remote;
use crate::report::{SCHEMA_VERSION, judgement_json, say_refusal};
use crate::text;
use crate::through::{Through, cancel_by_signals};

use super::log::unix_ms;

/// The scene that the arguments and the current directory make.
pub(crate) fn scene(args: &PlaceArgs) -> Result<Scene, Failure> {
    scene_with(args, None)
}

fn scene_with(args: &PlaceArgs, network: Option<NetworkSetting>) -> Result<Scene, Failure> {
    let wanted = Wanted {
        network,
        project: args.project.clone(),
        this_loop: args.this_loop.clone(),
        role: args.role.clone(),
        sandbox: match (args.sandbox, args.no_sandbox) {
            (true, _) => Some(SandboxState::On),
            (false, true) => Some(SandboxState::Off),
            (false, false) => None,
        },
    };
    Scene::find(&wanted).map_err(|error| {
        if error.is_usage() {
            Failure::usage(error)
        } else {
            Failure::own(error)
        }
    })
}

/// The language of the shell that will run the text.
pub(crate) fn own_dialect() -> Result<Dialect, Failure> {
    own_shell().map(|shell| shell.dialect())
}

fn own_shell() -> Result<Shell, Failure> {
    Shell::of_this_machine()
        .ok_or_else(|| Failure::own("there is neither bash nor /bin/sh here; install bash"))
}

/// The scene of this run, with what only a person may say of it.
fn own_scene(args: &RunArgs) -> Result<Scene, Failure> {
    if args.place.no_sandbox {
        inside::persons_only("leaving the sandbox")?;
    }
    if let Some(parent) = args.ends_with {
        end_with(parent)?;
    }
    let network = args.network.map(|network| match network {
        NetworkArg::Off => NetworkSetting::Off,
        NetworkArg::Registries => NetworkSetting::RegistriesOnly,
    });
    if network == Some(NetworkSetting::RegistriesOnly) {
        inside::persons_only("opening the network")?;
    }
    let scene = scene_with(&args.place, network)?;
    if network.is_some() && scene.sandbox == SandboxState::Off {
        return Err(Failure::usage(
            "--network is about the sandbox, which is off here; add --sandbox",
        ));
    }
    Ok(scene)
}

pub(crate) fn run(args: &RunArgs, out: Out) -> Result<u8, Failure> {
    let bytes = text::bytes(&args.text, "run")?;
    let scene = own_scene(args)?;
    let shell = own_shell()?;
    let place = scene.place(scene.guard());
    let for_the_log = text::for_the_log(&bytes);
    let Judged { command, judgement } = judge(bytes, shell.dialect(), &place, &scene.judging);
    let text = command
        .as_ref()
        .map_or(for_the_log, |c| c.text().to_owned());
    // Out of the sandbox on purpose, or with another network than the board's, is a
    // person's own affair, and stays in this process.
    let own_affair = args.place.no_sandbox || args.network.is_some();
    if let (Some(command), false) = (&command, own_affair)
        && let Some(gateway) = remote::connect(&scene)?
    {
        return remote::run(gateway, &scene, command.text(), out);
    }
    let keeper = KeeperProgram::own();
    if judgement.verdict() == Verdict::Allowed {
        // It gets ready while the journal and the sandbox are.
        keeper.start_ahead();
    }
    let mut story = Story {
        keeper,
        journal: Journal::open(&scene.folders.state, unix_ms()).map_err(Failure::own)?,
        scene: &scene,
        text,
        judgement,
        held: None,
        out,
    };
    let Some(command) = command else {
        return story.refuse(DecisionSource::Rule);
    };
    let clock = Clock::start();
    let mut desk = Desk::new(DeskSettings {
        answer_time: std::time::Duration::from_secs(scene.settings.ask_seconds.into()),
        ..DeskSettings::default()
    });
    let board = BoardId(scene.project.root().to_string_lossy().as_ref().into());
    let who = Who {
        board: board.clone(),
        loop_name: scene.this_loop.name.as_str().into(),
        bubble: "cli".into(),
        role: scene.role.clone(),
    };
    let request = Request::new(who, command, &place, story.judgement.clone());
    let asked = story.judgement.verdict() == Verdict::Asked;
    let terminal = if asked { Terminal::open() } else { None };
    let window = terminal
        .as_ref()
        .map(|_| desk.open_window(&board, clock.now()));
    let cancel = Cancel::default();
    cancel_by_signals(&cancel)?;

    match desk.submit(request, clock.now()) {
        Submitted::Refused(Refusal::Filter) => story.refuse(DecisionSource::Rule),
        Submitted::Refused(Refusal::Tool { role, tool }) => {
            out.say(format_args!(
                "cerco: the role {} lacks the tool {tool}; choose another with --role",
                shown(&role.0)
            ));
            story.refuse(DecisionSource::Tools)
        }
        Submitted::Refused(Refusal::NoWindow) => {
            out.say(
                "cerco: a person has to allow this, and no window is open to ask in; run it from a terminal",
            );
            story.refuse(DecisionSource::NoWindow)
        }
        Submitted::Allowed(permit) => {
            let ready = story.make_ready()?;
            let decided = Decided::at_once(Decision::Allow, source(permit.authority()));
            let id = story.begin(decided)?;
            story.go(*permit, id, ready, shell, &cancel)
        }
        Submitted::Waiting(ask) => {
            let (Some(mut terminal), Some(window)) = (terminal, window) else {
                return story.refuse(DecisionSource::NoWindow);
            };
            // Nobody is asked about a command that could not run.
            let ready = story.make_ready()?;
            let pending = Decided::at_once(Decision::Pending, DecisionSource::Rule);
            let id = story.begin(pending)?;
            let stop = || cancel.is_cancelled();
            let event = terminal.ask(&mut desk, ask, window, clock, out, &stop);
            let Some(Event::Settled { how, waited, .. }) = event else {
                return Err(Failure::own("the ask was lost; nothing ran"));
            };
            let decided = Decided {
                ask_id: Some(ask.0),
                waited_ms: u64::try_from(waited.as_millis()).ok(),
                ..Decided::at_once(Decision::Deny, DecisionSource::UserReject)
            };
            story.settled(how, id, decided, ready, shell, &cancel)
        }
    }
}

/// Whoever started this run for an agent may be killed; nobody would stop the command then
/// before its time is up.
fn end_with(parent: u32) -> Result<(), Failure> {
    cerco_sys::harden::end_with(parent)
        .map_err(|why| Failure::own(format!("who started this run is gone: {why}")))
}

fn source(authority: &Authority) -> DecisionSource {
    match authority {
        Authority::Rule => DecisionSource::Rule,
        Authority::Person(_) => DecisionSource::UserTemporary,
        Authority::Grants(_) => DecisionSource::Grant,
        Authority::FullAuto => DecisionSource::FullAuto,
    }
}

/// One command's way through, with its journal entry.
struct Story<'a> {
    journal: Journal,
    scene: &'a Scene,
    text: String,
    judgement: Judgement,
    held: Option<Held>,
    keeper: KeeperProgram,
    out: Out,
}

impl Story<'_> {
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

    fn begin(&mut self, decided: Decided) -> Result<EntryId, Failure> {
        let opening = self.opening(decided);
        self.journal.begin(&opening).map_err(Failure::own)
    }

    /// Where it is to be held, found before anybody is asked.
    fn make_ready(&mut self) -> Result<Ready, Failure> {
        match Ready::find(self.scene) {
            Ok(ready) => {
                self.held = ready.held();
                Ok(ready)
            }
            Err(failure) => {
                let decided = Decided::at_once(Decision::Deny, DecisionSource::Sandbox);
                let opening = self.opening(decided);
                self.journal.record(&opening).map_err(Failure::own)?;
                Err(Failure::own(failure))
            }
        }
    }

    /// Refused without a question.
    fn refuse(mut self, source: DecisionSource) -> Result<u8, Failure> {
        let opening = self.opening(Decided::at_once(Decision::Deny, source));
        let id = self.journal.record(&opening).map_err(Failure::own)?;
        if !self.judgement.findings().is_empty() && source != DecisionSource::Tools {
            say_refusal(self.out, &self.text, &self.judgement);
        }
        self.report(id, &opening.decided, None)?;
        Ok(code::REFUSED)
    }

    /// Refused after a question.
    fn deny(mut self, id: EntryId, decided: &Decided) -> Result<u8, Failure> {
        self.journal.decide(id, decided).map_err(Failure::own)?;
        let closing = Closing::at(unix_ms(), cerco_gateway::journal::Run::NotRun);
        self.journal.close(id, &closing).map_err(Failure::own)?;
        self.report(id, decided, None)?;
        Ok(code::REFUSED)
    }

    /// What the terminal said.
    fn settled(
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
                self.journal.decide(id, &decided).map_err(Failure::own)?;
                ready.after_waiting();
                return self.go(*permit, id, ready, shell, cancel);
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

    fn go(
        mut self,
        permit: Permit,
        id: EntryId,
        ready: Ready,
        shell: Shell,
        cancel: &Cancel,
    ) -> Result<u8, Failure> {
        let decided = Decided::at_once(Decision::Allow, source(permit.authority()));
        let mut through = Through::new(self.out.json, cancel.clone());
        let job = Job {
            shell,
            keeper: self.keeper.clone(),
            input: None,
            limit: None,
        };
        let finished = match carry_out(self.scene, ready, permit, job, cancel, &mut through) {
            Ok(finished) => finished,
            // Nothing was started.
            Err(failure) => {
                let closing = Closing::at(unix_ms(), cerco_gateway::journal::Run::NotRun);
                self.journal.close(id, &closing).map_err(Failure::own)?;
                return Err(Failure::own(failure));
            }
        };
        for note in &finished.notes {
            self.out.say(format_args!("cerco: {}", shown(note)));
        }
        let outcome = finished.outcome;
        self.journal
            .close(id, &Closing::of(unix_ms(), &outcome))
            .map_err(Failure::own)?;
        self.say_ending(&outcome);
        self.report(id, &decided, Some(&outcome))?;
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
        outcome: Option<&Outcome>,
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
            "sandboxed": self.held.is_some(), "ran": outcome.is_some(), "exit_code": code::REFUSED,
        }));
        if let Some(outcome) = outcome {
            put(ended(outcome));
        }
        self.out.json(&value)
    }
}

fn ended(outcome: &Outcome) -> Value {
    let ms = |d: std::time::Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
    let signal = match outcome.ending {
        Ending::Signal(signal) => Some(signal),
        Ending::Exit(_)
        | Ending::TimedOut
        | Ending::Cancelled
        | Ending::NotStarted(_)
        | Ending::Failed => None,
    };
    json!({
        "exit_code": outcome.ending.exit_code(), "signal": signal,
        "timed_out": outcome.ending == Ending::TimedOut,
        "cancelled": outcome.ending == Ending::Cancelled,
        "not_started": matches!(outcome.ending, Ending::NotStarted(_)),
        "failure": outcome.failure,
        "duration_ms": ms(outcome.usage.wall), "cpu_ms": ms(outcome.usage.cpu),
        "peak_memory": outcome.usage.peak_memory, "stopped": outcome.stopped,
        "stdout": kept(&outcome.stdout), "stderr": kept(&outcome.stderr),
        "truncated": outcome.stdout.omitted + outcome.stderr.omitted > 0,
        "guard_refusals": outcome.guard_refusals,
    })
}

fn kept(captured: &Captured) -> String {
    let mut text = String::from_utf8_lossy(&captured.head).into_owned();
    if captured.omitted > 0 {
        use std::fmt::Write;
        // Writing to a string can't fail.
        let _ = write!(text, "\n[… {} bytes left out …]\n", captured.omitted);
        text.push_str(&String::from_utf8_lossy(&captured.tail));
    }
    text
}
