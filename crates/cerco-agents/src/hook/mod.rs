//! A host's question before it runs something, and our answer in the host's own form.
//!
//! [`answer`] is a pure function of the host's bytes and the judge's word; [`serve`]
//! puts a clock and a catch for panics around it. Facts about the hosts: UX.md §2.
//! The worked examples are `cases/hooks/*.json`.

mod call;
mod local;
mod patch;
mod reply;
mod rewrite;
mod serve;

use cerco_model::Dialect;

pub use local::{LocalJudge, SecretNames};
pub(crate) use rewrite::quote;
pub use serve::{MAX_INPUT, serve};

/// A program that calls us before it runs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// GitHub Copilot CLI.
    Copilot,
    /// VS Code.
    VsCode,
}

impl Host {
    /// Every host, in the order of the documents.
    pub const ALL: [Self; 6] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::Copilot,
        Self::VsCode,
    ];

    /// The word on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::VsCode => "vscode",
        }
    }

    /// The host of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.word() == word)
    }

    /// Whether the host can be told to ask the person itself. Codex fails on it and lets
    /// the command run; Gemini's reference doesn't promise it.
    #[must_use]
    pub fn can_ask(self) -> bool {
        !matches!(self, Self::Codex | Self::Gemini)
    }
}

/// Who asks the person about an asked command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// Cerco, at its page; the hook is held open until the answer.
    #[default]
    Cerco,
    /// The host, where it can; else Cerco.
    Host,
}

/// What becomes of a command that may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The host runs it in its own shell: tools and filter hold, nothing else does.
    #[default]
    Judge,
    /// It becomes a call of `cerco run`, so that the time limit, the environment and the
    /// sandbox hold, too.
    Rewrite,
}

/// How a hook was set up by the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Who asks.
    pub asks: Asks,
    /// What becomes of a command that may run.
    pub mode: Mode,
    /// The start of a rewritten command, each a word: the program, `run`, project, role.
    /// Needed for [`Mode::Rewrite`].
    pub run_words: Vec<String>,
}

/// What the host wants to do, for the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// What it is about.
    pub about: About<'a>,
    /// The folder it would happen in, as the host says; may be relative or empty.
    pub directory: &'a str,
    /// The host's name for its session.
    pub session: &'a str,
    /// Whether an asked command may be put to a person now, and waited for.
    pub asking: Asking,
}

/// The thing to judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About<'a> {
    /// A command.
    Command {
        /// Its text.
        text: &'a str,
        /// The language of the host's shell.
        dialect: Dialect,
    },
    /// Files that are read.
    Read(&'a [String]),
    /// Files that are written, moved or deleted.
    Write(&'a [String]),
}

/// Whether the judge may ask a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// Ask, wait, and answer allowed or refused.
    Wait,
    /// Don't: answer "asked".
    Never,
}

/// The judge's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// It may happen.
    Allowed,
    /// A person would have to be asked. Only with [`Asking::Never`].
    Asked {
        /// Why, in words for a person.
        reason: String,
    },
    /// It must not happen.
    Refused {
        /// Why and what to do instead, in words for the agent.
        reason: String,
    },
}

/// Decides. An error is a failure of ours, and blocks.
pub trait Judge: Send + Sync {
    /// The word on a question.
    fn judge(&self, question: &Question<'_>) -> Result<Word, String>;
}

/// What the hook process gives back to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Standard output: empty, or one JSON object.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code.
    pub exit: u8,
}

/// The whole hook as a function.
#[must_use]
pub fn answer(host: Host, stdin: &[u8], options: &Options, judge: &dyn Judge) -> Answer {
    let call = match call::read(host, stdin) {
        Ok(call) => call,
        Err(why) => return reply::failure(host, None, &why),
    };
    let Some(about) = call.action.about() else {
        return reply::no_opinion();
    };
    let rewritten = rewrite::rewrite(&call, options);
    let host_asks = options.asks == Asks::Host && host.can_ask();
    // The permission event comes after the first one, for the same command: a second ask
    // for what was just answered helps nobody.
    let never = rewritten.is_some() || host_asks || call.event == call::Event::Permission;
    let question = Question {
        about,
        directory: &call.directory,
        session: &call.session,
        asking: if never { Asking::Never } else { Asking::Wait },
    };
    match judge.judge(&question) {
        Err(why) => reply::failure(host, Some(call.event), &why),
        Ok(Word::Refused { reason }) => reply::refuse(host, call.event, &reason),
        Ok(Word::Allowed) => reply::allow(host, &call, rewritten),
        Ok(Word::Asked { reason }) if question.asking == Asking::Never => match rewritten {
            // `cerco run` asks when it starts.
            Some(command) => reply::allow(host, &call, Some(command)),
            None => reply::ask(host, call.event, &reason),
        },
        Ok(Word::Asked { .. }) => reply::failure(
            host,
            Some(call.event),
            "the question to a person came back without an answer",
        ),
    }
}
