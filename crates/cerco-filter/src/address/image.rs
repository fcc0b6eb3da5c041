//! Container images: `node:20`, `ghcr.io/o/app:1`, `localhost:5000/x`.

/// The registry host of an image; nothing for Docker Hub, which has no host in the name.
pub(crate) fn registry(image: &str) -> Option<&str> {
    let image = image
        .strip_prefix("docker://")
        .or_else(|| image.strip_prefix("oci://"))
        .unwrap_or(image);
    let (first, _) = image.split_once('/')?;
    (first.contains(['.', ':']) || first == "localhost").then_some(first)
}
