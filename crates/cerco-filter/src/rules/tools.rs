//! Variables that name a tool which a build starts: `CC="ssh host" make`, `make CC="ssh host"`.
//! What they name is judged like a command, for what is refused whatever it is given; no rule of
//! its own.

use cerco_model::{Dialect, Part, Rule};
use cerco_reader::{Text, read_nested};

use super::{Case, Findings};
use crate::code;
use crate::judge::judge_case;
use crate::table::{Meaning, Table};
use crate::text::tail;

/// Names that makefiles, configure scripts and build tools start what they hold.
const TOOLS: &str = "CC CXX CPP HOSTCC HOSTCXX BUILD_CC TARGET_CC TARGET_CXX LD AR AS RANLIB NM OBJCOPY OBJDUMP \
    STRIP FC F77 YACC LEX AWK SED GREP INSTALL RM CP MV LN MKDIR TAR PYTHON PYTHON3 PIP NODE NPM NPX YARN PNPM BUN DENO \
    GO CARGO RUSTC RUSTUP JAVA JAVAC MVN GRADLE DOCKER DOCKER_COMPOSE COMPOSE KUBECTL HELM TERRAFORM GIT CURL WGET \
    CMAKE CTEST NINJA MAKE PKG_CONFIG RUBY PHP PERL EMACS TEX LATEX PDFLATEX SPHINXBUILD RUNNER TEST_RUNNER WRAPPER \
    CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND \
    CMAKE_C_COMPILER CMAKE_CXX_COMPILER CMAKE_LINKER exec.executable";

fn is_tool(name: &str) -> bool {
    TOOLS.split_ascii_whitespace().any(|tool| tool == name)
}

/// Rules that refuse a program whatever it is given.
const BY_NAME: [Rule; 5] = [
    Rule::Shell,
    Rule::ShellState,
    Rule::Remote,
    Rule::Process,
    Rule::Permissions,
];

/// Looks at the variables in front of a start and among its words.
pub(crate) fn judge(case: &Case<'_>, out: &mut Findings) {
    for assignment in &case.start.assignments {
        if is_tool(&assignment.name) {
            tool(case, &assignment.value, assignment.part, out);
        }
    }
    let makes = case.bound().row().is_some_and(|row| row.name == "make");
    for used in &case.bound().uses {
        let words = matches!(
            used.meaning,
            Meaning::Script | Meaning::General | Meaning::Setting
        );
        let defined = used
            .option
            .is_some_and(|option| option.names.contains(&"-D"));
        if !(words || defined || makes && used.meaning == Meaning::Text) {
            continue;
        }
        let text = used.value.text(&case.start.args);
        let start = text.known_prefix();
        let Some((name, _)) = start.split_once('=') else {
            continue;
        };
        let name = name.strip_prefix("-D").unwrap_or(name);
        let name = name.trim_end_matches([':', '?', '+']);
        // cmake writes the type behind the name: `-DCMAKE_C_COMPILER:FILEPATH=x`.
        let name = name.split(':').next().unwrap_or(name);
        let value = tail(text, start.find('=').map_or(0, |at| at + 1));
        if is_tool(name) {
            tool(case, &value, used.part, out);
        }
        if makes && let Some(known) = value.known() {
            for command in code::make::shell_calls(known) {
                tool(case, &command, used.part, out);
            }
            if let Some(command) = start.split_once("!=").map(|(_, command)| command) {
                tool(case, &Text::Known(command.into()), used.part, out);
            }
        }
    }
}

/// What a value would start. One that isn't known is left to the sandbox: compilers are often
/// found by a command (`CC=$(which clang)`), and that command was judged by itself.
fn tool(case: &Case<'_>, value: &Text, part: Part, out: &mut Findings) {
    let Some(known) = value.known() else { return };
    // A `;` parts the words of cmake's lists, and makes two commands elsewhere.
    nested(case, &known.replace(';', " "), part, out);
}

/// Adds what is refused, whatever it is given, of a command line that something else runs.
pub(super) fn nested(case: &Case<'_>, text: &str, part: Part, out: &mut Findings) {
    let reading = read_nested(text, Dialect::Sh, part, case.place, &Table);
    let mut inside = Findings::default();
    for start in &reading.starts {
        let case = Case {
            reading: &reading,
            start,
            place: case.place,
        };
        judge_case(&case, &mut inside);
    }
    for finding in inside.into_sorted() {
        if BY_NAME.contains(&finding.rule) {
            out.refuse(finding.rule, part, finding.reason, finding.remedy);
        }
    }
}
