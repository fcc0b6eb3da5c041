//! Failure → the one command that fixes it, as data. The first row that fits is shown.

use super::{Backend, Readiness, State, Step};

/// What is known of the system beside the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// `ID` and `ID_LIKE` of os-release, by blanks.
    pub distribution: String,
    /// Settings of the kernel that are on, by the names of [`Failure::needs`].
    pub settings: Vec<&'static str>,
}

/// One way to fail.
#[derive(Debug)]
pub struct Failure {
    /// Which backend.
    pub backend: Backend,
    /// Any of these in the launcher's message.
    pub says: &'static [&'static str],
    /// A setting that must be on for the row to fit; empty: none.
    pub needs: &'static str,
    /// What was found, in words.
    pub found: &'static str,
    /// What the step does.
    pub text: &'static str,
    /// The command; empty: none.
    pub command: &'static str,
}

/// `AppArmor` keeps user namespaces from programs without a profile of their own.
pub(super) const APPARMOR: &str = "apparmor-restricts-user-namespaces";
/// A kernel setting of Debian's that switches them off for users.
pub(super) const CLONE_OFF: &str = "unprivileged-user-namespaces-off";
/// Their number is limited to none.
pub(super) const NONE_ALLOWED: &str = "no-user-namespaces-allowed";
/// The caller is root.
pub(super) const ROOT: &str = "root";

const APPARMOR_PROFILE: &str = r#"printf 'abi <abi/4.0>,\ninclude <tunables/global>\nprofile bwrap %s flags=(unconfined) {\n  userns,\n  include if exists <local/bwrap>\n}\n' "$(readlink -f "$(command -v bwrap)")" | sudo tee /etc/apparmor.d/bwrap >/dev/null && sudo apparmor_parser -r /etc/apparmor.d/bwrap"#;

const fn linux(
    says: &'static [&'static str],
    needs: &'static str,
    found: &'static str,
    text: &'static str,
    command: &'static str,
) -> Failure {
    Failure {
        backend: Backend::Bubblewrap,
        says,
        needs,
        found,
        text,
        command,
    }
}
const fn wsl(
    says: &'static [&'static str],
    found: &'static str,
    text: &'static str,
    command: &'static str,
) -> Failure {
    Failure {
        backend: Backend::Wsl,
        says,
        needs: "",
        found,
        text,
        command,
    }
}
const fn docker(
    says: &'static [&'static str],
    found: &'static str,
    text: &'static str,
    command: &'static str,
) -> Failure {
    Failure {
        backend: Backend::Docker,
        says,
        needs: "",
        found,
        text,
        command,
    }
}

/// Every known way to fail. Rows with a setting stand before those without.
#[must_use]
pub fn failures() -> &'static [Failure] {
    FAILURES
}

