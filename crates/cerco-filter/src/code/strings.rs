//! Code of any other language: the strings in it, and the calls they stand in.

use cerco_reader::Text;

use super::writes;

/// Words in front of a string that hand it to a shell or start it as a program.
const RUNS: &[&str] = &[
    "system",
    "popen",
    "exec",
    "execSync",
    "spawn",
    "spawnSync",
    "execFile",
    "execFileSync",
    "run",
    "call",
    "check_call",
    "check_output",
    "Popen",
    "getoutput",
    "getstatusoutput",
    "shell_exec",
    "passthru",
    "proc_open",
    "qx",
    "spawnlp",
    "execvp",
    "execv",
    "execlp",
    "execl",
    "execute",
    "doShellScript",
    "Command",
    "execFileAsync",
    "capture2",
    "capture2e",
    "capture3",
    "popen2",
    "popen2e",
    "popen3",
    "spawnl",
    "spawnv",
    "spawnvp",
    "execve",
    "execvpe",
    "posix_spawn",
    "posix_spawnp",
    "create_subprocess_shell",
    "create_subprocess_exec",
    "cmd",
    "shell",
    "shell-command",
    "run-program",
    "syscmd",
    "esyscmd",
    "systemlist",
    "termopen",
    "jobstart",
];

/// Calls whose first string is the computer that is connected to.
const CONNECTS: &[&str] = &[
    "connect((",
    "connect_ex((",
    "create_connection((",
    "HTTPConnection(",
    "HTTPSConnection(",
    "TCPSocket.new(",
    "TCPSocket.open(",
    "fsockopen(",
    "gethostbyname(",
    "getaddrinfo(",
    "FTP(",
    "SMTP(",
    "Telnet(",
    "INET->new(",
    "IP->new(",
    "SSL->new(",
    "stream_socket_client(",
    "createConnection(",
    "dns.lookup(",
    "dns.resolve(",
    "resolve4(",
];

/// Something that code visibly touches.
pub(crate) enum Visible<'a> {
    /// A file, and whether the code writes or deletes it.
    Path(&'a str, bool),
    /// A web address.
    Address(&'a str),
}

/// The commands that stand as strings in calls like `os.system('x')`, `exec("x")`,
/// `subprocess.run(["x", "y"])`, in lists of words (`exec qw(x y)`), in pipes that `open` makes,
/// and in backticks, where those run commands. Names alone don't count.
pub(super) fn commands(text: &str, backticks: bool) -> Vec<Text> {
    let mut found = Vec::new();
    for string in strings(text) {
        let before = string.before.trim_end();
        let tagged = before.ends_with('$');
        if string.mark == '`' && (backticks || tagged) {
            found.push(Text::Known(string.inside.into()));
            continue;
        }
        let call = call_of(before).filter(|word| !word.is_empty());
        let call = call.or_else(|| {
            // perl and ruby call without parentheses, lisp has them around.
            let bare = [
                "system",
                "exec",
                "qx",
                "spawn",
                "shell-command",
                "run-program",
            ];
            bare.into_iter().find(|word| is_last_word(before, word))
        });
        // `"x".execute()` of Groovy, `"x".!` of Scala.
        let after = string.after.trim_start();
        if [".execute()", ".!", "!", ".lazyLines"]
            .iter()
            .any(|call| after.starts_with(call))
            && !after.starts_with("!=")
        {
            found.push(Text::Known(string.inside.into()));
            continue;
        }
        match call {
            Some(word) if RUNS.contains(&word) => {
                found.push(Text::Known(arguments(string).join(" ").into()));
            }
            Some("open") => found.extend(pipe(string)),
            _ => {}
        }
    }
    if backticks {
        found.extend(words(text));
    }
    if text.contains("do shell script") {
        found.extend(strings(text).map(|s| Text::Known(s.inside.into())));
    }
    found
}

/// The name of the call whose first string comes now: `os.spawnlp(os.P_WAIT, `.
pub(super) fn call_of(before: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(last_word(before.get(..at)?.trim_end())),
            '(' => depth -= 1,
            // Another string of the same call came first, or the call is over.
            '"' | '\'' | '`' | ';' | '\n' => return None,
            _ => {}
        }
    }
    None
}

/// perl's and ruby's pipes: `open(F, "command|")`, `open(F, "-|", "command")`, `open("|command")`.
fn pipe(first: Found<'_>) -> Option<Text> {
    let inside = first.inside.trim();
    if matches!(inside, "-|" | "|-") {
        let parts = arguments(first);
        return Some(Text::Known(parts.get(1..)?.join(" ").into()));
    }
    let command = inside
        .strip_suffix('|')
        .or_else(|| inside.strip_prefix('|'))?;
    Some(Text::Known(command.trim().into()))
}

