//! Rows → Rust source of static data.

use std::collections::BTreeMap;
use std::fmt::Write;

use toml::Spanned;

use crate::condition::{self, Known};
use crate::form::{Examples, File, Form, MarkForm, Row};
use crate::store::{Bytes, Kind, Store, list, maybe};

const STYLES: &[(&str, &str)] = &[
    ("gnu", "Gnu"),
    ("strict", "Strict"),
    ("words", "Words"),
    ("plain", "Plain"),
    ("tar", "Tar"),
    ("powershell", "Powershell"),
    ("slash", "Slash"),
];

/// All names of a row.
fn all(row: &Row) -> impl Iterator<Item = &str> {
    let also = row.form.also.as_deref().unwrap_or("");
    row.name.split_whitespace().chain(also.split_whitespace())
}

/// The table: code with the names, texts and values, and the rows as bytes.
pub(crate) fn programs(rows: &[Row]) -> Result<(String, Bytes), String> {
    let mut names: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let store = Store::default();
    let (mut bytes, mut offsets) = (Bytes::new(), Vec::new());
    let mut twice = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let at = format!("{}:{}", row.file.name, row.line);
        for name in all(row) {
            if let Some((_, first)) = names.insert(name.to_owned(), (index, at.clone())) {
                twice.push(format!("{at}: `{name}` is there already ({first})"));
            }
        }
        let name = row.name.split_whitespace().next().unwrap_or_default();
        offsets.push(bytes.len());
        let none = Known::new();
        bytes.extend(emit(
            &row.file, row.line, name, &row.form, None, &none, &store,
        )?);
    }
    if !twice.is_empty() {
        return Err(twice.join("\n"));
    }
    let mut code = String::from(
        "/// Every name, sorted: where it begins in TEXT, its length, the number of its row.\n\
         pub(super) static NAMES: &[[u32; 3]] = &[\n",
    );
    for (name, (index, _)) in &names {
        let (at, length) = store.place(name);
        let _ = writeln!(code, "[{at}, {length}, {index}],");
    }
    let _ = writeln!(
        code,
        "];\n/// How many rows there are.\npub(super) const ROWS: usize = {};\n\
         /// Where each begins in BYTES.\npub(super) static OFFSETS: &[u32] = &{offsets:?};",
        rows.len()
    );
    code.push_str(&store.emit());
    Ok((code, bytes))
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
) -> Result<Bytes, String> {
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
    let options = |lines: &[Spanned<String>]| -> Result<Bytes, String> {
        let options = lines
            .iter()
            .map(|o| condition::option(o.get_ref(), &known, store).map_err(|e| at(o, e)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(list(&options))
    };
    let slots = |args: Option<&Spanned<String>>| -> Result<Bytes, String> {
        let slots = args
            .map(|args| condition::slots(args.get_ref(), &known, store).map_err(|e| at(args, e)));
        Ok(maybe(slots.transpose()?))
    };
    let style = match &form.style {
        None => None,
        Some(word) => STYLES
            .iter()
            .find(|(style, _)| style == word.get_ref())
            .map(|(_, variant)| Some(store.value(Kind::Style, &format!("Style::{variant}"))))
            .ok_or_else(|| at(word, format!("there is no style `{}`", word.get_ref())))?,
    };
    let time = match &form.time {
        None => None,
        Some(word) => match word.get_ref().as_str() {
            "long" => Some(store.value(Kind::TimeClass, "TimeClass::Long")),
            "quick" => Some(store.value(Kind::TimeClass, "TimeClass::Quick")),
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
    let stdin = form.stdin.as_ref().map_or(Ok(list(&[])), |line| {
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
    let examples = match &form.examples {
        None => Vec::new(),
        Some(shown) => examples(shown, store).ok_or_else(|| here("`examples` is empty"))?,
    };
    if examples.is_empty() && (!words.contains(' ') || !form.marks.is_empty()) {
        return Err(here(
            "`examples` is missing: a program and a sub-command with marks show at least one",
        ));
    }
    // As `src/table/stored.rs` reads them.
    Ok([
        store.text(name),
        store.text(form.about.as_deref().unwrap_or("")),
        store.text(&kind),
        maybe(style),
        slots(form.args.as_ref())?,
        options(&form.options)?,
        options(&form.before)?,
        maybe(time),
        marks(file, &form.marks, &known, store)?,
        stdin,
        vec![u8::from(container)],
        vec![u8::from(form.files.unwrap_or(false))],
        subs,
        marks(file, &form.other, &known, store)?,
        list(&examples),
    ]
    .concat())
}

/// Commands with their verdicts; nothing where there is none.
fn examples(shown: &Examples, store: &Store) -> Option<Vec<Bytes>> {
    let mut examples = Vec::new();
    for (verdict, texts) in [
        ("Verdict::Allowed", &shown.allowed),
        ("Verdict::Asked", &shown.asked),
        ("Verdict::Refused", &shown.refused),
    ] {
        let verdict = store.value(Kind::Verdict, verdict);
        let each = |text: &String| [verdict.clone(), store.text(text)].concat();
        examples.extend(texts.iter().map(each));
    }
    (!examples.is_empty()).then_some(examples)
}

/// A sub-command that has nothing but its name.
fn plain(store: &Store, name: &str, kind: &str, args: &[u8]) -> Bytes {
    let (none, no) = (list(&[]), vec![0]);
    [
        store.text(name),
        store.text(""),
        store.text(kind),
        maybe(None),
        args.to_vec(),
        none.clone(),
        none.clone(),
        maybe(None),
        none.clone(),
        none.clone(),
        no.clone(),
        no,
        none.clone(),
        none.clone(),
        none,
    ]
    .concat()
}

fn marks(
    file: &File,
    forms: &[Spanned<MarkForm>],
    known: &Known,
    store: &Store,
) -> Result<Bytes, String> {
    let marks = forms
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
    Ok(list(&marks))
}

fn sub_commands(
    file: &File,
    line: usize,
    form: &Form,
    words: &str,
    known: &Known,
    plain_args: &[u8],
    store: &Store,
) -> Result<Bytes, String> {
    let mut subs: BTreeMap<String, Bytes> = BTreeMap::new();
    let twice = |name: &str, line: usize| {
        format!(
            "{}:{line}: sub-command `{name}` of `{words}` is there twice",
            file.name
        )
    };
    for name in form.subs.as_deref().unwrap_or("").split_whitespace() {
        let row = plain(store, name, &format!("{words} {name}"), plain_args);
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
        for name in all {
            // A grant covers what was shown: `git merge` says nothing of `git revert`.
            let source = emit(file, line, name, sub, Some(words), known, store)?;
            if subs.insert(name.to_owned(), source).is_some() {
                return Err(twice(name, line));
            }
        }
    }
    let named = |(name, row): (&String, &Bytes)| [store.text(name), row.clone()].concat();
    Ok(list(&subs.iter().map(named).collect::<Vec<_>>()))
}
