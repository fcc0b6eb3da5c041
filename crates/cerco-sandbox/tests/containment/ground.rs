//! A project with loops, an app, a home and an outside, for one attempt. Gone afterwards.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::person::Person;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// What is there before every attempt.
const LAYOUT: &str = r#"set -e; umask 022; cd "$ROOT"
mkdir -p proj/loops/a/child proj/loops/a/x/y/child2 proj/loops/b app/secrets home/.ssh home/.aws home/.cargo/bin home/.config/gh outside work
chmod 777 work
echo original > proj/README.md; echo LEAKME > proj/.env; echo original > proj/loops/a/file.txt
echo original > proj/loops/a/child/c.txt; echo original > proj/loops/a/x/y/child2/c.txt; echo original > proj/loops/b/b.txt
echo app > app/app.bin; echo original > app/config.json; echo LEAKME_APP > app/secrets/keys.db; echo LEAKME_APPF > app/token.json
echo LEAKME_SSH > home/.ssh/id_ed25519; echo LEAKME_AWS > home/.aws/credentials; echo LEAKME_NPM > home/.npmrc
echo LEAKME_GH > home/.config/gh/hosts.yml; echo original > home/.bashrc; echo LEAKME_CARGO > home/.cargo/credentials.toml
echo original > outside/victim.txt
cd proj; git init -q .; git config user.email a@b; git config user.name x; echo loops > .gitignore; git add README.md; git commit -qm init"#;

/// One attempt's own folders and names.
pub(crate) struct Ground {
    root: PathBuf,
    person: Person,
    /// The names that attempts use.
    pub(crate) names: BTreeMap<String, String>,
}

impl Ground {
    pub(crate) fn new(id: &str, person: &Person, program: &Path) -> Self {
        // Everybody on the way must be able to pass: not a home, nor root's own folder.
        let base = if person.is_other {
            Path::new("/opt")
        } else {
            &std::env::temp_dir()
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cerco-ground-{}-{number}-{id}", std::process::id());
        let root = base.join(name);
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::chown(&root, Some(person.uid), Some(person.gid)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mark = format!(
            "cercomark{}n{number}x{}",
            std::process::id(),
            id.replace('-', "")
        );
        let below = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let names = BTreeMap::from([
            ("ROOT", root.to_str().unwrap().to_owned()),
            ("P", below("proj")),
            ("LOOP", below("proj/loops/a")),
            ("APP", below("app")),
            ("OUT", below("outside")),
            ("W", below("work")),
            ("H", below("home")),
            ("MARK", mark),
            ("PORT", port.to_string()),
        ]);
        let mut ground = Self {
            names: names.into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
            person: person.clone(),
            root,
        };
        let made = ground
            .shell(LAYOUT, &ground.environment(), By::Person)
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let launcher = ground.visible(program);
        let launcher = launcher.to_str().unwrap().to_owned();
        ground.names.insert("LAUNCHER".to_owned(), launcher);
        ground
    }

    /// The program where the person can start it: build folders often lie in a home.
    fn visible(&self, program: &Path) -> PathBuf {
        if !self.person.is_other {
            return program.to_owned();
        }
        let copy = self.root.join("launcher");
        let copied = Command::new("install")
            .args(["-m", "755"])
            .arg(program)
            .arg(&copy)
            .status();
        assert!(copied.unwrap().success());
        copy
    }

    /// A file of the scratch folder that both sides know as `$W`.
    pub(crate) fn work(&self, name: &str) -> PathBuf {
        self.root.join("work").join(name)
    }

    /// What the launcher gets.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let mut environment = self.names.clone();
        let (own, app) = (&self.names["LOOP"], &self.names["APP"]);
        for (name, value) in [
            (
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned(),
            ),
            ("LANG", "C.UTF-8".to_owned()),
            ("USER", self.person.name.clone()),
            ("LOGNAME", self.person.name.clone()),
            ("VIS", String::new()),
            ("SHELL", "/bin/bash".to_owned()),
            ("TERM", "xterm".to_owned()),
            ("HOME", self.names["H"].clone()),
            ("RO_DIRS", format!("{own}/child:{own}/x/y/child2")),
            (
                "SECRETS",
                format!("{app}/secrets:{app}/token.json:{}/.env", self.names["P"]),
            ),
        ] {
            environment.insert(name.to_owned(), value);
        }
        environment
    }

    /// A host-side shell.
    pub(crate) fn shell(
        &self,
        text: &str,
        environment: &BTreeMap<String, String>,
        by: By,
    ) -> Command {
        let mut words = match by {
            By::Person => self.person.words(),
            By::Root => Vec::new(),
        };
        words.extend(["bash".to_owned(), "-c".to_owned(), text.to_owned()]);
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env_clear()
            .envs(environment)
            .current_dir("/")
            .stdin(Stdio::null());
        command
    }
}

/// Who runs a host-side shell.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// The person the attempt is made as.
    Person,
    /// The suite itself.
    Root,
}

impl Drop for Ground {
    fn drop(&mut self) {
        let clean = r#"while read -r p; do kill -9 "$p"; done < "$W/pids"; for p in $(pgrep -f "$MARK"); do kill -9 "$p"; done; chmod -R u+rwX "$ROOT"; rm -rf "$ROOT""#;
        let mut shell = self.shell(clean, &self.environment(), By::Root);
        let _ = shell.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
