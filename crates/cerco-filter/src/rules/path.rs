//! Rule `path`: a path outside of what the loop may touch. What is deleted inside goes to rule
//! `delete`, what looks like a secret to rule `secret`.

use std::ops::Not;

use cerco_model::{Part, Rule, SandboxState, Verdict};
use cerco_reader::{Directory, Redirection, RedirectionKind, Text};

use super::{About, Case, Findings, delete, secret, windows};
use crate::paths::scope::holds_project;
use crate::paths::{self, Scope, Shape, shape};
use crate::table::{Ecosystem, Meaning, Use};
use crate::text::{shown, tail};

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Path,
    verdict: Verdict::Refused,
    sentence: "A path outside the project; writing or deleting outside the loop's own folder; without the sandbox any path outside the loop's folder.",
    reason: "`{}` is outside",
    instead: "use a path inside the loop's folder; `$TMPDIR` is a scratch folder",
    matches: &[
        "cat /etc/passwd",
        "echo x > /tmp/out.txt",
        "cp a.ts ../../src/",
        "cat sub/../../../../x.txt",
    ],
    not: &[
        "ls 2>/dev/null",
        "/usr/bin/git status",
        "tr '/' '_' < names.txt",
        "cat /srv/project/loops/a/x.ts",
    ],
};

/// What happens to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Its name or facts are looked at.
    List,
    /// It is read.
    Read,
    /// It is written, created or changed.
    Write,
    /// It is deleted.
    Delete,
}

/// Folders where programs are installed: a program written by its path there is just that program.
const PROGRAM_FOLDERS: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
];

/// The path a program is written by.
pub(crate) fn judge_name(case: &Case<'_>, out: &mut Findings) {
    if paths::windows::is_windows(case.place) {
        return windows::judge_name(case, out);
    }
    let name = &case.start.name;
    let start = name.text.known_prefix();
    if !start.contains('/')
        || start.contains("://")
        || case.bound().levels.is_empty() && start.starts_with('@')
    {
        return;
    }
    let installed = PROGRAM_FOLDERS.iter().any(|folder| {
        start
            .strip_prefix(folder)
            .is_some_and(|rest| !rest.contains('/'))
    });
    if !installed {
        judge_from(
            case,
            &name.text,
            Access::Read,
            name.part,
            &case.start.directory,
            out,
        );
    }
}

/// A program that starts in a folder it may not look at, without a path of its own that leads
/// elsewhere: `cd; ls` lists the home.
pub(crate) fn judge_start(case: &Case<'_>, out: &mut Findings) {
    let Directory::Known(directory) = &case.start.directory else {
        return;
    };
    let place = case.place;
    if paths::windows::is_windows(place)
        || *directory == place.directory
        || case.start.name.text.known_prefix().is_empty()
        || case.is_in_container()
        || is_deaf(case)
    {
        return;
    }
    let scope = paths::scope(directory, place);
    if let Some(why) = refusal(scope, Access::List, place.sandbox) {
        out.refuse(
            Rule::Path,
            case.start.part,
            format!("it would start in `{directory}`, which is {why}"),
            Some(ABOUT.instead.into()),
        );
    }
}

/// Whether it doesn't matter where it starts: it only handles text, moves on, or is given
/// absolute paths.
fn is_deaf(case: &Case<'_>) -> bool {
    let bound = case.bound();
    let text_only = bound.last().is_some_and(|row| {
        row.files.not()
            && row.args.is_some_and(|slots| {
                slots
                    .iter()
                    .all(|slot| matches!(slot.meaning, Meaning::Text | Meaning::None))
            })
            && bound.levels.len() == 1
            && row.time.is_none()
            && row.subs.is_empty()
    });
    let moves = bound
        .row()
        .is_some_and(|row| matches!(row.name, "cd" | "popd" | "export" | "declare"));
    let elsewhere = bound.directory.is_some()
        || bound.uses.iter().any(|used| {
            let text = used.value.text(&case.start.args);
            used.option.is_none() && text.known_prefix().starts_with(['/', '~'])
        });
    text_only || moves || elsewhere
}

