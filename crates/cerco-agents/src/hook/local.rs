//! The judge of a hook on this machine: the project around the host's folder, the role's
//! tools, the filter for commands, the loop's bounds for the host's own file tools.
//!
//! The host acts after we answered, with its own hands: what a path names can change in
//! between. Without the sandbox nothing holds that; SECURITY.md says so.

use std::path::{Component, Path, PathBuf};

use cerco_gateway::journal::DecisionSource;
use cerco_gateway::project::{Known, Loop, Project, nested};
use cerco_model::{Dialect, Role, Rule, Tool};
use serde_json::{Map, Value, json};

use super::{About, Asking, Judge, Mode, Question, Word};
use crate::own::Own;
use crate::trace::{self, Became, Trace, finding};

/// Tells whether a path looks like a secret: the filter's rule.
pub type SecretNames = fn(&str) -> bool;

/// Judges with the settings and projects of this person.
#[derive(Clone, Debug)]
pub struct LocalJudge {
    /// The folder with the list of known projects.
    pub config: PathBuf,
    /// The folder with the journal.
    pub state: PathBuf,
    /// The host's word, for the journal.
    pub host: String,
    /// The role of the host's bubble.
    pub role: String,
    /// Cerco's program.
    pub program: PathBuf,
    /// Whether the command will run under Cerco or in the host's own shell: there no
    /// sandbox holds it, so its paths are judged without one.
    pub mode: Mode,
    /// The rule `secret`.
    pub secrets: SecretNames,
}

impl Judge for LocalJudge {
    fn judge(&self, question: &Question<'_>) -> Result<Word, String> {
        let directory = Path::new(question.directory);
        if !directory.is_absolute() {
            return Err(format!(
                "the host didn't say in which folder (`{}`)",
                question.directory
            ));
        }
        let known = Known::load(&self.config).map_err(|e| e.to_string())?;
        let project = match Project::around(directory, &known) {
            Ok(project) => project,
            Err(e) => return Ok(refused(&e.to_string(), None)),
        };
        let role = project.role(&self.role).map_err(|e| e.to_string())?;
        let here = directory
            .canonicalize()
            .unwrap_or_else(|_| directory.to_path_buf());
        let this_loop = match project.loop_at(&here) {
            Ok(this_loop) => this_loop,
            Err(e) => return Ok(refused(&e.to_string(), None)),
        };
        let trace = Trace::new(&self.state, &project, &this_loop, &role, &self.host);
        let (needs, text) = match &question.about {
            About::Command { text, .. } => (Tool::RunCommands, (*text).to_owned()),
            About::Read(paths) => (Tool::ReadFiles, format!("read {}", paths.join(" "))),
            About::Write(paths) => (Tool::WriteFiles, format!("write {}", paths.join(" "))),
        };
        if !role.tools().has(needs) {
            trace.record(&text, Vec::new(), Became::Refused(DecisionSource::Tools))?;
            return Ok(lacks(&role, needs));
        }
        match &question.about {
            // The host's own shell would start it where the host is, and a judgement holds for
            // the loop's folder.
            About::Command { .. }
                if self.mode == Mode::Judge && !here.starts_with(&this_loop.folder) =>
            {
                trace.record(&text, Vec::new(), Became::Refused(DecisionSource::Rule))?;
                let folder = project.relative(&this_loop.folder);
                Ok(refused(
                    &format!("the host is not in the loop's folder `{folder}`"),
                    Some(format!(
                        "start the host in `{folder}`, or let a person install the hook with \
                         --rewrite, so that commands start there"
                    )),
                ))
            }
            About::Command { text, dialect } => {
                self.command(text, *dialect, directory, question.asking, &trace)
            }
            About::Read(paths) | About::Write(paths) => {
                for path in *paths {
                    if let Err((rule, why, remedy)) =
                        self.file(&project, &this_loop, &here, path, needs)
                    {
                        let reason = format!("`{path}` {why}");
                        let finding = finding(rule, &text, reason.clone(), Some(remedy.to_owned()));
                        trace.record(
                            &text,
                            vec![finding],
                            Became::Refused(DecisionSource::Rule),
                        )?;
                        return Ok(refused(&reason, Some(remedy.to_owned())));
                    }
                }
                Ok(Word::Allowed)
            }
        }
    }
}

