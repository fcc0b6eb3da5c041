//! The agents' door: a Unix socket with few verbs. None of them answers, grants, sets or
//! opens anything; what does not exist can't be called.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cerco_model::SandboxState;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};

use super::Gateway;
use crate::engine::{Cancel, Environment};
use crate::hub::{BubbleRef, How, Joining, RunRequest, Say, output::base64};
use crate::wire::{AgentReply, AgentRequest, AgentVerb, AgentVia, Reply, SCHEMA_VERSION};

/// A command of 1 MiB, each byte escaped.
const MAX_LINE: u64 = 7 * 1024 * 1024;
/// At most so many agents at once, and requests of one at a time.
const MAX_AGENTS: usize = 1024;
const MAX_REQUESTS: usize = 256;

pub(super) async fn accept(gateway: Arc<Gateway>, listener: UnixListener) {
    let seats = Arc::new(Semaphore::new(MAX_AGENTS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(seat) = Arc::clone(&seats).try_acquire_owned() else {
            continue;
        };
        let gateway = Arc::clone(&gateway);
        tokio::spawn(async move {
            serve(gateway, stream).await;
            drop(seat);
        });
    }
}

/// The next line, without its end; nothing when there is none or it is too long.
pub(super) async fn line(reader: &mut (impl AsyncBufRead + Unpin)) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let read = reader.take(MAX_LINE).read_until(b'\n', &mut line).await;
    let complete = read.is_ok() && line.pop() == Some(b'\n');
    complete.then_some(line)
}

/// One agent's connection.
struct Agent {
    gateway: Arc<Gateway>,
    replies: mpsc::UnboundedSender<AgentReply>,
    /// What its commands' environment is made of, where it said so.
    environment: OnceLock<Arc<Environment>>,
    /// What runs or waits, to be cancelled by its request.
    open: Mutex<BTreeMap<u64, Cancel>>,
}

async fn serve(gateway: Arc<Gateway>, stream: UnixStream) {
    let Ok(peer) = stream.peer_cred() else { return };
    if peer.uid() != gateway.user {
        return;
    }
    let pid = peer.pid().and_then(|p| u32::try_from(p).ok());
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let (replies, mut to_send) = mpsc::unbounded_channel::<AgentReply>();
    let sending = tokio::spawn(async move {
        while let Some(reply) = to_send.recv().await {
            let Ok(mut line) = serde_json::to_vec(&reply) else {
                return;
            };
            line.push(b'\n');
            if writer.write_all(&line).await.is_err() {
                return;
            }
        }
    });
    let agent = Arc::new(Agent {
        gateway,
        replies,
        environment: OnceLock::new(),
        open: Mutex::default(),
    });
    if let Some(bubble) = agent.hello(&mut reader, pid).await {
        agent.serve(&mut reader, &bubble).await;
        agent.cancel_all();
        let leaving = Arc::clone(&agent);
        // It is gone; whether its bubble could be taken off is only for the windows.
        let _ = tokio::task::spawn_blocking(move || leaving.gateway.hub.leave(&bubble)).await;
    }
    drop(agent);
    // What is still to be said goes out before the connection closes.
    let _ = tokio::time::timeout(Duration::from_secs(5), sending).await;
}

impl Agent {
    fn say(&self, id: u64, reply: Reply) {
        // An agent that is gone hears nothing.
        let _ = self.replies.send(AgentReply { id, reply });
    }

    async fn hello(
        &self,
        reader: &mut (impl AsyncBufRead + Unpin),
        pid: Option<u32>,
    ) -> Option<BubbleRef> {
        let first = tokio::time::timeout(Duration::from_secs(5), line(reader)).await;
        let request: AgentRequest = serde_json::from_slice(&first.ok()??).ok()?;
        let AgentVerb::Hello {
            via,
            host,
            project,
            loop_folder,
            role,
            bubble,
            environment,
        } = request.verb
        else {
            let text = "say hello first".to_owned();
            self.say(request.id, Reply::Failed { text });
            return None;
        };
        if let Some(environment) = environment {
            let all = environment.into_iter();
            let all = all.map(|(name, value)| (name.into(), value.into()));
            self.environment.get_or_init(|| Arc::new(all.collect()));
        }
        let joining = Joining {
            project: project.into(),
            loop_folder,
            role,
            bubble,
            host,
        };
        let gateway = Arc::clone(&self.gateway);
        let joined = tokio::task::spawn_blocking(move || {
            if via != AgentVia::Run
                && let Some(pid) = pid
            {
                gateway.speakers.note_host(pid);
            }
            gateway.hub.join(&joining)
        });
        match joined.await {
            Ok(Ok((bubble, tools))) => {
                let schema_version = SCHEMA_VERSION;
                self.say(
                    request.id,
                    Reply::Welcome {
                        schema_version,
                        tools,
                        bubble: self.gateway.hub.bubble_name(&bubble).unwrap_or_default(),
                        page: self.gateway.page(),
                    },
                );
                Some(bubble)
            }
            Ok(Err(error)) => {
                let text = error.to_string();
                self.say(request.id, Reply::Failed { text });
                None
            }
            Err(_) => None,
        }
    }

