//! Rule `inline-code`: code on the command line, by here-document or by pipe.

use cerco_model::{Kind, Part, Rule, Verdict};
use cerco_reader::{Start, Stdin, Text};

use super::{About, Case, Findings, path, tools};
use crate::address::{Address, address};
use crate::code::{self, Visible};
use crate::table::{Bound, Language, Meaning, Row, Value};

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::InlineCode,
    verdict: Verdict::Asked,
    sentence: "Code on the command line, by here-document or by pipe into an interpreter.",
    reason: "it runs {} code that is written in the command",
    instead: "put the code in a file of the loop and run that",
    matches: &[
        "python3 -c 'print(1)'",
        "node -e '1'",
        "echo 'print(1)' | python3",
    ],
    not: &[
        "python3 script.py",
        "awk '{print $1}' data.txt",
        "node --check src/index.js",
    ],
};

/// Looks at every piece of code of a start.
///
/// `--help` and the like (`info`) don't stop code of an argument: `python3 -c CODE --help` runs it.
/// What is piped in isn't read then, unless `-` asks for it.
pub(crate) fn judge(case: &Case<'_>, info: bool, out: &mut Findings) {
    let asks_for_input = || {
        let mut args = case.start.args.iter();
        args.any(|word| word.text.known() == Some("-"))
    };
    substituted(case, out);
    for used in &case.bound().uses {
        let Meaning::Code(language) = used.meaning else {
            continue;
        };
        if info && used.is_input() && !asks_for_input() {
            continue;
        }
        if matches!(
            language,
            Language::Sh | Language::Bash | Language::Powershell | Language::Cmd
        ) {
            continue;
        }
        let text = used.value.text(&case.start.args);
        if code::is_asked(language, text) {
            ask(language, used.part, out);
        }
        let Some(known) = text.known() else { continue };
        for file in code::files(language, known) {
            let access = if file.written {
                path::Access::Write
            } else {
                path::Access::Read
            };
            let start = file.path.known_prefix();
            if start.contains("://") && !start.starts_with("file:") {
                if let Address::Foreign(why) = address(&file.path, case.place) {
                    let why = format!("the code names an address: {why}");
                    out.refuse(Rule::Address, used.part, why, None);
                }
                continue;
            }
            path::judge_text(case, &file.path, access, used.part, out);
        }
        if matches!(
            language,
            Language::Awk
                | Language::Sed
                | Language::Sql
                | Language::Psql
                | Language::Mysql
                | Language::Sqlite
                | Language::Ed
                | Language::Vim
                | Language::Make
        ) {
            continue;
        }
        for (call, rule) in code::refused_calls(language, known) {
            let call = call.trim_matches(['.', '(']);
            let why = format!("the code calls `{call}`");
            out.refuse(rule, used.part, why, None);
        }
        for visible in code::visible(known) {
            match visible {
                Visible::Path(path, written) => {
                    let access = if written {
                        path::Access::Write
                    } else {
                        path::Access::Read
                    };
                    path::judge_in_code(case, path, access, used.part, out);
                }
                Visible::Address(url) => {
                    if let Address::Foreign(why) = address(&Text::Known(url.into()), case.place) {
                        out.refuse(
                            Rule::Address,
                            used.part,
                            format!("the code names an address: {why}"),
                            None,
                        );
                    }
                }
            }
        }
    }
}

/// `python3 <(command)`, `awk -f <(command)`: the program that an interpreter is given is what
/// a command prints, or what comes in.
fn substituted(case: &Case<'_>, out: &mut Findings) {
    let bound = case.bound();
    let Some(row) = bound.last() else { return };
    let args = &case.start.args;
    let first = bound.words.first();
    for used in &bound.uses {
        let program = match (used.option, &used.value) {
            (Some(option), _) => option.names.iter().any(|name| LOADS.contains(name)),
            (None, Value::Arg(at)) => first == Some(at) && !row.stdin.is_empty(),
            (None, Value::Own(_)) => false,
        };
        let path = used.value.text(args).known_prefix();
        let piped = path.starts_with("/dev/fd/") || path == "/dev/stdin";
        if !(program && piped && used.meaning == Meaning::Read) {
            continue;
        }
        if let Some(language) = language_of(row) {
            ask(language, used.part, out);
            let Some(text) = given(case, path, used.part) else {
                continue;
            };
            for command in code::commands(language, &text) {
                if let Some(command) = command.known() {
                    tools::nested(case, command, used.part, out);
                }
            }
            for (call, rule) in code::refused_calls(language, &text) {
                let call = call.trim_matches(['.', '(']);
                out.refuse(rule, used.part, format!("the code calls `{call}`"), None);
            }
        }
    }
}

