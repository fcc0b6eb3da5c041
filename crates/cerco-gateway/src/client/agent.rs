//! An agent's connection.

use std::io::BufReader;
use std::os::unix::net::UnixStream;

use base64::Engine as _;

use super::{ClientError, connect, receive, send};
use crate::folders::Folders;
use crate::server::AGENT_SOCKET;
use crate::wire::{AgentReply, AgentRequest, AgentVerb, EntryId, Reply, Stream, Tool};

/// How much is read at once of kept output.
const RANGE: u64 = 256 * 1024;

/// A bubble's connection to the gateway.
#[derive(Debug)]
pub struct AgentClient {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
    tools: Vec<Tool>,
    bubble: String,
    page: String,
    next: u64,
}

/// Cancels the request that runs, from another thread.
#[derive(Debug)]
pub struct Canceller {
    stream: UnixStream,
    request: u64,
}

impl Canceller {
    /// Takes a waiting ask back, or stops the run.
    pub fn cancel(&mut self) -> Result<(), ClientError> {
        let verb = AgentVerb::Cancel {
            request: self.request,
        };
        send(&mut self.stream, &AgentRequest { id: 0, verb })
    }
}

impl AgentClient {
    /// Connects and says hello; nothing where no gateway is up. `hello` has to be
    /// [`AgentVerb::Hello`].
    pub fn connect(folders: &Folders, hello: AgentVerb) -> Result<Option<Self>, ClientError> {
        let Some(stream) = connect(&folders.runtime.join(AGENT_SOCKET))? else {
            return Ok(None);
        };
        let reader = BufReader::new(stream.try_clone().map_err(ClientError::Gone)?);
        let mut client = Self {
            stream,
            reader,
            tools: Vec::new(),
            bubble: String::new(),
            page: String::new(),
            next: 0,
        };
        match client.ask(hello)? {
            Reply::Welcome {
                tools,
                bubble,
                page,
                ..
            } => {
                client.tools = tools;
                client.bubble = bubble;
                client.page = page;
                Ok(Some(client))
            }
            Reply::Failed { text } => Err(ClientError::Refused(text)),
            other => Err(ClientError::Unknown(format!("{other:?}"))),
        }
    }

    /// The tools of its bubble's role.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Its bubble's name: another connection of the same agent joins by it.
    #[must_use]
    pub fn bubble(&self) -> &str {
        &self.bubble
    }

    /// The page's address, without any secret.
    #[must_use]
    pub fn page(&self) -> &str {
        &self.page
    }

    /// Asks for something with one answer: a check, the bubble's asks, a range of output.
    pub fn ask(&mut self, verb: AgentVerb) -> Result<Reply, ClientError> {
        let id = self.send(verb)?;
        self.reply(id)
    }

    /// What cancels the next request that is sent.
    pub fn canceller(&self) -> Result<Canceller, ClientError> {
        Ok(Canceller {
            stream: self.stream.try_clone().map_err(ClientError::Gone)?,
            request: self.next + 1,
        })
    }

    /// Runs a command. `hear` gets everything before the last word; output that was too
    /// much to be sent as it came is fetched before the last word is given back.
    pub fn run(
        &mut self,
        run: AgentVerb,
        hear: &mut dyn FnMut(&Reply),
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Reply, ClientError> {
        let id = self.send(run)?;
        let mut seen = [0u64; 2];
        loop {
            let reply = self.reply(id)?;
            match &reply {
                Reply::Output { stream, base64 } => {
                    let bytes = decoded(base64)?;
                    if let Some(seen) = seen.get_mut(usize::from(*stream == Stream::Stderr)) {
                        *seen += bytes.len() as u64;
                    }
                    output(*stream, &bytes);
                }
                Reply::Waiting { .. } | Reply::Started { .. } => hear(&reply),
                Reply::Ended { entry, .. } => {
                    let [stdout, stderr] = seen;
                    self.rest(entry, Stream::Stdout, stdout, output)?;
                    self.rest(entry, Stream::Stderr, stderr, output)?;
                    return Ok(reply);
                }
                _ => return Ok(reply),
            }
        }
    }

    /// Kept output from `from` on.
    fn rest(
        &mut self,
        entry: &EntryId,
        stream: Stream,
        mut from: u64,
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<(), ClientError> {
        loop {
            let reply = self.ask(AgentVerb::Output {
                entry: entry.clone(),
                stream,
                from,
                length: RANGE,
            })?;
            let Reply::Range { base64, .. } = reply else {
                return Ok(());
            };
            let bytes = decoded(&base64)?;
            if bytes.is_empty() {
                return Ok(());
            }
            from += bytes.len() as u64;
            output(stream, &bytes);
        }
    }

    fn send(&mut self, verb: AgentVerb) -> Result<u64, ClientError> {
        self.next += 1;
        let id = self.next;
        send(&mut self.stream, &AgentRequest { id, verb })?;
        Ok(id)
    }

    /// The next reply to this request; those to cancelled ones before it are passed over.
    fn reply(&mut self, id: u64) -> Result<Reply, ClientError> {
        loop {
            let reply: AgentReply = receive(&mut self.reader)?;
            if reply.id == id {
                return Ok(reply.reply);
            }
        }
    }
}

fn decoded(text: &str) -> Result<Vec<u8>, ClientError> {
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .map_err(|e| ClientError::Unknown(e.to_string()))
}
