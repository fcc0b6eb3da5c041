//! Rows → Rust source of static data.

use std::collections::BTreeMap;
use std::fmt::Write;

use toml::Spanned;

use crate::condition::{self, Known};
use crate::form::{File, Form, MarkForm, Row};
use crate::store::{Kind, Store};

const STYLES: &[(&str, &str)] = &[
    ("gnu", "Gnu"),
    ("strict", "Strict"),
    ("words", "Words"),
    ("plain", "Plain"),
    ("tar", "Tar"),
    ("powershell", "Powershell"),
    ("slash", "Slash"),
];

/// Options that no row lists.
const EVERYWHERE: &[(&str, &str, &str)] = &[
    (
        "INFO",
        "`--help` and `--version` of a program that doesn't list them.",
        "--help --version ! info",
    ),
    (
        "COMMON",
        "Parameters that every cmdlet has and that take a value.",
        "-erroraction -ea -warningaction -wa -informationaction -infa -progressaction \
         -errorvariable -ev -warningvariable -wv -informationvariable -iv -outvariable -ov \
         -outbuffer -ob -pipelinevariable -pv = text",
    ),
];

/// All names of a row.
fn all(row: &Row) -> impl Iterator<Item = &str> {
    let also = row.form.also.as_deref().unwrap_or("");
    row.name.split_whitespace().chain(also.split_whitespace())
}

fn named(store: &Store, name: &str, number: usize) -> String {
    format!("Named {{ name: {}, row: {number} }}", store.text(name))
}

/// The whole table: sorted names and their rows.
pub(crate) fn programs(rows: &[Row]) -> Result<String, String> {
    let mut names: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let store = Store::default();
    let mut twice = Vec::new();
    for row in rows {
        let at = format!("{}:{}", row.file.name, row.line);
        for name in all(row) {
            if let Some((_, first)) = names.insert(name.to_owned(), (0, at.clone())) {
                twice.push(format!("{at}: `{name}` is there already ({first})"));
            }
        }
        let name = row.name.split_whitespace().next().unwrap_or_default();
        let source = emit(&row.file, row.line, name, &row.form, None, &Known::new(), &store)?;
        let number = store.row(source);
        for (at, _) in all(row).filter_map(|name| names.get_mut(name)) {
            *at = number;
        }
    }
    if !twice.is_empty() {
        return Err(twice.join("\n"));
    }
    let named = names
        .iter()
        .map(|(name, (number, _))| named(&store, name, *number))
        .collect();
    let mut code = format!(
        "/// Every name and its row, sorted by name.\npub(super) static NAMES: List<Named> = {};\n",
        store.list(Kind::Named, named)
    );
    for (name, what, line) in EVERYWHERE {
        let option = condition::option(line, &Known::new(), &store)?;
        let _ = writeln!(code, "/// {what}\npub(super) static {name}: OptionRow = {option};");
    }
    code.push_str(&store.emit());
    Ok(code)
}

/// The program and its sub-commands as people say them: `ps:`, `cmd:` and `win:`, which say
/// where a row counts, are left out.
fn spoken(front: Option<&str>, name: &str) -> String {
    let plain = ["ps:", "cmd:", "win:"]
        .iter()
        .find_map(|front| name.strip_prefix(front))
        .unwrap_or(name);
    front.map_or_else(|| plain.to_owned(), |front| format!("{front} {name}"))
}

