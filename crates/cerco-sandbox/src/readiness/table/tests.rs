//! Every row of the table can be reached by a message, and has its step.

use super::*;

fn check(backend: Backend, message: &str, settings: &[&'static str], expected: &str) {
    let system = System {
        distribution: "debian".to_owned(),
        settings: settings.to_vec(),
    };
    let readiness = explain(backend, message, &system);
    assert_eq!(readiness.state, State::NotReady);
    assert!(readiness.to_string().contains(expected), "{readiness}");
}

#[test]
fn messages_and_their_steps() {
    let linux = Backend::Bubblewrap;
    check(
        linux,
        "bwrap: setting up uid map: Permission denied",
        &[APPARMOR],
        "/etc/apparmor.d/bwrap",
    );
    check(
        linux,
        "bwrap: No permissions to create a new namespace, likely…",
        &[CLONE_OFF],
        "unprivileged_userns_clone=1",
    );
    check(
        linux,
        "bwrap: Creating new namespace failed: No space left on device",
        &[NONE_ALLOWED],
        "max_user_namespaces=15000",
    );
    check(
        linux,
        "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
        &[],
        "systempaths=unconfined",
    );
    check(
        linux,
        "bwrap: setting up uid map: Operation not permitted",
        &[ROOT],
        "ordinary user",
    );
    check(linux, "bwrap: the moon is full", &[], "the moon is full");
    check(
        Backend::Docker,
        "Cannot connect to the Docker daemon at unix:///…",
        &[],
        "Start it",
    );
    check(
        Backend::Wsl,
        "Error code: Wsl/0x80370102",
        &[],
        "VirtualMachinePlatform",
    );
}

#[test]
fn every_row_can_be_reached_and_has_a_step() {
    for row in FAILURES {
        let message = row.says[0];
        let system = System {
            distribution: String::new(),
            settings: if row.needs.is_empty() {
                vec![]
            } else {
                vec![row.needs]
            },
        };
        assert_eq!(explain(row.backend, message, &system).found, row.found);
        assert!(!row.text.is_empty());
    }
}

#[test]
fn each_distribution_has_its_command() {
    for (words, expected) in [
        ("linuxmint ubuntu debian", "apt-get"),
        ("centos rhel fedora", "dnf"),
        ("void", ""),
    ] {
        let system = System {
            distribution: words.to_owned(),
            settings: vec![],
        };
        assert!(install(&system).unwrap_or_default().contains(expected));
    }
}
