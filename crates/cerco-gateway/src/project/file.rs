//! `cerco.toml` at a project's root: its loops, its own roles and its own rules.
//!
//! A cloned repository brings one along, so it never says anything that loosens: no
//! settings, no addresses, no grants. What a person accepted with `cerco init` counts, not
//! what stands there now.

use std::path::Path;

use cerco_filter::Level;
use cerco_model::{Role, Tool, ToolSet};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::toml_file::{self, FileError};

/// The file's name.
pub const FILE_NAME: &str = "cerco.toml";

/// What stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectFile {
    /// The loops, `[[loop]]`.
    #[serde(default, rename = "loop")]
    pub loops: Vec<LoopLine>,
    /// Roles besides the three of the product, `[[role]]`.
    #[serde(default, rename = "role")]
    pub roles: Vec<RoleLine>,
    /// Rules of its own; the filter reads and checks them.
    #[serde(default)]
    rules: IgnoredAny,
    /// Not allowed here; the filter says so.
    #[serde(default)]
    allow: IgnoredAny,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopLine {
    /// Its name.
    pub name: String,
    /// Its folder, from the project's root.
    pub folder: String,
}

/// A custom role.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleLine {
    /// Its name.
    pub name: String,
    /// Its tools.
    pub tools: Vec<Tool>,
}

impl ProjectFile {
    /// Reads the file's text.
    pub fn parse(path: &Path, text: &str) -> Result<Self, FileError> {
        let file: Self = toml_file::parse(path, text)?;
        crate::judging::parse(path, text, Level::Project)?;
        let wrong = |name: &str, what: String| FileError::Wrong {
            path: path.to_path_buf(),
            line: 1 + text
                .lines()
                .position(|l| l.contains(name))
                .unwrap_or_default(),
            what,
            hint: None,
        };
        for (at, line) in file.loops.iter().enumerate() {
            if line.name.trim().is_empty() || line.name.chars().any(char::is_control) {
                return Err(wrong(
                    "name",
                    "a loop needs a name without control characters".to_owned(),
                ));
            }
            let twice = |l: &LoopLine| l.name == line.name || l.folder == line.folder;
            if file.loops.iter().take(at).any(twice) {
                let what = format!("the loop `{}` is there twice", line.name);
                return Err(wrong(&line.name, what));
            }
        }
        for (at, line) in file.roles.iter().enumerate() {
            let twice = file.roles.iter().take(at).any(|r| r.name == line.name);
            if twice || line.role().is_none() {
                let what = format!(
                    "the role `{}` can't be made: its name is empty, taken twice, or that of Coder, Reviewer or Researcher",
                    line.name
                );
                return Err(wrong(&line.name, what));
            }
        }
        Ok(file)
    }
}

impl RoleLine {
    /// The role; nothing where its name is a built-in one's or empty.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        Role::custom(&self.name, ToolSet::of(&self.tools))
    }
}

/// The text of a `[[loop]]` to put at a file's end.
pub(crate) fn loop_text(name: &str, folder: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    format!(
        "\n[[loop]]\nname = {}\nfolder = {}\n",
        quoted(name),
        quoted(folder)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_stand_in_it() {
        for (text, expected) in [
            ("", None),
            ("[[loop]]\nname = \"a\"\nfolder = \"loops/a\"\n", None),
            (
                "[[role]]\nname = \"Tester\"\ntools = [\"run_commands\"]\n",
                None,
            ),
            (
                "[[loop]]\nname = \"a\"\nfolder = \"a\"\n[[loop]]\nname = \"a\"\nfolder = \"b\"\n",
                Some("twice"),
            ),
            (
                "[[role]]\nname = \"coder\"\ntools = []\n",
                Some("can't be made"),
            ),
            (
                "[[role]]\nname = \"T\"\ntools = [\"fly\"]\n",
                Some("unknown variant `fly`"),
            ),
            (
                "[[rules]]\nid = \"x\"\nverdict = \"asked\"\nprogram = \"npm\"\nreason = \"r\"\nmatches = [\"npm ci\"]\nnot = [\"ls\"]\n",
                None,
            ),
            (
                "[[rules]]\nid = \"x\"\nverdict = \"allowed\"\nprogram = \"npm\"\nreason = \"r\"\nmatches = [\"npm ci\"]\nnot = [\"ls\"]\n",
                Some("line 3: `verdict` is"),
            ),
            (
                "[allow]\nhosts = [\"evil.example\"]\n",
                Some("only make things stricter"),
            ),
            ("[[loops]]\nname = \"a\"\n", Some("did you mean `loop`?")),
            ("sandbox = false\n", Some("unknown field `sandbox`")),
            (
                "allowed_hosts = [\"evil.example\"]\n",
                Some("unknown field"),
            ),
        ] {
            let got = ProjectFile::parse(Path::new(FILE_NAME), text).map_err(|e| e.to_string());
            match expected {
                None => assert!(got.is_ok(), "{text} {got:?}"),
                Some(part) => assert!(
                    got.as_ref().is_err_and(|e| e.contains(part)),
                    "{text} {got:?}"
                ),
            }
        }
        let text = loop_text("a \"b\"", "loops/é");
        let file = ProjectFile::parse(Path::new(FILE_NAME), &text).unwrap();
        assert_eq!(
            (file.loops[0].name.as_str(), file.loops[0].folder.as_str()),
            ("a \"b\"", "loops/é")
        );
    }
}
