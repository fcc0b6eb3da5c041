//! Git's settings, read strictly: what is known to start nothing and to lead nowhere is
//! kept, everything else is not. Pure.
//!
//! It must never keep what it doesn't fully understand: git's own reader is lenient, and a
//! line that the two read differently is a way to have a program started.

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

/// One setting that is kept.
#[derive(Debug, PartialEq, Eq)]
struct Setting<'a> {
    section: String,
    part: Option<&'a str>,
    key: String,
    value: &'a str,
}

/// The settings of `text` without what isn't kept; nothing where all of it is kept.
pub(crate) fn without_programs(text: &str) -> Option<String> {
    let mut kept: Vec<Setting<'_>> = Vec::new();
    let mut left_out = false;
    let mut section: Option<(String, Option<&str>)> = None;
    let mut goes_on = false;
    for line in text.lines() {
        let continues = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        let line = line.trim();
        if continues || goes_on {
            left_out = true;
        } else if line.is_empty() || line.starts_with(['#', ';']) {
        } else if line.starts_with('[') {
            section = header(line);
            left_out |= section.is_none();
        } else if let Some(setting) = setting(line, section.as_ref()) {
            kept.push(setting);
        } else {
            left_out = true;
        }
    }
    left_out.then(|| written(&kept))
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

fn setting<'a>(line: &'a str, section: Option<&(String, Option<&'a str>)>) -> Option<Setting<'a>> {
    let (section, part) = section?;
    let (key, value) = line.split_once('=')?;
    let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
    let (_, keys) = KEPT.iter().find(|(name, _)| name == section)?;
    let is_kept = keys.contains(&key.as_str()) && is_plain(value);
    let leads_nowhere = key != "url" || REMOTES.iter().any(|start| value.starts_with(start));
    (is_kept && leads_nowhere).then(|| Setting {
        section: section.clone(),
        part: *part,
        key,
        value,
    })
}

/// Text that means itself, quoted or not: no quotes, escapes, comments, control characters.
fn is_plain(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_control() || matches!(c, '"' | '\\' | '#' | ';' | '[' | ']'))
}

fn written(settings: &[Setting<'_>]) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    let mut last = None;
    for Setting {
        section,
        part,
        key,
        value,
    } in settings
    {
        if last != Some((section, part)) {
            // Writing to a string can't fail.
            let _ = match part {
                Some(part) => writeln!(out, "[{section} \"{part}\"]"),
                None => writeln!(out, "[{section}]"),
            };
            last = Some((section, part));
        }
        let _ = writeln!(out, "\t{key} = {value}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(without_programs(text).as_deref(), expected, "{text}");
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
}