/// One argument that is, or may be, a path.
pub(crate) fn judge_use(case: &Case<'_>, used: &Use, out: &mut Findings) {
    if paths::windows::is_windows(case.place) && windows::judge_use(case, used, out) {
        return;
    }
    let text = used.value.text(&case.start.args);
    match used.meaning {
        Meaning::Read | Meaning::Path | Meaning::Sources => {
            judge_text(case, text, Access::Read, used.part, out);
        }
        Meaning::List => judge_text(case, text, Access::List, used.part, out),
        Meaning::Dir => judge_from(
            case,
            text,
            Access::List,
            used.part,
            &case.start.directory,
            out,
        ),
        Meaning::Write => judge_text(case, text, Access::Write, used.part, out),
        Meaning::Delete => judge_text(case, text, Access::Delete, used.part, out),
        Meaning::Place
            if !text.known_prefix().contains("://") || text.known_prefix().starts_with("file:") =>
        {
            judge_text(case, text, Access::Read, used.part, out);
        }
        Meaning::Data => {
            let start = text.known_prefix();
            if start.starts_with('@') && start != "@-" {
                judge_text(case, &tail(text, 1), Access::Read, used.part, out);
            }
        }
        Meaning::Form => {
            if let Some((name, value)) = text.known_prefix().split_once('=')
                && value.starts_with(['@', '<'])
            {
                judge_text(
                    case,
                    &tail(text, name.len() + 2),
                    Access::Read,
                    used.part,
                    out,
                );
            }
        }
        Meaning::Mount => mount(case, used, text, out),
        Meaning::Pathspec => pathspec(case, used, text, out),
        Meaning::General => general(case, used, text, out),
        Meaning::Assign => {
            if let Some((name, value)) = text.known_prefix().split_once('=')
                && value.starts_with(['/', '~'])
            {
                variable(case, name, &tail(text, name.len() + 1), used.part, out);
            }
        }
        _ => {}
    }
}

/// A value of a variable that is a path.
pub(crate) fn variable(case: &Case<'_>, name: &str, value: &Text, part: Part, out: &mut Findings) {
    if paths::windows::is_windows(case.place) {
        return windows::variable(case, value, part, out);
    }
    let start = value.known_prefix();
    let toolchain = (name.ends_with("_HOME") || name.ends_with("_ROOT") || name.ends_with("_DIR"))
        && (start.starts_with("/usr/") || start.starts_with("/opt/"));
    // `IFS=/` and `BASE_URL=/` are no paths to a file; where one is used, it is judged there.
    let root = value.known() == Some("/");
    if start.starts_with(['/', '~']) && !start.contains(':') && !toolchain && !root {
        judge_text(case, value, Access::Read, part, out);
    }
}

/// `host:container[:options]`, or docker's `type=bind,source=…`.
fn mount(case: &Case<'_>, used: &Use, text: &Text, out: &mut Findings) {
    let Some(known) = text.known() else {
        let start = text.known_prefix();
        if start.starts_with(['/', '.', '~']) || start.is_empty() {
            judge_text(case, text, Access::Write, used.part, out);
        }
        return;
    };
    if known.contains("target=") || known.contains("dst=") || known.contains("type=") {
        for field in known.split(',') {
            if let Some(("source" | "src", path)) = field.split_once('=')
                && path.starts_with(['/', '.', '~'])
            {
                judge_text(
                    case,
                    &Text::Known(path.into()),
                    Access::Read,
                    used.part,
                    out,
                );
            }
        }
        return;
    }
    let mut fields = known.split(':');
    let host = fields.next().unwrap_or_default();
    let read_only = fields
        .nth(1)
        .is_some_and(|options| options.split(',').any(|o| o == "ro"));
    if host.starts_with(['/', '.', '~']) {
        let access = if read_only {
            Access::Read
        } else {
            Access::Write
        };
        judge_text(case, &Text::Known(host.into()), access, used.part, out);
    }
}

