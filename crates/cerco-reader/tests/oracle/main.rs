//! Real shells as the oracle, on generated commands: each runs in bash or dash inside
//! bubblewrap, with every program on the path replaced by a recorder, and every program
//! start is compared with the reading. A start that the reading neither lists nor
//! declares unknown is a failure.
//!
//! `ORACLE_COUNT=100000 ORACLE_SEED=7 cargo test --release -p cerco-reader --test oracle`
//! runs a full round; without them it is the fast subset. `ORACLE_FILE=commands.txt` runs
//! the commands of one file and says which are doubted (`sh.txt`: in dash). This program plays three parts:
//! the test, the driver inside the sandbox, and the recorder that every name runs.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::panic,
    clippy::exit,
    reason = "a test program fails by panicking and says what it measured"
)]

#[path = "../common/mod.rs"]
mod common;
mod driver;
mod generate;
mod random;
mod recorder;
mod words;
mod written;

use std::path::Path;

use cerco_reader::{StartedBy, Text};

use crate::generate::Generated;

/// The fast subset of the ordinary test run.
const FEW: usize = 1_000;
const SEED: u64 = 0x5eed;

fn main() {
    let mut args = std::env::args_os();
    let own_name = args.next().unwrap_or_default();
    if std::env::var_os("ORACLE_ID").is_some() {
        recorder::record(Path::new(&own_name), args);
    }
    let args: Vec<_> = args.map(|a| a.to_string_lossy().into_owned()).collect();
    match args.first().map(String::as_str) {
        Some("drive") => return driver::drive(),
        _ if args.iter().any(|a| a == "--list") => {
            if !args.iter().any(|a| a == "--ignored") {
                println!("real_shells_start_nothing_that_was_not_read: test");
            }
            return;
        }
        _ => {}
    }
    if args.iter().any(|a| a == "--ignored") {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let count = number("ORACLE_COUNT").map_or(FEW, |n| usize::try_from(n).expect("a count"));
    let seed = number("ORACLE_SEED").unwrap_or(SEED);
    let (commands, doubted) = gather(count, seed);
    let began = std::time::Instant::now();
    let starts = driver::run(&commands);
    let mut report = Report::default();
    for (id, command) in commands.iter().enumerate() {
        report.compare(command, starts.get(&id).map_or(&[][..], Vec::as_slice));
    }
    println!(
        "oracle: seed {seed}, {} commands run, {doubted} more doubted, \
         {} starts compared, {} missed, {} with other arguments, {} s",
        commands.len(),
        report.starts,
        report.missed.len(),
        report.arguments.len(),
        began.elapsed().as_secs()
    );
    for line in report.arguments.iter().take(show_most()) {
        println!("  other arguments: {line}");
    }
    for line in report.missed.iter().take(show_most()) {
        println!("  MISSED: {line}");
    }
    assert!(
        report.starts > commands.len() / 8,
        "the shells started next to nothing: is bwrap working?"
    );
    assert!(
        report.missed.is_empty(),
        "program starts that no reading had"
    );
    assert!(
        report.arguments.is_empty(),
        "program starts read with other arguments"
    );
}

/// The commands to run, and how many are left out: what the reading doubts is refused, so
/// only the rest can be wrong. Those of the case files come first, then `count` generated ones.
fn gather(count: usize, seed: u64) -> (Vec<Generated>, usize) {
    let file = std::env::var_os("ORACLE_FILE");
    let written = match &file {
        Some(file) => written::of_file(Path::new(file)),
        None => written::commands(),
    };
    let mut doubted = 0;
    let mut is_clear = |command: &Generated| {
        let reading = read(command);
        if let (Some(doubt), true) = (reading.doubts.first(), file.is_some()) {
            println!("  doubted: {:?}: {}", command.text, doubt.reason);
        }
        doubted += usize::from(!reading.doubts.is_empty());
        reading.doubts.is_empty()
    };
    // The first one forks without an end, in the background too: the driver must end it.
    let mut commands = vec![Generated {
        text: "while :; do evil & done & while :; do evil2 & done".to_owned(),
        dash: false,
        fails: false,
    }];
    commands.extend(written.into_iter().filter(&mut is_clear));
    if file.is_none() {
        let mut grown = generate::Commands::new(seed);
        let endless = std::iter::from_fn(|| Some(grown.next()));
        commands.extend(endless.filter(&mut is_clear).take(count));
    }
    (commands, doubted)
}

fn show_most() -> usize {
    std::env::var("ORACLE_SHOW")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(40)
}

#[derive(Default)]
struct Report {
    starts: usize,
    missed: Vec<String>,
    arguments: Vec<String>,
}

type Argv = Vec<Vec<u8>>;

fn read(command: &Generated) -> cerco_reader::Reading<()> {
    let place = common::place(&driver::ENVIRONMENT, driver::DIRECTORY);
    common::read_text(&command.text, command.dialect(), &place)
}

impl Report {
    fn compare(&mut self, command: &Generated, execs: &[Argv]) {
        let dialect = command.dialect();
        let reading = read(command);
        for exec in execs {
            self.starts += 1;
            let told = || {
                let argv: Vec<_> = exec.iter().map(|a| String::from_utf8_lossy(a)).collect();
                format!("{dialect:?} {:?} started {argv:?}", command.text)
            };
            let named: Vec<_> = reading
                .starts
                .iter()
                .filter(|start| {
                    start.by != StartedBy::Builtin
                        && start.name.text.known().map(str::as_bytes)
                            == exec.first().map(Vec::as_slice)
                })
                .collect();
            if named.is_empty() {
                self.missed.push(told());
            } else if !named.iter().any(|start| agrees(&start.args, &exec[1..])) {
                let read: Vec<Vec<String>> = named
                    .iter()
                    .map(|s| s.args.iter().map(|a| common::show(&a.text)).collect())
                    .collect();
                self.arguments.push(format!("{} read {read:?}", told()));
            }
        }
    }
}

/// Whether real arguments are ones that the words of a reading allow.
fn agrees(words: &[cerco_reader::Word], args: &[Vec<u8>]) -> bool {
    let Some((word, rest)) = words.split_first() else {
        return args.is_empty();
    };
    if word.spreads {
        return (0..=args.len()).any(|n| agrees(rest, &args[n..]));
    }
    match &word.text {
        Text::Known(text) => args
            .split_first()
            .is_some_and(|(arg, more)| same(text.as_bytes(), arg) && agrees(rest, more)),
        Text::Partly(pieces)
            if pieces
                .iter()
                .any(|p| matches!(p, cerco_reader::Piece::Glob(_))) =>
        {
            // A pattern stays as it is or becomes names.
            (1..=args.len()).any(|n| agrees(rest, &args[n..]))
        }
        Text::Partly(_) => args
            .split_first()
            .is_some_and(|(arg, more)| fits(&word.text, arg) && agrees(rest, more)),
    }
}

/// Which descriptor a `<( )` gets depends on what else is open.
fn same(word: &[u8], arg: &[u8]) -> bool {
    let pipe = b"/dev/fd/";
    word == arg || (word.starts_with(pipe) && arg.starts_with(pipe))
}

fn fits(text: &Text, arg: &[u8]) -> bool {
    arg.starts_with(text.known_prefix().as_bytes())
}
