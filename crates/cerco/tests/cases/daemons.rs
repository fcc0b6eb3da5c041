//! Ways into the background, and somebody who brings them up and looks who is left.

use std::fmt;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Commands at a time: they mostly wait.
const AT_A_TIME: usize = 3;
/// Promised.
const GONE_AFTER: Duration = Duration::from_secs(3);

/// `@` stands for a sleeper with the run's mark among its arguments, `#` for the mark alone.
/// What a system or the sandbox refuses starts nobody; the line before each way starts one.
pub(crate) const WAYS: &[(&str, &str)] = &[
    ("child", "@ &"),
    ("setsid", "setsid @ &"),
    ("setsid that forks", "setsid -f @"),
    ("double fork", "(@ &) &"),
    ("subshells", "( ( ( @ & ) & ) & )"),
    ("nohup", "nohup @ >/dev/null 2>&1 &"),
    ("disown", "@ & disown"),
    ("coproc", "coproc @"),
    ("polite signals ignored", "(trap '' TERM HUP INT; exec @) &"),
    ("stopped", "@ & kill -STOP $!"),
    ("empty environment", "setsid env -i /bin/sh -c '@' &"),
    ("closed streams", "setsid @ <&- >&- 2>&- &"),
    ("own process group", "set -m; @ &"),
    (
        "reads for ever from a pipe",
        "tail -f /dev/null --pid=$$ | @ &",
    ),
    (
        "terminal of its own",
        "script -qc '@' /dev/null </dev/null >/dev/null 2>&1 &",
    ),
    ("tmux", "tmux -L t# -f /dev/null new -d '@'"),
    (
        "start-stop-daemon",
        "start-stop-daemon -S -b -x /bin/sleep -- 300.#",
    ),
    (
        "daemon",
        r#"perl -e 'use POSIX; fork and exit; setsid(); fork and exit; chdir "/"; open STDIN, "</dev/null"; exec split / /, "@"'"#,
    ),
    (
        "python's multiprocessing",
        "/usr/bin/python3 -c 'import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.execvp(\"sleep\", \"@\".split())'",
    ),
    (
        "node detached",
        r#"node -e 'require("child_process").spawn("sleep", ["300.#"], {detached: true, stdio: "ignore"}).unref()'"#,
    ),
    (
        "own subreaper",
        r#"perl -e 'syscall 157, 36, 1, 0, 0, 0; fork or do { fork or exec split / /, "@"; exit }; sleep 300' # &"#,
    ),
    (
        "parent-death signal cleared",
        r#"perl -MPOSIX -e 'syscall 157, 1, 0, 0, 0, 0; fork or exec split / /, "@"; POSIX::_exit(0)'"#,
    ),
    (
        "sibling of its parent",
        r#"perl -e 'syscall(56, 0x8000 | 17, 0, 0, 0, 0) or do { syscall 112; exec split / /, "@" }'"#,
    ),
    (
        "no signal at its end",
        r#"perl -e 'syscall(56, 0, 0, 0, 0, 0) or do { syscall 112; exec split / /, "@" }'"#,
    ),
    (
        "first thread ended",
        "/usr/bin/python3 -c 'import os,threading,time,ctypes\nos.fork() and os._exit(0)\nos.setsid()\nthreading.Thread(target=time.sleep, args=(300,)).start()\nctypes.CDLL(None).syscall(60, 0)' #",
    ),
    (
        "traced and stopped",
        r#"perl -e 'fork or do { syscall 101, 0, 0, 0, 0; kill STOP => $$; exec split / /, "@" }; sleep 300' # &"#,
    ),
    (
        "deep chain",
        r#"perl -e 'for (1..30) { fork and do { sleep 300; exit } } exec split / /, "@"' # &"#,
    ),
    (
        "brood",
        "for i in 1 2 3 4 5 6 7 8 9 10; do setsid -f @; done",
    ),
    (
        "hops from process to process",
        r#"perl -MPOSIX -e 'setsid(); $SIG{TERM} = "IGNORE"; for (;;) { fork and POSIX::_exit(0); select undef, undef, undef, 0.002 }' # &"#,
    ),
    (
        "starts itself anew",
        r#"perl -MPOSIX -e 'fork and exit; setsid(); fork; $SIG{TERM} = $SIG{CHLD} = "DEFAULT"; for (;;) { my $p = fork; $p or exec split / /, "@"; waitpid $p, 0 }' #"#,
    ),
    (
        "hides its name, folder and environment",
        r#"perl -MPOSIX -e 'open F, ">", "held-#"; fork and exit; setsid(); chdir "/"; %ENV = (); $0 = "kworker"; sleep 300' #"#,
    ),
    (
        "name spaces of its own",
        "unshare -Urpf --mount-proc @ & @ &",
    ),
];

/// A user of this machine.
pub(crate) struct Person {
    pub(crate) uid: u32,
    /// Whether the suite itself runs as somebody else, who is root.
    pub(crate) is_other: bool,
}

/// What was seen of many commands.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) started: usize,
    pub(crate) killed: usize,
    /// Those whose background had come up before the end or the kill.
    pub(crate) begun: usize,
    pub(crate) slowest: Duration,
    pub(crate) survived: Vec<String>,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} commands, Cerco killed in {}; {} had come up; left after 3 s: {}; all gone after {:.0?} at most",
            self.started,
            self.killed,
            self.begun,
            self.survived.len(),
            self.slowest
        )
    }
}

