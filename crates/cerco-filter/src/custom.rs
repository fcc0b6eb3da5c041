//! Rules of a person's or a project's own (`[[rules]]` in `cerco.toml`).
//!
//! They can make things stricter. A person's file may also turn a kind from asked to allowed;
//! a project's file may not, since agents write there. Nothing here can touch a refusal.

use cerco_model::{
    Command, Dialect, Finding, Guard, Judgement, Kind, NoTree, Part, Place, Rule, SandboxState,
    Verdict,
};
use cerco_reader::{Reading, Start};
use serde::Deserialize;
use toml::Spanned;

use crate::rules::kinds;
use crate::table::{Bound, Table};

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The person's own, outside of every project.
    User,
    /// The project's: may only make things stricter.
    Project,
}

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

/// The custom rules of one file, checked.
#[derive(Clone, Debug, Default)]
pub struct CustomRules {
    rules: Vec<Custom>,
    allowed: Vec<Kind>,
    hosts: Vec<String>,
}

/// One rule as its file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleLine<'a> {
    /// Its name.
    pub id: &'a str,
    /// What it makes of a command.
    pub verdict: Verdict,
    /// The program it is about.
    pub program: &'a str,
    /// The words that have to follow.
    pub words: &'a [String],
    /// Why.
    pub reason: &'a str,
}

#[derive(Clone, Debug)]
struct Custom {
    id: String,
    verdict: Verdict,
    program: String,
    words: Vec<String>,
    reason: String,
    remedy: Option<String>,
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

impl CustomRules {
    /// Reads the rules of a `cerco.toml` and checks them with their own examples. Other tables of
    /// a project's file are left to others. Every fault is told, each with its line.
    pub fn parse(text: &str, level: Level) -> Result<Self, Vec<CustomError>> {
        let line = |at: usize| text.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
        let read = match level {
            Level::User => toml::from_str::<UserFile>(text).map(File::from),
            Level::Project => toml::from_str(text),
        };
        let file = read.map_err(|error| {
            vec![CustomError {
                line: line(error.span().map_or(0, |span| span.start)),
                message: error.message().to_owned(),
            }]
        })?;
        let mut errors = Vec::new();
        let mut wrong = |at: usize, message: String| {
            errors.push(CustomError {
                line: line(at),
                message,
            });
        };
        let mut found = Self::default();
        for form in &file.rules {
            if let Some(rule) = checked(form.get_ref(), &mut wrong) {
                if found.rules.iter().any(|other| other.id == rule.id) {
                    wrong(
                        form.get_ref().id.span().start,
                        format!("there is a rule `{}` already", rule.id),
                    );
                }
                found.rules.push(rule);
            }
        }
        for kind in &file.allow.kinds {
            if kind.get_ref() == Kind::UNCLEAR.as_str() {
                wrong(
                    kind.span().start,
                    "`unclear` can't be allowed beforehand".to_owned(),
                );
            } else if !kinds::exists(kind.get_ref()) {
                let close = kinds::close_to(kind.get_ref());
                let close =
                    close.map_or(String::new(), |near| format!("; `{near}` is close to it"));
                wrong(
                    kind.span().start,
                    format!("no ask shows the kind `{}`{close}", kind.get_ref()),
                );
            }
            found.allowed.push(Kind::named(kind.get_ref().clone()));
        }
        for host in &file.allow.hosts {
            let name = host.get_ref().strip_prefix("*.").unwrap_or(host.get_ref());
            let is_host = name.contains('.')
                && name.bytes().all(|b| {
                    b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-')
                });
            if !is_host {
                wrong(
                    host.span().start,
                    format!(
                        "`{}` is no host name in lower case, like `npm.example.org` or `*.example.org`",
                        host.get_ref()
                    ),
                );
            }
            found.hosts.push(host.get_ref().clone());
        }
        if level == Level::Project
            && let Some(first) = file.allow.kinds.first().or(file.allow.hosts.first())
        {
            wrong(first.span().start, "a project's file may only make things stricter; put `[allow]` in your own `cerco.toml`".to_owned());
        }
        if errors.is_empty() {
            Ok(found)
        } else {
            Err(errors)
        }
    }

    /// The rules one by one, for a person to look at.
    pub fn lines(&self) -> impl Iterator<Item = RuleLine<'_>> {
        self.rules.iter().map(|rule| RuleLine {
            id: &rule.id,
            verdict: rule.verdict,
            program: &rule.program,
            words: &rule.words,
            reason: &rule.reason,
        })
    }

