//! What the person's own git, or a program like it, would run outside later.

use std::fs;
use std::path::Path;

use super::{done, refused};
use crate::self_test::ground::Ground;
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

/// Settings with which git runs a program.
const PLANT: &str = "[core]\n\tfsmonitor = touch planted\n";

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "git.own",
        what: "git's hooks and settings in the loop's folder can't be changed or replaced",
        make: own,
        look: Some(|ground| {
            ground.is_original("project/loops/own/.git/config")?;
            ground.is_absent(Path::new("project/loops/own/.git/hooks/pre-commit"))
        }),
    },
    Attempt {
        id: "git.planted",
        what: "git settings planted elsewhere are taken out of git's sight and told",
        make: planted,
        look: Some(told),
    },
];

fn own(names: &Names) -> Found {
    let git = names.own.join(".git");
    refused(
        "writing a hook",
        fs::write(git.join("hooks/pre-commit"), "x"),
    )?;
    refused("writing settings", fs::write(git.join("config"), PLANT))?;
    refused(
        "replacing settings",
        fs::rename(git.join("HEAD"), git.join("config")),
    )?;
    refused("moving it away", fs::rename(&git, names.own.join("away")))
}

fn planted(names: &Names) -> Found {
    let git = names.own.join("planted/.git");
    for folder in ["objects", "refs"] {
        done("a folder", fs::create_dir_all(git.join(folder)))?;
    }
    done(
        "a file",
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n"),
    )?;
    done("a file", fs::write(git.join("config"), PLANT))
}

fn told(ground: &Ground) -> Found {
    let Some(finished) = &ground.finished else {
        return Err("the run did not end".to_owned());
    };
    let git = ground.path("project/loops/own/planted/.git");
    if fs::read_to_string(git.join("config")).is_ok_and(|text| text == PLANT) {
        return Err("they are where git reads them".to_owned());
    }
    if !finished
        .planted
        .iter()
        .any(|planted| planted.path.starts_with(&git))
    {
        return Err("nobody was told".to_owned());
    }
    Ok(())
}
