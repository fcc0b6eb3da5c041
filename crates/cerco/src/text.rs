//! The command's bytes, from the arguments or from standard input.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};

use cerco_gateway::quoting::join;
use cerco_model::MAX_COMMAND_BYTES;

use crate::cli::TextArgs;
use crate::failure::Failure;

/// More than this is not even counted.
const MOST: u64 = 64 << 20;

/// The command's bytes, whatever they are: judging refuses what can't be read.
pub(crate) fn bytes(args: &TextArgs, verb: &str) -> Result<Vec<u8>, Failure> {
    if args.stdin {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .take(MOST)
            .read_to_end(&mut bytes)
            .map_err(|e| Failure::own(format!("standard input can't be read: {e}")))?;
        return Ok(bytes);
    }
    match args.command.as_slice() {
        [] => Err(Failure::usage(format!(
            "which command? Write it after `--`: cerco {verb} -- 'npm test'"
        ))),
        [text] => Ok(as_bytes(text)),
        words => {
            let texts: Option<Vec<String>> = words
                .iter()
                .map(|w| w.to_str().map(str::to_owned))
                .collect();
            // Words that are no text can't be quoted; the bytes as they are get refused.
            Ok(texts.map_or_else(|| joined(words), |texts| join(&texts).into_bytes()))
        }
    }
}

fn joined(words: &[OsString]) -> Vec<u8> {
    words.join(OsStr::new(" ")).as_encoded_bytes().to_vec()
}

fn as_bytes(text: &OsStr) -> Vec<u8> {
    text.as_encoded_bytes().to_vec()
}

/// The bytes as a log keeps them: readable, and not endless.
pub(crate) fn for_the_log(bytes: &[u8]) -> String {
    let start = bytes.get(..bytes.len().min(MAX_COMMAND_BYTES / 256));
    let mut text = String::from_utf8_lossy(start.unwrap_or_default()).replace('\0', "␀");
    if bytes.len() > MAX_COMMAND_BYTES / 256 {
        text.push('…');
    }
    text
}
