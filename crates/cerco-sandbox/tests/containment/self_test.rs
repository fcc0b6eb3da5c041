//! The self-test: all of it holds here, for everybody; and with a protection off it says so.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::attempt;
use crate::person::Person;

/// What it told: the state by name, and what was found.
type Told = BTreeMap<String, (String, String)>;

/// Runs it as `person` with a home of its own that holds credentials.
fn told(person: &Person, variables: &[(&str, &str)]) -> (Option<i32>, Told) {
    let example = attempt::example("self_test");
    let ground = crate::ground::Ground::new("self-test", person, &example.program);
    let home = &ground.names["H"];
    let mut command = Command::new("setpriv");
    let (uid, gid) = (person.uid.to_string(), person.gid.to_string());
    command.args(["--reuid", &uid, "--regid", &gid, "--clear-groups"]);
    if !person.is_other {
        command = Command::new("env");
    }
    command
        .arg(&ground.names["LAUNCHER"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .envs(variables.iter().copied())
        .current_dir("/")
        .stdin(Stdio::null());
    let began = Instant::now();
    let output = command.output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(10));
    let text = String::from_utf8(output.stdout).unwrap();
    let told = text
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 3, "{line}");
            let state = (fields[1].to_owned(), fields[2].to_owned());
            (fields[0].to_owned(), state)
        })
        .collect();
    (output.status.code(), told)
}

fn broken(told: &Told) -> Vec<&str> {
    told.iter()
        .filter(|(_, (state, _))| state != "holds")
        .map(|(id, _)| id.as_str())
        .collect()
}

#[test]
#[cfg(not(feature = "mutations"))]
fn everything_holds_for_everybody() {
    for person in Person::all() {
        let (code, told) = told(&person, &[]);
        assert!(told.len() > 35, "{}: only {told:?}", person.name);
        assert_eq!(broken(&told), [""; 0], "{}: {told:?}", person.name);
        assert_eq!(code, Some(0));
    }
}

#[test]
#[cfg(not(feature = "mutations"))]
fn a_secret_in_the_environment_is_told() {
    let person = Person::all().remove(0);
    let (code, told) = told(&person, &[("PLANTED_TOKEN", "x")]);
    assert_eq!(broken(&told), ["secrets.environment"], "{told:?}");
    assert_eq!(code, Some(1));
}

/// Protections that are off, and what the self-test must then tell. It may tell more.
#[cfg(feature = "mutations")]
const SEEN: &[(&str, &[&str])] = &[
    ("no-readonly", &["files.project", "files.new"]),
    (
        "no-readonly,no-hide",
        &["files.outside", "files.links", "files.system"],
    ),
    ("no-protected,no-pins", &["files.other-loops"]),
    ("no-pins", &["files.other-loops"]),
    ("no-outward", &["files.hard-link"]),
    (
        "no-seccomp",
        &[
            "files.rights",
            "kernel.calls",
            "kernel.keys",
            "kernel.sockets",
            "kernel.typing",
        ],
    ),
    ("no-seccomp,no-disableuserns", &["kernel.namespaces"]),
    ("no-secrets", &["secrets.cerco"]),
    ("no-hide", &["secrets.home", "secrets.shared"]),
    (
        "no-net",
        &[
            "network.loopback",
            "network.sockets",
            "processes.namespaces",
        ],
    ),
    ("no-sockmask", &["network.sockets"]),
    (
        "no-pid,no-proc",
        &["processes.outside", "processes.namespaces"],
    ),
    ("no-ipc", &["processes.namespaces"]),
    // Without its pins the watch over what is covered ends the run before git's turn comes.
    ("no-git,no-coverwatch", &["git.own"]),
    ("no-holdback", &["git.planted"]),
    (
        "no-limits",
        &[
            "limits.processes",
            "limits.memory",
            "limits.open-files",
            "limits.file-size",
        ],
    ),
];

/// What an ordinary user can't do anyway, so that root must try.
#[cfg(feature = "mutations")]
const SEEN_BY_ROOT: &[(&str, &[&str])] = &[("no-procsys", &["kernel.switches"])];

#[test]
#[cfg(feature = "mutations")]
fn what_is_off_is_told_by_the_self_test() {
    let mut wrong = Vec::new();
    for person in Person::all() {
        let rows = if person.uid == 0 { SEEN_BY_ROOT } else { SEEN };
        for (mutation, expected) in rows {
            let (code, told) = told(&person, &[("MUT", mutation)]);
            for id in *expected {
                if told.get(*id).is_none_or(|(state, _)| state != "broken") {
                    wrong.push(format!("{mutation}: {id} is {:?}", told.get(*id)));
                }
            }
            if code != Some(1) {
                wrong.push(format!(
                    "{mutation}: ended with {code:?}: {:?}",
                    broken(&told)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
