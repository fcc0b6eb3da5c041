//! The environment of a run, made from the caller's: a pure function, so that the reader
//! judges with exactly what the command will have.
//!
//! Nothing here reads the caller's environment; it is given. What is dropped is reported
//! by name, never by value.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use crate::credentials::names_credential;

/// How a row of [`DROPPED`] names variables.
#[derive(Clone, Copy)]
enum Name {
    Is(&'static str),
    Starts(&'static str),
    Ends(&'static str),
}
use Name::{Ends, Is, Starts};

/// What never reaches a command, besides credentials. One row a reason.
const DROPPED: &[(&str, &[Name])] = &[
    (
        "agents and buses that act for the person",
        &[
            Starts("SSH_AUTH_SOCK"),
            Starts("SSH_AGENT_"),
            Is("GPG_AGENT_INFO"),
            Starts("DBUS_"),
            Is("XDG_RUNTIME_DIR"),
            Is("AT_SPI_BUS_ADDRESS"),
            Is("SESSION_MANAGER"),
            Is("NOTIFY_SOCKET"),
            Starts("LISTEN_"),
            Starts("PULSE_"),
            Starts("PIPEWIRE_"),
            Ends("_ASKPASS"),
            Is("SUDO_COMMAND"),
        ],
    ),
    (
        "the screen",
        &[
            Is("DISPLAY"),
            Starts("WAYLAND_"),
            Is("XAUTHORITY"),
            Is("ICEAUTHORITY"),
            Is("I3SOCK"),
            Is("SWAYSOCK"),
            Starts("HYPRLAND_"),
        ],
    ),
    (
        "container engines and clusters",
        &[
            Starts("DOCKER_"),
            Starts("CONTAINER_"),
            Starts("CONTAINERD_"),
            Starts("PODMAN_"),
            Starts("BUILDKIT_"),
            Is("KUBECONFIG"),
            Is("NETRC"),
        ],
    ),
    (
        "the other system of the machine",
        &[Is("WSL_INTEROP"), Is("WSLENV")],
    ),
    (
        "sockets of editors and terminals",
        &[
            Starts("VSCODE_"),
            Starts("CURSOR_"),
            Starts("ZED_"),
            Is("NVIM"),
            Starts("NVIM_"),
            Is("EMACS_SERVER_FILE"),
            Starts("TMUX"),
            Is("STY"),
            Starts("KITTY_"),
            Starts("WEZTERM_"),
            Starts("ALACRITTY_"),
            Starts("ZELLIJ"),
        ],
    ),
    (
        "code that is loaded into every program",
        &[Starts("LD_"), Starts("DYLD_"), Is("GCONV_PATH")],
    ),
    (
        "what changes how a shell reads the text",
        &[
            Is("BASH_ENV"),
            Is("ENV"),
            Is("IFS"),
            Is("CDPATH"),
            Is("SHELLOPTS"),
            Is("BASHOPTS"),
            Starts("BASH_"),
            Is("PROMPT_COMMAND"),
            Is("PS4"),
            Is("GLOBIGNORE"),
            Is("EXECIGNORE"),
            Is("FIGNORE"),
            Is("POSIXLY_CORRECT"),
            Is("ZDOTDIR"),
            Ends("()"),
            Ends("%%"),
        ],
    ),
    (
        "what turns git elsewhere or has it start programs",
        &[
            Is("GIT_DIR"),
            Is("GIT_WORK_TREE"),
            Is("GIT_COMMON_DIR"),
            Is("GIT_INDEX_FILE"),
            Is("GIT_OBJECT_DIRECTORY"),
            Is("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
            Is("GIT_NAMESPACE"),
            Is("GIT_EXEC_PATH"),
            Is("GIT_TEMPLATE_DIR"),
            Is("GIT_EXTERNAL_DIFF"),
            Is("GIT_PROXY_COMMAND"),
            Starts("GIT_CONFIG"),
            Starts("GIT_SSH"),
        ],
    ),
    (
        "what has pagers start programs",
        &[Is("LESSOPEN"), Is("LESSCLOSE"), Is("LESS"), Ends("PAGER")],
    ),
    (
        "what belongs to the caller's own shell, or to Cerco",
        &[
            Is("_"),
            Is("OLDPWD"),
            Is("PWD"),
            Is("SHLVL"),
            Starts("CERCO_"),
            Is("TMP"),
            Is("TEMP"),
        ],
    ),
];

/// What every run has, whatever the caller has.
const SET: &[(&str, &str)] = &[
    // Git never waits for a person: no prompt, no editor, no pager, no askpass window.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("CI", "1"),
    ("npm_config_update_notifier", "false"),
];

/// Where programs are looked for when the caller says nothing.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether a run can reach the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// As the caller can.
    Open,
    /// It can't: package managers are told so instead of waiting for a time-out.
    Off,
    /// It reaches package registries through a proxy at this port of its own loopback.
    Registries {
        /// The port.
        port: u16,
    },
}

/// What a run is given besides the caller's environment.
#[derive(Clone, Copy, Debug)]
pub struct ForRun<'a> {
    /// The run's name, unique for ever: the mark by which its processes are found.
    pub id: &'a str,
    /// The directory it starts in.
    pub directory: &'a str,
    /// The run's own scratch folder, as the command will see it.
    pub scratch: &'a str,
    /// Its network.
    pub network: Network,
}

/// The environment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Every variable.
    pub variables: BTreeMap<String, String>,
    /// Names of the caller's variables that were dropped or overwritten, sorted.
    pub removed: Vec<String>,
}

/// The name of the variable that marks a run's processes.
pub const MARK: &str = "CERCO_RUN";

/// Names under which programs look for a proxy. The caller's own can't be reached.
const PROXY_NAMES: [&str; 9] = [
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "npm_config_proxy",
    "npm_config_https_proxy",
    "CARGO_HTTP_PROXY",
];
/// And for what needs none.
const NO_PROXY_NAMES: [&str; 3] = ["no_proxy", "NO_PROXY", "npm_config_noproxy"];

/// Caches that programs insist on writing, below the run's scratch folder: the person's
/// own are read-only.
const HELD_CACHES: &[(&str, &str)] = &[("npm_config_cache", ".npm"), ("PIP_CACHE_DIR", ".pip")];
/// Those that have to be written where something new is downloaded.
const FILLED_CACHES: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("GOMODCACHE", ".go/mod"),
    ("GOCACHE", ".go/build"),
    ("UV_CACHE_DIR", ".uv"),
    ("YARN_CACHE_FOLDER", ".yarn"),
];

