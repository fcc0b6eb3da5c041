//! Reading and judging for the command line: what can't be a command at all is refused by
//! rule `unreadable`, like everything else that can't be read.

use cerco_gateway::judging::Judging;
use cerco_model::{
    Command, CommandError, Dialect, Finding, Judgement, Part, Place, Rule, TimeClass, Verdict,
};

/// A judged text; the command is missing where the bytes can't be one.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) command: Option<Command>,
    pub(crate) judgement: Judgement,
}

pub(crate) fn judge(
    bytes: Vec<u8>,
    dialect: Dialect,
    place: &Place<'_>,
    judging: &Judging,
) -> Judged {
    match Command::new(bytes, dialect) {
        Ok(command) => {
            let judgement = judging.judge(&command, place);
            Judged {
                command: Some(command),
                judgement,
            }
        }
        Err(error) => Judged {
            command: None,
            judgement: impossible(&error),
        },
    }
}

fn impossible(error: &CommandError) -> Judgement {
    let remedy = match error {
        CommandError::TooLong { .. } => "put it in a script file and run that",
        CommandError::Nul { .. } => "remove the NUL byte",
        CommandError::NotUtf8 { .. } => "write the command in UTF-8",
    };
    let finding = Finding {
        rule: Rule::Unreadable,
        verdict: Verdict::Refused,
        part: Part::default(),
        reason: error.to_string().into(),
        remedy: Some(remedy.into()),
        kind: None,
    };
    Judgement::new(vec![finding], Vec::new(), TimeClass::Quick)
}