/// The text that such a file holds, where it stands in the command: the standard input's, or
/// what `echo` prints in `<(…)`.
fn given(case: &Case<'_>, path: &str, part: Part) -> Option<String> {
    if path == "/dev/stdin" {
        return match &case.start.stdin {
            Stdin::Pipe(Some(text)) => text.known().map(str::to_owned),
            Stdin::Text(word) => word.text.known().map(str::to_owned),
            Stdin::Inherited | Stdin::Pipe(None) | Stdin::File(_) => None,
        };
    }
    let inside = |start: &&Start<Bound>| {
        matches!(start.bound.name.as_str(), "echo" | "printf")
            && start.part.start >= part.start
            && start.part.end <= part.end
    };
    let mut text = String::new();
    for start in case.reading.starts.iter().filter(inside) {
        for word in &start.args {
            text.push_str(word.text.known().unwrap_or_default());
            text.push(' ');
        }
        text.push('\n');
    }
    (!text.is_empty()).then_some(text)
}

/// Options that interpreters take a file of code by.
const LOADS: &[&str] = &[
    "-f",
    "--file",
    "--makefile",
    "-S",
    "-s",
    "-x",
    "-command",
    "-init",
    "-u",
    "-i",
    "--include",
    "-l",
    "--load",
    "-L",
    "-r",
    "--require",
    "--import",
    "-F",
];

/// The language that a program takes code in.
fn language_of(row: &Row) -> Option<Language> {
    let slots = row.stdin.iter().chain(row.args.unwrap_or_default());
    let options = row.options.iter().map(|option| option.meaning);
    slots
        .map(|slot| slot.meaning)
        .chain(options)
        .find_map(|meaning| match meaning {
            Meaning::Code(language) => Some(language),
            _ => None,
        })
}

/// Every kind of this rule: what `word` says of each language.
pub(crate) const KINDS: [&str; 24] = [
    "python inline code",
    "javascript inline code",
    "perl inline code",
    "ruby inline code",
    "php inline code",
    "awk inline code",
    "sed inline code",
    "editor inline code",
    "lua inline code",
    "R inline code",
    "AppleScript inline code",
    "julia inline code",
    "SQL inline code",
    "psql inline code",
    "mysql inline code",
    "sqlite3 inline code",
    "ed inline code",
    "debugger inline code",
    "make inline code",
    "Tcl inline code",
    "shell inline code",
    "PowerShell inline code",
    "cmd inline code",
    "inline inline code",
];

fn ask(language: Language, part: Part, out: &mut Findings) {
    let name = word(language);
    out.ask(
        Rule::InlineCode,
        part,
        ABOUT.reason.replace("{}", name),
        Kind::named(format!("{name} inline code")),
    );
}

fn word(language: Language) -> &'static str {
    match language {
        Language::Python => "python",
        Language::Javascript => "javascript",
        Language::Perl => "perl",
        Language::Ruby => "ruby",
        Language::Php => "php",
        Language::Awk => "awk",
        Language::Sed => "sed",
        Language::Vim => "editor",
        Language::Lua => "lua",
        Language::R => "R",
        Language::Applescript => "AppleScript",
        Language::Julia => "julia",
        Language::Sql => "SQL",
        Language::Psql => "psql",
        Language::Mysql => "mysql",
        Language::Sqlite => "sqlite3",
        Language::Ed => "ed",
        Language::Debugger => "debugger",
        Language::Make => "make",
        Language::Tcl => "Tcl",
        Language::Sh | Language::Bash => "shell",
        Language::Powershell => "PowerShell",
        Language::Cmd => "cmd",
        Language::Other => "inline",
    }
}