fn caches(set: &mut impl FnMut(&str, String), scratch: &str, caches: &[(&str, &str)]) {
    for (name, folder) in caches {
        set(name, format!("{scratch}/{folder}"));
    }
}

/// Makes the environment of a run from the caller's.
///
/// A variable whose name or value is not UTF-8 is dropped: the reader could not judge
/// with it.
#[must_use]
pub fn environment(
    caller: impl IntoIterator<Item = (OsString, OsString)>,
    run: ForRun<'_>,
) -> Environment {
    let mut variables = BTreeMap::new();
    let mut removed = BTreeSet::new();
    for (name, value) in caller {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) if is_kept(&name, &value) => {
                variables.insert(name, value);
            }
            (name, _) => {
                removed.insert(name.unwrap_or_else(|n| n.to_string_lossy().into_owned()));
            }
        }
    }
    let path = variables.get("PATH").map_or("", String::as_str);
    let path = absolute_only(path);
    let mut set = |name: &str, value: String| {
        let before = variables.insert(name.to_owned(), value.clone());
        if before.is_some_and(|before| before != value) {
            removed.insert(name.to_owned());
        }
    };
    set("PATH", path);
    for (name, value) in SET {
        set(name, (*value).to_owned());
    }
    set("PWD", run.directory.to_owned());
    set("TMPDIR", run.scratch.to_owned());
    set(MARK, run.id.to_owned());
    match run.network {
        Network::Open => {}
        Network::Off => {
            set("CARGO_NET_OFFLINE", "true".to_owned());
            caches(&mut set, run.scratch, HELD_CACHES);
        }
        Network::Registries { port } => {
            let proxy = format!("http://127.0.0.1:{port}");
            for name in PROXY_NAMES {
                set(name, proxy.clone());
            }
            for name in NO_PROXY_NAMES {
                set(name, "localhost,127.0.0.1,::1".to_owned());
            }
            caches(&mut set, run.scratch, HELD_CACHES);
            caches(&mut set, run.scratch, FILLED_CACHES);
        }
    }
    Environment {
        variables,
        removed: removed.into_iter().collect(),
    }
}

fn is_kept(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let credential = names_credential(&upper);
    let dropped = DROPPED
        .iter()
        .flat_map(|(_, names)| *names)
        .any(|name| match name {
            Is(whole) => upper == *whole,
            Starts(start) => upper.starts_with(start),
            Ends(end) => upper.ends_with(end),
        });
    // `=` in a name can't be passed on; a function exported by another bash has its text
    // in the value, whatever its name looks like.
    let broken = name.is_empty() || name.contains('=') || value.starts_with("() {");
    !credential && !dropped && !broken && !has_password_in_url(value)
}

/// Whether `value` holds `scheme://user:password@`, anywhere.
fn has_password_in_url(value: &str) -> bool {
    value.split("://").skip(1).any(|after| {
        let authority = after
            .split(['/', '?', '#', ' ', '\t', '\n', '"', '\'', ','])
            .next()
            .unwrap_or_default();
        authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.contains(':'))
    })
}

/// Relative and empty entries mean "wherever the command stands": a file of the project
/// named `git` would be git.
fn absolute_only(path: &str) -> String {
    let kept: Vec<&str> = path.split(':').filter(|e| e.starts_with('/')).collect();
    if kept.is_empty() {
        DEFAULT_PATH.to_owned()
    } else {
        kept.join(":")
    }
}

#[cfg(test)]
mod tests {
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
}
