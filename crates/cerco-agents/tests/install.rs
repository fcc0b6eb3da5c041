//! The installer: what isn't ours stays, in its order; twice is once; out is as before.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::Path;

use cerco_agents::hook::{Asks, Host, Mode};
use cerco_agents::install::{
    InstallError, Setup, State, install, path, remark, shown, status, uninstall,
};
use serde_json::Value;

fn setup() -> Setup {
    Setup {
        program: "/opt/my tools/cerco".into(),
        asks: Asks::Cerco,
        mode: Mode::Judge,
        role: None,
        ask_seconds: 120,
    }
}

/// What each host's file says: where the time stands, and in which unit.
#[test]
fn the_time_is_in_each_hosts_own_unit_and_longer_than_ours() {
    for (host, at, expected) in [
        (Host::Claude, "/hooks/PreToolUse/0/hooks/0/timeout", 150),
        (Host::Codex, "/hooks/PreToolUse/0/hooks/0/timeout", 150),
        (
            Host::Codex,
            "/hooks/PermissionRequest/0/hooks/0/timeout",
            150,
        ),
        (Host::Gemini, "/hooks/BeforeTool/0/hooks/0/timeout", 150_000),
        (Host::Cursor, "/hooks/preToolUse/0/timeout", 150),
        (Host::Copilot, "/hooks/preToolUse/0/timeoutSec", 150),
        (Host::VsCode, "/hooks/PreToolUse/0/timeout", 150),
    ] {
        let json: Value = serde_json::from_str(&shown(host, &setup()).unwrap()).unwrap();
        assert_eq!(
            json.pointer(at),
            Some(&Value::from(expected)),
            "{host:?} {json:#}"
        );
    }
    let claude: Value = serde_json::from_str(&shown(Host::Claude, &setup()).unwrap()).unwrap();
    let hook = &claude["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!(
        (&hook["onFailure"], &hook["command"]),
        (&"block".into(), &"/opt/my tools/cerco".into())
    );
    let cursor: Value = serde_json::from_str(&shown(Host::Cursor, &setup()).unwrap()).unwrap();
    assert_eq!(cursor["hooks"]["preToolUse"][0]["failClosed"], true);
}

#[test]
fn in_and_out_for_every_host() {
    for host in Host::ALL {
        let home = tempfile::tempdir().unwrap();
        let file = path(host, home.path(), None);
        assert_eq!(status(host, &file, &setup()).unwrap(), State::Absent);
        assert!(install(host, &file, &setup()).unwrap().changed);
        assert_eq!(status(host, &file, &setup()).unwrap(), State::Installed);
        let first = fs::read_to_string(&file).unwrap();
        assert!(!install(host, &file, &setup()).unwrap().changed, "{host:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), first);
        let moved = Setup {
            program: "/usr/bin/cerco".into(),
            asks: Asks::Host,
            mode: Mode::Rewrite,
            role: Some("Reviewer".into()),
            ..setup()
        };
        assert_eq!(status(host, &file, &moved).unwrap(), State::Outdated);
        install(host, &file, &moved).unwrap();
        assert_eq!(status(host, &file, &moved).unwrap(), State::Installed);
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            !text.contains("my tools") && text.contains("--rewrite"),
            "{text}"
        );
        assert!(uninstall(host, &file).unwrap().changed);
        assert_eq!(status(host, &file, &setup()).unwrap(), State::Absent);
        assert!(!uninstall(host, &file).unwrap().changed);
        assert!(!remark(host, &setup()).is_empty());
    }
}

/// The person's file, with keys in an order of its own and hooks of other programs.
const FOREIGN: &str = r#"{
  "zeta": 1,
  "model": "x",
  "hooks": {
    "Stop": [],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/notcerco hook claude"
          }
        ]
      },
      null
    ]
  },
  "alpha": [
    1.5,
    "é",
    null
  ]
}
"#;

#[test]
fn what_is_not_ours_stays_in_its_order() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("settings.json");
    fs::write(&file, FOREIGN).unwrap();
    let change = install(Host::Claude, &file, &setup()).unwrap();
    assert_eq!(fs::read_to_string(change.backup.unwrap()).unwrap(), FOREIGN);
    let text = fs::read_to_string(&file).unwrap();
    for pair in [
        ("zeta", "model"),
        ("model", "hooks"),
        ("Stop", "PreToolUse"),
        ("notcerco", "my tools"),
        ("hooks", "alpha"),
    ] {
        assert!(text.find(pair.0) < text.find(pair.1), "{pair:?}");
    }
    uninstall(Host::Claude, &file).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), FOREIGN);
}

#[test]
fn a_file_that_is_no_plain_json_is_left_alone() {
    for (text, is_shape) in [
        ("{ // mine\n}", false),
        ("{\"a\":1,\"a\":2}", false),
        ("[", false),
        ("{\"hooks\": []}", true),
        ("{\"hooks\": {\"PreToolUse\": {}}}", true),
        ("[]", true),
    ] {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("settings.json");
        fs::write(&file, text).unwrap();
        let error = install(Host::Claude, &file, &setup()).unwrap_err();
        assert_eq!(
            matches!(error, InstallError::Shape { .. }),
            is_shape,
            "{text}: {error}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_links_are_not_cut() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("settings.json");
    fs::write(&file, "{}").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    install(Host::Claude, &file, &setup()).unwrap();
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let link = home.path().join("link.json");
    symlink(&file, &link).unwrap();
    assert!(matches!(
        install(Host::Claude, &link, &setup()),
        Err(InstallError::Link { .. })
    ));
}

#[test]
fn installers_at_once_lose_nobodys_entry() {
    let home = tempfile::tempdir().unwrap();
    let file: &Path = &home.path().join("settings.json");
    std::thread::scope(|scope| {
        for host in [
            Host::Claude,
            Host::VsCode,
            Host::Codex,
            Host::Cursor,
            Host::Gemini,
        ] {
            scope.spawn(move || install(host, file, &setup()).unwrap());
        }
    });
    for host in [
        Host::Claude,
        Host::VsCode,
        Host::Codex,
        Host::Cursor,
        Host::Gemini,
    ] {
        assert_eq!(
            status(host, file, &setup()).unwrap(),
            State::Installed,
            "{host:?}"
        );
    }
}

/// An agent may write in the project: a link of its making beside the settings file leads
/// nowhere.
#[cfg(unix)]
#[test]
fn links_that_an_agent_planted_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    for ending in [".cerco-new", ".before-cerco", ".cerco-lock"] {
        let file = folder
            .path()
            .join(format!("{}.json", ending.trim_matches('.')));
        fs::write(&file, "{}").unwrap();
        fs::write(&precious, "mine").unwrap();
        let planted = folder
            .path()
            .join(format!("{}{ending}", file.file_name().unwrap().display()));
        std::os::unix::fs::symlink(&precious, &planted).unwrap();
        let done = install(Host::Claude, &file, &setup());
        // The lock is nobody's to lead elsewhere: then nothing is changed.
        assert_eq!(done.is_err(), ending == ".cerco-lock", "{ending}: {done:?}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine", "{ending}");
    }
}
