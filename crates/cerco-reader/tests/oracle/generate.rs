//! Commands for the oracle: grown from a grammar, and mutated from the case files.

use cerco_model::Dialect;

use crate::random::Random;
use crate::words::{BITS, NAME_FORMS, SETS, WORDS};

/// A command and the shell that runs it.
#[derive(Debug)]
pub(crate) struct Generated {
    pub(crate) text: String,
    pub(crate) dash: bool,
    /// Whether the recorded programs report failure.
    pub(crate) fails: bool,
}

/// Texts that would end the driver, or never end, say nothing about the reading; nor
/// does a recorder that was given another name.
const LEFT_OUT: [&str; 8] = [
    "set -m",
    "monitor",
    "kill",
    "/bin/",
    "/usr/",
    "ulimit",
    "/recorder",
    "/out",
];

impl Generated {
    pub(crate) fn dialect(&self) -> Dialect {
        if self.dash {
            Dialect::Sh
        } else {
            Dialect::Bash
        }
    }
}

/// An endless row of commands that only the seed decides.
pub(crate) struct Commands {
    random: Random,
    cases: Vec<String>,
}

impl Commands {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            cases: cases(),
        }
    }

    pub(crate) fn next(&mut self) -> Generated {
        let Self { random, cases } = self;
        loop {
            let text = match random.below(3) {
                0 => mutated(random, cases),
                1 => {
                    let grown = list(random, 2);
                    mutate(random, &grown, cases)
                }
                _ => list(random, 3),
            };
            if text.contains('\0') || text.len() > 1_000 || left_out(&text) {
                continue;
            }
            return Generated {
                text,
                dash: random.one_in(4),
                fails: random.one_in(3),
            };
        }
    }
}

/// Whether running `text` would end the driver, or say nothing.
pub(crate) fn left_out(text: &str) -> bool {
    renames(text) || LEFT_OUT.iter().any(|no| text.contains(no))
}

/// Whether `exec` may give a recorder another name.
fn renames(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.any(|word| word.ends_with("exec")) && words.any(|word| word.starts_with('-'))
}

fn cases() -> Vec<String> {
    let mut out = Vec::new();
    for (file, key) in [("reader-bash.jsonl", "cmd"), ("filter.jsonl", "command")] {
        let path = format!("{}/../../cases/{file}", env!("CARGO_MANIFEST_DIR"));
        for line in std::fs::read_to_string(path)
            .expect("the case file")
            .lines()
        {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case");
            let posix = case.get("dialect").is_none_or(|d| d == "posix");
            if let Some(text) = case[key].as_str().filter(|_| posix) {
                out.push(text.to_owned());
            }
        }
    }
    out
}

fn mutated(random: &mut Random, cases: &[String]) -> String {
    let text = &cases[random.below(cases.len())];
    mutate(random, text, cases)
}

fn mutate(random: &mut Random, text: &str, cases: &[String]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len() + 1);
        let to = (at + random.below(6)).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..to)),
            1 => {
                let copy: Vec<char> = chars[at..to].to_vec();
                let into = random.below(chars.len() + 1);
                chars.splice(into..into, copy);
            }
            2 => {
                let other: Vec<char> = cases[random.below(cases.len())].chars().collect();
                let from = random.below(other.len() + 1);
                let until = (from + random.below(12)).min(other.len());
                chars.splice(at..at, other[from..until].iter().copied());
            }
            _ => {
                let bit = random.pick(&BITS);
                chars.splice(at..at, bit.chars());
            }
        }
    }
    chars.into_iter().collect()
}

fn word(random: &mut Random) -> String {
    if random.one_in(9) {
        return format!("{}{}", random.pick(&WORDS), random.pick(&WORDS));
    }
    random.pick(&WORDS).to_owned()
}

