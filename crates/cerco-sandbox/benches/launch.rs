//! What a launch costs, beside bare bubblewrap with the same mounts and beside no sandbox,
//! taken in turns so that the machine's moods hit all alike. Prints milliseconds.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints and may stop at the first surprise"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use cerco_sandbox::{Job, Plan, Request, Sandbox, Start, stage, survey};

const ROUNDS: usize = 60;
const WARM_UP: usize = 5;

fn main() -> ExitCode {
    if let Some(code) = stage::enter(|_| Err(std::io::ErrorKind::Unsupported.into())) {
        return code;
    }
    let root = std::env::temp_dir().join(format!("cerco-bench-{}", std::process::id()));
    std::fs::create_dir_all(root.join("loop/other")).unwrap();
    let measured = measure(&root);
    std::fs::remove_dir_all(&root).unwrap();
    let bare = measured[1].1;
    for (name, median, least) in &measured {
        let times = median.as_secs_f64() / bare.as_secs_f64();
        println!(
            "{name:34} median {:6.2} ms  least {:6.2} ms  {times:5.2} x bubblewrap",
            median.as_secs_f64() * 1e3,
            least.as_secs_f64() * 1e3
        );
    }
    ExitCode::SUCCESS
}

/// What is measured, how it is done, how long each time took.
type Way<'a> = (&'static str, Box<dyn Fn() + 'a>, Vec<Duration>);

fn measure(root: &Path) -> Vec<(&'static str, Duration, Duration)> {
    let request = Request {
        project: root.to_owned(),
        loop_folder: root.join("loop"),
        directory: root.join("loop"),
        other_loops: vec![root.join("loop/other")],
        home: std::env::var_os("HOME").map(PathBuf::from),
        ..Request::default()
    };
    let plan = plan_for(&request);
    let sandbox = Sandbox::find(root, None).unwrap();
    let options = sandbox.options(&plan);
    let mut ways: [Way; 6] = [
        ("no sandbox", Box::new(plain), vec![]),
        (
            "bubblewrap, the same mounts",
            Box::new(|| bubblewrap(&sandbox, &options)),
            vec![],
        ),
        (
            "cerco, planned before",
            Box::new(|| planned(&sandbox, &plan)),
            vec![],
        ),
        (
            "  of that: survey and plan",
            Box::new(|| drop(plan_for(&request))),
            vec![],
        ),
        (
            "  of that: finding bubblewrap",
            Box::new(|| drop(Sandbox::find(root, None).unwrap())),
            vec![],
        ),
        (
            "cerco, found and surveyed each time",
            Box::new(|| whole(&request)),
            vec![],
        ),
    ];
    for round in 0..ROUNDS + WARM_UP {
        for (_, way, times) in &mut ways {
            let began = Instant::now();
            way();
            if round >= WARM_UP {
                times.push(began.elapsed());
            }
        }
    }
    ways.into_iter()
        .map(|(name, _, mut times)| {
            times.sort();
            (name, times[times.len() / 2], times[0])
        })
        .collect()
}

fn run(command: &mut Command) {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    assert!(command.status().unwrap().success());
}

fn plain() {
    run(Command::new("/bin/true").env_clear());
}

fn bubblewrap(sandbox: &Sandbox, options: &[OsString]) {
    let mut command = Command::new(sandbox.program());
    run(command.env_clear().args(options).args(["--", "/bin/true"]));
}

fn planned(sandbox: &Sandbox, plan: &Plan) {
    let job = Job {
        command: &["/bin/true".into()],
        environment: &[],
        gate: None,
        guard: None,
        proxy: None,
    };
    let mut prepared = sandbox.prepare(plan, job).unwrap();
    prepared
        .command()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    let mut started = prepared.spawn().unwrap();
    assert_eq!(started.status.wait(), Start::Running);
    assert!(started.child.wait().unwrap().success());
}

fn whole(request: &Request) {
    let plan = plan_for(request);
    planned(&Sandbox::find(&request.project, None).unwrap(), &plan);
}

fn plan_for(request: &Request) -> Plan {
    let found = survey(request).unwrap();
    Plan::new(&found.facts, request.network, request.limits).unwrap()
}
