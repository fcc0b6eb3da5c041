//! The place that the texts are read and judged at.

use std::collections::BTreeMap;

use cerco_model::{Dialect, Guard, NoTree, Place, SandboxState};

/// Where the texts stand. A variable holds an operator, which only a reader that puts
/// values back into the text would take for one.
pub fn place(dialect: Dialect) -> Place<'static> {
    let (project, home) = if dialect.is_windows() {
        ("C:\\p", "C:\\Users\\u")
    } else {
        ("/p", "/home/u")
    };
    let slash = if dialect.is_windows() { '\\' } else { '/' };
    let folder = format!("{project}{slash}l");
    Place {
        project: project.to_owned(),
        loop_folder: folder.clone(),
        directory: folder,
        other_loops: Vec::new(),
        home: home.into(),
        user: "u".into(),
        environment: BTreeMap::from([("HOME".into(), home.into()), ("X".into(), "a&b".into())]),
        sandbox: SandboxState::On,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    }
}
