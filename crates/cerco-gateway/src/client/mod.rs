//! The other end of the two socket doors, for the command line and for `cerco mcp`.
//!
//! Blocking and small. It holds no secret and decides nothing.

mod agent;
mod person;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use agent::{AgentClient, Canceller};
pub use person::PersonClient;

/// The longest line that is read from a gateway.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Why the gateway can't be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It went away, or the connection broke.
    #[error("the gateway went away ({0}); start it again with: cerco up")]
    Gone(io::Error),
    /// It said something unknown: another version.
    #[error("the gateway speaks another version ({0}); restart it: cerco down && cerco up")]
    Unknown(String),
    /// It refused, in its own words.
    #[error("{0}")]
    Refused(String),
}

/// A socket of a gateway that is up; nothing where none is.
fn connect(path: &Path) -> Result<Option<UnixStream>, ClientError> {
    match UnixStream::connect(path) {
        Ok(stream) => Ok(Some(stream)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(ClientError::Gone(error)),
    }
}

fn send(stream: &mut impl Write, value: &impl Serialize) -> Result<(), ClientError> {
    let mut line = serde_json::to_vec(value).map_err(|e| ClientError::Unknown(e.to_string()))?;
    line.push(b'\n');
    stream.write_all(&line).map_err(ClientError::Gone)
}

fn receive<T: DeserializeOwned>(reader: &mut BufReader<UnixStream>) -> Result<T, ClientError> {
    let mut line = Vec::new();
    let read = reader.take(MAX_LINE).read_until(b'\n', &mut line);
    if read.map_err(ClientError::Gone)? == 0 {
        return Err(ClientError::Gone(io::ErrorKind::UnexpectedEof.into()));
    }
    serde_json::from_slice(&line).map_err(|e| ClientError::Unknown(e.to_string()))
}
