//! The name that a program is looked up by: without folders, versions and endings.

use cerco_model::Rule;
use compact_str::CompactString;

use super::{Row, Says, program};

/// The name a program is looked up by, and its row: `/usr/bin/git`, `git.exe` and
/// `GIT` on a case-blind disk are `git`; `python3.11` is `python`.
#[must_use]
pub fn name_and_row(written: &str) -> (CompactString, Option<&'static Row>) {
    if let Some(found) = scoped(written) {
        return found;
    }
    let base = written.rsplit(['/', '\\']).next().unwrap_or(written);
    let (name, row) = by_base(base);
    match row {
        Some(row) if !is_program_of(written, base) && !is_dangerous(row) => {
            // `./test` and `scripts/watch` are files of the project, not the programs of that name.
            (CompactString::from(base), None)
        }
        row => (name, row),
    }
}

/// `@scope/tool` is the program `tool`; `@scope/cli` is the program `scope`.
fn scoped(written: &str) -> Option<(CompactString, Option<&'static Row>)> {
    let (scope, base) = written.strip_prefix('@')?.split_once('/')?;
    if let Some(row) = program(written) {
        return Some((CompactString::from(written), Some(row)));
    }
    let names = match base {
        "cli" | "core" => [
            scope,
            scope.trim_end_matches("js"),
            scope.trim_end_matches('s'),
        ],
        _ => [base; 3],
    };
    names
        .into_iter()
        .map(by_base)
        .find(|(_, row)| row.is_some())
}

/// Folders that hold programs under their own names.
const PROGRAM_FOLDERS: &[&str] = &[
    "bin", ".bin", "sbin", "Scripts", "shims", "libexec", "System32",
];
/// Programs that a project keeps a copy of in its own folder.
const COPIES: &[&str] = &[
    "gradlew",
    "mvnw",
    "manage.py",
    "artisan",
    "bazelisk",
    "sail",
];

/// Whether the program of that name is meant, by where it lies.
fn is_program_of(written: &str, base: &str) -> bool {
    let folder = written.strip_suffix(base).unwrap_or_default();
    let folder = folder.trim_end_matches(['/', '\\']);
    let last = folder.rsplit(['/', '\\']).next().unwrap_or_default();
    written.len() == base.len()
        || PROGRAM_FOLDERS.contains(&last)
        || COPIES.contains(&base)
        || written.starts_with("/lib")
}

/// A program that is refused by name stays so wherever it lies: a copy of a shell is a shell.
fn is_dangerous(row: &Row) -> bool {
    row.marks.iter().any(|mark| {
        mark.condition.when.is_empty()
            && matches!(
                mark.says,
                Says::Rule(
                    Rule::Shell
                        | Rule::ShellState
                        | Rule::Remote
                        | Rule::Process
                        | Rule::Permissions
                )
            )
    })
}

fn by_base(base: &str) -> (CompactString, Option<&'static Row>) {
    if let Some(row) = program(base) {
        return (CompactString::from(base), Some(row));
    }
    let mut name = CompactString::from(base);
    name.make_ascii_lowercase();
    for ending in [".exe", ".cmd", ".bat", ".com"] {
        if let Some(short) = name.strip_suffix(ending) {
            name = CompactString::from(short);
            break;
        }
    }
    let row = program(&name);
    if row.is_some() {
        return (name, row);
    }
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let versionless = versionless.strip_suffix('-').unwrap_or(versionless);
    if versionless.len() > 1
        && versionless.len() < name.len()
        && let Some(row) = program(versionless)
    {
        return (CompactString::from(versionless), Some(row));
    }
    (CompactString::from(base), None)
}
