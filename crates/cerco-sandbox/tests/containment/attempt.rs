//! Makes one attempt: prepares, starts the launcher as the case asks, looks afterwards.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::case::Case;
use crate::ground::{By, Ground};
use crate::person::Person;

/// How much of a flood is kept: what a runner in front of an agent would.
const KEPT: usize = 8 << 20;

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The launcher's exit code; 128 and the number for a signal.
    pub(crate) code: i32,
    /// Whether what must not have happened did not.
    pub(crate) is_contained: bool,
    /// The launcher's standard error.
    pub(crate) stderr: String,
}

/// A program, and the shell line that starts `$BODY` with it (as `$LAUNCHER`).
#[derive(Clone, Debug)]
pub(crate) struct Launcher {
    pub(crate) program: PathBuf,
    line: &'static str,
}

/// The folders in the environment, as options.
const OPTIONS: &str = r#"mapfile -d: -t R < <(printf %s "$RO_DIRS"); mapfile -d: -t S < <(printf %s "$SECRETS"); mapfile -d: -t V < <(printf %s "$VIS"); A=(); for v in "${V[@]}"; do [ -n "$v" ] && A+=(--read-only "$v"); done; for d in "${R[@]}"; do [ -n "$d" ] && A+=(--other-loop "$d"); done; for s in "${S[@]}"; do A+=(--hide "$s"); done; exec "$LAUNCHER" sandbox --project "$P" --loop "$LOOP" --read-only "$APP" --timeout "$LIMIT" "${A[@]}" -- /bin/bash -c "$BODY""#;

/// The launcher under test: `cerco sandbox` where `CERCO` names a program, else this
/// crate's example.
pub(crate) fn launcher() -> Launcher {
    match std::env::var_os("CERCO") {
        Some(program) => Launcher {
            program: program.into(),
            line: OPTIONS,
        },
        None => example("sandbox"),
    }
}

/// One of this crate's examples, which take their folders from the environment.
pub(crate) fn example(name: &str) -> Launcher {
    let test = std::env::current_exe().unwrap();
    let build = test.parent().unwrap().parent().unwrap();
    let program = build.join("examples").join(name);
    assert!(program.exists(), "{} is not built", program.display());
    Launcher {
        program,
        line: r#"exec "$LAUNCHER" "$BODY""#,
    }
}

/// No sandbox at all: to see an attempt succeed.
#[cfg(feature = "mutations")]
pub(crate) fn bare() -> Launcher {
    Launcher {
        program: "/bin/true".into(),
        line: r#"cd "$LOOP" && exec timeout -k 2 "$LIMIT" bash -c "$BODY""#,
    }
}

/// Makes `case`'s attempt as `person`. `mutation` names protections that are off.
pub(crate) fn make(case: &Case, person: &Person, launcher: &Launcher, mutation: &str) -> Outcome {
    make_with(case, person, launcher, mutation, &case.attempt)
}

