//! Roles and the tools they carry (SPEC §2).

use std::fmt;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

/// Something a bubble may do at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// List, read and search files of the loop.
    ReadFiles,
    /// Write, edit, move and delete files of the loop.
    WriteFiles,
    /// Run commands.
    RunCommands,
}

impl Tool {
    /// Every tool, in the order of SPEC §2.
    pub const ALL: [Self; 3] = [Self::ReadFiles, Self::WriteFiles, Self::RunCommands];

    /// The tool's name in JSON and messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ReadFiles => "read_files",
            Self::WriteFiles => "write_files",
            Self::RunCommands => "run_commands",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A set of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ToolSet(u8);

impl ToolSet {
    /// The set of the tools given.
    #[must_use]
    pub fn of(tools: &[Tool]) -> Self {
        Self(tools.iter().fold(0, |set, tool| set | Self::bit(*tool)))
    }

    /// Whether `tool` is in it.
    #[must_use]
    pub fn has(self, tool: Tool) -> bool {
        self.0 & Self::bit(tool) != 0
    }

    /// Its tools, in the order of SPEC §2.
    pub fn iter(self) -> impl Iterator<Item = Tool> {
        Tool::ALL.into_iter().filter(move |tool| self.has(*tool))
    }

    fn bit(tool: Tool) -> u8 {
        match tool {
            Tool::ReadFiles => 1,
            Tool::WriteFiles => 2,
            Tool::RunCommands => 4,
        }
    }
}

/// The name of a role.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoleName(pub CompactString);

/// A named, fixed set of tools.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Role {
    name: RoleName,
    tools: ToolSet,
    built_in: bool,
}

impl Role {
    /// The three roles whose tools can't be changed: Coder, Reviewer, Researcher.
    #[must_use]
    pub fn built_in() -> [Self; 3] {
        let role = |name, tools: &[Tool]| Self {
            name: RoleName(CompactString::const_new(name)),
            tools: ToolSet::of(tools),
            built_in: true,
        };
        [
            role("Coder", &Tool::ALL),
            role("Reviewer", &[Tool::ReadFiles, Tool::RunCommands]),
            role("Researcher", &[Tool::ReadFiles]),
        ]
    }

    /// A custom bubble's role: a name and the tools a person picked.
    /// Nothing when the name is that of a built-in role (in any letter case) or empty.
    #[must_use]
    pub fn custom(name: &str, tools: ToolSet) -> Option<Self> {
        let taken = Self::built_in()
            .iter()
            .any(|r| r.name.0.eq_ignore_ascii_case(name));
        (!taken && !name.trim().is_empty()).then(|| Self {
            name: RoleName(CompactString::from(name)),
            tools,
            built_in: false,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &RoleName {
        &self.name
    }

    /// Its tools.
    #[must_use]
    pub fn tools(&self) -> ToolSet {
        self.tools
    }

    /// Whether its tools are fixed by the product.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.built_in
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_spec_2_holds() {
        let rows: Vec<(String, Vec<Tool>)> = Role::built_in()
            .iter()
            .map(|r| (r.name().0.to_string(), r.tools().iter().collect()))
            .collect();
        assert_eq!(
            rows,
            [
                (
                    "Coder".to_owned(),
                    vec![Tool::ReadFiles, Tool::WriteFiles, Tool::RunCommands]
                ),
                (
                    "Reviewer".to_owned(),
                    vec![Tool::ReadFiles, Tool::RunCommands]
                ),
                ("Researcher".to_owned(), vec![Tool::ReadFiles]),
            ]
        );
    }

    #[test]
    fn a_custom_role_cannot_take_a_built_in_name() {
        assert!(Role::custom("coder", ToolSet::of(&Tool::ALL)).is_none());
        assert!(Role::custom(" ", ToolSet::default()).is_none());
        assert!(Role::custom("Tester", ToolSet::of(&[Tool::RunCommands])).is_some());
    }
}
