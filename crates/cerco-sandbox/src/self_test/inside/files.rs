//! Writes outside of the loop's folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::refused;
use crate::self_test::ground::{COMMON, Ground, SYSTEM};
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "files.project",
        what: "the project's files can't be written, by any path",
        make: project,
        look: Some(|ground| ground.is_original("project/file")),
    },
    Attempt {
        id: "files.new",
        what: "nothing new can be made in the project",
        make: |names| {
            refused("making a folder", fs::create_dir(names.project.join("new")))?;
            refused("making a file", fs::write(names.project.join("made"), "x"))
        },
        look: Some(|ground| {
            ground.is_absent(Path::new("project/new"))?;
            ground.is_absent(Path::new("project/made"))
        }),
    },
    Attempt {
        id: "files.outside",
        what: "nothing outside the project can be written",
        make: |names| refused("writing", overwrite(&names.outside.join("file"))),
        look: Some(|ground| ground.is_original("outside/file")),
    },
    Attempt {
        id: "files.links",
        what: "links made inside lead nowhere",
        make: links,
        look: Some(|ground| {
            ground.is_original("outside/file")?;
            ground.is_original("project/file")
        }),
    },
    Attempt {
        id: "files.hard-link",
        what: "a file in the loop's folder that has a name outside can't be written",
        make: |names| refused("writing it", overwrite(&names.own.join("linked"))),
        look: Some(|ground| ground.is_original("outside/linked")),
    },
    Attempt {
        id: "files.other-loops",
        what: "other loops' folders can't be written, renamed or replaced",
        make: other_loops,
        look: Some(|ground| {
            ground.is_original("project/loops/other/file")?;
            ground.is_original("project/loops/own/deep/er/inner/file")
        }),
    },
    Attempt {
        id: "files.system",
        what: "nothing stays in the system's folders, in shared ones or in your home",
        make: |names| {
            let home = names.home.iter().map(|(home, _)| home.as_path());
            let all = SYSTEM.iter().chain(COMMON).map(Path::new);
            for folder in all.chain(home) {
                // Where it works it lies in an empty folder of the sandbox's own; the
                // look outside decides.
                let _ = fs::write(folder.join(format!("{}-in", names.mark)), "x");
            }
            Ok(())
        },
        look: Some(|ground| ground.nothing_left_in(&[SYSTEM, COMMON].concat())),
    },
    Attempt {
        id: "files.rights",
        what: "no file can be given its owner's rights (set-user-id)",
        make: |names| {
            let file = names.own.join("rights");
            fs::write(&file, "x").map_err(|e| e.to_string())?;
            let mode = fs::Permissions::from_mode(0o4755);
            refused("setting the bit", fs::set_permissions(&file, mode))
        },
        look: Some(rights),
    },
    Attempt {
        id: "files.descriptors",
        what: "no open file of Cerco's is handed on",
        make: descriptors,
        look: None,
    },
];

fn overwrite(path: &Path) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(path)?
        .write_all(b"written\n")
}

fn project(names: &Names) -> Found {
    let file = names.project.join("file");
    refused("writing by its path", overwrite(&file))?;
    refused("writing by ..", overwrite(Path::new("../../file")))?;
    let root = Path::new("/proc/self/root");
    let by_root = root.join(file.strip_prefix("/").unwrap_or(&file));
    refused("writing by /proc/self/root", overwrite(&by_root))?;
    refused("removing it", fs::remove_file(&file))?;
    refused("moving it", fs::rename(&file, names.own.join("moved")))?;
    let mode = fs::Permissions::from_mode(0o666);
    refused("changing its permissions", fs::set_permissions(&file, mode))
}

fn links(names: &Names) -> Found {
    for (name, target) in [
        ("to-outside", names.outside.join("file")),
        ("to-project", names.project.join("file")),
    ] {
        let link = names.own.join(name);
        symlink(&target, &link).map_err(|e| e.to_string())?;
        refused("writing through a link", overwrite(&link))?;
        let hard = names.own.join(format!("{name}-hard"));
        if fs::hard_link(&target, &hard).is_ok() {
            refused("writing through a hard link", overwrite(&hard))?;
        }
    }
    Ok(())
}

fn other_loops(names: &Names) -> Found {
    let other = names.project.join("loops/other");
    refused("writing beside", overwrite(&other.join("file")))?;
    let inner = names.own.join("deep/er/inner");
    refused("writing within", overwrite(&inner.join("file")))?;
    for (what, from) in [
        ("moving the folder away", "deep/er/inner"),
        ("moving its parent away", "deep/er"),
        ("moving its parent's parent away", "deep"),
    ] {
        let away = names.own.join("away");
        refused(what, fs::rename(names.own.join(from), &away))?;
    }
    Ok(())
}

fn rights(ground: &Ground) -> Found {
    let facts = fs::metadata(ground.path("project/loops/own/rights"));
    match facts.map(|facts| facts.mode() & 0o6000) {
        Ok(0) => Ok(()),
        Ok(_) => Err("a file outside got its owner's rights".to_owned()),
        Err(e) => Err(format!("its file is gone: {e}")),
    }
}

fn descriptors(_: &Names) -> Found {
    let all = fs::read_dir("/proc/1/fd")
        .or_else(|_| fs::read_dir("/proc/self/fd"))
        .map_err(|e| e.to_string())?;
    let own = fs::read_dir("/proc/self/fd").map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    for entry in all.chain(own).flatten() {
        if let Ok(target) = fs::read_link(entry.path()) {
            // A path that is no device: a file or folder of the machine.
            let is_file = target.is_absolute() && !target.starts_with("/dev");
            if is_file && !target.starts_with("/proc") {
                found.push(target.display().to_string());
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(format!("open here: {}", found.join(", ")))
}