fn simple(random: &mut Random) -> String {
    let mut text = String::new();
    if random.one_in(5) {
        return random.pick(&SETS).to_owned();
    }
    if random.one_in(8) {
        text.push_str(random.pick(&["x=evil3 ", "E= ", "y=1 x=2 ", "IFS=: "]));
    }
    if random.one_in(14) {
        text.push_str(random.pick(&["command ", "builtin ", "exec ", "eval ", "! ", "time "]));
    }
    text.push_str(random.pick(&NAME_FORMS));
    for _ in 0..random.below(4) {
        text.push(' ');
        text.push_str(&word(random));
    }
    if random.one_in(6) {
        text.push_str(random.pick(&[
            " >o",
            " 2>&1",
            " <i",
            " >>o",
            " <<< $x",
            " >&2",
            " 2>/dev/null",
            " &>o",
            " {fd}>o",
            " <<E\n$x $(evil3)\nE\n",
            " <<'E'\n$(no)\nE\n",
            " <<-E\n\t`evil2`\n\tE\n",
        ]));
    }
    text
}

fn command(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return simple(random);
    }
    let d = depth - 1;
    match random.below(32) {
        0 => format!("( {} )", list(random, d)),
        1 => format!("{{ {}; }}", line(random, d)),
        2 => format!("if {}; then {}; fi", line(random, d), line(random, d)),
        3 => format!(
            "if {}; then {}; else {}; fi",
            line(random, 0),
            line(random, d),
            line(random, d)
        ),
        4 => format!(
            "for x in {} {}; do {}; done",
            word(random),
            random.pick(&NAME_FORMS),
            line(random, d)
        ),
        5 => format!("for x in evil evil2; do {}; done", line(random, d)),
        6 => format!(
            "while {}; do {}; break; done",
            line(random, 0),
            line(random, d)
        ),
        7 => format!(
            "case {} in e*) {};; *) {};; esac",
            word(random),
            line(random, d),
            line(random, d)
        ),
        8 => format!("f() {{ {}; }}", line(random, d)),
        9 => format!(
            "f() {{ {}; }}; f {} {}",
            line(random, d),
            word(random),
            word(random)
        ),
        10 => format!("{} | {}", command(random, d), command(random, d)),
        11 | 12 => format!("{} && {}", command(random, d), command(random, d)),
        13 | 14 => format!("{} || {}", command(random, d), command(random, d)),
        15 => format!("x=$({}); $x", line(random, d)),
        16 => format!("evil \"$({})\"", list(random, d)),
        17 => format!(
            "[[ {} == {} ]] && {}",
            word(random),
            word(random),
            command(random, d)
        ),
        18 => format!("{} &", command(random, d)),
        19 => format!("y=evil2; {{ {}; }} > o; $y", line(random, d)),
        20 => format!(
            "i=0; while [ $i -lt 2 ]; do i=$((i+1)); {}; done",
            line(random, d)
        ),
        21 => format!("f() {{ {}; return; x=ls; }}; f; $x", line(random, 0)),
        22 => format!("for ((i=0; i<2; i++)); do {}; done", line(random, d)),
        23 => format!(
            "while read -r x; do {}; done <<< {}",
            line(random, d),
            word(random)
        ),
        24 => format!("echo evil | while read x; do {}; $x; done", line(random, d)),
        25 => format!(
            "trap '{}' {}; {}",
            random.pick(&["evil", "$x a", "f b", "echo $x", "x=$y"]),
            random.pick(&["EXIT", "EXIT", "DEBUG", "ERR", "USR1"]),
            line(random, d)
        ),
        26 => format!(
            "eval '{}' {}",
            simple(random).replace('\'', ""),
            word(random)
        ),
        27 => format!(
            "f() {{ local x={}; {}; }}; f {}; $x",
            word(random),
            line(random, d),
            word(random)
        ),
        28 => format!("! {} && {}", command(random, 0), command(random, d)),
        29 => format!(
            "until {}; do {}; break; done",
            line(random, 0),
            line(random, d)
        ),
        _ => simple(random),
    }
}

/// Commands on one line.
fn line(random: &mut Random, depth: usize) -> String {
    let mut text = command(random, depth);
    if random.one_in(3) {
        text.push_str(if text.ends_with('\n') || text.ends_with('&') {
            " "
        } else {
            "; "
        });
        text.push_str(&command(random, depth));
    }
    if text.ends_with('\n') || text.ends_with('&') {
        text.push(':');
    }
    text
}

fn list(random: &mut Random, depth: usize) -> String {
    let mut text = line(random, depth);
    for _ in 0..random.below(4) {
        text.push_str(random.pick(&["; ", "\n", " && ", " || "]));
        text.push_str(&line(random, depth));
    }
    text
}
