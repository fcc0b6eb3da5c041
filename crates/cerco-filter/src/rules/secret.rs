//! Rule `secret`: a file that looks like a secret. The names are in `paths::secret`.

use cerco_model::{Part, Rule, Verdict};

use cerco_reader::{Output, Start, StartedBy, Stdin};

use super::path::{self, Access};
use super::{About, Case, Findings, reason};
use crate::paths;
use crate::table::{Bound, Meaning};

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Secret,
    verdict: Verdict::Refused,
    sentence: "A file that looks like a secret: by name, letter case, pattern, redirection or git path.",
    reason: "`{}` looks like a file that holds a secret",
    instead: "use an example file (`.env.example`), or ask a person for the one value that is needed",
    matches: &[
        "cat .env",
        "cat .e*",
        "git show HEAD:.env",
        "cp keys/id_ed25519 x",
    ],
    not: &[
        "cat .env.example",
        "grep -n '.env' .gitignore",
        "cat src/env.ts",
    ],
};

/// A secret is named.
pub(crate) fn named(shown: &str, part: Part, out: &mut Findings) {
    out.refuse(
        Rule::Secret,
        part,
        reason(&ABOUT, shown),
        Some(ABOUT.instead.into()),
    );
}

/// Programs in front of `xargs` in its pipe that are looked at. More is refused.
const MOST_FEEDERS: usize = 64;

/// A file that comes in by pipe is a secret where what feeds the pipe names one:
/// `find . -name .env | xargs cat`, `printf '.env\0' | xargs -0 cat`.
pub(crate) fn fed(case: &Case<'_>, access: Access, part: Part, out: &mut Findings) {
    let mut by = case.start.by;
    let feeder = loop {
        let StartedBy::Start(index) = by else { return };
        let Some(start) = case.reading.starts.get(index as usize) else {
            return;
        };
        let row = start.bound.row().map_or("", |row| row.name);
        if matches!(row, "xargs" | "parallel") {
            break (index, start);
        }
        by = start.by;
    };
    let mut piped = matches!(feeder.1.stdin, Stdin::Pipe(_));
    let mut left = MOST_FEEDERS;
    let before = case.reading.starts.get(..feeder.0 as usize);
    for start in before.unwrap_or_default().iter().rev() {
        // What another program starts is no element of the pipe.
        if matches!(start.by, StartedBy::Start(_)) {
            continue;
        }
        if !piped || start.output != Output::Pipe {
            return;
        }
        if left == 0 {
            let why = "too many programs stand in front of this one in the pipe";
            out.refuse(Rule::Unreadable, part, why, None);
            return;
        }
        left -= 1;
        // `{ echo /etc/passwd; cat names; } | xargs cat`
        if matches!(start.bound.name.as_str(), "echo" | "printf") {
            for word in start.args.iter().filter(|word| leads_away(word)) {
                path::judge_text(case, &word.text, access, part, out);
            }
        }
        if let Some(name) = names_secret(start) {
            return named(&name, part, out);
        }
        piped = matches!(start.stdin, Stdin::Pipe(_));
    }
}

/// A settled word that may be a path to somewhere else.
fn leads_away(word: &cerco_reader::Word) -> bool {
    let text = word.text.known();
    text.is_some_and(|text| {
        text.starts_with(['/', '~', '.']) && !text.contains(char::is_whitespace)
    })
}

/// `grep -v`: what doesn't match is printed.
fn leaves_out(word: &cerco_reader::Word) -> bool {
    word.text.known().is_some_and(|option| {
        matches!(option, "--invert-match" | "--files-without-match")
            || option
                .strip_prefix('-')
                .is_some_and(|letters| !letters.starts_with('-') && letters.contains(['v', 'L']))
    })
}

/// A secret's name among the words of a program that chooses or prints names.
fn names_secret(start: &Start<Bound>) -> Option<String> {
    let row = start.bound.row().map_or("", |row| row.name);
    // A pattern names files only where names come in: `ls -a | grep env`.
    let greps = row == "grep"
        || start
            .bound
            .levels
            .last()
            .is_some_and(|row| row.name == "grep");
    let searches = matches!(row, "rg" | "ag" | "ack")
        || greps && !(row == "grep" && matches!(start.stdin, Stdin::Pipe(_)));
    if searches {
        return chosen(start);
    }
    if greps && start.args.iter().any(leaves_out) {
        return None;
    }
    let mut words = start.args.iter().enumerate();
    let found = words.find_map(|(at, word)| {
        let text = word.text.known()?;
        let before = at
            .checked_sub(1)
            .and_then(|at| start.args.get(at)?.text.known());
        let two = at
            .checked_sub(2)
            .and_then(|at| start.args.get(at)?.text.known());
        let after = start.args.get(at + 1).and_then(|word| word.text.known());
        // `find . ! -name .env`, `-path ./.env -prune`, `rg --glob '!.env'`, `fd -E .env`
        let is_left_out = matches!(two, Some("!" | "-not"))
            || after == Some("-prune")
            || before
                .is_some_and(|option| option == "-E" && row == "fd" || option.starts_with("--ex"))
            || text.starts_with(['!', '-']) && !text.starts_with("--glob=");
        if is_left_out {
            return None;
        }
        // `printf '.env\0'`, `grep -E '\.(pem|key)$'`, `sed 's/x/.env/'`
        let Some(names) = paths::expression::names(text) else {
            return Some(text.to_owned());
        };
        names
            .into_iter()
            .filter(|name| name.len() > 1)
            .find(|name| {
                // `sed -n '/\.env/p'`: what stands between slashes may be a name as well.
                let secret =
                    |name: &str| paths::secret::is_secret(&cerco_reader::Text::Known(name.into()));
                secret(name) || name.split('/').any(|part| part.len() > 1 && secret(part))
            })
    });
    found.or_else(|| chosen(start))
}

/// A secret's name in a pattern that chooses files (`rg --files -g .env`).
fn chosen(start: &Start<Bound>) -> Option<String> {
    let mut uses = start.bound.uses.iter();
    let found = uses.find(|used| {
        let text = used.value.text(&start.args);
        used.meaning == Meaning::Chosen
            && !text.known_prefix().starts_with('!')
            && paths::secret::is_secret(text)
    })?;
    Some(crate::text::shown(found.value.text(&start.args)).into_string())
}
