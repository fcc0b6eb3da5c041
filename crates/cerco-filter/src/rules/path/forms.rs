//! Arguments that hold a path among other things: mounts of containers, git's pathspecs.

use cerco_reader::Text;

use super::{Access, judge_text};
use crate::paths;
use crate::rules::{Case, Findings, secret};
use crate::table::Use;
use crate::text::{shown, tail};

/// `host:container[:options]`, or docker's `type=bind,source=…`.
pub(super) fn mount(case: &Case<'_>, used: &Use, text: &Text, out: &mut Findings) {
    let Some(known) = text.known() else {
        let start = text.known_prefix();
        if start.starts_with(['/', '.', '~']) || start.is_empty() {
            judge_text(case, text, Access::Write, used.part, out);
        }
        return;
    };
    // `--secret id=x,src=file`, `--mount type=bind,src=folder,dst=/x`, `--output type=local,dest=folder`
    let named = ["target=", "dst=", "type=", ",src=", ",dest="]
        .iter()
        .any(|field| known.contains(field));
    if named || known.starts_with("id=") || known.starts_with("dest=") {
        let only_read = known.starts_with("id=")
            || known
                .split(',')
                .any(|f| matches!(f, "ro" | "readonly" | "type=secret"));
        for field in known.split(',') {
            let (path, access) = match field.split_once('=') {
                Some(("source" | "src", path)) if path.starts_with(['/', '.', '~']) => (
                    path,
                    if only_read {
                        Access::Read
                    } else {
                        Access::Write
                    },
                ),
                Some(("dest", path)) => (path, Access::Write),
                _ => continue,
            };
            judge_text(case, &Text::Known(path.into()), access, used.part, out);
        }
        return;
    }
    let mut fields = known.split(':');
    let host = fields.next().unwrap_or_default();
    let read_only = fields
        .nth(1)
        .is_some_and(|options| options.split(',').any(|o| o == "ro"));
    if host.starts_with(['/', '.', '~']) || host.contains('/') {
        let access = if read_only {
            Access::Read
        } else {
            Access::Write
        };
        judge_text(case, &Text::Known(host.into()), access, used.part, out);
    }
}

/// `REV:path`, `:(top)path`, a path, or a revision.
pub(super) fn pathspec(case: &Case<'_>, used: &Use, text: &Text, out: &mut Findings) {
    let start = text.known_prefix();
    if let Some((_, path)) = start.rsplit_once(':') {
        let path = path
            .rsplit(')')
            .next()
            .unwrap_or(path)
            .trim_start_matches(['!', '^', '/']);
        let skip = start.len() - path.len();
        let rest = tail(text, skip);
        if paths::secret::is_secret(&rest)
            && !start.starts_with(":!")
            && !start.starts_with(":^")
            && !start.starts_with(":(exclude)")
        {
            secret::named(&shown(text), used.part, out);
        }
        return;
    }
    if start.starts_with(['/', '~'])
        || start.contains("..")
            && (start.starts_with("../") || start.contains("/..") || start == "..")
    {
        judge_text(case, text, Access::Read, used.part, out);
    } else if paths::secret::is_secret(text) {
        secret::named(&shown(text), used.part, out);
    }
}
