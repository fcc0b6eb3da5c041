//! The filter as the guard's judge: the rules that refuse, on real arguments.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use cerco_filter::CustomRules;
use cerco_model::{Guard, Place, SandboxState};
use cerco_sys::tree::RealTree;

use super::{Judge, RealStart, StartRefusal, Starter};

/// Variables that every shell sets for what it starts.
const SHELLS_OWN: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];

/// Judges program starts as the command was judged: same folders, same allowed hosts.
#[derive(Debug)]
pub struct Rules {
    project: String,
    loop_folder: String,
    other_loops: Vec<String>,
    home: String,
    user: String,
    environment: BTreeMap<String, String>,
    sandbox: SandboxState,
    allowed_hosts: Vec<String>,
    tree: RealTree,
    custom: Vec<CustomRules>,
}

impl Rules {
    /// For a command that was judged at `place`.
    #[must_use]
    pub fn at(place: &Place<'_>) -> Self {
        Self {
            project: place.project.clone(),
            loop_folder: place.loop_folder.clone(),
            other_loops: place.other_loops.clone(),
            home: place.home.clone(),
            user: place.user.clone(),
            environment: place.environment.clone(),
            sandbox: place.sandbox,
            allowed_hosts: place.allowed_hosts.clone(),
            tree: RealTree::around(Path::new(&place.project)),
            custom: Vec::new(),
        }
    }

    /// With the rules of the person and the project: those that refuse count here as well.
    #[must_use]
    pub fn with(mut self, custom: Vec<CustomRules>) -> Self {
        self.custom = custom;
        self
    }

    fn place(&self, directory: String) -> Place<'_> {
        Place {
            project: self.project.clone(),
            loop_folder: self.loop_folder.clone(),
            directory,
            other_loops: self.other_loops.clone(),
            home: self.home.clone(),
            user: self.user.clone(),
            environment: self.environment.clone(),
            sandbox: self.sandbox,
            guard: Guard::Active,
            allowed_hosts: self.allowed_hosts.clone(),
            tree: &self.tree,
        }
    }

    /// The variables that differ from the run's, but for what a shell always sets.
    fn changes(&self, start: &RealStart) -> Vec<(String, String)> {
        start
            .environment
            .iter()
            .map(|(name, value)| (text(name), text(value)))
            .filter(|(name, value)| {
                !SHELLS_OWN.contains(&name.as_str()) && self.environment.get(name) != Some(value)
            })
            .collect()
    }

    /// A program from a folder of the run's PATH goes by its name: the shell found it so,
    /// and the name is what was judged in the text.
    fn name(&self, program: &Path) -> String {
        let found = |folder: &Path| {
            let path = self.environment.get("PATH").map_or("", String::as_str);
            path.split(':').any(|entry| Path::new(entry) == folder)
        };
        match (program.parent(), program.file_name()) {
            (Some(folder), Some(name)) if found(folder) => text(name),
            _ => text(program.as_os_str()),
        }
    }

    fn refusal(&self, program: &Path, start: &RealStart) -> Option<StartRefusal> {
        let directory = text(start.directory.as_os_str());
        let mut argv = vec![self.name(program)];
        argv.extend(start.arguments.iter().skip(1).map(|word| text(word)));
        let place = self.place(directory.clone());
        let findings = cerco_filter::judge_start(
            &argv,
            &self.changes(start),
            &directory,
            &place,
            &self.custom,
        );
        findings.into_iter().next().map(|finding| StartRefusal {
            rule: finding.rule.id().into_owned(),
            reason: finding.reason.into_owned(),
        })
    }
}

impl Judge for Rules {
    fn concerns(&self, by: &Starter) -> bool {
        match by {
            Starter::Shell => true,
            Starter::Program(file) => file
                .file_name()
                .and_then(OsStr::to_str)
                .is_some_and(|name| cerco_filter::PASS_ON.contains(&name)),
        }
    }

    fn judge(&self, start: &RealStart) -> Option<StartRefusal> {
        let by_name = self.refusal(&start.path, start);
        // A link in the project can be made while the command runs, and names whatever it
        // likes. A link of the system's own (`awk` to `mawk`) is known by its name.
        let planted = start
            .file
            .as_ref()
            .filter(|file| **file != start.path && start.path.starts_with(&self.project));
        by_name.or_else(|| planted.and_then(|file| self.refusal(file, start)))
    }
}

fn text(bytes: &OsStr) -> String {
    bytes.to_string_lossy().into_owned()
}
