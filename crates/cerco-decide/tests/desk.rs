//! The desk, one story a test.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod common;

use std::time::Duration;

use cerco_decide::{
    Answer, AnswerRefused, AskId, Desk, Event, FullAuto, NoAnswer, Refusal, Settings, Settled,
    Submitted, WindowId,
};
use cerco_model::{Authority, Bare, Kind, NotCleared, Sandboxed, Tool};
use common::{board, now, request};

const COMMIT: &str = "git commit";
const PUSH: &str = "git push";

fn desk() -> (Desk, WindowId) {
    let mut desk = Desk::new(Settings::default());
    desk.add_board(board(), None);
    let window = desk.open_window(&board(), now(0));
    (desk, window)
}

fn ask(desk: &mut Desk, kinds: &[&'static str], at: u64) -> AskId {
    match desk.submit(request(0, kinds, false, "git x"), now(at)) {
        Submitted::Waiting(id) => id,
        other => panic!("{other:?}"),
    }
}

fn seen(desk: &mut Desk, id: AskId, window: WindowId, at: u64) {
    assert!(desk.beat(window, now(at)));
    desk.shown(id, window, now(at));
}

/// A short word for what an event says.
fn word(event: &Event) -> String {
    let Event::Settled { ask, by, how, .. } = event;
    let how = match how {
        Settled::Allowed(permit) => format!("{:?}", permit.authority()),
        Settled::Denied { note } => format!("denied {note:?}"),
        Settled::Unanswered(why) => format!("{why:?}"),
        Settled::Edited { text } => format!("edited {text}"),
    };
    format!("{} {:?} {how}", ask.0, by.map(|w| w.0))
}

#[test]
fn tools_come_first() {
    let (mut desk, _) = desk();
    for (role, may) in [(0, true), (1, true), (2, false)] {
        match desk.submit(request(role, &[], true, "x"), now(0)) {
            Submitted::Refused(Refusal::Filter) => assert!(may),
            Submitted::Refused(Refusal::Tool { role, tool }) => {
                assert!(!may);
                assert_eq!((role.0.as_str(), tool), ("Researcher", Tool::RunCommands));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_allowed_command_runs_where_it_was_judged_and_nowhere_else() {
    let (mut desk, _) = desk();
    for bare in [false, true] {
        let Submitted::Allowed(permit) = desk.submit(request(0, &[], false, "ls"), now(0)) else {
            panic!("not allowed");
        };
        if bare {
            let err = permit.clear::<Bare>().unwrap_err();
            assert_eq!(err, NotCleared::WrongContainment);
        } else {
            let cleared = permit.clear::<Sandboxed>().unwrap();
            assert_eq!(cleared.directory(), "/p/a");
            assert_eq!(cleared.environment().len(), 1);
        }
    }
}

#[test]
fn without_a_window_nobody_is_asked() {
    let (mut desk, window) = desk();
    desk.close_window(window, now(10));
    let done = desk.submit(request(0, &[COMMIT], false, "x"), now(11));
    assert!(matches!(done, Submitted::Refused(Refusal::NoWindow)));
    // A window that fell silent is no window either.
    desk.open_window(&board(), now(20));
    let done = desk.submit(request(0, &[COMMIT], false, "x"), now(20 + 15_001));
    assert!(matches!(done, Submitted::Refused(Refusal::NoWindow)));
}

#[test]
fn the_first_answer_wins() {
    let (mut desk, first) = desk();
    let second = desk.open_window(&board(), now(0));
    let id = ask(&mut desk, &[COMMIT, PUSH], 0);
    seen(&mut desk, id, first, 0);
    seen(&mut desk, id, second, 0);
    let events = desk.answer(id, first, Answer::AllowOnce, now(500)).unwrap();
    let both = Authority::Person(vec![Kind::fixed(COMMIT), Kind::fixed(PUSH)]);
    assert_eq!(word(&events[0]), format!("1 Some(1) {both:?}"));
    assert_eq!(
        desk.answer(id, second, Answer::Deny { note: None }, now(501))
            .unwrap_err(),
        AnswerRefused::Settled { by_window: true }
    );
    // Once is once.
    assert!(desk.board(&board()).unwrap().grants().next().is_none());
}

#[test]
fn always_grants_exactly_what_was_ticked_and_frees_those_who_wait() {
    let (mut desk, window) = desk();
    let first = ask(&mut desk, &[COMMIT, PUSH], 0);
    let second = ask(&mut desk, &[PUSH], 0);
    let third = ask(&mut desk, &[COMMIT], 0);
    seen(&mut desk, first, window, 0);
    let answer = Answer::AllowAlways {
        ticked: vec![Kind::fixed(PUSH)],
    };
    let events = desk.answer(first, window, answer, now(1000)).unwrap();
    assert_eq!(events.len(), 2);
    assert!(word(&events[1]).starts_with("2 None Grants"));
    assert!(desk.ask(second).is_none() && desk.ask(third).is_some());
    let grants: Vec<_> = desk.board(&board()).unwrap().grants().collect();
    assert_eq!(grants.len(), 1);
    assert_eq!(
        (grants[0].kind.as_str(), grants[0].used, grants[0].by),
        (PUSH, 1, window)
    );
    assert!(desk.revoke(&board(), &Kind::fixed(PUSH)));
    let again = desk.submit(request(0, &[PUSH], false, "x"), now(1500));
    assert!(matches!(again, Submitted::Waiting(_)));
}

#[test]
fn always_is_never_taken_for_what_was_not_offered() {
    let (mut desk, window) = desk();
    let id = ask(&mut desk, &["unclear", COMMIT], 0);
    seen(&mut desk, id, window, 0);
    for kind in [Kind::UNCLEAR, Kind::fixed(PUSH)] {
        let answer = Answer::AllowAlways {
            ticked: vec![Kind::fixed(COMMIT), kind.clone()],
        };
        assert_eq!(
            desk.answer(id, window, answer, now(1000)).unwrap_err(),
            AnswerRefused::NotOffered(kind)
        );
    }
    assert!(desk.ask(id).is_some());
}

#[test]
fn nobody_reads_that_fast_but_a_denial_always_counts() {
    let (mut desk, window) = desk();
    let ids: Vec<_> = (0..4).map(|_| ask(&mut desk, &[COMMIT], 0)).collect();
    let allow =
        |desk: &mut Desk, n: usize, at| desk.answer(ids[n], window, Answer::AllowOnce, now(at));
    assert_eq!(
        allow(&mut desk, 0, 9).unwrap_err(),
        AnswerRefused::TooFast,
        "never shown"
    );
    for id in &ids {
        seen(&mut desk, *id, window, 100);
    }
    assert_eq!(
        allow(&mut desk, 0, 499).unwrap_err(),
        AnswerRefused::TooFast
    );
    assert!(allow(&mut desk, 0, 500).is_ok());
    assert_eq!(
        allow(&mut desk, 1, 799).unwrap_err(),
        AnswerRefused::TooFast
    );
    assert!(allow(&mut desk, 1, 800).is_ok());
    let deny = Answer::Deny {
        note: Some("no".into()),
    };
    let events = desk.answer(ids[2], window, deny.clone(), now(801)).unwrap();
    assert_eq!(word(&events[0]), "3 Some(1) denied Some(\"no\")");
    assert!(desk.answer(ids[3], window, deny, now(802)).is_ok());
}

#[test]
fn time_runs_out_can_be_extended_and_windows_can_vanish() {
    let (mut desk, window) = desk();
    let short = ask(&mut desk, &[COMMIT], 0);
    let long = ask(&mut desk, &[COMMIT], 0);
    for at in (0..120_000).step_by(10_000) {
        assert!(desk.beat(window, now(at)));
        assert!(desk.tick(now(at)).is_empty());
    }
    desk.extend(long, window, Duration::from_mins(2), now(119_000))
        .unwrap();
    assert!(desk.beat(window, now(120_000)));
    let events = desk.tick(now(120_000));
    assert_eq!(
        events.iter().map(word).collect::<Vec<_>>(),
        ["1 None Timeout"]
    );
    assert!(desk.ask(short).is_none());
    // A page that reloads is gone for a moment; one that was closed stays gone.
    desk.close_window(window, now(121_000));
    assert!(desk.tick(now(135_000)).is_empty());
    let events = desk.tick(now(136_001));
    assert_eq!(
        events.iter().map(word).collect::<Vec<_>>(),
        ["2 None NoWindow"]
    );
}

#[test]
fn a_late_tick_does_not_stretch_the_time() {
    let (mut desk, window) = desk();
    let id = ask(&mut desk, &[COMMIT], 0);
    seen(&mut desk, id, window, 10_000);
    for at in (20_000..=120_000).step_by(10_000) {
        assert!(desk.beat(window, now(at)));
    }
    assert!(
        desk.answer(id, window, Answer::AllowOnce, now(120_001))
            .is_err()
    );
}

#[test]
fn an_edited_text_clears_nothing() {
    let (mut desk, window) = desk();
    let id = ask(&mut desk, &[COMMIT], 0);
    seen(&mut desk, id, window, 0);
    let edit = Answer::Edit {
        text: "ssh host".into(),
    };
    let events = desk.answer(id, window, edit, now(900)).unwrap();
    assert_eq!(
        events.iter().map(word).collect::<Vec<_>>(),
        ["1 Some(1) edited ssh host"]
    );
}

#[test]
fn full_auto_wants_the_name_counts_and_survives_a_restart_without_grants() {
    let (mut desk, window) = desk();
    let id = ask(&mut desk, &[COMMIT], 0);
    seen(&mut desk, id, window, 0);
    let always = Answer::AllowAlways {
        ticked: vec![Kind::fixed(COMMIT)],
    };
    desk.answer(id, window, always, now(900)).unwrap();
    let waiting = ask(&mut desk, &["unclear"], 1000);
    assert!(desk.full_auto_on(&board(), "Site", now(1000)).is_none());
    let events = desk.full_auto_on(&board(), "site", now(1000)).unwrap();
    assert_eq!(
        events.iter().map(word).collect::<Vec<_>>(),
        ["2 None FullAuto"]
    );
    assert!(desk.ask(waiting).is_none());
    let kept = desk.board(&board()).unwrap().full_auto();
    assert_eq!(
        kept,
        Some(FullAuto {
            since_unix_ms: 1000,
            allowed: 1
        })
    );

    let mut restarted = Desk::new(Settings::default());
    restarted.add_board(board(), kept);
    assert!(restarted.board(&board()).unwrap().grants().next().is_none());
    let done = restarted.submit(request(0, &[PUSH], false, "x"), now(0));
    assert!(matches!(done, Submitted::Allowed(p) if *p.authority() == Authority::FullAuto));
    restarted.full_auto_off(&board());
    let done = restarted.submit(request(0, &[COMMIT], false, "x"), now(0));
    assert!(matches!(done, Submitted::Refused(Refusal::NoWindow)));
}

#[test]
fn the_same_text_again_and_again_is_noticed() {
    let (mut desk, window) = desk();
    for n in 0u64..4 {
        let at = n * 1000;
        let id = ask(&mut desk, &[COMMIT], at);
        let it = desk.ask(id).unwrap();
        assert_eq!(
            (u64::from(it.refused_before()), it.is_repeated()),
            (n, n >= 3)
        );
        seen(&mut desk, id, window, at);
        desk.answer(id, window, Answer::Deny { note: None }, now(at + 500))
            .unwrap();
    }
}

#[test]
fn a_withdrawn_or_removed_ask_is_over() {
    let (mut desk, window) = desk();
    let id = ask(&mut desk, &[COMMIT], 0);
    let event = desk.withdraw(id, now(5)).unwrap();
    assert!(matches!(
        event,
        Event::Settled {
            how: Settled::Unanswered(NoAnswer::Withdrawn),
            ..
        }
    ));
    assert!(desk.withdraw(id, now(6)).is_none());
    let id = ask(&mut desk, &[COMMIT], 7);
    assert_eq!(desk.remove_board(&board(), now(8)).len(), 1);
    assert!(
        desk.answer(id, window, Answer::AllowOnce, now(900))
            .is_err()
    );
}
