//! What became of an ask: into the journal, and back to the command that waits.

use cerco_decide::{AskId as DeskAsk, NoAnswer};
use cerco_model::Authority;

use super::asks::{Always, Outcome};
use super::runs::{After, unanswered};
use super::{Hub, HubError};
use crate::journal::{self, Decided, Decision, DecisionSource};
use crate::wire::{self, AgentProgram, EntryId, Reply};

impl Hub {
    /// What became of an ask, into the journal and back to the command.
    pub(super) fn settle(
        &self,
        entry: journal::EntryId,
        ask: DeskAsk,
        outcome: Outcome,
        programs: Vec<AgentProgram>,
    ) -> Result<After, HubError> {
        let decided = |decision, decision_source, by: Option<wire::WindowId>, waited_ms| Decided {
            decision,
            decision_source,
            ask_id: Some(ask.0),
            answered_by: by.map(|w| w.0),
            waited_ms: Some(waited_ms),
        };
        match outcome {
            Outcome::Allowed {
                permit,
                by,
                always,
                waited_ms,
            } => {
                let source = match (permit.authority(), always) {
                    (Authority::Grants(_), _) => DecisionSource::Grant,
                    (Authority::FullAuto, _) => DecisionSource::FullAuto,
                    (_, Always::Session) => DecisionSource::UserPermanent,
                    (_, Always::Once) => DecisionSource::UserTemporary,
                };
                let decided = decided(Decision::Allow, source, by, waited_ms);
                self.journal().decide(entry, &decided)?;
                Ok(After::Run(permit, source))
            }
            Outcome::Denied {
                note,
                by,
                waited_ms,
            } => {
                let source = DecisionSource::UserReject;
                let decided = decided(Decision::Deny, source, by, waited_ms);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                let findings = self.findings(entry);
                Ok(After::Done(Reply::Refused {
                    entry: Some(EntryId(entry.to_string())),
                    source: DecisionSource::UserReject,
                    findings,
                    programs,
                    text: match &note {
                        Some(note) => format!("A person denied it and says: {note}"),
                        None => "A person denied it. Don't try it again; ask what to do instead."
                            .to_owned(),
                    },
                    note,
                }))
            }
            Outcome::Unanswered { why, waited_ms } => {
                let source = match why {
                    NoAnswer::NoWindow => DecisionSource::NoWindow,
                    NoAnswer::Timeout => DecisionSource::Timeout,
                    NoAnswer::Withdrawn => DecisionSource::UserAbort,
                };
                let decided = decided(Decision::Deny, source, None, waited_ms);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                let findings = self.findings(entry);
                Ok(After::Done(unanswered(entry, why, findings, programs)))
            }
            Outcome::Edited {
                text,
                by,
                waited_ms,
            } => {
                let source = DecisionSource::UserReject;
                let decided = decided(Decision::Deny, source, by, waited_ms);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                Ok(After::Again(text))
            }
        }
    }
}
