//! Names of mutations, for the examples that switch protections off.

use cerco_sandbox::{Flag, Protection, Switches, Why};

/// Names of mutations and what each switches off.
const MUTATIONS: &[(&str, &[Protection])] = &[
    ("no-holdback", &[Protection::HoldBack]),
    ("no-coverwatch", &[Protection::CoverWatch]),
    ("no-fence", &[Protection::Fence]),
    ("no-net", &[Protection::Flag(Flag::Network)]),
    ("no-pid", &[Protection::Flag(Flag::Processes)]),
    ("no-ipc", &[Protection::Flag(Flag::Ipc)]),
    ("no-newsession", &[Protection::Flag(Flag::NewSession)]),
    ("no-diewithparent", &[Protection::Flag(Flag::DieWithParent)]),
    ("no-disableuserns", &[Protection::Flag(Flag::NoMoreUsers)]),
    ("no-seccomp", &[Protection::Filter]),
    ("no-limits", &[Protection::Limits]),
    ("no-stdin", &[Protection::EmptyInput]),
    ("no-private", &[Protection::PrivateMounts]),
    ("no-pins", &[Protection::Mounts(Why::Pin)]),
    (
        "no-git",
        &[Protection::Mounts(Why::Git), Protection::Mounts(Why::Pin)],
    ),
    (
        "no-project",
        &[
            Protection::Mounts(Why::Project),
            Protection::Mounts(Why::Root),
        ],
    ),
    ("no-readonly", &[Protection::ReadOnly]),
    ("no-protected", &[Protection::Mounts(Why::Protected)]),
    ("no-secrets", &[Protection::Mounts(Why::Hidden)]),
    ("no-sockmask", &[Protection::Mounts(Why::Socket)]),
    (
        "no-hide",
        &[
            Protection::Mounts(Why::Shared),
            Protection::Mounts(Why::Home),
            Protection::Mounts(Why::Credentials),
            Protection::Mounts(Why::RootOnly),
        ],
    ),
    ("no-proc", &[Protection::Mounts(Why::Processes)]),
    ("no-procsys", &[Protection::Mounts(Why::KernelSwitches)]),
    ("no-outward", &[Protection::Mounts(Why::Outward)]),
];

/// The switches that `names` (by commas) turn off. What is proved inside is off too, and the fence, unless
/// `proofs` is among the names.
pub(crate) fn named(names: &str) -> Result<Switches, String> {
    // The fence is a second belt for the mounts.
    let mut off = vec![Protection::Proofs, Protection::Fence];
    for name in names.split(',').filter(|name| !name.is_empty()) {
        if name == "proofs" {
            off.retain(|kept| !matches!(kept, Protection::Proofs | Protection::Fence));
            continue;
        }
        let Some((_, protections)) = MUTATIONS.iter().find(|(known, _)| *known == name) else {
            return Err(format!("no mutation {name}"));
        };
        off.extend(*protections);
    }
    Ok(Switches { off })
}