/// `REV:path`, `:(top)path`, a path, or a revision.
fn pathspec(case: &Case<'_>, used: &Use, text: &Text, out: &mut Findings) {
    let start = text.known_prefix();
    if let Some((_, path)) = start.rsplit_once(':') {
        let path = path
            .rsplit(')')
            .next()
            .unwrap_or(path)
            .trim_start_matches(['!', '^', '/']);
        let skip = start.len() - path.len();
        let rest = tail(text, skip);
        if paths::secret::is_secret(&rest)
            && !start.starts_with(":!")
            && !start.starts_with(":^")
            && !start.starts_with(":(exclude)")
        {
            secret::named(&shown(text), used.part, out);
        }
        return;
    }
    if start.starts_with(['/', '~'])
        || start.contains("..")
            && (start.starts_with("../") || start.contains("/..") || start == "..")
    {
        judge_text(case, text, Access::Read, used.part, out);
    } else if paths::secret::is_secret(text) {
        secret::named(&shown(text), used.part, out);
    }
}

/// A word whose meaning isn't in the table: a path if it looks like one.
fn general(case: &Case<'_>, used: &Use, text: &Text, out: &mut Findings) {
    let start = text.known_prefix();
    let value = if start.starts_with('-') {
        match start.split_once('=') {
            Some((name, _)) => tail(text, name.len() + 1),
            None => match start.get(2..) {
                Some(rest)
                    if !start.starts_with("--")
                        && (rest.starts_with(['/', '~']) || rest.starts_with("../")) =>
                {
                    tail(text, 2)
                }
                _ => return,
            },
        }
    } else if let Some((name, value)) = start.split_once('=')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && value.starts_with(['/', '~', '.'])
    {
        tail(text, name.len() + 1)
    } else if start.starts_with('@')
        && start
            .get(1..2)
            .is_some_and(|c| matches!(c, "/" | "." | "~"))
    {
        tail(text, 1)
    } else {
        text.clone()
    };
    let start = value.known_prefix();
    if start.starts_with("file:") {
        return judge_text(case, &value, Access::Read, used.part, out);
    }
    if start.contains("://") || start.contains(char::is_whitespace) {
        return;
    }
    let like_path = start.starts_with(['/', '~'])
        || start.starts_with("../")
        || start == ".."
        || start.contains("/../")
        || start.ends_with("/..");
    if like_path {
        judge_text(case, &value, Access::Read, used.part, out);
    } else if paths::secret::is_secret(&value) {
        secret::named(&shown(&value), used.part, out);
    } else if value.known().is_some() && start.contains('/') {
        judge_text(case, &value, Access::Read, used.part, out);
    }
}

/// A path in code: only what certainly leads outside, since code is asked about anyway.
pub(crate) fn judge_in_code(case: &Case<'_>, path: &str, part: Part, out: &mut Findings) {
    const ROOTS: &[&str] = &[
        "etc", "home", "root", "var", "usr", "tmp", "proc", "sys", "dev", "opt", "boot", "mnt",
        "srv", "Users", "bin", "lib", "private", "Library", "run", "media",
    ];
    let root = path
        .strip_prefix('/')
        .map(|rest| rest.split('/').next().unwrap_or(rest));
    if root.is_some_and(|root| !ROOTS.contains(&root)) {
        return;
    }
    judge_text(case, &Text::Known(path.into()), Access::Read, part, out);
}

/// A redirection's file.
pub(crate) fn judge_redirection(case: &Case<'_>, redirection: &Redirection, out: &mut Findings) {
    let Redirection {
        kind,
        target,
        directory,
    } = redirection;
    let start = target.text.known_prefix();
    if let Some(host) = start
        .strip_prefix("/dev/tcp/")
        .or_else(|| start.strip_prefix("/dev/udp/"))
    {
        let host = host.split('/').next().unwrap_or(host);
        out.refuse(
            Rule::Remote,
            target.part,
            format!("the shell itself would connect to `{host}`"),
            None,
        );
        return;
    }
    let access = match kind {
        RedirectionKind::Read => Access::Read,
        RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::ReadWrite => {
            Access::Write
        }
    };
    // No program starts with it: the guard never sees a redirection.
    judge_where(
        case,
        &target.text,
        access,
        target.part,
        directory,
        false,
        out,
    );
}

/// A path of an argument.
pub(crate) fn judge_text(
    case: &Case<'_>,
    text: &Text,
    access: Access,
    part: Part,
    out: &mut Findings,
) {
    judge_from(case, text, access, part, case.directory(), out);
}

