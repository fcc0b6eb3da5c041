//! One table of routes: the router and the API description are both made from it, so they
//! can't say different things.

use std::sync::Arc;

use axum::routing::{MethodRouter, delete, get, post, put};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::{Gateway, api, docker, events, terminal};
use crate::wire;

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One route.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) about: &'static str,
    /// What the body has to be.
    pub(super) body: Option<SchemaOf>,
    /// What comes back.
    pub(super) reply: Option<SchemaOf>,
    pub(super) handler: MethodRouter<Arc<Gateway>>,
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the table reads better with one form for what is there"
)]
fn of<T: JsonSchema>() -> Option<SchemaOf> {
    Some(SchemaGenerator::subschema_for::<T>)
}

/// Every route under `/api/`.
#[expect(clippy::too_many_lines, reason = "one row a route")]
pub(super) fn routes() -> Vec<Route> {
    let route = |method, path, about, body, reply, handler| Route {
        method,
        path,
        about,
        body,
        reply,
        handler,
    };
    vec![
        route(
            "get",
            "/api/openapi.json",
            "This description.",
            None,
            None,
            get(super::openapi::serve),
        ),
        route(
            "post",
            "/api/session",
            "Sign in with a one-time code; sets the cookie.",
            of::<wire::SignIn>(),
            of::<wire::PageKey>(),
            post(api::sign_in),
        ),
        route(
            "delete",
            "/api/session",
            "Sign out.",
            None,
            None,
            delete(api::sign_out),
        ),
        route(
            "post",
            "/api/page",
            "A key for a page that was loaded again.",
            None,
            of::<wire::PageKey>(),
            post(api::new_page),
        ),
        route(
            "get",
            "/api/state",
            "All a page needs to draw itself.",
            None,
            of::<wire::Snapshot>(),
            get(api::state),
        ),
        route(
            "get",
            "/api/events",
            "WebSocket: live events; the first message is `hello`.",
            of::<wire::WindowMessage>(),
            of::<wire::Numbered>(),
            get(events::upgrade),
        ),
        route(
            "post",
            "/api/boards",
            "Open the board of a known project.",
            of::<wire::OpenBoard>(),
            of::<wire::BoardId>(),
            post(api::open_board),
        ),
        route(
            "post",
            "/api/boards/{board}/loops",
            "Make a loop in a folder of the project.",
            of::<wire::CreateLoop>(),
            of::<wire::LoopId>(),
            post(api::create_loop),
        ),
        route(
            "put",
            "/api/boards/{board}/full-auto",
            "Switch Full Auto; on needs the board's name, typed.",
            of::<wire::SetFullAuto>(),
            None,
            put(api::full_auto),
        ),
        route(
            "put",
            "/api/boards/{board}/network",
            "Set the network of a board's commands in the sandbox.",
            of::<wire::SetNetwork>(),
            None,
            put(api::network),
        ),
        route(
            "put",
            "/api/boards/{board}/hide-secrets",
            "Hide the project's secret-looking files from a board's commands in the sandbox.",
            of::<wire::SetHideSecrets>(),
            None,
            put(api::hide_secrets),
        ),
        route(
            "delete",
            "/api/boards/{board}/grants/{grant}",
            "Revoke a grant.",
            None,
            None,
            delete(api::revoke),
        ),
        route(
            "delete",
            "/api/loops/{loop}",
            "Remove a loop; its files stay.",
            None,
            None,
            delete(api::remove_loop),
        ),
        route(
            "post",
            "/api/loops/{loop}/bubbles",
            "Make a bubble, with a role or tools of its own.",
            of::<wire::CreateBubble>(),
            of::<wire::BubbleId>(),
            post(api::create_bubble),
        ),
        route(
            "post",
            "/api/loops/{loop}/deny-all",
            "Deny every open ask of a loop.",
            of::<wire::DenyAllRequest>(),
            of::<u32>(),
            post(api::deny_all),
        ),
        route(
            "delete",
            "/api/bubbles/{bubble}",
            "End a bubble: its asks are withdrawn, its runs stopped.",
            None,
            None,
            delete(api::end_bubble),
        ),
        route(
            "post",
            "/api/asks/{ask}/answer",
            "Answer an ask. The first answer counts.",
            of::<wire::AnswerRequest>(),
            of::<wire::AnswerResult>(),
            post(api::answer),
        ),
        route(
            "post",
            "/api/asks/{ask}/extend",
            "Two more minutes.",
            of::<wire::ExtendRequest>(),
            None,
            post(api::extend),
        ),
        route(
            "post",
            "/api/asks/{ask}/again",
            "Tell the bubble of a settled ask that a person would be asked once more. Allows nothing.",
            None,
            None,
            post(api::ask_again),
        ),
        route(
            "get",
            "/api/settings",
            "The settings.",
            None,
            of::<wire::Settings>(),
            get(api::settings),
        ),
        route(
            "put",
            "/api/settings",
            "Change the settings.",
            of::<wire::Settings>(),
            of::<wire::Settings>(),
            put(api::set_settings),
        ),
        route(
            "get",
            "/api/rules",
            "The custom rules that count, with their files and errors.",
            None,
            of::<Vec<wire::RuleFile>>(),
            get(api::rules),
        ),
        route(
            "post",
            "/api/readiness",
            "Look at every backend again.",
            None,
            of::<Vec<wire::Readiness>>(),
            post(api::readiness),
        ),
        route(
            "post",
            "/api/self-test",
            "Try to get out of the sandbox, and say what holds. Takes seconds.",
            None,
            of::<wire::SelfTest>(),
            post(api::self_test),
        ),
        route(
            "get",
            "/api/docker/image",
            "How the image of the Docker backend stands. May take seconds.",
            None,
            of::<wire::DockerImage>(),
            get(docker::look),
        ),
        route(
            "post",
            "/api/docker/image/measure",
            "What a download of it would be, for the dialog that has to state it.",
            None,
            of::<wire::ImageSize>(),
            post(docker::measure),
        ),
        route(
            "post",
            "/api/docker/image/download",
            "Download exactly what was measured; progress comes as events.",
            of::<wire::DownloadImage>(),
            None,
            post(docker::download),
        ),
        route(
            "delete",
            "/api/docker/image/download",
            "Stop the download.",
            None,
            None,
            delete(docker::cancel),
        ),
        route(
            "get",
            "/api/journal",
            "Search the journal, newest first.",
            None,
            of::<wire::JournalPage>(),
            get(api::journal),
        ),
        route(
            "get",
            "/api/journal/export",
            "Every entry as JSON lines, oldest first.",
            None,
            None,
            get(api::export),
        ),
        route(
            "get",
            "/api/entries/{entry}",
            "One entry.",
            None,
            of::<wire::Entry>(),
            get(api::entry),
        ),
        route(
            "get",
            "/api/entries/{entry}/output",
            "A range of a run's kept output, cleaned.",
            None,
            of::<wire::OutputRange>(),
            get(api::output),
        ),
        route(
            "post",
            "/api/entries/{entry}/cancel",
            "Stop a run: its whole tree.",
            None,
            None,
            post(api::cancel),
        ),
        route(
            "get",
            "/api/terminals",
            "The person's terminals.",
            None,
            of::<Vec<wire::Terminal>>(),
            get(terminal::list),
        ),
        route(
            "post",
            "/api/terminals",
            "Open a terminal.",
            of::<wire::OpenTerminal>(),
            of::<wire::TerminalId>(),
            post(terminal::open),
        ),
        route(
            "delete",
            "/api/terminals/{terminal}",
            "Close a terminal.",
            None,
            None,
            delete(terminal::close),
        ),
        route(
            "get",
            "/api/terminals/{terminal}/io",
            "WebSocket: keys in, output out; the first message is `hello`.",
            of::<wire::TerminalMessage>(),
            of::<wire::TerminalEvent>(),
            get(terminal::upgrade),
        ),
        route(
            "post",
            "/api/terminals/{terminal}/insert",
            "Put an entry's command, or code that a bubble said, on the input line. Nothing runs.",
            of::<wire::InsertRequest>(),
            of::<wire::InsertResult>(),
            post(terminal::insert),
        ),
    ]
}