/// `exec qw(x y)`, `system %w[x y]`, `qx{x y}`, `%x(x y)`.
fn words(text: &str) -> Vec<Text> {
    let mut found = Vec::new();
    for (sign, alone) in [
        ("qw", false),
        ("%w", false),
        ("%W", false),
        ("qx", true),
        ("%x", true),
    ] {
        for (at, _) in text.match_indices(sign) {
            let before = text.get(..at).unwrap_or_default().trim_end();
            let rest = text.get(at + sign.len()..).unwrap_or_default();
            let Some(open) = rest.chars().next().filter(char::is_ascii_punctuation) else {
                continue;
            };
            let close = match open {
                '(' => ')',
                '[' => ']',
                '{' => '}',
                '<' => '>',
                other => other,
            };
            let inside = rest.get(1..).unwrap_or_default();
            let inside = inside.split(close).next().unwrap_or(inside);
            let word = last_word(before.trim_end_matches(['(', '*', '[', ' ']));
            if alone || RUNS.contains(&word) {
                found.push(Text::Known(inside.into()));
            }
        }
    }
    found
}

/// The first string and the strings of the list it begins.
fn arguments(first: Found<'_>) -> Vec<&str> {
    let mut parts = vec![first.inside];
    let mut rest = first.after;
    loop {
        let next = rest.trim_start();
        let Some(next) = next.strip_prefix(',') else {
            return parts;
        };
        // `Deno.Command("x", {args: ["y"]})`
        let next = next.trim_start().trim_start_matches('{').trim_start();
        let next = next.strip_prefix("args:").unwrap_or(next).trim_start();
        let next = next.trim_start_matches('[').trim_start();
        let Some(mark) = next.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return parts;
        };
        let (inside, after) = delimited(next, mark);
        parts.push(inside);
        rest = after;
    }
}

/// Whether `text` ends with `word`, and the word begins there (lisp's have dashes).
fn is_last_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|before| {
        before
            .chars()
            .next_back()
            .is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '-'))
    })
}

fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| {
            at + text
                .get(at..)
                .and_then(|t| t.chars().next())
                .map_or(1, char::len_utf8)
        });
    text.get(start..).unwrap_or_default()
}

/// Whether a computer's name is expected behind `before`: `connect(("`, `connect(22, "`,
/// `{host: "`, `PeerAddr => "`.
fn is_host_of(before: &str) -> bool {
    let port = before.strip_suffix(',').map_or(before, str::trim_end);
    let port = port.trim_end_matches(|c: char| c.is_ascii_digit());
    let by_port = port.len() < before.len() && PORTS_FIRST.iter().any(|call| port.ends_with(call));
    by_port
        || CONNECTS.iter().any(|call| before.ends_with(call))
        || HOST_KEYS.iter().any(|key| {
            let joined = before
                .strip_suffix("=>")
                .or_else(|| before.strip_suffix([':', '=']));
            joined.is_some_and(|before| {
                let before = before.trim_end().trim_end_matches(['"', '\'']);
                before.strip_suffix(key).is_some_and(|rest| {
                    !rest.ends_with(|c: char| c.is_alphanumeric() || "_$.@".contains(c))
                })
            })
        })
}

/// Calls in which the port stands in front of the computer.
const PORTS_FIRST: &[&str] = &["connect(", "createConnection("];

/// Names that a computer is given by.
const HOST_KEYS: &[&str] = &["host", "hostname", "PeerAddr", "PeerHost"];

/// The strings that look like a path or an address.
pub(crate) fn visible(text: &str) -> Vec<Visible<'_>> {
    strings(text)
        .filter_map(|string| {
            let inside = string.inside;
            let before = string.before.trim_end();
            if inside.contains('.') && !inside.starts_with(['.', '/']) && is_host_of(before) {
                return Some(Visible::Address(inside));
            }
            if inside.contains("://") && !inside.contains(char::is_whitespace) {
                return Some(Visible::Address(inside));
            }
            let path = inside.starts_with(['/', '~'])
                || inside.starts_with("..")
                || inside.starts_with('.')
                || !inside.contains(char::is_whitespace)
                    && crate::paths::secret::is_secret_name(inside);
            (path && !inside.contains(char::is_whitespace) && inside.len() > 1)
                .then(|| Visible::Path(inside, writes::is_written(string.before, string.after)))
        })
        .collect()
}

/// A string of the code.
#[derive(Clone, Copy)]
struct Found<'a> {
    before: &'a str,
    inside: &'a str,
    after: &'a str,
    mark: char,
}

fn strings(text: &str) -> impl Iterator<Item = Found<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let found = rest.find(['"', '\'', '`'])?;
        let start = at + found;
        let rest = text.get(start..)?;
        let mark = rest.chars().next()?;
        let (inside, after) = delimited(rest, mark);
        at = text.len() - after.len();
        Some(Found {
            before: text.get(..start)?,
            inside,
            after,
            mark,
        })
    })
}

fn delimited(text: &str, mark: char) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == mark {
            return (
                text.get(1..at).unwrap_or_default(),
                text.get(at + 1..).unwrap_or_default(),
            );
        }
    }
    (text.get(1..).unwrap_or_default(), "")
}