    /// Kinds that the file allows without an ask.
    #[must_use]
    pub fn allowed_kinds(&self) -> &[Kind] {
        &self.allowed
    }

    /// Hosts the file adds: they go into [`Place::allowed_hosts`].
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// What the rules that refuse say of one start.
    pub(crate) fn refusals<'a>(
        &'a self,
        start: &'a Start<Bound>,
    ) -> impl Iterator<Item = Finding> + 'a {
        let rules = self.rules.iter();
        rules
            .filter(|rule| rule.verdict == Verdict::Refused && rule.applies(start))
            .map(|rule| rule.finding(start.part))
    }

    /// The judgement with these rules added. A refusal stays one whatever they say.
    #[must_use]
    pub fn apply(&self, reading: &Reading<Bound>, judgement: Judgement) -> Judgement {
        let mut findings: Vec<Finding> = judgement.findings().to_vec();
        let allowed = |finding: &Finding| {
            finding.verdict == Verdict::Asked
                && finding
                    .kind
                    .as_ref()
                    .is_some_and(|kind| kind.is_grantable() && self.allowed.contains(kind))
        };
        findings.retain(|finding| !allowed(finding));
        for rule in &self.rules {
            for start in reading.starts.iter().filter(|start| rule.applies(start)) {
                findings.push(rule.finding(start.part));
            }
        }
        findings.sort_by_key(|finding| (finding.part.start, finding.part.end));
        Judgement::new(findings, judgement.programs, judgement.time)
    }
}

impl Custom {
    fn finding(&self, part: Part) -> Finding {
        Finding {
            rule: Rule::Custom(self.id.as_str().into()),
            verdict: self.verdict,
            part,
            reason: self.reason.clone().into(),
            remedy: self.remedy.clone().map(Into::into),
            kind: (self.verdict == Verdict::Asked)
                .then(|| Kind::named(format!("rule {}", self.id))),
        }
    }

    /// Whether a start is of the program and has every word. What isn't known counts as there:
    /// a rule that makes things stricter may not be got around by a variable.
    fn applies(&self, start: &Start<Bound>) -> bool {
        let written = start.name.text.known_prefix();
        let base = written.rsplit(['/', '\\']).next().unwrap_or(written);
        (start.bound.name == self.program || base == self.program)
            && self.words.iter().all(|word| {
                start.args.iter().any(|arg| match arg.text.known() {
                    Some(text) => {
                        text == word
                            || text
                                .strip_prefix(word.as_str())
                                .is_some_and(|rest| rest.starts_with('='))
                    }
                    None => arg.text.has_unknown(),
                })
            })
    }
}

fn checked(form: &RuleForm, wrong: &mut dyn FnMut(usize, String)) -> Option<Custom> {
    let verdict = match form.verdict.get_ref().as_str() {
        "asked" => Verdict::Asked,
        "refused" => Verdict::Refused,
        other => {
            wrong(
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
        wrong(
            form.id.span().start,
            format!("the id `{id}` has other signs than a-z, 0-9 and `-`"),
        );
    }
    if form.program.get_ref().is_empty() || form.program.get_ref().contains(['/', '\\', ' ']) {
        wrong(
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
        wrong(
            form.id.span().start,
            format!("the rule `{id}` shows in `matches` and `not` at least one command each"),
        );
    }
    for (list, should) in [(&form.matches, true), (&form.not, false)] {
        for example in list {
            if rule.applies_to(example.get_ref()) != should {
                let says = if should { "doesn't apply" } else { "applies" };
                wrong(
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

impl Custom {
    fn applies_to(&self, example: &str) -> bool {
        let Ok(command) = Command::new(example.as_bytes().to_vec(), Dialect::Bash) else {
            return false;
        };
        let place = Place {
            project: "/project".to_owned(),
            loop_folder: "/project".to_owned(),
            directory: "/project".to_owned(),
            other_loops: Vec::new(),
            home: "/home".to_owned(),
            user: String::new(),
            environment: [].into(),
            sandbox: SandboxState::On,
            guard: Guard::Off,
            allowed_hosts: Vec::new(),
            tree: &NoTree,
        };
        let reading = cerco_reader::read(&command, &place, &Table);
        reading.starts.iter().any(|start| self.applies(start))
    }
}
