//! A person's connection, from a terminal.

use std::io::BufReader;
use std::os::unix::net::UnixStream;

use super::{ClientError, connect, receive, send};
use crate::folders::Folders;
use crate::server::PERSON_SOCKET;
use crate::wire::{Answer, AnswerResult, AskCard, AskId, PersonReply, PersonVerb, Status};

/// A terminal's connection to the gateway. While it lasts and has listed the asks, the
/// terminal is a window.
#[derive(Debug)]
pub struct PersonClient {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
}

impl PersonClient {
    /// Connects; nothing where no gateway is up.
    pub fn connect(folders: &Folders) -> Result<Option<Self>, ClientError> {
        let Some(stream) = connect(&folders.runtime.join(PERSON_SOCKET))? else {
            return Ok(None);
        };
        let reader = BufReader::new(stream.try_clone().map_err(ClientError::Gone)?);
        Ok(Some(Self { stream, reader }))
    }

    /// An address with a one-time code.
    pub fn open(&mut self) -> Result<String, ClientError> {
        match self.ask(&PersonVerb::Open)? {
            PersonReply::Address { url } => Ok(url),
            other => Err(unexpected(other)),
        }
    }

    /// How the gateway stands.
    pub fn status(&mut self) -> Result<Status, ClientError> {
        match self.ask(&PersonVerb::Status)? {
            PersonReply::Status { status } => Ok(status),
            other => Err(unexpected(other)),
        }
    }

    /// The open asks, oldest first.
    pub fn asks(&mut self) -> Result<Vec<AskCard>, ClientError> {
        match self.ask(&PersonVerb::Asks)? {
            PersonReply::Asks { asks } => Ok(asks),
            other => Err(unexpected(other)),
        }
    }

    /// Answers an ask that this connection listed before.
    pub fn answer(
        &mut self,
        ask: AskId,
        answer: Answer,
        note: Option<String>,
    ) -> Result<AnswerResult, ClientError> {
        match self.ask(&PersonVerb::Answer { ask, answer, note })? {
            PersonReply::Answered { result } => Ok(result),
            other => Err(unexpected(other)),
        }
    }

    /// Ends the gateway, and waits until it let go.
    pub fn down(mut self) -> Result<(), ClientError> {
        match self.ask(&PersonVerb::Down)? {
            PersonReply::GoingDown => {
                // The connection closes when the gateway ends.
                let mut rest = Vec::new();
                let _ = std::io::Read::read_to_end(&mut self.reader, &mut rest);
                Ok(())
            }
            other => Err(unexpected(other)),
        }
    }

    fn ask(&mut self, verb: &PersonVerb) -> Result<PersonReply, ClientError> {
        send(&mut self.stream, verb)?;
        receive(&mut self.reader)
    }
}

fn unexpected(reply: PersonReply) -> ClientError {
    match reply {
        PersonReply::Refused { text, .. } => ClientError::Refused(text),
        other => ClientError::Unknown(format!("{other:?}")),
    }
}
