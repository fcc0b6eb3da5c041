//! A long-lived agent in the gateway that is up: one bubble as long as it lasts, and a host
//! that the gateway knows, so that nothing below it is taken for a person.
//!
//! The runs it starts join that bubble by name. It must never answer anything.

use std::sync::{Mutex, PoisonError};

use cerco_gateway::client::AgentClient;
use cerco_gateway::folders::Folders;
use cerco_gateway::wire::{AgentVerb, Reply};

/// The variable that tells a run which bubble it belongs to.
pub const BUBBLE: &str = "CERCO_BUBBLE";
/// The variable that tells a run which host it works for.
pub const HOST: &str = "CERCO_HOST";

/// The agent's place in the gateway.
#[derive(Debug)]
pub struct Presence {
    folders: Folders,
    hello: AgentVerb,
    host: String,
    client: Mutex<Option<AgentClient>>,
}

/// What a run is told of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The bubble's name.
    pub bubble: String,
    /// The host's.
    pub host: String,
    /// The page's address.
    pub page: String,
}

impl Presence {
    /// Not there yet. `hello` has to be [`AgentVerb::Hello`].
    #[must_use]
    pub fn new(folders: Folders, hello: AgentVerb, host: String) -> Self {
        Self {
            folders,
            hello,
            host,
            client: Mutex::default(),
        }
    }

    /// Sends what the agent said to the board's log. Without a gateway there is no board.
    pub fn say(&self, text: &str) -> Result<(), String> {
        if self.place()?.is_none() {
            return Err("no gateway is up, so there is no page to say it on".to_owned());
        }
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let client = client.as_mut().ok_or("the gateway went away")?;
        let text = text.to_owned();
        match client
            .ask(AgentVerb::Say { text })
            .map_err(|e| e.to_string())?
        {
            Reply::Said => Ok(()),
            Reply::Failed { text } => Err(text),
            other => Err(format!("the gateway said something else: {other:?}")),
        }
    }

    /// Its place; nothing where no gateway is up. A gateway that went away and came back
    /// is joined anew.
    pub fn place(&self) -> Result<Option<Place>, String> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let lives = client.as_mut().is_some_and(|client| {
            let answer = client.ask(AgentVerb::Asks);
            matches!(answer, Ok(Reply::Asks { .. }))
        });
        if !lives {
            let joined = AgentClient::connect(&self.folders, self.hello.clone());
            *client = joined.map_err(|e| e.to_string())?;
        }
        Ok(client.as_ref().map(|client| Place {
            bubble: client.bubble().to_owned(),
            host: self.host.clone(),
            page: client.page().to_owned(),
        }))
    }
}
