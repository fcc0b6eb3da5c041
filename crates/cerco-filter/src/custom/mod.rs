//! Rules of a person's or a project's own (`[[rules]]` in `cerco.toml`).
//!
//! They can make things stricter. A person's file may also turn a kind from asked to allowed;
//! a project's file may not, since agents write there. Nothing here can touch a refusal.

use cerco_model::{
    Command, Dialect, Finding, Guard, Judgement, Kind, NoTree, Part, Place, Rule, SandboxState,
    Verdict,
};
use cerco_reader::{Reading, Start};

use crate::table::{Bound, Table};

mod file;

pub use file::CustomError;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The person's own, outside of every project.
    User,
    /// The project's: may only make things stricter.
    Project,
}

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

impl CustomRules {
    /// Reads the rules of a `cerco.toml` and checks them with their own examples. Other tables of
    /// a project's file are left to others. Every fault is told, each with its line.
    pub fn parse(text: &str, level: Level) -> Result<Self, Vec<CustomError>> {
        file::parse(text, level)
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

    /// Whether it applies to an example of its own, as text alone.
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