fn emit(
    file: &File,
    line: usize,
    name: &str,
    form: &Form,
    words: Option<&str>,
    above: &Known,
    store: &Store,
) -> Result<String, String> {
    let here = |what: &str| format!("{}:{line}: `{name}`: {what}", file.name);
    let words = spoken(words, name);
    let kind = form.kind.clone().unwrap_or_else(|| words.clone());
    if form.about.is_none() && !words.contains(' ') {
        return Err(here("`about` is missing"));
    }
    let mut known = above.clone();
    let powershell = form
        .style
        .as_ref()
        .is_some_and(|style| style.get_ref() == "powershell");
    for option in form.options.iter().chain(&form.before) {
        condition::learn(&mut known, option.get_ref(), powershell);
    }
    let at = |spanned: &Spanned<String>, what: String| file.error(spanned.span().start, &what);
    let lines = |list: &[Spanned<String>]| -> Result<String, String> {
        let options = list
            .iter()
            .map(|o| condition::option(o.get_ref(), &known, store).map_err(|e| at(o, e)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(store.list(Kind::Option, options))
    };
    let slots = |args: Option<&Spanned<String>>| -> Result<String, String> {
        args.map_or(Ok("None".to_owned()), |args| {
            condition::slots(args.get_ref(), &known, store)
                .map(|slots| format!("Some({slots})"))
                .map_err(|e| at(args, e))
        })
    };
    let style = match &form.style {
        None => "None".to_owned(),
        Some(word) => STYLES
            .iter()
            .find(|(style, _)| style == word.get_ref())
            .map(|(_, variant)| format!("Some(Style::{variant})"))
            .ok_or_else(|| at(word, format!("there is no style `{}`", word.get_ref())))?,
    };
    let time = match &form.time {
        None => "None",
        Some(word) => match word.get_ref().as_str() {
            "long" => "Some(TimeClass::Long)",
            "quick" => "Some(TimeClass::Quick)",
            other => {
                return Err(at(
                    word,
                    format!("`time` is \"long\" or \"quick\", not `{other}`"),
                ));
            }
        },
    };
    let container = match &form.inside {
        None => false,
        Some(word) if word.get_ref() == "container" => true,
        Some(word) => return Err(at(word, "`inside` is \"container\" or absent".to_owned())),
    };
    let stdin = form.stdin.as_ref().map_or(Ok("List::EMPTY".to_owned()), |line| {
        condition::slots(line.get_ref(), &known, store).map_err(|e| at(line, e))
    })?;
    let subs = sub_commands(
        file,
        line,
        form,
        &words,
        &known,
        &slots(form.subargs.as_ref())?,
        store,
    )?;
    let examples = form
        .examples
        .as_ref()
        .map_or(Ok(String::from("List::EMPTY")), |examples| {
            let mut all = Vec::new();
            for (verdict, list) in [
                ("Allowed", &examples.allowed),
                ("Asked", &examples.asked),
                ("Refused", &examples.refused),
            ] {
                all.extend(list.iter().map(|e| format!("(Verdict::{verdict}, {})", store.text(e))));
            }
            if all.is_empty() {
                Err(here("`examples` is empty"))
            } else {
                Ok(store.list(Kind::Example, all))
            }
        })?;
    if examples == "List::EMPTY" && (!words.contains(' ') || !form.marks.is_empty()) {
        return Err(here(
            "`examples` is missing: a program and a sub-command with marks show at least one",
        ));
    }
    Ok(format!(
        "Row {{ name: {}, about: {}, kind: {}, style: {style}, args: {}, options: {}, before: {}, \
         time: {time}, marks: {}, stdin: {stdin}, container: {container}, files: {:?}, subs: {subs}, other: {}, examples: {examples} }}",
        store.text(name),
        store.text(form.about.as_deref().unwrap_or("")),
        store.text(&kind),
        slots(form.args.as_ref())?,
        lines(&form.options)?,
        lines(&form.before)?,
        marks(file, &form.marks, &known, store)?,
        form.files.unwrap_or(false),
        marks(file, &form.other, &known, store)?,
    ))
}

fn marks(
    file: &File,
    list: &[Spanned<MarkForm>],
    known: &Known,
    store: &Store,
) -> Result<String, String> {
    let marks = list
        .iter()
        .map(|mark| {
            let (line, reason, remedy) = match mark.get_ref() {
                MarkForm::Line(line) => (line, None, None),
                MarkForm::Told(told) => {
                    (&told.mark, told.reason.as_deref(), told.remedy.as_deref())
                }
            };
            condition::mark(line, reason, remedy, known, store)
                .map_err(|e| file.error(mark.span().start, &e))
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(store.list(Kind::Mark, marks))
}

fn sub_commands(
    file: &File,
    line: usize,
    form: &Form,
    words: &str,
    known: &Known,
    plain_args: &str,
    store: &Store,
) -> Result<String, String> {
    let mut subs: BTreeMap<String, String> = BTreeMap::new();
    let twice = |name: &str, line: usize| {
        format!(
            "{}:{line}: sub-command `{name}` of `{words}` is there twice",
            file.name
        )
    };
    for name in form.subs.as_deref().unwrap_or("").split_whitespace() {
        let row = format!(
            "Row {{ name: {}, kind: {}, args: {plain_args}, ..Row::EMPTY }}",
            store.text(name),
            store.text(&format!("{words} {name}"))
        );
        if subs.insert(name.to_owned(), row).is_some() {
            return Err(twice(name, line));
        }
    }
    for (names, sub) in &form.sub {
        let line = file.line(names.span().start);
        let all = names
            .get_ref()
            .split_whitespace()
            .chain(sub.also.as_deref().unwrap_or("").split_whitespace());
        let first = names
            .get_ref()
            .split_whitespace()
            .next()
            .unwrap_or_default();
        for name in all {
            // Other names of one sub-command share the words of its grant.
            let source = emit(file, line, first, sub, Some(words), known, store)?;
            if subs.insert(name.to_owned(), source).is_some() {
                return Err(twice(name, line));
            }
        }
    }
    let list: Vec<_> = subs
        .iter()
        .map(|(name, row)| named(store, name, store.row(row.clone())))
        .collect();
    Ok(store.list(Kind::Named, list))
}
