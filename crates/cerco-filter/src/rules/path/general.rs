//! Words whose meaning isn't in the table.

use cerco_reader::Text;

use super::{Access, judge_text};
use crate::paths;
use crate::rules::{Case, Findings, secret};
use crate::table::{Use, Value};
use crate::text::{shown, tail};

/// Long options that name what a program writes, whatever the program is: in small letters,
/// without what joins their words.
const WRITES: &[&str] = &[
    "out",
    "output",
    "outdir",
    "outfile",
    "outputdir",
    "outputdirectory",
    "outputfile",
    "outputfolder",
    "outputpath",
    "dest",
    "destdir",
    "destination",
    "dist",
    "distdir",
    "distpath",
    "targetdir",
    "targetdirectory",
    "save",
    "saveto",
    "savedir",
    "logfile",
    "reportfile",
    "reportdir",
];

/// A word whose meaning isn't in the table: a path if it looks like one.
pub(super) fn judge(case: &Case<'_>, used: &Use, text: &Text, out: &mut Findings) {
    let access = access(case, used, text);
    let start = text.known_prefix();
    let value = if let Some(skip) = switch(case, start) {
        tail(text, skip)
    } else if start.starts_with('-') {
        match start.split_once('=') {
            Some((name, _)) => tail(text, name.len() + 1),
            None => match start.get(2..) {
                Some(rest)
                    if !start.starts_with("--")
                        && (rest.starts_with(['/', '~']) || rest.starts_with("../")) =>
                {
                    tail(text, 2)
                }
                // `java -javaagent:/x.jar`
                _ => match start.split_once(':') {
                    Some((name, rest))
                        if rest.starts_with(['/', '~']) && !rest.starts_with("//")
                            || rest.starts_with("../") =>
                    {
                        tail(text, name.len() + 1)
                    }
                    _ => return,
                },
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
    if is_route(case, used, &value) {
        return;
    }
    let start = value.known_prefix();
    if start.starts_with("file:") {
        return judge_text(case, &value, access, used.part, out);
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
        judge_text(case, &value, access, used.part, out);
    } else if paths::secret::is_secret(&value) {
        secret::named(&shown(&value), used.part, out);
    } else if value.known().is_some() && start.contains('/') {
        judge_text(case, &value, access, used.part, out);
    }
}

/// `MSBuild`'s switches, which begin with a slash on every system.
const SWITCHES: &[&str] = &[
    "p",
    "property",
    "t",
    "target",
    "m",
    "maxcpucount",
    "v",
    "verbosity",
    "warnaserror",
    "nowarn",
    "nologo",
    "r",
    "restore",
    "bl",
    "binarylogger",
    "nr",
    "nodereuse",
    "clp",
    "consoleloggerparameters",
    "fl",
    "flp",
    "fileloggerparameters",
    "tl",
    "graph",
    "noconlog",
    "help",
];

/// Where the value of `/p:Name=value` begins; the end where it has none.
fn switch(case: &Case<'_>, start: &str) -> Option<usize> {
    let row = case.bound().row().map(|row| row.name);
    if !matches!(row, Some("dotnet" | "msbuild")) {
        return None;
    }
    let rest = start.strip_prefix('/')?;
    let name = rest.split(':').next().unwrap_or(rest);
    let lower = name.to_ascii_lowercase();
    if !SWITCHES.contains(&lower.as_str()) {
        return None;
    }
    match rest.split_once(':') {
        Some((_, value)) => {
            let inner = value.find('=').map_or(0, |at| at + 1);
            Some(start.len() - value.len() + inner)
        }
        None => Some(start.len()),
    }
}

/// Folders right below `/` that some computers have, and containers.
const MORE_ROOTS: &[&str] = &[
    "sbin",
    "lib32",
    "lib64",
    "Volumes",
    "System",
    "Applications",
    "snap",
    "nix",
    "data",
    "workspace",
    "workspaces",
    "work",
    "host",
    "app",
    "storage",
    "export",
    "net",
    "cores",
    "efi",
    "selinux",
    "afs",
    "vagrant",
    "config",
    "secrets",
    "backup",
    "backups",
];

/// `client.js GET /api/users`: behind a method of HTTP stands what is asked for, where the
/// word leads to no folder that computers have.
fn is_route(case: &Case<'_>, used: &Use, text: &Text) -> bool {
    let Value::Arg(at) = used.value else {
        return false;
    };
    let method = (at as usize)
        .checked_sub(1)
        .and_then(|before| case.start.args.get(before)?.text.known());
    let asks = matches!(
        method,
        Some("GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS")
    );
    asks && text.known().is_some_and(|path| {
        let mut parts = path.split('/');
        let rooted = parts.next() == Some("");
        let root = parts.next().unwrap_or_default();
        let project = case.place.project.strip_prefix('/').unwrap_or_default();
        rooted
            && root.chars().all(|c| c.is_ascii_alphanumeric())
            && !root.is_empty()
            && !super::ROOTS.contains(&root)
            && !MORE_ROOTS.contains(&root)
            && project.split('/').next() != Some(root)
            && !paths::secret::is_secret(text)
            && parts.all(|part| part != "..")
    })
}

/// `-o FILE` and its like write also where no row says so.
fn access(case: &Case<'_>, used: &Use, text: &Text) -> Access {
    let start = text.known_prefix();
    let option = match &used.value {
        _ if start.starts_with('-') => start.split_once('=').map_or(start, |(name, _)| name),
        Value::Arg(at) => (*at as usize)
            .checked_sub(1)
            .and_then(|before| case.start.args.get(before)?.text.known())
            .unwrap_or_default(),
        Value::Own(_) => "",
    };
    if names_what_is_written(option) && !case.bound().has(option) {
        Access::Write
    } else {
        Access::Read
    }
}

/// `-o`, `-oFILE`, `--output-dir`, `--outputDir`, `-outdir`.
fn names_what_is_written(option: &str) -> bool {
    let Some(name) = option.strip_prefix('-') else {
        return false;
    };
    let letters = || {
        let joins = |c: &char| matches!(c, '-' | '_');
        name.chars()
            .filter(move |c| !joins(c))
            .map(|c| c.to_ascii_lowercase())
    };
    let attached = |rest: &str| rest.is_empty() || rest.starts_with(['/', '.', '~']);
    name.strip_prefix('o').is_some_and(attached)
        || WRITES.iter().any(|known| letters().eq(known.chars()))
}
