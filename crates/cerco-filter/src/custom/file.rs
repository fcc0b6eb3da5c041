//! The file of custom rules: its form, and what can be wrong with it. Every fault is told with
//! its line, so that a person mends the file in one go.

use cerco_model::{Kind, Verdict};
use serde::Deserialize;
use toml::Spanned;

use super::{Custom, CustomRules, Level};
use crate::rules::kinds;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl std::fmt::Display for CustomError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for CustomError {}

/// What is wrong with a text so far.
struct Faults<'t> {
    text: &'t str,
    found: Vec<CustomError>,
}

impl Faults<'_> {
    fn add(&mut self, at: usize, message: String) {
        let before = self.text.bytes().take(at);
        self.found.push(CustomError {
            line: before.filter(|b| *b == b'\n').count() + 1,
            message,
        });
    }
}

/// What a project's file says of rules; its other tables are read by others.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    rules: Vec<Spanned<RuleForm>>,
    #[serde(default)]
    allow: AllowForm,
}

/// A person's file, which has nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserFile {
    #[serde(default)]
    rules: Vec<Spanned<RuleForm>>,
    #[serde(default)]
    allow: AllowForm,
}

impl From<UserFile> for File {
    fn from(UserFile { rules, allow }: UserFile) -> Self {
        Self { rules, allow }
    }
}

/// What the person allows without being asked.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowForm {
    #[serde(default)]
    kinds: Vec<Spanned<String>>,
    #[serde(default)]
    hosts: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleForm {
    id: Spanned<String>,
    verdict: Spanned<String>,
    program: Spanned<String>,
    #[serde(default)]
    words: Vec<String>,
    reason: String,
    remedy: Option<String>,
    matches: Vec<Spanned<String>>,
    not: Vec<Spanned<String>>,
}

/// See [`CustomRules::parse`].
pub(super) fn parse(text: &str, level: Level) -> Result<CustomRules, Vec<CustomError>> {
    let mut faults = Faults {
        text,
        found: Vec::new(),
    };
    let read = match level {
        Level::User => toml::from_str::<UserFile>(text).map(File::from),
        Level::Project => toml::from_str(text),
    };
    let file = match read {
        Ok(file) => file,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            faults.add(at, error.message().to_owned());
            return Err(faults.found);
        }
    };
    let found = CustomRules {
        rules: rules(&file.rules, &mut faults),
        allowed: allowed(&file.allow.kinds, &mut faults),
        hosts: hosts(&file.allow.hosts, &mut faults),
    };
    if level == Level::Project
        && let Some(first) = file.allow.kinds.first().or(file.allow.hosts.first())
    {
        let message = "a project's file may only make things stricter; put `[allow]` in your own `cerco.toml`";
        faults.add(first.span().start, message.to_owned());
    }
    if faults.found.is_empty() {
        Ok(found)
    } else {
        Err(faults.found)
    }
}

fn rules(forms: &[Spanned<RuleForm>], faults: &mut Faults<'_>) -> Vec<Custom> {
    let mut rules: Vec<Custom> = Vec::new();
    for form in forms.iter().map(Spanned::get_ref) {
        let Some(rule) = checked(form, faults) else {
            continue;
        };
        if rules.iter().any(|other| other.id == rule.id) {
            let message = format!("there is a rule `{}` already", rule.id);
            faults.add(form.id.span().start, message);
        }
        rules.push(rule);
    }
    rules
}

fn allowed(kinds: &[Spanned<String>], faults: &mut Faults<'_>) -> Vec<Kind> {
    let named = |kind: &Spanned<String>| {
        let name = kind.get_ref();
        if name == Kind::UNCLEAR.as_str() {
            let message = "`unclear` can't be allowed beforehand";
            faults.add(kind.span().start, message.to_owned());
        } else if !kinds::exists(name) {
            let close = kinds::close_to(name);
            let close = close.map_or(String::new(), |near| format!("; `{near}` is close to it"));
            let message = format!("no ask shows the kind `{name}`{close}");
            faults.add(kind.span().start, message);
        }
        Kind::named(name.clone())
    };
    kinds.iter().map(named).collect()
}

fn hosts(hosts: &[Spanned<String>], faults: &mut Faults<'_>) -> Vec<String> {
    let lower = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-');
    for host in hosts {
        let whole = host.get_ref();
        let name = whole.strip_prefix("*.").unwrap_or(whole);
        if !name.contains('.') || !name.bytes().all(lower) {
            let message = format!(
                "`{whole}` is no host name in lower case, like `npm.example.org` or `*.example.org`"
            );
            faults.add(host.span().start, message);
        }
    }
    hosts.iter().map(|host| host.get_ref().clone()).collect()
}

fn checked(form: &RuleForm, faults: &mut Faults<'_>) -> Option<Custom> {
    let verdict = match form.verdict.get_ref().as_str() {
        "asked" => Verdict::Asked,
        "refused" => Verdict::Refused,
        other => {
            faults.add(
                form.verdict.span().start,
                format!("`verdict` is \"asked\" or \"refused\", not `{other}`"),
            );
            return None;
        }
    };
    let id = form.id.get_ref();
    if id.is_empty()
        || !id
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    {
        faults.add(
            form.id.span().start,
            format!("the id `{id}` has other signs than a-z, 0-9 and `-`"),
        );
    }
    if form.program.get_ref().is_empty() || form.program.get_ref().contains(['/', '\\', ' ']) {
        faults.add(
            form.program.span().start,
            "`program` is a program's name without its folder".to_owned(),
        );
    }
    let rule = Custom {
        id: id.clone(),
        verdict,
        program: form.program.get_ref().clone(),
        words: form.words.clone(),
        reason: form.reason.clone(),
        remedy: form.remedy.clone(),
    };
    if form.matches.is_empty() || form.not.is_empty() {
        faults.add(
            form.id.span().start,
            format!("the rule `{id}` shows in `matches` and `not` at least one command each"),
        );
    }
    for (list, should) in [(&form.matches, true), (&form.not, false)] {
        for example in list {
            if rule.applies_to(example.get_ref()) != should {
                let says = if should { "doesn't apply" } else { "applies" };
                faults.add(
                    example.span().start,
                    format!(
                        "the rule `{id}` {says} to its own example `{}`",
                        example.get_ref()
                    ),
                );
            }
        }
    }
    Some(rule)
}
