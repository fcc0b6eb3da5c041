//! What reaches a command, and what is told of the rest.

use super::*;

fn made(caller: &[(&str, &str)]) -> Environment {
    let caller = caller.iter().map(|(n, v)| (n.into(), v.into()));
    let run = ForRun {
        id: "r1",
        directory: "/p/a",
        scratch: "/scratch/r1",
        network: Network::Open,
    };
    environment(caller, run)
}

#[test]
fn credentials_and_doors_go_and_are_named() {
    let gone = [
        ("AWS_SECRET_ACCESS_KEY", "x"),
        ("npm_config_//host/:_authToken", "x"),
        ("github_token", "x"),
        ("MONKEY", "x"),
        ("DbPassWord", "x"),
        ("MY_PRIVATE_THING", "x"),
        ("SSH_AUTH_SOCK", "/s"),
        ("GIT_ASKPASS_X_ASKPASS", "/s"),
        ("DOCKER_HOST", "tcp://h"),
        ("VSCODE_IPC_HOOK_CLI", "/s"),
        ("LD_PRELOAD", "/x.so"),
        ("BASH_ENV", "/x"),
        ("ENV", "/x"),
        ("BASH_FUNC_git%%", "() { ssh host; }"),
        ("CDPATH", "/"),
        ("GIT_SSH_COMMAND", "x"),
        ("GIT_DIR", "/other/.git"),
        ("DATABASE_URL", "postgres://u:pw@host/db"),
        ("https_proxy", "http://u:p@proxy:3128"),
        ("TWO", "a=1 b=redis://:pw@h/0"),
        ("CERCO_STATE", "/x"),
        ("MYSQL_PWD", "x"),
        ("GITHUB_PAT", "x"),
        ("DB_PASS", "x"),
        ("SENTRY_DSN", "x"),
    ];
    let environment = made(&gone);
    for (name, _) in gone {
        assert!(!environment.variables.contains_key(name), "{name}");
        assert!(environment.removed.iter().any(|n| n == name), "{name}");
    }
}

#[test]
fn ordinary_variables_stay() {
    let kept = [
        ("HOME", "/home/u"),
        ("LANG", "C.UTF-8"),
        ("RUSTFLAGS", "-D warnings"),
        ("SITE", "https://example.com/a@b:c"),
        ("MAIL", "me@host:25"),
        ("GIT_AUTHOR_NAME", "N"),
        ("COMPASS", "n"),
        ("PATTERN", "x"),
        ("ENVIRONMENT", "test"),
    ];
    let environment = made(&kept);
    for (name, value) in kept {
        assert_eq!(environment.variables.get(name).unwrap(), value, "{name}");
    }
    assert_eq!(environment.removed, [""; 0]);
}

#[test]
fn what_is_set_wins_over_the_callers() {
    let environment = made(&[("EDITOR", "vim"), ("TMPDIR", "/tmp"), ("PWD", "/else")]);
    let get = |name: &str| environment.variables.get(name).map(String::as_str);
    assert_eq!(get("EDITOR"), Some("false"));
    assert_eq!(get("GIT_TERMINAL_PROMPT"), Some("0"));
    assert_eq!(get("TMPDIR"), Some("/scratch/r1"));
    assert_eq!(get("PWD"), Some("/p/a"));
    assert_eq!(get("CERCO_RUN"), Some("r1"));
    assert_eq!(environment.removed, ["EDITOR", "PWD", "TMPDIR"]);
}

#[test]
fn programs_are_only_looked_for_in_absolute_folders() {
    for (path, want) in [
        ("/usr/bin:.:bin::/bin", "/usr/bin:/bin"),
        ("", DEFAULT_PATH),
        (".", DEFAULT_PATH),
    ] {
        assert_eq!(made(&[("PATH", path)]).variables["PATH"], want);
    }
    assert_eq!(made(&[]).variables["PATH"], DEFAULT_PATH);
}

#[test]
fn with_registries_every_program_finds_the_proxy_and_a_cache_to_write() {
    let caller = [("https_proxy", "http://corp:3128"), ("NO_PROXY", "*")];
    let run = ForRun {
        id: "r",
        directory: "/",
        scratch: "/s",
        network: Network::Registries { port: 7 },
    };
    let caller = caller.map(|(n, v)| (n.into(), v.into()));
    let variables = environment(caller, run).variables;
    for name in PROXY_NAMES {
        assert_eq!(variables[name], "http://127.0.0.1:7", "{name}");
    }
    assert_eq!(variables["NO_PROXY"], "localhost,127.0.0.1,::1");
    assert_eq!(variables["CARGO_HOME"], "/s/.cargo");
    assert!(!variables.contains_key("CARGO_NET_OFFLINE"));
}

#[cfg(unix)]
#[test]
fn what_is_not_utf8_is_dropped() {
    use std::os::unix::ffi::OsStringExt;
    let bad = OsString::from_vec(vec![b'a', 0xff]);
    let run = ForRun {
        id: "r",
        directory: "/",
        scratch: "/s",
        network: Network::Off,
    };
    let environment = environment([("ODD".into(), bad)], run);
    assert_eq!(environment.removed, ["ODD"]);
    assert_eq!(environment.variables["CARGO_NET_OFFLINE"], "true");
}