/// The same with another text in the attempt's place.
pub(crate) fn make_with(
    case: &Case,
    person: &Person,
    launcher: &Launcher,
    mutation: &str,
    attempt: &str,
) -> Outcome {
    let ground = Ground::new(&case.id, person, &launcher.program);
    let mut environment = ground.environment();
    environment.insert("LIMIT".to_owned(), case.limit.to_string());
    environment.insert("MUT".to_owned(), mutation.to_owned());
    let mounts = case.own_mounts.then(own_mounts);
    let inside = |mut command: Command| {
        if let Some(holder) = &mounts {
            command = entering(holder, &command);
        }
        command
    };
    let host = |text: &str, environment: &_, by| inside(ground.shell(text, environment, by));
    let by = if case.root_setup || case.own_mounts {
        By::Root
    } else {
        By::Person
    };
    if !case.setup.is_empty() {
        let quiet = host(&case.setup, &environment, by)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(quiet.is_ok(), "{}: its setup could not be started", case.id);
        until_ready(case, &ground);
    }
    let mut names = ground.names.clone();
    for (name, value) in &case.environment {
        let value = expanded(value, &names);
        environment.insert(name.clone(), value);
    }
    for (name, file) in [("VPID", "vpid"), ("VADDR", "addr"), ("SHM", "shm")] {
        if let Ok(text) = fs::read_to_string(ground.work(file)) {
            names.insert(name.to_owned(), text.trim().to_owned());
            environment.insert(name.to_owned(), text.trim().to_owned());
        }
    }
    let quoted = |value: &str| value.replace('\'', r"'\''");
    let assigned: Vec<String> = names
        .iter()
        .map(|(name, value)| format!("{name}='{}';", quoted(value)))
        .collect();
    let assigned = assigned.concat();
    fs::write(
        ground.work("body"),
        format!("{assigned}{}{attempt}", case.pre),
    )
    .unwrap();
    fs::set_permissions(ground.work("body"), fs::Permissions::from_mode(0o644)).unwrap();

    environment.insert("START".to_owned(), launcher.line.to_owned());
    let began = Instant::now();
    let during = (!case.during.is_empty()).then(|| {
        let mut shell = host(&case.during, &environment, By::Person);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            let _ = shell.stdout(Stdio::null()).stderr(Stdio::null()).status();
        })
    });
    let line = start_line(case, launcher);
    let mut code = 0;
    for _ in 0..case.repeat {
        code = started(case, host(&line, &environment, By::Person), &ground);
    }
    fs::write(
        ground.work("elapsed"),
        began.elapsed().as_millis().to_string(),
    )
    .unwrap();
    fs::write(ground.work("rc"), code.to_string()).unwrap();
    if let Some(during) = during {
        during.join().unwrap();
    }
    if let Ok(text) = fs::read_to_string(ground.work("vpid")) {
        environment.insert("VPID".to_owned(), text.trim().to_owned());
    }
    let looked = host(&case.must, &environment, By::Person)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    if !case.cleanup.is_empty() {
        let _ = host(&case.cleanup, &environment, By::Root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    if let Some(mut holder) = mounts {
        let _ = holder.kill();
        let _ = holder.wait();
    }
    let stderr = fs::read(ground.work("err")).unwrap_or_default();
    Outcome {
        code,
        is_contained: looked.success(),
        stderr: String::from_utf8_lossy(stderr.get(..2000).unwrap_or(&stderr)).into_owned(),
    }
}

/// Starts the launcher once and answers how it ended.
fn started(case: &Case, mut shell: Command, ground: &Ground) -> i32 {
    if case.key_ring {
        shell = in_a_key_ring(&shell);
    }
    let limit = Duration::from_secs(case.limit + 15);
    if case.terminal {
        on_a_terminal(&shell, ground, limit)
    } else {
        on_pipes(case, shell, ground, limit)
    }
}

/// Waits for the scratch files that a setup writes, some of them from the background (a
/// victim that tells where its memory lies): the pauses in the cases are those of a machine
/// that does nothing else.
fn until_ready(case: &Case, ground: &Ground) {
    let began = Instant::now();
    for name in written(&case.setup) {
        while !ground.work(name).exists() {
            let is_late = began.elapsed() > Duration::from_secs(20);
            assert!(!is_late, "{}: its setup never wrote {name}", case.id);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The names in `$W/NAME`, where nothing else follows them.
fn written(setup: &str) -> impl Iterator<Item = &str> {
    setup.split("$W/").skip(1).filter_map(|rest| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        (!name.is_empty() && !after.starts_with(['.', '/'])).then_some(name)
    })
}

/// The shell line that becomes the launcher, after what the case's caller does first.
fn start_line(case: &Case, launcher: &Launcher) -> String {
    let mut line = "BODY=$(cat $W/body); ".to_owned();
    if !case.caller.is_empty() {
        line += &case.caller;
        line += "; ";
        if case.caller.contains("vpid") {
            line += r#"BODY="VPID=$(cat $W/vpid);$BODY"; "#;
        }
    }
    if !case.terminal {
        return line + launcher.line;
    }
    // What the attempt typed into the terminal is what the next program reads from it.
    let output = if case.terminal_output == "file" {
        ">$W/out 2>$W/err"
    } else {
        ""
    };
    format!(
        r#"{line}( {} ) {output}; IFS= read -r -t 0.5 x </dev/tty; printf "%s" "$x" > "$W/tty_in""#,
        launcher.line
    )
}

fn on_pipes(case: &Case, mut shell: Command, ground: &Ground, limit: Duration) -> i32 {
    let file = |name: &str| {
        let file = File::create(ground.work(name)).unwrap();
        file.set_permissions(fs::Permissions::from_mode(0o666))
            .unwrap();
        file
    };
    let (out, err) = (file("out"), file("err"));
    let mut open = None;
    if case.open_input {
        let (reader, writer) = std::io::pipe().unwrap();
        shell.stdin(reader);
        open = Some(writer);
    }
    let mut pumps = Vec::new();
    let mut child = if case.piped {
        let mut child = shell
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        pumps.push(kept(child.stdout.take().unwrap(), out));
        pumps.push(kept(child.stderr.take().unwrap(), err));
        child
    } else {
        shell
            .process_group(0)
            .stdout(out)
            .stderr(err)
            .spawn()
            .unwrap()
    };
    if let Some(seconds) = case.kill_launcher {
        std::thread::sleep(Duration::from_secs_f64(seconds));
        let _ = child.kill();
    }
    let status = wait(&mut child, limit);
    for pump in pumps {
        // A pipe that somebody still holds open shows in the time the attempt took.
        let began = Instant::now();
        while !pump.is_finished() && began.elapsed() < Duration::from_secs(case.limit + 4) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    drop(open);
    status.map_or(137, code_of)
}

fn kept(mut from: impl Read + Send + 'static, mut to: File) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut room = KEPT;
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let part = count.min(room);
            to.write_all(&buffer[..part]).unwrap();
            room -= part;
        }
    })
}

fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn code_of(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|n| 128 + n))
        .unwrap()
}

