//! The one way into the HTTP door: every request passes here, in this order, whatever its
//! route. A route can't be added beside it.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use super::{Gateway, Peer};
use crate::doors::{self, HEADERS, PAGE_KEY_HEADER, Refused};
use crate::hub::HubError;
use crate::wire::Problem;

/// Any refusal or failure, as it goes out.
#[derive(Debug)]
pub(super) struct Failure {
    status: u16,
    problem: Problem,
}

impl Failure {
    pub(super) fn new(status: u16, id: &str, text: String) -> Self {
        Self {
            status,
            problem: Problem {
                id: id.to_owned(),
                text,
            },
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let (id, status) = refused.id_and_status();
        Self::new(status, id, refused.to_string())
    }
}

impl From<HubError> for Failure {
    fn from(error: HubError) -> Self {
        let (id, status) = error.id_and_status();
        Self::new(status, id, crate::words::shown(&error.to_string()))
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::FORBIDDEN);
        (status, Json(self.problem)).into_response()
    }
}

/// What a route asks of a request before its handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// Nothing: the page's own files, signing in, the description.
    Nothing,
    /// The cookie; the page's key comes later (a WebSocket says it in its first message).
    Cookie,
    /// Cookie and page key.
    Both,
}

fn needs(path: &str, upgrade: bool) -> Needs {
    match path {
        "/api/session" | "/api/openapi.json" => Needs::Nothing,
        "/api/page" => Needs::Cookie,
        _ if !path.starts_with("/api/") => Needs::Nothing,
        _ if upgrade => Needs::Cookie,
        _ => Needs::Both,
    }
}

/// Lets a request through to its handler, or not.
pub(super) async fn guard(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let headers = request.headers().clone();
    let mut response = match check(&gateway, &peer, &method, &uri, &headers).await {
        Ok(()) => next.run(request).await,
        Err(refused) => Failure::from(refused).into_response(),
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn check(
    gateway: &Arc<Gateway>,
    peer: &Peer,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Refused> {
    doors::request::check(&gateway.address, method, uri, headers)?;
    let upgrade = headers.contains_key(header::UPGRADE);
    let changes = *method != Method::GET && *method != Method::HEAD;
    if changes || upgrade {
        check_speaker(gateway, peer).await?;
    }
    let cookies = cookies(headers);
    let now = Instant::now();
    match needs(uri.path(), upgrade) {
        Needs::Nothing => return Ok(()),
        Needs::Cookie => gateway.sessions().check_cookie(&cookies, now)?,
        Needs::Both => {
            let key = headers.get(PAGE_KEY_HEADER).and_then(|v| v.to_str().ok());
            let key = key.unwrap_or_default();
            gateway.sessions().check(&cookies, key, now)?;
        }
    }
    peer.seat.signed_in();
    Ok(())
}

/// Looks into `/proc`, so not on a thread that others wait for.
async fn check_speaker(gateway: &Arc<Gateway>, peer: &Peer) -> Result<(), Refused> {
    let (gateway, near, far) = (Arc::clone(gateway), peer.near, peer.far);
    let looked = tokio::task::spawn_blocking(move || {
        let terminals = gateway.terminals.shell_processes();
        let found = gateway
            .speakers
            .check_tcp(near, far, gateway.user, &terminals);
        if let Err(refused @ (Refused::Agent(_) | Refused::LeftBehind(_))) = &found {
            gateway.hub.alarm(&refused.to_string());
        }
        found
    });
    looked.await.unwrap_or(Err(Refused::UnknownSpeaker))
}

/// All cookies of a request, as one header.
pub(super) fn cookies(headers: &HeaderMap) -> String {
    let all = headers.get_all(header::COOKIE).iter();
    let all: Vec<&str> = all.filter_map(|v| v.to_str().ok()).collect();
    all.join("; ")
}
