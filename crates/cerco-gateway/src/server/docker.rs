//! The Docker image at the people's door: looked at, measured, downloaded, stopped.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::Gateway;
use super::api::{Wanted, on_hub};
use super::guard::Failure;
use crate::wire::{DockerImage, DownloadImage, Event, ImageSize};

pub(super) async fn look(
    State(gateway): State<Arc<Gateway>>,
) -> Result<Json<DockerImage>, Failure> {
    let images = Arc::clone(&gateway.images);
    Ok(Json(on_hub(&gateway, move |_| Ok(images.look())).await?))
}

pub(super) async fn measure(
    State(gateway): State<Arc<Gateway>>,
) -> Result<Json<ImageSize>, Failure> {
    let images = Arc::clone(&gateway.images);
    Ok(Json(on_hub(&gateway, move |_| images.measure()).await?))
}

pub(super) async fn download(
    State(gateway): State<Arc<Gateway>>,
    Wanted(body): Wanted<DownloadImage>,
) -> Result<StatusCode, Failure> {
    let images = Arc::clone(&gateway.images);
    let hub = Arc::clone(&gateway.hub);
    let tell = move |image: DockerImage| hub.tell(&Event::DockerImageChanged { image });
    on_hub(&gateway, move |_| images.download(&body.digest, tell)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn cancel(State(gateway): State<Arc<Gateway>>) -> StatusCode {
    gateway.images.cancel();
    StatusCode::NO_CONTENT
}
