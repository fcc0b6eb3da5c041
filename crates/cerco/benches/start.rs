//! What `cerco run -- true` costs, whole: reading, judging, journal, guard, sandbox, the look
//! afterwards. Beside it bare bubblewrap with the very options that Cerco makes, system call
//! filter included. All are taken in turns, so that the machine's moods hit all alike.
//!
//! As root it measures a second time as the ordinary user `CERCO_TEST_USER` (`cerco-test`).
//! `CERCO_BENCH_ROUNDS` says how often each is started.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints and may stop at the first surprise"
)]

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cerco_gateway::scene::{Scene, Wanted};
use cerco_model::SandboxState;
use cerco_sandbox::{Job, Plan, Prepared, Sandbox, survey};
use cerco_sys::launch::{Propagation, confine};

const CERCO: &str = env!("CARGO_BIN_EXE_cerco");
/// The word that makes this program measure, in the environment that was made for it.
const MEASURE: &str = "--measure-here";
const WARM_UP: usize = 5;

fn main() {
    if std::env::args().any(|word| word == MEASURE) {
        return measure();
    }
    let own = std::fs::metadata("/proc/self").unwrap().uid();
    measure_as(own);
    if own == 0 {
        let name = std::env::var("CERCO_TEST_USER").unwrap_or_else(|_| "cerco-test".into());
        let id = Command::new("id").args(["-u", &name]).output().unwrap();
        match String::from_utf8_lossy(&id.stdout).trim().parse() {
            Ok(uid) => measure_as(uid),
            Err(_) => println!("no user {name} here; scripts/test-setup.sh makes one"),
        }
    }
}

/// A small project with two loops, known to Cerco, that belongs to `uid`; then this program
/// again in it.
fn measure_as(uid: u32) {
    let folder = |at: &Path| {
        let made = tempfile::Builder::new()
            .prefix("cerco-bench-")
            .tempdir_in(at);
        let made = made.unwrap();
        std::os::unix::fs::chown(made.path(), Some(uid), Some(uid)).unwrap();
        made
    };
    let (disk, memory) = (folder(&std::env::temp_dir()), folder(Path::new("/dev/shm")));
    let root = disk.path().canonicalize().unwrap();
    let own = root.join("shop/loops/site");
    for name in ["home", "shop/loops/api", "shop/loops/site/src"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in 0..200 {
        std::fs::write(own.join(format!("src/{name}.rs")), "fn f() {}\n").unwrap();
    }
    let as_user = |program: &Path, words: &[&str], at: &Path| {
        let mut command = Command::new(program);
        command
            .args(words)
            .env_clear()
            .envs(variables(&root))
            .envs(std::env::var_os("CERCO_BENCH_ROUNDS").map(|n| ("CERCO_BENCH_ROUNDS", n)))
            .env("CERCO_BENCH_MEMORY", memory.path())
            .current_dir(at)
            .uid(uid)
            .gid(uid);
        assert!(command.status().unwrap().success(), "{words:?}");
    };
    let all = Command::new("chown")
        .arg("-R")
        .arg(format!("{uid}:{uid}"))
        .arg(&root)
        .status();
    assert!(all.unwrap().success());
    let project = root.join("shop");
    let words = ["init", "--loop", "loops/site", "--loop", "loops/api"];
    as_user(Path::new(CERCO), &words, &project);
    let me = std::env::current_exe().unwrap();
    println!("\nas user {uid}");
    as_user(&me, &[MEASURE], &own);
}

fn variables(root: &Path) -> [(&'static str, OsString); 5] {
    [
        ("HOME", root.join("home").into()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("XDG_CONFIG_HOME", root.join("config").into()),
        ("XDG_CACHE_HOME", root.join("cache").into()),
        ("XDG_STATE_HOME", root.join("state").into()),
    ]
}

/// Something measured: its name, one time of it, and all times.
type Way<'a> = (&'static str, Box<dyn Fn() -> Duration + 'a>, Vec<Duration>);

fn measure() {
    let rounds = std::env::var("CERCO_BENCH_ROUNDS").map_or(60, |n| n.parse().unwrap());
    let memory = PathBuf::from(std::env::var_os("CERCO_BENCH_MEMORY").unwrap());
    let scene = Scene::find(&Wanted {
        sandbox: Some(SandboxState::On),
        ..Wanted::default()
    })
    .unwrap();
    // Made once by a run, so that it is there to be hidden as in every later one.
    cerco(&["--sandbox"], None);
    let request = scene.sandbox_request().unwrap();
    let plan = Plan::new(
        &survey(&request).unwrap().facts,
        request.network,
        request.limits,
    );
    let plan = plan.unwrap();
    let sandbox = Sandbox::find(scene.project.root(), Some(&scene.home)).unwrap();
    let mut ways: [Way; 5] = [
        ("true", Box::new(plain), vec![]),
        (
            "bubblewrap, the same options",
            Box::new(|| bubblewrap(&sandbox, &plan)),
            vec![],
        ),
        (
            "cerco run --sandbox",
            Box::new(|| cerco(&["--sandbox"], None)),
            vec![],
        ),
        (
            "cerco run --sandbox, journal in memory",
            Box::new(|| cerco(&["--sandbox"], Some(&memory))),
            vec![],
        ),
        (
            "cerco run --no-sandbox",
            Box::new(|| cerco(&["--no-sandbox"], None)),
            vec![],
        ),
    ];
    for round in 0..rounds + WARM_UP {
        for (_, way, times) in &mut ways {
            let time = way();
            if round >= WARM_UP {
                times.push(time);
            }
        }
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let summary = ways.map(|(name, _, mut times)| {
        times.sort();
        (name, ms(times[times.len() / 2]), ms(times[0]))
    });
    let (_, bare, bare_least) = summary[1];
    println!("{} mounts, {rounds} rounds", plan.steps().len());
    for (name, median, least) in summary {
        println!(
            "{name:40} median {median:7.2} ms {:5.2} x   least {least:7.2} ms {:5.2} x",
            median / bare,
            least / bare_least,
        );
    }
}

fn timed(command: &mut Command) -> Duration {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    let began = Instant::now();
    assert!(command.status().unwrap().success());
    began.elapsed()
}

fn plain() -> Duration {
    timed(Command::new("/bin/true").env_clear())
}

/// The options and the filter are written before the clock starts; only the launcher counts.
fn bubblewrap(sandbox: &Sandbox, plan: &Plan) -> Duration {
    let job = Job {
        command: &["/bin/true".into()],
        environment: &[],
        gate: None,
        guard: None,
        proxy: None,
    };
    let (launcher, keep, _status, _) = sandbox
        .prepare(plan, job)
        .map(Prepared::into_parts)
        .unwrap();
    // `--args N`; what follows is Cerco's own stage.
    let options: Vec<_> = launcher.get_args().take(2).collect();
    let mut command = Command::new(launcher.get_program());
    command.args(options).args(["--", "/bin/true"]).env_clear();
    confine(&mut command, keep, Propagation::Shared);
    timed(&mut command)
}

fn cerco(words: &[&str], state: Option<&Path>) -> Duration {
    let mut command = Command::new(CERCO);
    command.arg("run").args(words).args(["--", "true"]);
    if let Some(state) = state {
        command.env("XDG_STATE_HOME", state);
    }
    timed(&mut command)
}
