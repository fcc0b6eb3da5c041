//! The page's files, from inside the binary.

/// Path, content type, content.
static FILES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What is shown when the page was not built into this binary.
const NOT_BUILT: &[u8] = b"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Cerco</title>\
<h1>Cerco's gateway runs, but its page is not in this binary</h1>\
<p>Build the page and the binary again: <code>make page &amp;&amp; cargo build --release -p cerco</code></p>";

/// The file for a path: its content type and content.
#[must_use]
pub(super) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let wanted = if path == "/" { "/index.html" } else { path };
    let found = FILES.iter().find(|(name, _, _)| *name == wanted);
    match found {
        Some((_, kind, content)) => Some((kind, content)),
        None if path == "/" => Some(("text/html; charset=utf-8", NOT_BUILT)),
        None => None,
    }
}
