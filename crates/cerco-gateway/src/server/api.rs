//! The handlers of the people's door. Each is reached through `guard` only.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, middleware};
use serde::de::DeserializeOwned;

use super::guard::{self, Failure, cookies};
use super::{Gateway, assets, routes};
use crate::doors::MAX_BODY;
use crate::doors::secret::Secret;
use crate::hub::{Hub, HubError};
use crate::wire;

type Shared = State<Arc<Gateway>>;
type Answered<T> = Result<Json<T>, Failure>;

/// The whole door.
pub(super) fn router(gateway: &Arc<Gateway>) -> Router {
    let mut router = Router::new();
    for route in routes::routes() {
        router = router.route(route.path, route.handler);
    }
    router
        .fallback(asset)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(
            Arc::clone(gateway),
            guard::guard,
        ))
        .with_state(Arc::clone(gateway))
}

async fn asset(uri: Uri) -> Response {
    match assets::file(uri.path()) {
        Some((kind, content)) => ([(header::CONTENT_TYPE, kind)], content).into_response(),
        None => Failure::new(404, "not_found", "there is nothing here".to_owned()).into_response(),
    }
}

/// A JSON body of exactly the type that is wanted.
pub(super) struct Wanted<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Wanted<T> {
    type Rejection = Failure;
    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let bytes = Bytes::from_request(request, state).await.map_err(|_| {
            let text = format!("the body is longer than {MAX_BODY} bytes or was cut off");
            Failure::new(413, "too_long", text)
        })?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(|e| Failure::new(400, "wrong_json", crate::words::shown(&e.to_string())))
    }
}

/// Does what may wait for the disk on a thread of its own.
pub(super) async fn on_hub<T: Send + 'static>(
    gateway: &Arc<Gateway>,
    act: impl FnOnce(&Hub) -> Result<T, HubError> + Send + 'static,
) -> Result<T, Failure> {
    let hub = Arc::clone(&gateway.hub);
    let done = tokio::task::spawn_blocking(move || act(&hub)).await;
    match done {
        Ok(done) => Ok(done?),
        Err(error) => Err(Failure::new(500, "failed", error.to_string())),
    }
}