fn judge_from(
    case: &Case<'_>,
    text: &Text,
    access: Access,
    part: Part,
    directory: &Directory,
    out: &mut Findings,
) {
    let guarded = case.is_guarded();
    judge_where(case, text, access, part, directory, guarded, out);
}

fn judge_where(
    case: &Case<'_>,
    text: &Text,
    access: Access,
    part: Part,
    directory: &Directory,
    guarded: bool,
    out: &mut Findings,
) {
    if case.is_in_container() {
        return;
    }
    if paths::windows::is_windows(case.place) {
        return windows::judge_where(case, text, access, part, directory, guarded, out);
    }
    let place = case.place;
    let is_pattern = text.known().is_none();
    if !(access == Access::List && is_pattern) && paths::secret::is_secret(text) {
        secret::named(&shown(text), part, out);
    }
    let (path, whole) = match shape(text) {
        Shape::Whole(path) => (path, true),
        Shape::Begins(path) => (path, false),
    };
    if whole && (path.is_empty() || path == "-") {
        if path.is_empty() && access == Access::Delete {
            delete::inside("", part, out);
        }
        return;
    }
    let absolute = path.starts_with(['/', '~']) || path.starts_with("file:");
    let from = match directory {
        Directory::Known(from) => from.as_str(),
        Directory::Unknown if absolute => "/",
        Directory::Unknown => {
            if access == Access::Delete {
                delete::inside(&shown(text), part, out);
            }
            if !guarded {
                out.unclear(part, "the directory that this path begins in");
            }
            return;
        }
    };
    let mut full = paths::join(from, &path, &place.home);
    if !whole {
        // What follows may finish the last name: only the folder is certain.
        if !path.ends_with('/') {
            let cut = full.rfind('/').unwrap_or(0);
            full.truncate(cut);
        }
        if full.is_empty() {
            full.push('/');
        }
        let begun = !path.is_empty();
        let certain =
            begun && paths::scope(&full, place) == Scope::Outside && !holds_project(&full, place);
        if !certain {
            if access == Access::Delete {
                delete::inside(&shown(text), part, out);
            }
            // What `xargs` is fed is names of files; reading and changing those isn't asked about.
            let fed = case.is_fed() && access != Access::Delete;
            if !guarded && !fed {
                out.unclear(part, "a path");
            }
            return;
        }
    }
    let scope = paths::scope(&full, place);
    if let Some(why) = refusal(scope, access, place.sandbox) {
        let shown = shown(text);
        out.refuse(
            Rule::Path,
            part,
            format!("`{shown}` is {why}"),
            Some(ABOUT.instead.into()),
        );
    } else if access == Access::Delete && scope != Scope::Device {
        delete::inside(&shown(text), part, out);
    }
}

pub(crate) fn refusal(scope: Scope, access: Access, sandbox: SandboxState) -> Option<&'static str> {
    let changes = matches!(access, Access::Write | Access::Delete);
    match scope {
        Scope::OtherLoop if changes => Some("inside another loop's folder"),
        Scope::Project if changes => {
            Some("outside the loop's folder, which is all that may be changed")
        }
        Scope::Project if sandbox == SandboxState::Off => {
            Some("outside the loop's folder; without the sandbox nothing else may be touched")
        }
        Scope::Loop | Scope::Scratch | Scope::Device | Scope::OtherLoop | Scope::Project => None,
        Scope::Outside => Some("outside the project"),
    }
}

/// A package or remote that turned out to be a path.
pub(crate) fn judge_str(case: &Case<'_>, path: &str, part: Part, out: &mut Findings) {
    judge_text(case, &Text::Known(path.into()), Access::Read, part, out);
}

/// Ecosystems whose package words may be folders with a version behind `@`.
pub(crate) fn without_version(path: &str, ecosystem: Ecosystem) -> &str {
    match ecosystem {
        Ecosystem::Go => path.split('@').next().unwrap_or(path),
        Ecosystem::Pip => path.split('[').next().unwrap_or(path),
        Ecosystem::Npm
        | Ecosystem::Cargo
        | Ecosystem::Gem
        | Ecosystem::Composer
        | Ecosystem::Other => path,
    }
}