/// A home with a project, whose loops are as many as there are commands at a time.
pub(crate) struct Ground {
    root: PathBuf,
    program: PathBuf,
    uid: u32,
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl Ground {
    pub(crate) fn new(person: &Person) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cerco-daemons-{}-{number}", std::process::id());
        let root = std::env::temp_dir().canonicalize().unwrap().join(name);
        let project = root.join("project");
        let mut words = vec!["init".to_owned()];
        fs::create_dir_all(root.join("home")).unwrap();
        for at in 0..AT_A_TIME {
            fs::create_dir_all(project.join(format!("loops/l{at}"))).unwrap();
            words.extend(["--loop".to_owned(), format!("loops/l{at}")]);
        }
        // A copy where the person can start it (build folders often lie in a home), which no
        // build replaces meanwhile.
        let program = root.join("cerco");
        fs::copy(env!("CARGO_BIN_EXE_cerco"), &program).unwrap();
        if person.is_other {
            let all = Command::new("chown")
                .arg("-R")
                .arg(format!("{0}:{0}", person.uid))
                .arg(&root)
                .status();
            assert!(all.unwrap().success());
        }
        let ground = Self {
            root,
            program,
            uid: person.uid,
        };
        let made = ground.cerco(&words).wait();
        assert!(made.unwrap().success());
        ground
    }

    fn cerco(&self, words: &[String]) -> Child {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .current_dir(self.root.join("project"))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", self.root.join("home"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if fs::metadata("/proc/self").unwrap().uid() != self.uid {
            command.uid(self.uid).gid(self.uid);
        }
        command.spawn().unwrap()
    }

    /// Starts `count` commands, and looks after each.
    pub(crate) fn bring_up(&self, sandbox: &str, count: usize) -> Seen {
        let seen = Mutex::new(Seen::default());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for at in 0..AT_A_TIME {
                let (seen, next) = (&seen, &next);
                scope.spawn(move || {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= count {
                            return;
                        }
                        self.one(sandbox, at, n, seen);
                    }
                });
            }
        });
        seen.into_inner().unwrap()
    }

    fn one(&self, sandbox: &str, at: usize, n: usize, seen: &Mutex<Seen>) {
        let (name, way) = WAYS[n / 2 % WAYS.len()];
        let is_killed = n % 2 == 1;
        let folder = self.root.join(format!("project/loops/l{at}"));
        let mark = format!("{}{}{n}", std::process::id(), self.uid);
        let way = way.replace('@', "sleep 300.#").replace('#', &mark);
        let then = if is_killed { "sleep 300" } else { "sleep 0.2" };
        let (script, up) = (
            folder.join(format!("d{mark}.sh")),
            folder.join(format!("up{mark}")),
        );
        let text = format!("#!/bin/bash\n{way}\nsleep 0.1\n: > up{mark}\n{then}\n");
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let words = [
            "run",
            "--loop",
            &format!("l{at}"),
            sandbox,
            "--",
            &format!("./d{mark}.sh"),
        ];
        let mut run = self.cerco(&words.map(str::to_owned));
        let begun = Instant::now();
        let mut is_up = false;
        if is_killed {
            while !is_up && begun.elapsed() < Duration::from_mins(1) {
                std::thread::sleep(Duration::from_millis(2));
                is_up = up.exists();
            }
            // Every other time its keeper is killed with it. (Without the sandbox somebody
            // has to be left to do it.)
            let keeper = (sandbox == "--sandbox" && n % 4 == 3).then(|| keeper_of(run.id()));
            for pid in keeper.flatten().into_iter().chain([run.id()]) {
                let _ = Command::new("kill")
                    .args(["-KILL", &pid.to_string()])
                    .status();
            }
        }
        run.wait().unwrap();
        is_up |= up.exists();
        let ended = Instant::now();
        // A look at everybody takes its time on a busy machine: its begin counts.
        let (survivor, gone) = loop {
            let begun = ended.elapsed();
            let now = left(&mark, &folder);
            if now.is_none() || begun > GONE_AFTER {
                break (now, begun);
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let _ = (fs::remove_file(&script), fs::remove_file(&up));
        let mut seen = seen.lock().unwrap();
        seen.started += 1;
        seen.killed += usize::from(is_killed);
        seen.begun += usize::from(is_up);
        seen.slowest = seen.slowest.max(gone);
        if let Some(survivor) = survivor {
            let how = if is_killed { "Cerco killed" } else { "ended" };
            seen.survived.push(format!("{name}, {how}: {survivor}"));
        }
    }
}

/// The process that Cerco put between itself and a command.
fn keeper_of(cerco: u32) -> Option<u32> {
    let tasks = fs::read_dir(format!("/proc/{cerco}/task")).ok()?.flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<String> = children.collect();
    let mut children = children.iter().flat_map(|line| line.split_whitespace());
    let is_keeper = |pid: &&str| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm"));
        name.is_ok_and(|name| name.starts_with("cerco-keeper"))
    };
    children.find(is_keeper)?.parse().ok()
}

/// A process of the run: by an argument, by where one of its threads stands, or by a file
/// that it holds. (The first thread of a process can be gone, and shows nothing then.)
fn left(mark: &str, folder: &Path) -> Option<String> {
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let threads = fs::read_dir(entry.path().join("task")).ok()?.flatten();
        for thread in threads {
            let line = fs::read(thread.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let stands = fs::read_link(thread.path().join("cwd"));
            let stands = stands.is_ok_and(|at| at.starts_with(folder));
            let held = fs::read_dir(thread.path().join("fd"))
                .into_iter()
                .flatten()
                .flatten();
            let holds = held.filter_map(|fd| fs::read_link(fd.path()).ok());
            let holds = holds
                .into_iter()
                .any(|to| to.ends_with(format!("held-{mark}")));
            if line.contains(mark) || stands || holds {
                return Some(format!("{pid}: {line}"));
            }
        }
        None
    })
}
