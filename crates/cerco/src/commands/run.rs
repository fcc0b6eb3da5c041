//! `cerco run`: text → judgement → decision → run → journal, in one process.
//!
//! The order is the promise: an entry is durable before the command starts (in the sandbox
//! it is written while that is built); a command that
//! the sandbox can't hold does not start; nobody is asked about what can't run anyway.

use cerco_decide::{
    BoardId, Desk, Event, Refusal, Request, Settings as DeskSettings, Submitted, Who,
};
use cerco_gateway::folders::private_folder;
use cerco_gateway::journal::{Decided, Decision, DecisionSource};
use cerco_gateway::scene::{Scene, Wanted};
use cerco_gateway::wire::NetworkSetting;
use cerco_model::{Dialect, SandboxState, Verdict};
use cerco_run::{Cancel, KeeperProgram, Shell};

use crate::ask::{Clock, Terminal};
use crate::cli::{NetworkArg, PlaceArgs, RunArgs};
use crate::failure::Failure;
use crate::inside;
use crate::judged::{Judged, judge};
use crate::out::{Out, shown};
use crate::remote;
use crate::text;
use crate::through::cancel_by_signals;

use super::story::{Late, Story};

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
    #[cfg(target_os = "linux")]
    cerco_sys::heap::share();
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
    // There before the sandbox is planned, which hides it.
    private_folder(&scene.folders.state).map_err(Failure::own)?;
    let mut story = Story {
        keeper,
        journal: Late::default(),
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
    let terminal = if asked {
        Terminal::open(scene.network)
    } else {
        None
    };
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
            story.go(*permit, None, ready, shell, &cancel)
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
