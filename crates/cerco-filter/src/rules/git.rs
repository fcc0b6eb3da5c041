//! Rules `git-destructive` and `git-change`. What git's sub-commands do is in the table; here is
//! what stands in configuration keys and refspecs.

use cerco_model::{Kind, Rule, Verdict};

use cerco_reader::Text;

use super::address::say;
use super::path::{Access, judge_text};
use super::{About, Case, Findings};
use crate::address::{Remote, remote};
use crate::table::Meaning;

/// `git-destructive` for people.
pub(crate) static DESTRUCTIVE: About = About {
    rule: Rule::GitDestructive,
    verdict: Verdict::Refused,
    sentence: "Throwing git work away, rewriting what others have, waiting for a person, or planting a program in git's configuration.",
    reason: "`{}` throws git work away or waits for a person",
    instead: "keep the work: commit or stash it first; give the message with `-m`; leave the rest to a person in the terminal",
    matches: &[
        "git reset --hard",
        "git clean -fd",
        "git push --force",
        "git commit",
        "git add -p",
    ],
    not: &["git clean -n", "git log --oneline", "git diff --stat"],
};

/// `git-change` for people.
pub(crate) static CHANGE: About = About {
    rule: Rule::GitChange,
    verdict: Verdict::Asked,
    sentence: "Changing the repository or its remote.",
    reason: "`{}` changes the repository or its remote",
    instead: "ask for it, or leave it to the person",
    matches: &[
        "git commit -m x",
        "git push",
        "git stash drop",
        "gh pr merge 12 --squash",
    ],
    not: &[
        "git status",
        "git fetch origin",
        "git add -A",
        "git commit --help",
    ],
};

/// Keys whose value is a program that git starts, or that steers which one. Lower case; a
/// part that is `*` stands for any name.
const PLANTS: &[&str] = &[
    "core.sshcommand",
    "core.pager",
    "core.editor",
    "core.fsmonitor",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "sequence.editor",
    "diff.external",
    "diff.*.command",
    "diff.*.textconv",
    "merge.*.driver",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "difftool.*.cmd",
    "difftool.*.path",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "pager.*",
    "credential.helper",
    "credential.*.helper",
    "gpg.program",
    "gpg.*.program",
    "ssh.variant",
    "uploadpack.packobjectshook",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "remote.*.vcs",
    "trailer.*.command",
    "trailer.*.cmd",
    "interactive.difffilter",
    "browser.*.cmd",
    "browser.*.path",
    "man.*.cmd",
    "sendemail.smtpserver",
    "sendemail.tocmd",
    "sendemail.cccmd",
    "web.browser",
    "init.templatedir",
    "include.path",
    "includeif.*.path",
    "protocol.ext.allow",
    "protocol.allow",
    "hook.*.command",
    "instaweb.httpd",
    "guitool.*.cmd",
    "tar.*.command",
    "imap.tunnel",
];

/// Keys whose value is a file or folder that git reads or works in. Lower case.
const PATHS: &[&str] = &[
    "core.worktree",
    "core.excludesfile",
    "core.attributesfile",
    "commit.template",
    "blame.ignorerevsfile",
    "mailmap.file",
];

/// Looks at configuration keys and refspecs.
pub(crate) fn judge(case: &Case<'_>, out: &mut Findings) {
    let args = &case.start.args;
    let mut key: Option<(&str, cerco_model::Part)> = None;
    for used in &case.bound().uses {
        let text = used.value.text(args);
        match used.meaning {
            Meaning::Config => match text.known_prefix().split_once('=') {
                Some((name, _)) => {
                    let value = crate::text::tail(text, name.len() + 1);
                    self::key(name, Some(value.known_prefix()), used.part, out);
                    url(case, name, &value, used.part, out);
                    path(case, name, &value, used.part, out);
                }
                None => self::key(text.known_prefix(), None, used.part, out),
            },
            Meaning::Configkey => key = Some((text.known_prefix(), used.part)),
            Meaning::Refspec if text.known_prefix().starts_with('+') => out.refuse(
                Rule::GitDestructive,
                used.part,
                "a `+` in front of a branch is a forced push",
                Some("push without `+`; when it is rejected, pull first".into()),
            ),
            _ => {}
        }
    }
    if let Some((name, part)) = key {
        let value = case
            .bound()
            .words
            .get(1)
            .and_then(|i| args.get(*i as usize))
            .map(|w| &w.text);
        self::key(name, value.map(Text::known_prefix), part, out);
        if let Some(value) = value {
            url(case, name, value, part, out);
            path(case, name, value, part, out);
        }
    }
}

/// `core.worktree=…`: git works there.
fn path(case: &Case<'_>, name: &str, value: &Text, part: cerco_model::Part, out: &mut Findings) {
    let access = match name.to_ascii_lowercase().as_str() {
        "core.worktree" => Access::Write,
        name if PATHS.contains(&name) => Access::Read,
        _ => return,
    };
    judge_text(case, value, access, part, out);
}

/// `remote.origin.url=…`, `submodule.x.url=…`: where git connects to.
fn url(case: &Case<'_>, name: &str, value: &Text, part: cerco_model::Part, out: &mut Findings) {
    let name = name.to_ascii_lowercase();
    let key = name.strip_suffix(".url").unwrap_or_default();
    if (key.starts_with("remote.") || key.starts_with("submodule."))
        && let Remote::Address(found) = remote(value, case.place)
    {
        say(case, found, part, out);
    }
}

fn key(name: &str, value: Option<&str>, part: cerco_model::Part, out: &mut Findings) {
    let name = name.to_ascii_lowercase();
    let Some(value) = value else { return };
    // A value that starts nothing: turns the program off, or passes text through.
    let harmless = matches!(value, "" | "cat" | "false" | "true" | ":" | "0" | "never");
    if name.starts_with("alias.") {
        if value.starts_with('!') {
            out.refuse(
                Rule::GitDestructive,
                part,
                "this alias plants a program that git will start",
                Some("run the program itself".into()),
            );
        }
    } else if name == "core.hookspath" {
        out.ask(
            Rule::GitChange,
            part,
            "it changes where git looks for hooks",
            Kind::fixed("git hooks folder"),
        );
    } else if name == "clean.requireforce" {
        out.refuse(
            Rule::GitDestructive,
            part,
            "it makes `git clean` delete without being told to",
            None,
        );
    } else if !harmless && PLANTS.iter().any(|pattern| is_like(pattern, &name)) {
        out.refuse(
            Rule::GitDestructive,
            part,
            format!("`{name}` names a program that git will start"),
            Some("run the program itself".into()),
        );
    } else if (name.starts_with("url.")
        || name.starts_with("http.") && name.ends_with("proxy")
        || name.ends_with(".pushurl"))
        && !value.is_empty()
    {
        out.refuse(
            Rule::Address,
            part,
            format!("`{name}` changes where git connects to"),
            None,
        );
    }
}

/// `diff.*.command` is like `diff.x.y.command`.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() > start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}