    async fn serve(self: &Arc<Self>, reader: &mut (impl AsyncBufRead + Unpin), bubble: &BubbleRef) {
        let seats = Arc::new(Semaphore::new(MAX_REQUESTS));
        while let Some(line) = line(reader).await {
            let Ok(AgentRequest { id, verb }) = serde_json::from_slice(&line) else {
                let text = "this is no request that this door knows".to_owned();
                self.say(0, Reply::Failed { text });
                continue;
            };
            if let AgentVerb::Cancel { request } = verb {
                let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                let cancel = open.get(&request).cloned();
                drop(open);
                if let Some(cancel) = cancel {
                    // Stopping may take a moment; others go on meanwhile.
                    tokio::task::spawn_blocking(move || cancel.cancel());
                }
                continue;
            }
            let Ok(seat) = Arc::clone(&seats).try_acquire_owned() else {
                let text = format!("{MAX_REQUESTS} requests are open; wait for one to end");
                self.say(id, Reply::Failed { text });
                continue;
            };
            let (agent, bubble) = (Arc::clone(self), bubble.clone());
            if let AgentVerb::Run { .. } = verb {
                let cancel = Cancel::default();
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                open.insert(id, cancel.clone());
                drop(open);
                tokio::spawn(async move {
                    agent.run(id, verb, bubble, cancel).await;
                    drop(seat);
                });
            } else if matches!(verb, AgentVerb::Check { .. }) {
                tokio::spawn(async move {
                    let hub = Arc::clone(&agent.gateway.hub);
                    // A check that broke off says nothing: its agent hears no "allowed".
                    let _ = hub
                        .in_turn(move |_| agent.say(id, agent.at_once(verb, &bubble)))
                        .await;
                    drop(seat);
                });
            } else {
                tokio::task::spawn_blocking(move || {
                    let reply = agent.at_once(verb, &bubble);
                    agent.say(id, reply);
                    drop(seat);
                });
            }
        }
    }

    async fn run(self: &Arc<Self>, id: u64, verb: AgentVerb, bubble: BubbleRef, cancel: Cancel) {
        let AgentVerb::Run {
            command,
            folder,
            input,
            seconds,
            sandbox,
        } = verb
        else {
            return;
        };
        let request = RunRequest {
            command,
            how: self.how(folder, sandbox),
            input: input.map(String::into_bytes),
            limit: seconds.map(|s| Duration::from_secs(s.into())),
        };
        let teller = Arc::clone(self);
        let say: Say = Arc::new(move |reply| teller.say(id, reply));
        let page = self.gateway.page();
        let hub = &self.gateway.hub;
        let reply = hub.run(bubble.clone(), request, say, cancel, &page).await;
        self.say(id, hub.with_invitations(&bubble, reply));
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&id);
    }

    fn at_once(&self, verb: AgentVerb, bubble: &BubbleRef) -> Reply {
        let hub = &self.gateway.hub;
        let failed = |text: String| Reply::Failed { text };
        match verb {
            AgentVerb::Check {
                command,
                folder,
                sandbox,
            } => match hub.check(bubble, &command, &self.how(folder, sandbox)) {
                Ok(judged) => Reply::Judged {
                    judged: Box::new(judged),
                },
                Err(error) => failed(error.to_string()),
            },
            AgentVerb::Output {
                entry,
                stream,
                from,
                length,
            } => {
                if !hub.belongs(bubble, &entry) {
                    return failed("this loop has no such entry".to_owned());
                }
                match hub.output(&entry, stream, from, length.min(256 * 1024)) {
                    Ok((bytes, total)) => Reply::Range {
                        base64: base64(&bytes),
                        total,
                    },
                    Err(error) => failed(error.to_string()),
                }
            }
            AgentVerb::Asks => Reply::Asks {
                asks: hub.asks_of(bubble),
            },
            AgentVerb::Say { text } => match hub.say(bubble, &text) {
                Ok(()) => Reply::Said,
                Err(error) => failed(error.to_string()),
            },
            AgentVerb::Hello { .. } | AgentVerb::Run { .. } | AgentVerb::Cancel { .. } => {
                failed("hello is said once, first".to_owned())
            }
        }
    }

    fn how(&self, folder: Option<String>, sandbox: bool) -> How {
        How {
            folder,
            sandbox: if sandbox {
                SandboxState::On
            } else {
                SandboxState::Off
            },
            environment: self.environment.get().cloned(),
        }
    }

    fn cancel_all(&self) {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        for cancel in open.into_values() {
            tokio::task::spawn_blocking(move || cancel.cancel());
        }
    }
}