pub(super) async fn sign_in(
    State(gateway): Shared,
    Wanted(body): Wanted<wire::SignIn>,
) -> Result<Response, Failure> {
    let (signed, name) = {
        let mut sessions = gateway.sessions();
        let signed = sessions.sign_in(&body.code, Instant::now())?;
        (signed, sessions.cookie_name().to_owned())
    };
    let cookie = format!(
        "{name}={}; HttpOnly; SameSite=Strict; Path=/",
        signed.cookie.reveal()
    );
    let mut response = Json(page_key(&gateway, &signed.key).await?).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

pub(super) async fn sign_out(State(gateway): Shared, headers: HeaderMap) -> StatusCode {
    gateway.sessions().sign_out(&cookies(&headers));
    StatusCode::NO_CONTENT
}

pub(super) async fn new_page(
    State(gateway): Shared,
    headers: HeaderMap,
) -> Answered<wire::PageKey> {
    let key = gateway
        .sessions()
        .new_page(&cookies(&headers), Instant::now())?;
    Ok(Json(page_key(&gateway, &key).await?))
}

async fn page_key(gateway: &Arc<Gateway>, key: &Secret) -> Result<wire::PageKey, Failure> {
    Ok(wire::PageKey {
        key: key.reveal().to_owned(),
        state: snapshot(gateway).await?,
    })
}

async fn snapshot(gateway: &Arc<Gateway>) -> Result<wire::Snapshot, Failure> {
    let terminals = gateway.terminals.list();
    let shells = gateway.terminals.shell_names();
    on_hub(gateway, move |hub| hub.snapshot(terminals, shells)).await
}

pub(super) async fn state(State(gateway): Shared) -> Answered<wire::Snapshot> {
    Ok(Json(snapshot(&gateway).await?))
}

pub(super) async fn open_board(
    State(gateway): Shared,
    Wanted(body): Wanted<wire::OpenBoard>,
) -> Answered<wire::BoardId> {
    let open = move |hub: &Hub| hub.open_board(std::path::Path::new(&body.project));
    Ok(Json(on_hub(&gateway, open).await?))
}

pub(super) async fn create_loop(
    State(gateway): Shared,
    Path(board): Path<wire::BoardId>,
    Wanted(body): Wanted<wire::CreateLoop>,
) -> Answered<wire::LoopId> {
    Ok(Json(
        on_hub(&gateway, move |hub| hub.create_loop(&board, &body)).await?,
    ))
}

pub(super) async fn full_auto(
    State(gateway): Shared,
    Path(board): Path<wire::BoardId>,
    Wanted(body): Wanted<wire::SetFullAuto>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.set_full_auto(&board, &body)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn network(
    State(gateway): Shared,
    Path(board): Path<wire::BoardId>,
    Wanted(body): Wanted<wire::SetNetwork>,
) -> Result<StatusCode, Failure> {
    let choose = move |hub: &Hub| hub.choose(&board, |all| all.network = body.network);
    on_hub(&gateway, choose).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn hide_secrets(
    State(gateway): Shared,
    Path(board): Path<wire::BoardId>,
    Wanted(body): Wanted<wire::SetHideSecrets>,
) -> Result<StatusCode, Failure> {
    let choose = move |hub: &Hub| hub.choose(&board, |all| all.hide_secrets = body.hide_secrets);
    on_hub(&gateway, choose).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn revoke(
    State(gateway): Shared,
    Path((board, grant)): Path<(wire::BoardId, wire::GrantId)>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.revoke(&board, &grant)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn remove_loop(
    State(gateway): Shared,
    Path(id): Path<wire::LoopId>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.remove_loop(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn create_bubble(
    State(gateway): Shared,
    Path(id): Path<wire::LoopId>,
    Wanted(body): Wanted<wire::CreateBubble>,
) -> Answered<wire::BubbleId> {
    Ok(Json(
        on_hub(&gateway, move |hub| hub.create_bubble(&id, &body)).await?,
    ))
}

pub(super) async fn deny_all(
    State(gateway): Shared,
    Path(id): Path<wire::LoopId>,
    Wanted(body): Wanted<wire::DenyAllRequest>,
) -> Answered<usize> {
    let deny = move |hub: &Hub| hub.deny_all(&id, &body.window, body.note.as_deref());
    Ok(Json(on_hub(&gateway, deny).await?))
}

pub(super) async fn end_bubble(
    State(gateway): Shared,
    Path(id): Path<wire::BubbleId>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.end_bubble(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn answer(
    State(gateway): Shared,
    Path(ask): Path<wire::AskId>,
    Wanted(body): Wanted<wire::AnswerRequest>,
) -> Answered<wire::AnswerResult> {
    Ok(Json(
        on_hub(&gateway, move |hub| hub.answer(&ask, &body)).await?,
    ))
}

pub(super) async fn extend(
    State(gateway): Shared,
    Path(ask): Path<wire::AskId>,
    Wanted(body): Wanted<wire::ExtendRequest>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.extend(&ask, &body.window)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn ask_again(
    State(gateway): Shared,
    Path(ask): Path<wire::AskId>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.ask_again(&ask)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn settings(State(gateway): Shared) -> Json<wire::Settings> {
    Json(gateway.hub.settings())
}

pub(super) async fn set_settings(
    State(gateway): Shared,
    Wanted(body): Wanted<wire::SettingsChange>,
) -> Answered<wire::Settings> {
    Ok(Json(
        on_hub(&gateway, move |hub| hub.set_settings(&body)).await?,
    ))
}

pub(super) async fn rules(State(gateway): Shared) -> Answered<Vec<wire::RuleFile>> {
    Ok(Json(on_hub(&gateway, |hub| Ok(hub.custom_rules())).await?))
}

pub(super) async fn readiness(State(gateway): Shared) -> Answered<Vec<wire::Readiness>> {
    Ok(Json(
        on_hub(&gateway, |hub| Ok(hub.check_readiness())).await?,
    ))
}

pub(super) async fn self_test(State(gateway): Shared) -> Answered<wire::SelfTest> {
    Ok(Json(on_hub(&gateway, Hub::self_test).await?))
}

pub(super) async fn journal(
    State(gateway): Shared,
    Query(query): Query<wire::JournalQuery>,
) -> Answered<wire::JournalPage> {
    Ok(Json(on_hub(&gateway, move |hub| hub.search(&query)).await?))
}

pub(super) async fn export(State(gateway): Shared) -> Response {
    let (lines, reader) = tokio::sync::mpsc::channel::<Result<String, std::io::Error>>(64);
    let hub = Arc::clone(&gateway.hub);
    tokio::task::spawn_blocking(move || {
        let done = hub.export(|line| lines.blocking_send(Ok(format!("{line}\n"))).is_ok());
        if let Err(error) = done {
            // The transfer breaks off, so that half a journal can't pass for a whole one.
            let _ = lines.blocking_send(Err(std::io::Error::other(error.to_string())));
        }
    });
    let stream = futures_util::stream::unfold(reader, |mut reader| async move {
        reader.recv().await.map(|line| (line, reader))
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (kind, Body::from_stream(stream)).into_response()
}

pub(super) async fn entry(
    State(gateway): Shared,
    Path(id): Path<wire::EntryId>,
) -> Answered<wire::Entry> {
    Ok(Json(on_hub(&gateway, move |hub| hub.entry(&id)).await?))
}

pub(super) async fn output(
    State(gateway): Shared,
    Path(id): Path<wire::EntryId>,
    Query(query): Query<wire::OutputQuery>,
) -> Answered<wire::OutputRange> {
    Ok(Json(
        on_hub(&gateway, move |hub| hub.output_range(&id, &query)).await?,
    ))
}

pub(super) async fn cancel(
    State(gateway): Shared,
    Path(id): Path<wire::EntryId>,
) -> Result<StatusCode, Failure> {
    on_hub(&gateway, move |hub| hub.cancel(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
