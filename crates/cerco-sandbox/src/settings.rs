//! Git's settings, read strictly: what is known to start nothing and to lead nowhere is
//! kept, everything else is not. Pure.
//!
//! It must never keep what it doesn't fully understand: git's own reader is lenient, and a
//! line that the two read differently is a way to have a program started.

use std::collections::HashSet;

/// Settings that start no program and name no other place, by section and key. What is
/// not here is not kept: git has hundreds that do, and more with each version.
const KEPT: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
        ],
    ),
    ("user", &["name", "email"]),
    ("init", &["defaultbranch"]),
    ("extensions", &["objectformat", "refstorage"]),
    ("remote", &["url", "fetch"]),
    ("branch", &["remote", "merge", "rebase"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote"]),
];

/// Transports that a remote may name; git has one that starts a program (`ext::`), and
/// takes an address that begins with a dash for an option.
const REMOTES: &[&str] = &[
    "https://", "http://", "ssh://", "git://", "git@", "file://", "/", ".",
];

/// One line that is kept, with the header that it stands under.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    header: String,
    line: String,
}

/// The settings of `text` without what isn't kept; nothing where all of it is kept. What
/// stood in `before` in the same words, under the same header, was the person's and stays.
pub(crate) fn without_programs(text: &str, before: Option<&str>) -> Option<String> {
    let vouched: HashSet<(&str, &str)> = before.map(pairs).unwrap_or_default();
    let mut kept: Vec<Kept> = Vec::new();
    let mut left_out = false;
    let mut section: Option<(String, Option<&str>)> = None;
    let mut under = "";
    for line in logical(text) {
        if line.starts_with('[') {
            section = header(line);
            under = line;
            if section.is_none() && vouched.contains(&(line, "")) {
                // A setting may stand on the header's own line.
                kept.push(Kept {
                    header: line.to_owned(),
                    line: String::new(),
                });
            } else {
                left_out |= section.is_none();
            }
        } else if vouched.contains(&(under, line)) {
            kept.push(Kept {
                header: under.to_owned(),
                line: line.to_owned(),
            });
        } else if let Some(setting) = setting(line, section.as_ref()) {
            kept.push(setting);
        } else {
            left_out = true;
        }
    }
    left_out.then(|| written(&kept))
}

/// Every line with its header; headers with nothing.
fn pairs(text: &str) -> HashSet<(&str, &str)> {
    let mut all = HashSet::new();
    let mut under = "";
    for line in logical(text) {
        if line.starts_with('[') {
            under = line;
            all.insert((under, ""));
        } else {
            all.insert((under, line));
        }
    }
    all
}

/// Lines without blanks around them, those that go on joined; no comments and empty ones.
fn logical(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let mut end = 0;
            loop {
                let left = rest.get(end..).unwrap_or_default();
                let line = left.split_inclusive('\n').next().unwrap_or_default();
                end += line.len();
                let goes_on = line.trim_end_matches(['\r', '\n']).ends_with('\\');
                if !goes_on || line.is_empty() {
                    break;
                }
            }
            let (line, after) = rest.split_at_checked(end.max(1)).unwrap_or((rest, ""));
            rest = after;
            let line = line.trim();
            if !line.is_empty() && (line.contains('\n') || !line.starts_with(['#', ';'])) {
                return Some(line);
            }
        }
        None
    })
}

/// `[section]` or `[section "part"]`, and nothing after it.
fn header(line: &str) -> Option<(String, Option<&str>)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, part) = match inner.split_once(' ') {
        None => (inner, None),
        Some((name, rest)) => {
            let part = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
            (name, Some(part))
        }
    };
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (plain && part.is_none_or(is_plain)).then(|| (name.to_ascii_lowercase(), part))
}

fn setting(line: &str, section: Option<&(String, Option<&str>)>) -> Option<Kept> {
    let (section, part) = section?;
    let (key, value) = line.split_once('=')?;
    let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
    let (_, keys) = KEPT.iter().find(|(name, _)| name == section)?;
    let is_kept = keys.contains(&key.as_str()) && is_plain(value);
    let leads_nowhere = key != "url" || REMOTES.iter().any(|start| value.starts_with(start));
    (is_kept && leads_nowhere).then(|| Kept {
        header: match part {
            Some(part) => format!("[{section} \"{part}\"]"),
            None => format!("[{section}]"),
        },
        line: format!("{key} = {value}"),
    })
}

/// Text that means itself, quoted or not: no quotes, escapes, comments, control characters.
fn is_plain(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_control() || matches!(c, '"' | '\\' | '#' | ';' | '[' | ']'))
}

fn written(kept: &[Kept]) -> String {
    let mut out = String::new();
    let mut last = "";
    for Kept { header, line } in kept {
        if last != header {
            out.push_str(header);
            out.push('\n');
            last = header;
        }
        if !line.is_empty() {
            out.push('\t');
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(without_programs(text, None).as_deref(), expected, "{text}");
    }

    #[test]
    fn what_git_itself_writes_is_kept() {
        check(
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = A B\n\temail = a@b\n",
            None,
        );
        check(
            "[remote \"origin\"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
            None,
        );
    }

    #[test]
    fn what_could_start_a_program_is_not() {
        let core = "[core]\n\tbare = false\n";
        for line in [
            "\tfsmonitor = echo pwn; false",
            "\tsshCommand = x",
            "\thooksPath = /x",
            "\tworktree = ..",
            "\teditor",
            "[alias]\n\tx = !x",
            "[include]\n\tpath = ../evil",
            "[includeIf \"gitdir:/\"]\n\tpath = x",
            "[filter \"x\"]\n\tclean = x",
            "[diff \"x\"]\n\ttextconv = x",
            "[remote \"o\"]\n\turl = ext::sh -c x",
            "[remote \"o\"]\n\turl = --upload-pack=x",
            "[remote \"o\"]\n\tuploadpack = x",
            "[extensions]\n\tworktreeConfig = true",
            "[core] fsmonitor = x",
            "[core]fsmonitor=x",
            "[CORE]\n\tFSMONITOR = x",
            "[core.x]\n\tbare = true",
            "\teol = lf\\\nfsmonitor = x",
            "\tquotepath = \"a\\\nb\"",
            "\teol = \"x",
            "\t\"fsmonitor\" = x",
            "\u{b}fsmonitor = x",
        ] {
            check(&format!("[core]\n\tbare = false\n{line}\n"), Some(core));
            check(core, None);
        }
    }

    #[test]
    fn a_header_that_is_not_understood_takes_its_settings_with_it() {
        check("[co\"re]\n\tbare = true\n", Some(""));
        check("\tbare = true\n", Some(""));
    }

    #[test]
    fn what_stood_there_before_is_the_persons() {
        let before = "[core]\n\thooksPath = .gh\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n";
        let same = |text: &str, expected: Option<&str>| {
            assert_eq!(
                without_programs(text, Some(before)).as_deref(),
                expected,
                "{text}"
            );
        };
        same(before, None);
        same(&format!("{before}[user]\n\tname = x\n"), None);
        let planted = format!("{before}\tsmudge = x\n");
        same(&planted, Some(before));
        // The same line elsewhere is another setting.
        same("[alias]\n\thooksPath = .gh\n", Some(""));
        same("[core]\n\thooksPath = .gh\\\nx\n", Some(""));
    }
}
