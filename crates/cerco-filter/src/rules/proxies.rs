//! Rule `address`, for programs that run on Java: `-Dhttps.proxyHost=HOST` sends everything there.

use cerco_model::Place;

use super::address::say;
use super::{Case, Findings};
use crate::address;
use crate::text::tail;

/// Programs, by their row, that hand `-DNAME=VALUE` to a Java machine.
const JAVA: &[&str] = &[
    "java", "mvn", "gradle", "sbt", "ant", "lein", "clj", "scala", "kotlin", "mill", "javac",
];

/// Looks at the properties that name a proxy.
pub(crate) fn judge(case: &Case<'_>, out: &mut Findings) {
    let row = case.bound().row().map_or("", |row| row.name);
    if !JAVA.contains(&row) {
        return;
    }
    let place: &Place<'_> = case.place;
    for word in &case.start.args {
        let text = word.text.known_prefix();
        let Some((name, _)) = text.split_once('=') else {
            continue;
        };
        let name = name.trim_start_matches(['-', 'J', 'D']);
        if name.to_ascii_lowercase().ends_with("proxyhost") {
            let skip = text.find('=').map_or(0, |at| at + 1);
            say(
                case,
                address::host(&tail(&word.text, skip), place),
                word.part,
                out,
            );
        }
    }
}
