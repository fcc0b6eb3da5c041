//! The protocol side: listing, calling, progress, cancelling. rmcp speaks both live
//! revisions; only standard input and output are ever opened, never a port.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cerco_gateway::file_calls::{FileCall, FileRefusal};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use super::history::History;
use super::results::{done, failed, refused, run_result};
use super::tools::{ROWS, Row};
use super::{Backend, Stop};

/// How often a waiting caller hears of us.
const PROGRESS: Duration = Duration::from_secs(5);

const INSTRUCTIONS: &str = "Cerco runs commands for this loop and keeps to its folder. \
Every command is read before it runs: some are refused with the reason and what to do instead, some wait for a person. \
Paths are relative to the loop's folder.";

/// Why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client didn't speak MCP.
    #[error(
        "the client and this server didn't come to terms: {0}; start `cerco mcp` from an MCP host"
    )]
    Start(String),
    /// The runtime can't be made, or the server's task failed.
    #[error("the server can't go on: {0}")]
    Broken(String),
}

/// Serves one client on standard input and output until it goes away. What still runs then
/// is stopped before this returns.
pub fn serve(backend: Arc<dyn Backend>) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| ServeError::Broken(e.to_string()))?;
    let running = Arc::new(Mutex::new(Vec::new()));
    let server = Server {
        backend,
        history: Arc::default(),
        running: running.clone(),
    };
    let result = runtime.block_on(async {
        let service = server
            .serve(rmcp::transport::stdio())
            .await
            .map_err(|e| ServeError::Start(e.to_string()))?;
        service
            .waiting()
            .await
            .map_err(|e| ServeError::Broken(e.to_string()))
    });
    for stop in running
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
    {
        Stop::stop(stop);
    }
    // Dropping the runtime waits for the blocking calls, so no command outlives the server.
    drop(runtime);
    result.map(|_| ())
}

