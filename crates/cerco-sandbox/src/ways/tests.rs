//! What settings lead git to, and what they don't.

use super::*;

/// The ways by `config` of the loop's own repository, below the loop's folder.
fn check(name: &str, config: &str, expected: &[(&str, Does)]) {
    let root = std::env::temp_dir().join(format!("cerco-ways-{name}-{}", std::process::id()));
    let own = root.join("loop");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(own.join(".git/hooks")).unwrap();
    fs::create_dir_all(own.join("folder")).unwrap();
    let own = own.canonicalize().unwrap();
    fs::write(own.join(".git/config"), config).unwrap();
    let found = ways(&own, &People::default(), &[own.join(".git")]).unwrap();
    let expected: Vec<Way> = expected
        .iter()
        .map(|(path, does)| Way {
            path: own.join(path),
            does: *does,
        })
        .collect();
    assert_eq!(found, expected, "{config}");
    fs::remove_dir_all(&root).unwrap();
}

#[test]
fn what_settings_lead_to() {
    let hooks = "[core]\n\thooksPath = .gh\n";
    check("hooks", hooks, &[(".gh", Does::RunsFiles)]);
    let husky = "[core]\n\thooksPath = .husky/_\n";
    check("husky", husky, &[(".husky", Does::RunsFiles)]);
    let include = "[include]\n\tpath = ../shared\n";
    check("include", include, &[("shared", Does::Obeys)]);
    let filter = "[filter \"x\"]\n\tclean = sh tools/clean %f\n";
    check("filter", filter, &[("tools/clean", Does::Runs)]);
}

/// A repository counts however many stand before it; past all measure nothing is said
/// to be known.
#[test]
fn settings_in_many_files() {
    let root = std::env::temp_dir().join(format!("cerco-ways-many-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    let own = root.canonicalize().unwrap();
    let last = own.join("z/.git");
    fs::create_dir_all(&last).unwrap();
    fs::write(last.join("config"), "[core]\n\thooksPath = .gh\n").unwrap();
    let after = |count: usize| -> Vec<PathBuf> {
        let before = (0..count).map(|n| own.join(format!("{n}/.git")));
        before.chain([last.clone()]).collect()
    };
    let found = ways(&own, &People::default(), &after(1_000)).unwrap();
    let expected = Way {
        path: own.join("z/.gh"),
        does: Does::RunsFiles,
    };
    assert_eq!(found, [expected]);
    // Only where there are files to read: two of each repository.
    for n in 0..2_000 {
        fs::create_dir_all(own.join(format!("{n}/.git"))).unwrap();
    }
    assert!(ways(&own, &People::default(), &after(2_000)).is_err());
    fs::remove_dir_all(&root).unwrap();
}

#[test]
fn what_is_no_way() {
    for (name, config) in [
        ("outside", "[core]\n\thooksPath = /etc/hooks\n"),
        ("folder", "[core]\n\tworktree = ../loop/folder\n"),
        ("address", "[remote \"o\"]\n\turl = git@host:a/b\n"),
        ("itself", "[core]\n\thooksPath = .\n"),
    ] {
        check(name, config, &[]);
    }
}