const FAILURES: &[Failure] = &[
    linux(
        &[
            "setting up uid map: Permission denied",
            "loopback: Failed RTM_NEWADDR",
            "loopback: Failed RTM_NEWLINK",
            "No permissions to create a new namespace",
            "Creating new namespace failed",
        ],
        APPARMOR,
        "this system lets only listed programs make user namespaces, and bubblewrap is not listed",
        "Put bubblewrap, and nothing else, on the list",
        APPARMOR_PROFILE,
    ),
    linux(
        &[
            "No permissions to create a new namespace",
            "No permissions to create new namespace",
            "Creating new namespace failed",
            "setting up uid map",
        ],
        CLONE_OFF,
        "user namespaces are switched off for users",
        "Switch them on",
        "echo kernel.unprivileged_userns_clone=1 | sudo tee /etc/sysctl.d/60-userns.conf && sudo sysctl --system",
    ),
    linux(
        &[
            "Creating new namespace failed",
            "No space left on device",
            "No permissions to create",
        ],
        NONE_ALLOWED,
        "the number of user namespaces is limited to none",
        "Raise the limit",
        "echo user.max_user_namespaces=15000 | sudo tee /etc/sysctl.d/60-userns.conf && sudo sysctl --system",
    ),
    linux(
        &["setting up uid map: Operation not permitted"],
        ROOT,
        "root lacks a right here that it needs to map itself (CAP_SETFCAP)",
        "Run Cerco as an ordinary user",
        "",
    ),
    linux(
        &[
            "Can't mount proc on",
            "mount proc",
            "No permissions to create",
            "Creating new namespace failed: Operation not permitted",
        ],
        "",
        "this machine is itself a container that keeps processes from making their own",
        "Start the outer container again with these options, or choose Docker as the backend (Podman: --security-opt unmask=ALL)",
        "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined …",
    ),
    linux(
        &["Unknown option"],
        "",
        "the installed bubblewrap is too old",
        "Upgrade it with the system",
        "",
    ),
    Failure {
        backend: Backend::SandboxExec,
        says: &["sandbox_apply: Operation not permitted"],
        needs: "",
        found: "Cerco itself was started in a sandbox, and macOS nests none",
        text: "Start it from Finder or Terminal",
        command: "",
    },
    wsl(
        &["0x80370102", "0x80370114"],
        "Windows' virtual machine platform is off",
        "Switch it on as administrator and restart; then look for virtualisation in the firmware's settings",
        "dism.exe /online /enable-feature /featurename:VirtualMachinePlatform /all /norestart",
    ),
    wsl(
        &["0x8007019e", "not installed", "cannot find the file"],
        "WSL is not installed",
        "Install it as administrator and restart",
        "wsl --install --no-distribution",
    ),
    wsl(
        &["0x8000000d", "no installed distributions"],
        "WSL has no distribution",
        "Install one",
        "wsl --install -d Ubuntu",
    ),
    wsl(
        &["WSL_E_WSL1", "version 1"],
        "the distribution is WSL 1, which has no namespaces",
        "Convert it",
        "wsl --set-version Ubuntu 2",
    ),
    wsl(
        &["bwrap: not found", "bwrap: No such file"],
        "the distribution has no bubblewrap",
        "Install it there",
        "wsl -u root -- sh -c \"apt-get update && apt-get install -y bubblewrap\"",
    ),
    wsl(
        &["Landlock", "seccomp"],
        "the WSL kernel is too old",
        "Update it",
        "wsl --update",
    ),
    docker(
        &["permission denied while trying to connect"],
        "this user may not speak to Docker",
        "Join its group (it equals root on this machine) and log in again",
        "sudo usermod -aG docker $USER",
    ),
    docker(
        &[
            "Cannot connect to the Docker daemon",
            "open //./pipe/docker_engine",
        ],
        "Docker is installed but not running",
        "Start it",
        if cfg!(target_os = "linux") {
            "sudo systemctl start docker"
        } else {
            "docker desktop start"
        },
    ),
    docker(
        &["command not found", "No such file"],
        "Docker is not installed",
        "Install it",
        "winget install -e --id Docker.DockerDesktop",
    ),
    docker(
        &["server is windows"],
        "Docker runs Windows containers",
        "Switch it to Linux containers",
        "& \"$Env:ProgramFiles\\Docker\\Docker\\DockerCli.exe\" -SwitchLinuxEngine",
    ),
    docker(
        &["No such image"],
        "the image is not downloaded",
        "Download it in Settings, which first states its size",
        "",
    ),
];

/// How systems install bubblewrap: a word of os-release, the command.
const INSTALL: &[(&str, &str)] = &[
    ("debian", "sudo apt-get install -y bubblewrap"),
    ("ubuntu", "sudo apt-get install -y bubblewrap"),
    ("fedora", "sudo dnf install -y bubblewrap"),
    ("rhel", "sudo dnf install -y bubblewrap"),
    ("arch", "sudo pacman -S --needed bubblewrap"),
    ("suse", "sudo zypper install -y bubblewrap"),
    ("opensuse", "sudo zypper install -y bubblewrap"),
    ("alpine", "sudo apk add bubblewrap"),
    ("nixos", "nix profile install nixpkgs#bubblewrap"),
];

/// The command that installs bubblewrap on `system`.
#[must_use]
pub(super) fn install(system: &System) -> Option<&'static str> {
    system
        .distribution
        .split_whitespace()
        .find_map(|word| INSTALL.iter().find(|(name, _)| *name == word))
        .map(|(_, command)| *command)
}

/// What a launcher's message means and what to do. A message that no row knows is shown
/// as it is.
#[must_use]
pub fn explain(backend: Backend, message: &str, system: &System) -> Readiness {
    let row = FAILURES.iter().find(|row| {
        let says = row.says.iter().any(|part| message.contains(part));
        let needed = row.needs.is_empty() || system.settings.contains(&row.needs);
        row.backend == backend && says && needed
    });
    let (found, step) = match row {
        Some(row) => (
            row.found.to_owned(),
            Step {
                text: row.text.to_owned(),
                command: (!row.command.is_empty()).then(|| row.command.to_owned()),
            },
        ),
        None => (
            format!("it failed: {}", message.trim()),
            Step {
                text: "Report this message".to_owned(),
                command: None,
            },
        ),
    };
    Readiness {
        backend,
        state: State::NotReady,
        found,
        step: Some(step),
    }
}

#[cfg(test)]
mod tests;
