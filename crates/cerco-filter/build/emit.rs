//! Rows → Rust source of static data.

use std::collections::BTreeMap;
use std::fmt::Write;

use toml::Spanned;

use crate::condition::{self, Known};
use crate::form::{File, Form, MarkForm, Row};

const STYLES: &[(&str, &str)] = &[
    ("gnu", "Gnu"),
    ("strict", "Strict"),
    ("words", "Words"),
    ("plain", "Plain"),
    ("tar", "Tar"),
    ("powershell", "Powershell"),
    ("slash", "Slash"),
];

/// The whole table: sorted names and their rows.
pub(crate) fn programs(rows: &[Row]) -> Result<String, String> {
    let mut names: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut code = String::new();
    let mut twice = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let at = format!("{}:{}", row.file.name, row.line);
        for name in row
            .name
            .split_whitespace()
            .chain(row.form.also.as_deref().unwrap_or("").split_whitespace())
        {
            if let Some((_, first)) = names.insert(name.to_owned(), (index, at.clone())) {
                twice.push(format!("{at}: `{name}` is there already ({first})"));
            }
        }
        let name = row.name.split_whitespace().next().unwrap_or_default();
        let source = emit(&row.file, row.line, name, &row.form, None, &Known::new())?;
        let _ = writeln!(code, "static ROW_{index}: Row = {source};");
    }
    if !twice.is_empty() {
        return Err(twice.join("\n"));
    }
    code.push_str("/// Every name and its row, sorted by name.\npub(super) static NAMES: &[(&str, &Row)] = &[\n");
    for (name, (index, _)) in &names {
        let _ = writeln!(code, "({name:?}, &ROW_{index}),");
    }
    code.push_str("];\n");
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
            .map(|o| condition::option(o.get_ref(), &known).map_err(|e| at(o, e)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(format!("&[{}]", options.join(", ")))
    };
    let slots = |args: Option<&Spanned<String>>| -> Result<String, String> {
        args.map_or(Ok("None".to_owned()), |args| {
            condition::slots(args.get_ref(), &known)
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
    let stdin = form.stdin.as_ref().map_or(Ok("&[]".to_owned()), |line| {
        condition::slots(line.get_ref(), &known).map_err(|e| at(line, e))
    })?;
    let subs = sub_commands(
        file,
        line,
        form,
        &words,
        &known,
        &slots(form.subargs.as_ref())?,
    )?;
    let examples = form
        .examples
        .as_ref()
        .map_or(Ok(String::from("&[]")), |examples| {
            let mut all = Vec::new();
            for (verdict, list) in [
                ("Allowed", &examples.allowed),
                ("Asked", &examples.asked),
                ("Refused", &examples.refused),
            ] {
                all.extend(list.iter().map(|e| format!("(Verdict::{verdict}, {e:?})")));
            }
            if all.is_empty() {
                Err(here("`examples` is empty"))
            } else {
                Ok(format!("&[{}]", all.join(", ")))
            }
        })?;
    if examples == "&[]" && (!words.contains(' ') || !form.marks.is_empty()) {
        return Err(here(
            "`examples` is missing: a program and a sub-command with marks show at least one",
        ));
    }
    Ok(format!(
        "Row {{ name: {name:?}, about: {:?}, kind: {kind:?}, style: {style}, args: {}, options: {}, before: {}, \
         time: {time}, marks: {}, stdin: {stdin}, container: {container}, files: {:?}, subs: {subs}, other: {}, examples: {examples} }}",
        form.about.as_deref().unwrap_or(""),
        slots(form.args.as_ref())?,
        lines(&form.options)?,
        lines(&form.before)?,
        marks(file, &form.marks, &known)?,
        form.files.unwrap_or(false),
        marks(file, &form.other, &known)?,
    ))
}

fn marks(file: &File, list: &[Spanned<MarkForm>], known: &Known) -> Result<String, String> {
    let marks = list
        .iter()
        .map(|mark| {
            let (line, reason, remedy) = match mark.get_ref() {
                MarkForm::Line(line) => (line, None, None),
                MarkForm::Told(told) => {
                    (&told.mark, told.reason.as_deref(), told.remedy.as_deref())
                }
            };
            condition::mark(line, reason, remedy, known)
                .map_err(|e| file.error(mark.span().start, &e))
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(format!("&[{}]", marks.join(", ")))
}

fn sub_commands(
    file: &File,
    line: usize,
    form: &Form,
    words: &str,
    known: &Known,
    plain_args: &str,
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
            "Row {{ name: {name:?}, kind: {:?}, args: {plain_args}, ..Row::EMPTY }}",
            format!("{words} {name}")
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
        for name in all {
            // A grant covers what was shown: `git merge` says nothing of `git revert`.
            let source = emit(file, line, name, sub, Some(words), known)?;
            if subs.insert(name.to_owned(), source).is_some() {
                return Err(twice(name, line));
            }
        }
    }
    let list: Vec<_> = subs
        .iter()
        .map(|(name, row)| format!("({name:?}, &{row})"))
        .collect();
    Ok(format!("&[{}]", list.join(", ")))
}
