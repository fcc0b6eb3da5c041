//! Rule `path`: a path outside of what the loop may touch. What is deleted inside goes to rule
//! `delete`, what looks like a secret to rule `secret`.

mod forms;
mod general;
mod start;
mod whole;

use cerco_model::{Part, Rule, Verdict};
use cerco_reader::{Redirection, RedirectionKind, Text};

use forms::{mount, pathspec};
pub(crate) use start::{judge_name, judge_start};
use whole::{judge_from, judge_where};
pub(crate) use whole::{judge_str, refusal, without_version};

use super::{About, Case, Findings, secret, windows};
use crate::paths;
use crate::table::{Meaning, Use};
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

/// One argument that is, or may be, a path.
pub(crate) fn judge_use(case: &Case<'_>, used: &Use, out: &mut Findings) {
    if paths::windows::is_windows(case.place) && windows::judge_use(case, used, out) {
        return;
    }
    let text = used.value.text(&case.start.args);
    match used.meaning {
        Meaning::Read | Meaning::Path | Meaning::Sources | Meaning::Named => {
            judge_text(case, text, Access::Read, used.part, out);
            // Many programs take more arguments from `@file`.
            if let Some(rest) = text.known_prefix().strip_prefix('@')
                && rest.starts_with(['/', '~', '.'])
            {
                judge_text(case, &tail(text, 1), Access::Read, used.part, out);
            }
        }
        // `rg -g '.env'` reads it; `-g '!.env'` leaves it out.
        Meaning::Chosen
            if paths::secret::is_secret(text) && !text.known_prefix().starts_with('!') =>
        {
            secret::named(&shown(text), used.part, out);
        }
        // `bun src/index.ts` runs a file where no script has that name.
        Meaning::Script if case.bound().name == "bun" && text.known_prefix().contains('/') => {
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
            } else if let Some((name, _)) = text.known_prefix().split_once('@') {
                // curl's `--data-urlencode name@file`.
                judge_text(
                    case,
                    &tail(text, name.len() + 1),
                    Access::Read,
                    used.part,
                    out,
                );
            }
        }
        Meaning::Mount => mount(case, used, text, out),
        Meaning::Pathspec => pathspec(case, used, text, out),
        Meaning::General => general::judge(case, used, text, out),
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
    if name == "PYTHONPATH"
        && let Some(known) = value.known()
    {
        for folder in known.split(':').filter(|f| f.starts_with(['/', '~'])) {
            judge_str(case, folder, part, out);
        }
        return;
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

/// Folders right below `/` that computers have.
const ROOTS: &[&str] = &[
    "etc", "home", "root", "var", "usr", "tmp", "proc", "sys", "dev", "opt", "boot", "mnt", "srv",
    "Users", "bin", "lib", "private", "Library", "run", "media",
];

/// A path in code: only what certainly leads outside, since code is asked about anyway.
pub(crate) fn judge_in_code(
    case: &Case<'_>,
    path: &str,
    access: Access,
    part: Part,
    out: &mut Findings,
) {
    let root = path
        .strip_prefix('/')
        .map(|rest| rest.split('/').next().unwrap_or(rest));
    if root.is_some_and(|root| !ROOTS.contains(&root)) {
        return;
    }
    judge_text(case, &Text::Known(path.into()), access, part, out);
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