struct Server {
    backend: Arc<dyn Backend>,
    history: Arc<Mutex<History>>,
    running: Arc<Mutex<Vec<Stop>>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cerco", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.backend.role().tools();
        let listed: Vec<Tool> = ROWS
            .iter()
            .filter(|row| tools.has(row.needs))
            .map(Row::tool)
            .collect();
        Ok(ListToolsResult::with_all_items(listed))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = Row::find(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`", request.name),
                None,
            ));
        };
        let role = self.backend.role();
        if !role.tools().has(row.needs) {
            let (backend, name) = (self.backend.clone(), row.name);
            blocking(move || backend.lacked(name)).await?.map_err(|e| {
                ErrorData::internal_error(format!("the journal can't be written: {e}"), None)
            })?;
            return Ok(refused(&FileRefusal {
                code: "tools".into(),
                reason: format!(
                    "the role {} lacks the tool {}, which {} needs",
                    role.name().0,
                    row.needs,
                    row.name
                ),
                remedy: "leave this to a bubble of another role, or ask the person for one".into(),
            }));
        }
        let arguments = request.arguments.unwrap_or_default();
        Ok(match row.name {
            "check_command" => self.check(arguments).await?,
            "run_command" => self.run(arguments, context).await?,
            "read_output" => self.output(&arguments),
            "list_asks_mine" => done(self.history().asks()),
            "say" => self.say(arguments).await?,
            name => self.file(name, arguments).await?,
        })
    }
}

impl Server {
    async fn check(&self, arguments: JsonObject) -> Result<CallToolResponse, ErrorData> {
        let (command, folder) = match command_of(&arguments) {
            Ok(both) => both,
            Err(refusal) => return Ok(refused(&refusal)),
        };
        let backend = self.backend.clone();
        let answer = blocking(move || backend.check(&command, folder.as_deref())).await?;
        Ok(match answer {
            Ok(answer) => done(Value::Object(answer)),
            Err(why) => failed(&why),
        })
    }

    async fn say(&self, arguments: JsonObject) -> Result<CallToolResponse, ErrorData> {
        let text = arguments.get("text").and_then(Value::as_str);
        let (Some(text), 1) = (text.map(str::to_owned), arguments.len()) else {
            return Ok(refused(&FileRefusal {
                code: "arguments".into(),
                reason: "`text` is missing, no text, or not alone".into(),
                remedy: "give `text` and nothing else".into(),
            }));
        };
        let backend = self.backend.clone();
        Ok(match blocking(move || backend.say(&text)).await? {
            Ok(()) => done(json!({ "shown": true })),
            Err(why) => refused(&FileRefusal {
                code: "failed".into(),
                reason: why,
                remedy: "go on without it; the page shows less then, nothing else changes".into(),
            }),
        })
    }

    async fn run(
        &self,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (command, folder) = match command_of(&arguments) {
            Ok(both) => both,
            Err(refusal) => return Ok(refused(&refusal)),
        };
        let stop = Stop::default();
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(stop.clone());
        let phase = Arc::new(Mutex::new("being read".to_owned()));
        let job = Job {
            backend: self.backend.clone(),
            history: self.history.clone(),
            phase: phase.clone(),
            stop: stop.clone(),
        };
        let mut work =
            tokio::task::spawn_blocking(move || job.carry_out(&command, folder.as_deref()));
        let began = Instant::now();
        let mut tick = tokio::time::interval_at(tokio::time::Instant::now() + PROGRESS, PROGRESS);
        let answer = loop {
            tokio::select! {
                answer = &mut work => break answer,
                () = context.ct.cancelled(), if !stop.is_stopped() => stop.stop(),
                _ = tick.tick() => {
                    let phase = phase.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    progress(&context, &phase, began.elapsed()).await;
                }
            }
        };
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|other| !other.is_same(&stop));
        match answer {
            Ok(Ok(answer)) => Ok(run_result(answer)),
            Ok(Err(why)) => Ok(failed(&why)),
            Err(e) => Err(ErrorData::internal_error(
                format!("the call broke: {e}"),
                None,
            )),
        }
    }

    fn output(&self, arguments: &JsonObject) -> CallToolResponse {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
        let found = text("entry_id").and_then(|entry| {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            self.history()
                .output(entry, text("stream").unwrap_or("stdout"), offset)
        });
        match found {
            Some(piece) => done(piece),
            None => refused(&FileRefusal {
                code: "missing".into(),
                reason: "no output of that entry and stream is kept in this session".into(),
                remedy: "give the entry_id of a recent run_command, and stdout or stderr".into(),
            }),
        }
    }

    async fn file(
        &self,
        name: &'static str,
        arguments: JsonObject,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = match FileCall::parse(name, &Value::Object(arguments)) {
            Some(Ok(call)) => call,
            Some(Err(refusal)) => return Ok(refused(&refusal)),
            None => {
                return Err(ErrorData::invalid_params(
                    format!("there is no tool `{name}`"),
                    None,
                ));
            }
        };
        let backend = self.backend.clone();
        Ok(match blocking(move || backend.file(&call)).await? {
            Ok(answer) => done(answer),
            Err(refusal) => refused(&refusal),
        })
    }

    fn history(&self) -> std::sync::MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One run, on a thread that may block.
struct Job {
    backend: Arc<dyn Backend>,
    history: Arc<Mutex<History>>,
    phase: Arc<Mutex<String>>,
    stop: Stop,
}

impl Job {
    fn carry_out(&self, command: &str, folder: Option<&str>) -> Result<Map<String, Value>, String> {
        let history = || self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = self.backend.check(command, folder)?;
        let asked = checked.get("verdict").and_then(Value::as_str) == Some("asked");
        let ask = asked.then(|| history().asked(command));
        let page = asked.then(|| self.backend.page()).flatten();
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = match (asked, page) {
            (false, _) => "running".to_owned(),
            (true, None) => "waiting for a person to answer, or running since".to_owned(),
            (true, Some(page)) => {
                format!("waiting for a person to answer at {page}, or running since")
            }
        };
        if self.stop.is_stopped() {
            return Err("cancelled before it started".into());
        }
        let result = self.backend.run(command, folder, &self.stop);
        if let Some(number) = ask {
            history().settled(number, result.as_ref().ok());
        }
        let mut answer = result?;
        history().keep(&mut answer);
        Ok(answer)
    }
}

/// Tells the caller that we are at it, where it wants to know. The values grow, as they must.
async fn progress(context: &RequestContext<RoleServer>, phase: &str, elapsed: Duration) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    let message = format!("{phase}: {} s", elapsed.as_secs());
    let note = ProgressNotificationParam::new(token, elapsed.as_secs_f64()).with_message(message);
    // A client that went away ends the call by itself.
    let _ = context.peer.notify_progress(note).await;
}

fn command_of(arguments: &JsonObject) -> Result<(String, Option<String>), FileRefusal> {
    let wrong = |reason: &str| FileRefusal {
        code: "arguments".into(),
        reason: reason.into(),
        remedy: "give `command`, and `folder` if it isn't to run in the loop's own".into(),
    };
    if let Some(other) = arguments
        .keys()
        .find(|key| !matches!(key.as_str(), "command" | "folder"))
    {
        return Err(wrong(&format!("there is no argument `{other}`")));
    }
    let Some(command) = arguments.get("command").and_then(Value::as_str) else {
        return Err(wrong("`command` is missing or no text"));
    };
    match arguments.get("folder") {
        None | Some(Value::Null) => Ok((command.to_owned(), None)),
        Some(Value::String(folder)) => Ok((command.to_owned(), Some(folder.clone()))),
        Some(_) => Err(wrong("`folder` is no text")),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|e| ErrorData::internal_error(format!("the call broke: {e}"), None))
}
