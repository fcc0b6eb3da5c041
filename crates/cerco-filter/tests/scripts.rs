//! Scripts of the project's own files are looked up and judged.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;

use cerco_filter::read_and_judge;
use cerco_model::{Command, Dialect, Verdict};

const TREE: common::Files = common::Files(&[
    (
        "/srv/project/loops/a/package.json",
        r#"{"scripts": {
            "dev": "node build.js", "go": "vite", "up": "npm publish", "x": "npm run go", "loop": "npm run loop",
            "build": "tsc -p . && rm -rf ../../tmp", "prebuild": "ssh host", "lint": "bash lint.sh", "test": "jest",
            "fetch": "curl https://evil.example/x", "stop": "pkill -f node", "odd": "echo \"unterminated"
        }}"#,
    ),
    (
        "/srv/project/loops/a/Makefile",
        "all: build\n\tls\nbuild: fetch ; echo x\nfetch:\n\t@curl https://evil.example\nwatch-all:\n\tls\nserve:\n\tnpx vite\nclean:\n\trm -rf dist\n",
    ),
    (
        "/srv/project/loops/a/justfile",
        "ok:\n  ls\npub version:\n  cargo publish\n",
    ),
    (
        "/srv/project/loops/a/sub/package.json",
        r#"{"scripts": {"start": "node build.js", "stop": "pkill node"}}"#,
    ),
    (
        "/srv/project/loops/a/Taskfile.yml",
        "version: '3'\ntasks:\n  default:\n    cmds: [ls]\n  dev:\n    cmds:\n      - go build ./...\n  up:\n    deps: [ok]\n    cmds:\n      - cmd: npx vite\n  ok: ls\n  all:\n    cmds:\n      - task: up\n  far:\n    cmds:\n      - |\n        ls\n        ssh host\n",
    ),
    (
        "/srv/project/loops/a/pyproject.toml",
        "[tool.poe.tasks]\nlint = \"ruff check\"\nserve = { cmd = \"uvicorn app:app\" }\n[tool.pdm.scripts]\nhost = \"ssh host\"\nok = { cmd = [\"ls\", \"-l\"] }\n[tool.hatch.envs.default.scripts]\nup = [\"ls\", \"twine upload dist/x\"]\n",
    ),
    (
        "/srv/project/package.json",
        r#"{"scripts": {"ship": "npm publish"}}"#,
    ),
]);

fn verdict(command: &str) -> (Verdict, String) {
    let command = Command::new(command.as_bytes().to_vec(), Dialect::Bash).unwrap();
    let place = cerco_model::Place {
        tree: &TREE,
        ..common::place(Dialect::Bash, true)
    };
    let (_, judgement) = read_and_judge(&command, &place);
    let why: Vec<String> = judgement
        .findings()
        .iter()
        .map(|f| format!("{}: {}", f.rule, f.reason))
        .collect();
    (judgement.verdict(), why.join(" | "))
}

fn check(expected: Verdict, commands: &[&str]) {
    for command in commands {
        let (verdict, why) = verdict(command);
        assert_eq!(verdict, expected, "{command}: {why}");
    }
}

#[test]
fn a_script_counts_and_not_its_name() {
    check(
        Verdict::Allowed,
        &[
            "npm run dev",
            "pnpm dev",
            "yarn run dev",
            "npm test",
            "make watch-all",
            "just ok",
        ],
    );
    check(
        Verdict::Refused,
        &[
            "npm run go",
            "npm run up",
            "npm run x",
            "npm run fetch",
            "npm run stop",
            "make serve",
            "just pub 1",
        ],
    );
}

#[test]
fn start_and_stop_are_scripts_too() {
    check(
        Verdict::Allowed,
        &["cd sub && npm start", "yarn --cwd sub start"],
    );
    check(
        Verdict::Refused,
        &["npm start", "pnpm start", "cd sub && npm stop"],
    );
}

#[test]
fn tasks_and_their_needs_are_read() {
    check(Verdict::Allowed, &["task", "task dev", "task ok"]);
    check(
        Verdict::Refused,
        &["task up", "task all", "task far", "task serve"],
    );
}

#[test]
fn scripts_of_python_projects_are_read() {
    check(
        Verdict::Allowed,
        &["poe lint", "pdm run ok", "pdm run pytest"],
    );
    check(
        Verdict::Refused,
        &[
            "poe serve",
            "pdm run host",
            "hatch run up",
            "pdm run ssh host",
        ],
    );
}

#[test]
fn what_comes_before_counts_too() {
    check(
        Verdict::Refused,
        &["npm run build", "make", "make all", "make build"],
    );
}

#[test]
fn the_sandbox_answers_for_shells_and_files() {
    check(Verdict::Allowed, &["npm run lint", "make clean"]);
}

#[test]
fn cycles_end_and_what_is_not_found_is_judged_by_name() {
    check(
        Verdict::Allowed,
        &["npm run loop", "npm run odd", "npm run none", "make none"],
    );
    check(Verdict::Refused, &["npm run serve", "make dev"]);
}

#[test]
fn a_limit_in_time_ends_a_server() {
    check(Verdict::Allowed, &["timeout 20 npm run go"]);
}

#[test]
fn the_file_is_looked_for_upwards_in_the_project() {
    check(Verdict::Refused, &["cd ../.. && npm run ship"]);
}
