//! The caller's variables that never reach a command, by name and by value.

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
        "container engines",
        &[
            Starts("DOCKER_"),
            Starts("CONTAINER_"),
            Starts("CONTAINERD_"),
            Starts("PODMAN_"),
            Starts("BUILDKIT_"),
        ],
    ),
    (
        "credentials in a file of the person's",
        &[Is("KUBECONFIG"), Is("NETRC")],
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

/// Whether a variable of the caller's may reach a command.
pub(super) fn is_kept(name: &str, value: &str) -> bool {
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
