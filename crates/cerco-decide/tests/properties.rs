//! What holds in whatever order events come.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use cerco_decide::{Answer, AskId, Desk, Event, Permit, Settings, Settled, Submitted, WindowId};
use cerco_model::{Authority, Kind, Sandboxed, Verdict};
use common::{board, now, request};
use proptest::prelude::*;

const KINDS: [&str; 3] = ["git commit", "delete files", "unclear"];

#[derive(Clone, Debug)]
enum Step {
    Submit {
        role: usize,
        kinds: u8,
        refused: bool,
    },
    Open,
    Close(u64),
    Beat(u64),
    Shown(u64, u64),
    Answer {
        ask: u64,
        window: u64,
        answer: u8,
        ticked: u8,
    },
    Extend(u64, u64),
    Withdraw(u64),
    Tick,
    FullAuto(bool),
    Revoke(usize),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3usize, 0..8u8, prop::bool::weighted(0.3))
            .prop_map(|(role, kinds, refused)| Step::Submit { role, kinds, refused }),
        2 => Just(Step::Open),
        1 => (1..6u64).prop_map(Step::Close),
        2 => (1..6u64).prop_map(Step::Beat),
        4 => (1..20u64, 1..6u64).prop_map(|(a, w)| Step::Shown(a, w)),
        6 => (1..20u64, 1..6u64, 0..4u8, 0..8u8)
            .prop_map(|(ask, window, answer, ticked)| Step::Answer { ask, window, answer, ticked }),
        1 => (1..20u64, 1..6u64).prop_map(|(a, w)| Step::Extend(a, w)),
        1 => (1..20u64).prop_map(Step::Withdraw),
        2 => Just(Step::Tick),
        1 => any::<bool>().prop_map(Step::FullAuto),
        1 => (0..3usize).prop_map(Step::Revoke),
        1 => Just(Step::Restart),
    ]
}

fn picked(bits: u8) -> Vec<&'static str> {
    let bit = |n: &usize| bits & (1 << n) != 0;
    (0..KINDS.len()).filter(bit).map(|n| KINDS[n]).collect()
}

/// Every permit is for a command that is not refused, of a role that may run commands,
/// on an authority that covers it and that really existed.
fn check(permit: Permit, grants: &BTreeSet<Kind>, full_auto: bool) {
    let judgement = permit.request().judgement().clone();
    assert_ne!(judgement.verdict(), Verdict::Refused);
    assert_ne!(permit.request().who().role.name().0, "Researcher");
    match permit.authority() {
        Authority::Rule => assert_eq!(judgement.verdict(), Verdict::Allowed),
        Authority::Person(kinds) => assert_eq!(*kinds, judgement.asked_kinds()),
        Authority::Grants(kinds) => {
            assert!(kinds.iter().all(|k| grants.contains(k) && k.is_grantable()));
        }
        Authority::FullAuto => assert!(full_auto),
    }
    assert!(permit.clear::<Sandboxed>().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn no_order_of_events_clears_what_must_not_run(steps in prop::collection::vec((step(), 0..9_000u64), 1..60)) {
        let mut desk = Desk::new(Settings::default());
        desk.add_board(board(), None);
        let (mut at, mut settled) = (0, BTreeSet::new());
        for (step, pause) in steps {
            at += pause;
            let now = now(at);
            let mut events = Vec::new();
            let mut before_restart = true;
            match step {
                Step::Submit { role, kinds, refused } => {
                    let verdict = (refused, kinds);
                    match desk.submit(request(role, &picked(kinds), refused, "x"), now) {
                        Submitted::Allowed(permit) => {
                            let state = desk.board(&board()).unwrap();
                            let grants = state.grants().map(|g| g.kind.clone()).collect();
                            check(*permit, &grants, state.full_auto().is_some());
                        }
                        Submitted::Waiting(_) => prop_assert!(!verdict.0 && verdict.1 != 0),
                        Submitted::Refused(_) => {}
                    }
                }
                Step::Open => { desk.open_window(&board(), now); }
                Step::Close(w) => desk.close_window(WindowId(w), now),
                Step::Beat(w) => { desk.beat(WindowId(w), now); }
                Step::Shown(a, w) => desk.shown(AskId(a), WindowId(w), now),
                Step::Answer { ask, window, answer, ticked } => {
                    let ticked = picked(ticked).into_iter().map(Kind::fixed).collect();
                    let answer = match answer {
                        0 => Answer::AllowOnce,
                        1 => Answer::AllowAlways { ticked },
                        2 => Answer::Deny { note: None },
                        _ => Answer::Edit { text: "x".into() },
                    };
                    events = desk.answer(AskId(ask), WindowId(window), answer, now).unwrap_or_default();
                }
                Step::Extend(a, w) => {
                    let _ = desk.extend(AskId(a), WindowId(w), Duration::from_mins(2), now);
                }
                Step::Withdraw(a) => events.extend(desk.withdraw(AskId(a), now)),
                Step::Tick => events = desk.tick(now),
                Step::FullAuto(true) => events = desk.full_auto_on(&board(), "site", now).unwrap_or_default(),
                Step::FullAuto(false) => desk.full_auto_off(&board()),
                Step::Revoke(n) => { desk.revoke(&board(), &Kind::fixed(KINDS[n])); }
                Step::Restart => {
                    let kept = desk.board(&board()).and_then(cerco_decide::Board::full_auto);
                    desk = Desk::new(Settings::default());
                    desk.add_board(board(), kept);
                    settled.clear();
                    before_restart = false;
                }
            }
            let state = desk.board(&board()).unwrap();
            let grants: BTreeSet<Kind> = state.grants().map(|g| g.kind.clone()).collect();
            prop_assert!(!grants.contains(&Kind::UNCLEAR));
            prop_assert!(before_restart || grants.is_empty());
            let full_auto = state.full_auto().is_some();
            for event in events {
                let Event::Settled { ask, how, .. } = event;
                prop_assert!(settled.insert(ask), "settled twice");
                prop_assert!(desk.ask(ask).is_none());
                if let Settled::Allowed(permit) = how {
                    check(*permit, &grants, full_auto);
                }
            }
        }
    }
}
