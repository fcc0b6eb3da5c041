//! What the table makes of arguments: `command` → the meaning of each word that is judged.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;

use cerco_filter::Table;
use cerco_model::{Dialect, Part};
use cerco_reader::{Call, Directory, Programs, Stdin, Text, Word};

fn meanings(command: &str) -> String {
    let word = |text: &str| Word {
        text: Text::Known(text.into()),
        part: Part::default(),
        spreads: false,
    };
    let words: Vec<Word> = command.split(' ').map(word).collect();
    let (name, args) = words.split_first().unwrap();
    let call = Call {
        name,
        args,
        assignments: &[],
        stdin: &Stdin::Inherited,
        directory: &Directory::Known("/srv/project/loops/a".into()),
        dialect: Dialect::Bash,
    };
    let place = common::place(Dialect::Bash, true);
    let bound = Table.bind(call, &place, &mut Vec::new());
    let shown: Vec<String> = bound
        .uses
        .iter()
        .map(|used| {
            let text = used.value.text(args).known().unwrap_or("?").to_owned();
            format!("{:?}:{text}", used.meaning)
        })
        .collect();
    shown.join(" ")
}

fn check(rows: &[(&str, &str)]) {
    for (command, expected) in rows {
        assert_eq!(&meanings(command), expected, "{command}");
    }
}

#[test]
fn options_and_their_values() {
    check(&[
        ("grep -rn TODO src", "Pattern:TODO Read:src"),
        ("grep -e a b.txt", "Pattern:a Read:b.txt"),
        ("grep -fpatterns b.txt", "Read:patterns Read:b.txt"),
        ("sort --out=x a", "Write:x Read:a"),
        ("head -20 a.txt", "Read:a.txt"),
        ("tail -n 20 -- -f", "Text:20 Read:-f"),
    ]);
}

#[test]
fn words_behind_a_repeated_one_are_counted_from_the_end() {
    check(&[
        ("cp a b c", "Read:a Read:b Write:c"),
        ("cp -t out a b", "Write:out Read:a Read:b"),
        ("dd if=a of=b bs=1", "Read:a Write:b Text:1"),
    ]);
}

#[test]
fn wrappers_end_at_their_program() {
    check(&[
        ("timeout -k 5 60 rm -rf x", "Text:5 Run:rm Text:60"),
        ("env A=b C=d npm test", "Run:npm Assign:A=b Assign:C=d"),
        ("/usr/bin/git -C sub status", "Dir:sub"),
    ]);
}
