//! The custom rules that count now, with their files and what is wrong with them. To look
//! at only: judging reads the files itself.

use std::path::{Path, PathBuf};

use cerco_filter::{CustomRules, Level};

use super::Hub;
use crate::project::FILE_NAME;
use crate::toml_file;
use crate::wire::{CustomRule, RuleError, RuleFile, RuleLevel};
use crate::words::shown;

impl Hub {
    /// The person's file and those of the open boards' projects. Files without rules are
    /// left out, as long as they are right.
    #[must_use]
    pub fn custom_rules(&self) -> Vec<RuleFile> {
        let own = self.config.join(FILE_NAME);
        let mut files = Vec::new();
        match toml_file::read(&own) {
            Ok(Some(text)) => files.push(file(&own, &text, Level::User)),
            Ok(None) => {}
            Err(error) => files.push(unreadable(&own, &error.to_string())),
        }
        for (path, accepted) in self.accepted_files() {
            files.push(file(&path, &accepted, Level::Project));
        }
        files.retain(|f| {
            !(f.rules.is_empty() && f.kinds.is_empty() && f.hosts.is_empty() && f.errors.is_empty())
        });
        files
    }

    fn accepted_files(&self) -> Vec<(PathBuf, String)> {
        let core = self.core();
        let boards = core.boards.iter().map(|board| {
            let project = &board.project;
            (
                project.root().join(FILE_NAME),
                project.accepted().to_owned(),
            )
        });
        boards.collect()
    }
}

fn file(path: &Path, text: &str, level: Level) -> RuleFile {
    let (rules, errors) = match CustomRules::parse(text, level) {
        Ok(rules) => (rules, Vec::new()),
        Err(errors) => (CustomRules::default(), errors),
    };
    let about = |program: &str, words: &[String]| {
        let words = words.iter().map(String::as_str);
        let all: Vec<&str> = std::iter::once(program).chain(words).collect();
        shown(&all.join(" "))
    };
    let kinds = rules.allowed_kinds().iter();
    let lines = rules.lines().map(|line| CustomRule {
        id: shown(line.id),
        verdict: line.verdict.into(),
        about: about(line.program, line.words),
        reason: shown(line.reason),
    });
    RuleFile {
        path: shown(&path.display().to_string()),
        level: match level {
            Level::User => RuleLevel::User,
            Level::Project => RuleLevel::Project,
        },
        kinds: kinds.map(|kind| shown(kind.as_str())).collect(),
        hosts: rules.hosts().iter().map(|host| shown(host)).collect(),
        errors: errors
            .into_iter()
            .map(|error| RuleError {
                line: Some(error.line),
                text: shown(&error.message),
            })
            .collect(),
        rules: lines.collect(),
    }
}

fn unreadable(path: &Path, why: &str) -> RuleFile {
    RuleFile {
        path: shown(&path.display().to_string()),
        level: RuleLevel::User,
        rules: Vec::new(),
        kinds: Vec::new(),
        hosts: Vec::new(),
        errors: vec![RuleError {
            line: None,
            text: shown(why),
        }],
    }
}
