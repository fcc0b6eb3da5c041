//! What is no command, no project or no loop, and what is said to it. The test looks at the
//! words and codes, the measurement at the time.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// One bad input.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) args: Vec<String>,
    pub(crate) input: Vec<u8>,
    /// The exit code.
    pub(crate) code: i32,
    /// What is said on standard error.
    pub(crate) says: &'static str,
}

/// A home and a project of two loops and a link, gone at the end.
pub(crate) struct Ground {
    root: PathBuf,
    program: PathBuf,
}

impl Ground {
    pub(crate) fn new(program: &Path) -> Self {
        let root = std::env::temp_dir().join(format!("cerco-bad-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for folder in ["home", "project/loops/a", "project/loops/b"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let ground = Self {
            root: root.canonicalize().unwrap(),
            program: program.to_path_buf(),
        };
        std::os::unix::fs::symlink("loops/a", ground.root.join("project/link")).unwrap();
        let made = ["init", "--loop", "loops/a", "--loop", "loops/b"].map(str::to_owned);
        assert!(ground.cerco(&made, b"").status.success());
        ground
    }

    /// Without a terminal, as an agent would call it.
    pub(crate) fn cerco(&self, args: &[String], input: &[u8]) -> Output {
        let mut child = Command::new(&self.program)
            .args(args)
            .current_dir(self.root.join("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.root.join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // It may stop reading before the end of what is too long.
            scope.spawn(move || pipe.write_all(input));
            child.wait_with_output().unwrap()
        })
    }

    #[expect(clippy::too_many_lines, reason = "one row a case")]
    pub(crate) fn cases(&self) -> Vec<Case> {
        let home = self.root.join("home");
        let home = home.to_str().unwrap();
        let mut all = Vec::new();
        for (name, args, code, says) in [
            ("not a project", &["--project", home][..], 2, "cerco init"),
            (
                "a project that doesn't exist",
                &["--project", "/nowhere"],
                2,
                "--project",
            ),
            (
                "a loop that doesn't exist",
                &["--loop", "missing"],
                2,
                "mkdir -p",
            ),
            (
                "a loop outside",
                &["--loop", "../home"],
                2,
                "not inside the project",
            ),
            (
                "a loop that is a link",
                &["--loop", "link"],
                2,
                "symbolic link",
            ),
            ("no loop", &[], 2, "--loop"),
            (
                "the whole project as a loop in the sandbox",
                &["--loop", ".", "--sandbox"],
                125,
                "cerco init --loop FOLDER",
            ),
            (
                "a network without a sandbox",
                &["--loop", "a", "--network", "registries"],
                2,
                "add --sandbox",
            ),
            (
                "an unknown role",
                &["--loop", "a", "--role", "Codr"],
                2,
                "did you mean `Coder`",
            ),
            (
                "a role without the tool",
                &["--loop", "a", "--role", "Researcher"],
                126,
                "lacks the tool",
            ),
        ] {
            let args = [&["run"], args, &["--", "ls"]].concat();
            all.push(case(name, &args, b"".to_vec(), code, says));
        }
        let nested = |open: &str, close: &str, deep: usize| {
            format!("{}true{}", open.repeat(deep), close.repeat(deep)).into_bytes()
        };
        let run = &["run", "--loop", "a", "--stdin"];
        for (name, input, says) in [
            ("a NUL byte", b"ls\0".to_vec(), "NUL byte"),
            ("not UTF-8", b"ls \xff".to_vec(), "UTF-8"),
            (
                "10 MB long",
                "a".repeat(10_000_000).into_bytes(),
                "bytes long",
            ),
            (
                "10 MB of words",
                "a ".repeat(5_000_000).into_bytes(),
                "bytes long",
            ),
            (
                "5,000 subshells deep",
                nested("( ", " )", 5_000),
                "unreadable",
            ),
            (
                "100,000 parentheses deep",
                nested("( ", " )", 100_000),
                "unreadable",
            ),
            (
                "100,000 parentheses open",
                "(".repeat(100_000).into_bytes(),
                "unreadable",
            ),
            (
                "substitutions 5,000 deep",
                nested("$(", ")", 5_000),
                "unreadable",
            ),
            (
                "substitutions 50,000 deep",
                nested("$(", ")", 50_000),
                "unreadable",
            ),
            (
                "quoted substitutions 10,000 deep",
                nested("\"$(", ")\"", 10_000),
                "unreadable",
            ),
            (
                "expansions 20,000 deep",
                nested("${x:-", "}", 20_000),
                "unreadable",
            ),
            (
                "arithmetic 20,000 deep",
                nested("$((", "))", 20_000),
                "unreadable",
            ),
            (
                "groups 20,000 deep",
                nested("{ ", "; }", 20_000),
                "unreadable",
            ),
            (
                "100,001 back quotes",
                "`".repeat(100_001).into_bytes(),
                "unreadable",
            ),
            (
                "100,001 quotes",
                "\"".repeat(100_001).into_bytes(),
                "unreadable",
            ),
        ] {
            all.push(case(name, run, input, 126, says));
        }
        // A sum to the shell, and no program gets a text of this length.
        let sum = nested("(", ")", 100_000);
        let name = "arithmetic 100,000 deep";
        all.push(case(name, run, sum, 125, "put it in a script file"));
        let check = &["check", "--loop", "a", "--stdin"];
        all.push(case("a NUL byte, checked", check, b"ls\0".to_vec(), 3, ""));
        all.push(case("a misspelt verb", &["runn"], Vec::new(), 2, "run"));
        let log = &["log", "show", "0Z0Z"];
        all.push(case("no entry", log, Vec::new(), 2, "cerco log"));
        all
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn case(name: &'static str, args: &[&str], input: Vec<u8>, code: i32, says: &'static str) -> Case {
    Case {
        name,
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        input,
        code,
        says,
    }
}
