//! Reads of what is nobody's business.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::self_test::ground::{COMMON, SECRET};
use crate::self_test::names::Names;
use crate::self_test::table::{Attempt, Found};

pub(in crate::self_test) const ATTEMPTS: &[Attempt] = &[
    Attempt {
        id: "secrets.cerco",
        what: "Cerco's own settings, journal and credentials can't be read",
        make: |names| {
            for path in &names.hidden {
                unreadable(path)?;
            }
            Ok(())
        },
        look: None,
    },
    Attempt {
        id: "secrets.home",
        what: "your home is another, empty one, and no credentials are in it",
        make: home,
        look: None,
    },
    Attempt {
        id: "secrets.shared",
        what: "other programs' temporary files and shared memory can't be read",
        make: |names| {
            for folder in COMMON {
                let read = fs::read_to_string(Path::new(folder).join(&names.mark));
                if read.is_ok_and(|text| text == SECRET) {
                    return Err(format!("a file in {folder} was read"));
                }
            }
            Ok(())
        },
        look: None,
    },
    Attempt {
        id: "secrets.environment",
        what: "no process in the sandbox has a variable with a secret's name",
        make: environment,
        look: None,
    },
];

/// In whatever letter case (SPEC §4).
const WORDS: &[&str] = &[
    "KEY",
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "CREDENTIAL",
    "PRIVATE",
];
/// Variables that open doors.
const DOORS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "DBUS_SESSION_BUS_ADDRESS",
    "DOCKER_HOST",
    "DISPLAY",
];
/// Where people keep credentials, below their home.
const CREDENTIALS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".config",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
];

/// Nothing comes out of it, file or folder. An empty folder in its place is none of it.
fn unreadable(path: &Path) -> Found {
    let something = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => fs::read(path).is_ok_and(|bytes| !bytes.is_empty()),
    };
    if something {
        return Err(format!("read: {}", path.display()));
    }
    Ok(())
}

fn home(names: &Names) -> Found {
    let Some((home, outside)) = &names.home else {
        return Ok(());
    };
    if let Ok(facts) = fs::metadata(home)
        && format!("{}:{}", facts.dev(), facts.ino()) == *outside
    {
        return Err(format!("the same as outside: {}", home.display()));
    }
    for name in CREDENTIALS {
        unreadable(&home.join(name))?;
    }
    Ok(())
}

fn environment(_: &Names) -> Found {
    let processes = fs::read_dir("/proc").map_err(|e| e.to_string())?;
    let mut looked_into = 0;
    for entry in processes.flatten() {
        let Ok(bytes) = fs::read(entry.path().join("environ")) else {
            continue;
        };
        looked_into += 1;
        for variable in bytes.split(|b| *b == 0) {
            let text = String::from_utf8_lossy(variable);
            let name = text.split('=').next().unwrap_or_default().to_uppercase();
            if WORDS.iter().any(|word| name.contains(word)) || DOORS.contains(&name.as_str()) {
                return Err(format!("the variable {name} is there"));
            }
        }
    }
    // At least this process itself: a look that sees nobody says nothing.
    if looked_into == 0 {
        return Err(io::Error::from(io::ErrorKind::NotFound).to_string());
    }
    Ok(())
}