/// Starts `shell` with a terminal of its own; what comes out of it is kept as `tty_out`.
fn on_a_terminal(shell: &Command, ground: &Ground, limit: Duration) -> i32 {
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut builder = CommandBuilder::new(shell.get_program());
    builder.args(shell.get_args());
    builder.env_clear();
    for (name, value) in shell.get_envs() {
        builder.env(name, value.unwrap_or_default());
    }
    builder.cwd("/");
    let mut child = pair.slave.spawn_command(builder).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let seen = std::thread::spawn(move || {
        let mut seen = Vec::new();
        let _ = reader.read_to_end(&mut seen);
        seen
    });
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if began.elapsed() > limit {
            let _ = child.kill();
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    drop(pair.master);
    fs::write(ground.work("tty_out"), seen.join().unwrap()).unwrap();
    status.map_or(137, |status| i32::try_from(status.exit_code()).unwrap())
}

/// A mount namespace whose mounts are shared, as a desktop's are.
fn own_mounts() -> Child {
    let holder = Command::new("unshare")
        .args(["-m", "sh", "-c", "mount --make-rshared / && exec sleep 120"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(250));
    holder
}

fn entering(holder: &Child, command: &Command) -> Command {
    let target = holder.id().to_string();
    wrapped(&["nsenter", "-t", &target, "-m", "--wd=/"], command)
}

fn in_a_key_ring(command: &Command) -> Command {
    wrapped(&["keyctl", "session", "-"], command)
}

fn wrapped(words: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(words[0]);
    outer
        .args(&words[1..])
        .arg(command.get_program())
        .args(command.get_args());
    outer.env_clear().current_dir("/").stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        outer.env(name, value.unwrap_or_default());
    }
    outer
}

/// `$NAME` in a case's own variables; longer names first.
fn expanded(value: &str, names: &std::collections::BTreeMap<String, String>) -> String {
    let mut sorted: Vec<_> = names.iter().collect();
    sorted.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    sorted
        .into_iter()
        .fold(value.to_owned(), |text, (name, value)| {
            text.replace(&format!("${name}"), value)
        })
}
