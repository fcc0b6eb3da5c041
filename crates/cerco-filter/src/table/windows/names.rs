//! The names that Windows programs are looked up by, and the parameters that every cmdlet has.

use cerco_model::Dialect;
use cerco_reader::Call;
use compact_str::CompactString;

use crate::table::{Meaning, OptionRow, Row, Takes, program};

/// Parameters that every cmdlet has and that take a value.
pub(super) static COMMON: OptionRow = OptionRow {
    names: &[
        "-erroraction",
        "-ea",
        "-warningaction",
        "-wa",
        "-informationaction",
        "-infa",
        "-progressaction",
        "-errorvariable",
        "-ev",
        "-warningvariable",
        "-wv",
        "-informationvariable",
        "-iv",
        "-outvariable",
        "-ov",
        "-outbuffer",
        "-ob",
        "-pipelinevariable",
        "-pv",
    ],
    takes: Takes::Value,
    meaning: Meaning::Text,
    marks: &[],
};

/// The name a Windows program is looked up by, and its row; nothing where it has none of
/// its own and the plain table counts.
pub(in crate::table) fn row(call: &Call<'_>) -> Option<(CompactString, &'static Row)> {
    let written = call.name.text.known()?;
    let is_powershell = call.dialect == Dialect::PowerShell;
    if let (true, Some(member)) = (is_powershell, member(written)) {
        let other = if member.starts_with('[') {
            "ps:[other]"
        } else if member.ends_with('=') {
            "ps:.other="
        } else {
            "ps:.other"
        };
        let row = program(&format!("ps:{member}")).or_else(|| program(other))?;
        return Some((member.into(), row));
    }
    let base = written.rsplit(['/', '\\']).next().unwrap_or(written);
    let mut name = CompactString::from(base);
    name.make_ascii_lowercase();
    // `Microsoft.PowerShell.Management\Remove-Item` names the cmdlet, `.\x` a file.
    let is_file =
        base.len() < written.len() && !written.to_ascii_lowercase().starts_with("microsoft.");
    let mut has_ending = false;
    for ending in [".exe", ".cmd", ".bat", ".com"] {
        if let Some(short) = name.strip_suffix(ending) {
            name = CompactString::from(short);
            has_ending = true;
            break;
        }
    }
    let own = if is_powershell { "ps" } else { "cmd" };
    let shell = (!is_file && !has_ending)
        .then(|| program(&format!("{own}:{name}")))
        .flatten();
    let row = shell.or_else(|| program(&format!("win:{name}")))?;
    Some((name, row))
}

/// `[System.IO.File]::Delete` → `[io.file]::delete`; `.Kill` → `.kill`.
fn member(written: &str) -> Option<String> {
    let lower = written.to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix('[') {
        let rest = rest.trim_start_matches(' ');
        let rest = rest.strip_prefix("system.").unwrap_or(rest);
        return Some(format!("[{rest}"));
    }
    let is_member = lower
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        && !lower.contains(['\\', '/']);
    is_member.then_some(lower)
}
