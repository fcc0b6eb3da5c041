//! Which part of the world a path lies in.

use cerco_model::Place;

use super::is_within;

/// A part of the world, seen from a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The loop's own folder.
    Loop,
    /// The folder of another loop inside this loop's folder.
    OtherLoop,
    /// The rest of the project.
    Project,
    /// The run's own scratch folder (`$TMPDIR`).
    Scratch,
    /// A device that holds nothing: `/dev/null`, the standard streams.
    Device,
    /// Everything else.
    Outside,
}

/// Where `path` (absolute, normal) lies once every link on the way is followed. A path whose
/// links can't be followed is outside.
#[must_use]
pub fn scope(path: &str, place: &Place<'_>) -> Scope {
    if is_device(path) {
        return Scope::Device;
    }
    let Some(real) = place.tree.resolve(path) else {
        return Scope::Outside;
    };
    let first = lexical(path, place);
    let second = if real == path {
        first
    } else {
        lexical(&real, place)
    };
    // A link may not lead further out than it pretends, nor hide where it stands.
    wider(first, second)
}

fn lexical(path: &str, place: &Place<'_>) -> Scope {
    let within = |folder: &str| !folder.is_empty() && is_within(path, folder);
    if place.other_loops.iter().any(|other| within(other)) {
        return Scope::OtherLoop;
    }
    if within(&place.loop_folder) {
        return Scope::Loop;
    }
    if place
        .environment
        .get("TMPDIR")
        .is_some_and(|dir| dir != "/tmp" && within(dir))
    {
        return Scope::Scratch;
    }
    if within(&place.project) {
        return Scope::Project;
    }
    Scope::Outside
}

fn wider(a: Scope, b: Scope) -> Scope {
    let rank = |scope: Scope| match scope {
        Scope::Device => 0,
        Scope::Scratch => 1,
        Scope::Loop => 2,
        Scope::OtherLoop => 3,
        Scope::Project => 4,
        Scope::Outside => 5,
    };
    if rank(a) >= rank(b) { a } else { b }
}

fn is_device(path: &str) -> bool {
    matches!(
        path,
        "/dev/null"
            | "/dev/zero"
            | "/dev/full"
            | "/dev/random"
            | "/dev/urandom"
            | "/dev/tty"
            | "/dev/stdin"
            | "/dev/stdout"
            | "/dev/stderr"
    ) || path
        .strip_prefix("/dev/fd/")
        .is_some_and(|fd| !fd.is_empty() && fd.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether `path` is a folder that holds the project: a name below it may lead inside.
#[must_use]
pub fn holds_project(path: &str, place: &Place<'_>) -> bool {
    is_within(&place.project, path)
}