impl LocalJudge {
    fn command(
        &self,
        text: &str,
        dialect: Dialect,
        directory: &Path,
        asking: Asking,
        trace: &Trace,
    ) -> Result<Word, String> {
        let mut place = vec!["--role".to_owned(), self.role.clone()];
        if self.mode == Mode::Judge {
            place.push("--no-sandbox".into());
        }
        let own = Own {
            program: self.program.clone(),
            place,
            directory: directory.to_path_buf(),
        };
        let line = json!({ "command": text, "dialect": dialect }).to_string();
        let answer = own.check_line(&line)?;
        let findings = list(&answer, "findings");
        let record = |became| trace.record(text, trace::findings(&findings), became);
        match answer.get("verdict").and_then(Value::as_str) {
            Some("allowed") => {
                // Rewritten, it comes back as a run with an entry of its own.
                if self.mode == Mode::Judge {
                    record(Became::LeftToHost)?;
                }
                Ok(Word::Allowed)
            }
            Some("refused") => {
                record(Became::Refused(DecisionSource::Rule))?;
                let remedy = joined(&findings, "remedy");
                Ok(refused(&joined(&findings, "reason"), Some(remedy)))
            }
            Some("asked") if asking == Asking::Never => Ok(Word::Asked {
                reason: joined(&findings, "reason"),
            }),
            Some("asked") => {
                record(Became::Refused(DecisionSource::NoWindow))?;
                let why = joined(&findings, "reason");
                let reason =
                    format!("{why}. A person has to allow this, and no window is open to ask in");
                Ok(refused(
                    &reason,
                    Some("leave it to the person, or do it another way".into()),
                ))
            }
            _ => Err("the filter gave no verdict".into()),
        }
    }

    fn file(
        &self,
        project: &Project,
        this_loop: &Loop,
        here: &Path,
        path: &str,
        needs: Tool,
    ) -> Result<(), (Rule, &'static str, &'static str)> {
        const INSIDE: &str = "name a file inside the loop's folder";
        if path.contains(['*', '?', '[', '{']) && needs == Tool::ReadFiles {
            return Err((
                Rule::Secret,
                "is a pattern, which could match a secret",
                "name the files one by one",
            ));
        }
        if (self.secrets)(path) {
            return Err((
                Rule::Secret,
                "looks like a secret",
                "leave it to the person",
            ));
        }
        let Some(real) = resolved(&here.join(path)) else {
            return Err((Rule::Path, "can't be resolved to one place", INSIDE));
        };
        let Ok(inside) = real.strip_prefix(&this_loop.folder) else {
            return Err((Rule::Path, "is outside of the loop's folder", INSIDE));
        };
        if (self.secrets)(&inside.to_string_lossy()) {
            return Err((
                Rule::Secret,
                "leads to a file that looks like a secret",
                "leave it to the person",
            ));
        }
        if needs != Tool::WriteFiles {
            return Ok(());
        }
        if nested(project.loops(), this_loop).any(|other| real.starts_with(&other.folder)) {
            return Err((
                Rule::Path,
                "belongs to another loop",
                "leave it to the bubble of that loop",
            ));
        }
        if inside.iter().any(|name| name.eq_ignore_ascii_case(".git")) {
            return Err((Rule::Path, "belongs to git itself", "use git commands"));
        }
        if real == project.root().join(cerco_gateway::project::FILE_NAME) {
            return Err((
                Rule::Path,
                "is a setting of the project",
                "ask the person to change it",
            ));
        }
        Ok(())
    }
}

/// Where a path leads with every link resolved, as far as it exists; nothing when what
/// doesn't exist yet would be left by `..`, or a link on the way leads nowhere.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut known = path;
    loop {
        if let Ok(real) = known.canonicalize() {
            return Some(
                missing
                    .iter()
                    .rev()
                    .fold(real, |path, name| path.join(name)),
            );
        }
        // A link to nothing: writing through it would make a file wherever it points.
        if known.symlink_metadata().is_ok() {
            return None;
        }
        match known.components().next_back()? {
            Component::Normal(name) => missing.push(name.to_owned()),
            Component::ParentDir
            | Component::CurDir
            | Component::RootDir
            | Component::Prefix(_) => return None,
        }
        known = known.parent()?;
    }
}

fn lacks(role: &Role, tool: Tool) -> Word {
    let reason = format!("the role {} lacks the tool {tool}", role.name().0);
    refused(
        &reason,
        Some("leave this to a bubble of another role".into()),
    )
}

fn refused(reason: &str, remedy: Option<String>) -> Word {
    let instead = remedy
        .filter(|r| !r.is_empty())
        .map(|r| format!(". Instead: {r}"));
    Word::Refused {
        reason: format!(
            "Cerco refuses this: {reason}{}",
            instead.unwrap_or_default()
        ),
    }
}

fn list(answer: &Map<String, Value>, key: &str) -> Vec<Value> {
    answer
        .get(key)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

fn joined(findings: &[Value], key: &str) -> String {
    let texts: Vec<&str> = findings
        .iter()
        .filter_map(|f| f.get(key)?.as_str())
        .collect();
    texts.join("; ")
}
