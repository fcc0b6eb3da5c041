#![allow(clippy::all, unused, missing_docs, dead_code, unreachable_pub)]
#[path = "../tests/common/mod.rs"]
mod common;
use cerco_model::Dialect;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let d = if a[1] == "sh" {
        Dialect::Sh
    } else {
        Dialect::Bash
    };
    let env = [
        ("HOME", "/w"),
        ("LANG", "C.UTF-8"),
        ("PATH", "/stubs"),
        ("PWD", "/w"),
        ("WORD", "evil"),
        ("WORDS", "evil2 a b"),
    ];
    let r = common::read_text(&a[2], d, &common::place(&env, "/w"));
    for s in &r.starts {
        println!(
            "{:?} {:?} {:?}",
            s.by,
            common::show(&s.name.text),
            s.args
                .iter()
                .map(|w| format!(
                    "{}{}",
                    common::show(&w.text),
                    if w.spreads { "+" } else { "" }
                ))
                .collect::<Vec<_>>()
        );
    }
    for x in &r.doubts {
        println!("doubt {} {:?}", x.reason, x.part.of(&a[2]));
    }
    if a.len() > 3 {
        let l = if a[1] == "sh" {
            shuck_parser::ShellDialect::Posix
        } else {
            shuck_parser::ShellDialect::Bash
        };
        println!(
            "{:?}",
            shuck_parser::parser::Parser::with_dialect(&a[2], l)
                .parse()
                .file
                .body
        );
    }
}
