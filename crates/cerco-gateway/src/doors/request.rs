//! What a request says about itself: Host, Origin, Sec-Fetch-Site, content type.
//!
//! A browser sends these truly, so they keep other pages out. They keep no program out:
//! anything can send any header. That is what sessions and [`super::speaker`] are for.

use axum::http::{HeaderMap, Method, Uri, header};

use super::Refused;

/// The addresses under which this gateway may be spoken to.
#[derive(Clone, Debug)]
pub struct Address {
    hosts: Vec<String>,
}

impl Address {
    /// The gateway on this port.
    #[must_use]
    pub fn on_port(port: u16) -> Self {
        Self {
            hosts: ["127.0.0.1", "localhost", "[::1]"]
                .iter()
                .map(|host| format!("{host}:{port}"))
                .collect(),
        }
    }
}

/// Checks what the request says about itself.
pub fn check(
    address: &Address,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Refused> {
    let host = one(headers, header::HOST.as_str()).ok_or(Refused::WrongHost)?;
    // `GET http://evil/ HTTP/1.1` names its host twice; both have to be ours.
    let named = uri.authority().is_none_or(|a| a.as_str() == host);
    if !named || !address.hosts.iter().any(|ours| ours == host) {
        return Err(Refused::WrongHost);
    }
    let upgrade = headers.contains_key(header::UPGRADE);
    let changes = !(*method == Method::GET || *method == Method::HEAD);
    let origin = headers.get_all(header::ORIGIN).iter().count() > 0;
    if (changes || upgrade || origin) && one(headers, "origin") != Some(&format!("http://{host}")) {
        return Err(Refused::WrongOrigin);
    }
    let api = uri.path().starts_with("/api/");
    if headers.contains_key("sec-fetch-site") {
        let site = one(headers, "sec-fetch-site");
        let same = site == Some("same-origin");
        // A page that is opened by hand says "none", and from a link "cross-site"; that is
        // all right for the page itself, which shows nothing without a session.
        if !same && (changes || upgrade || (api && site != Some("none"))) {
            return Err(Refused::WrongOrigin);
        }
    }
    let has_body = changes && *method != Method::DELETE;
    if has_body && !is_json(one(headers, header::CONTENT_TYPE.as_str())) {
        return Err(Refused::WrongType);
    }
    Ok(())
}

/// The header's value, where it stands there exactly once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

fn is_json(value: Option<&str>) -> bool {
    let essence = value.and_then(|v| v.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &[(&str, &str)] = &[("host", "127.0.0.1:4000")];
    const CHANGE: &[(&str, &str)] = &[
        ("host", "127.0.0.1:4000"),
        ("origin", "http://127.0.0.1:4000"),
        ("content-type", "application/json"),
    ];

    /// `changes` replaces or adds headers; an empty value takes one away.
    fn check_row(
        method: &str,
        uri: &str,
        base: &[(&str, &str)],
        changes: &[(&'static str, &str)],
        expected: Option<&Refused>,
    ) {
        let mut headers = HeaderMap::new();
        let kept = base
            .iter()
            .filter(|(n, _)| !changes.iter().any(|(m, _)| n == m));
        for (name, value) in kept.chain(changes.iter().filter(|(_, v)| !v.is_empty())) {
            let name: axum::http::HeaderName = name.parse().unwrap();
            headers.append(name, value.parse().unwrap());
        }
        let got = check(
            &Address::on_port(4000),
            &method.parse().unwrap(),
            &uri.parse().unwrap(),
            &headers,
        );
        assert_eq!(got.err().as_ref(), expected, "{method} {uri} {changes:?}");
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one row an attack")]
    fn the_table_of_attacks() {
        use Refused::{WrongHost, WrongOrigin, WrongType};
        type Row<'a> = (
            &'a str,
            &'a str,
            &'a [(&'a str, &'a str)],
            &'a [(&'static str, &'a str)],
            Option<Refused>,
        );
        let rows: &[Row<'_>] = &[
            ("GET", "/", OURS, &[], None),
            ("GET", "/", OURS, &[("host", "localhost:4000")], None),
            ("GET", "/", OURS, &[("host", "[::1]:4000")], None),
            // DNS rebinding, other ports, no host, two hosts.
            (
                "GET",
                "/",
                OURS,
                &[("host", "evil.example:4000")],
                Some(WrongHost),
            ),
            (
                "GET",
                "/",
                OURS,
                &[("host", "127.0.0.1:4001")],
                Some(WrongHost),
            ),
            ("GET", "/", OURS, &[("host", "127.0.0.1")], Some(WrongHost)),
            (
                "GET",
                "/",
                OURS,
                &[("host", "127.0.0.1:4000.evil.example")],
                Some(WrongHost),
            ),
            ("GET", "/", OURS, &[("host", "")], Some(WrongHost)),
            (
                "GET",
                "/",
                OURS,
                &[("host", "127.0.0.1:4000"), ("host", "evil")],
                Some(WrongHost),
            ),
            ("GET", "http://evil.example/", OURS, &[], Some(WrongHost)),
            ("GET", "http://127.0.0.1:4000/", OURS, &[], None),
            // State changes.
            ("POST", "/api/x", CHANGE, &[], None),
            ("DELETE", "/api/x", CHANGE, &[("content-type", "")], None),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("origin", "")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("origin", "null")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("origin", "http://localhost:4000")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("origin", "https://127.0.0.1:4000")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("origin", "http://127.0.0.1:4000/")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("origin", "http://127.0.0.1:40000")],
                Some(WrongOrigin),
            ),
            (
                "DELETE",
                "/api/x",
                CHANGE,
                &[("origin", "")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("sec-fetch-site", "cross-site")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("sec-fetch-site", "same-site")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("sec-fetch-site", "none")],
                Some(WrongOrigin),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("sec-fetch-site", "same-origin")],
                None,
            ),
            // What a form or `sendBeacon` can send without being asked first.
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("content-type", "text/plain")],
                Some(WrongType),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("content-type", "application/x-www-form-urlencoded")],
                Some(WrongType),
            ),
            (
                "POST",
                "/api/x",
                CHANGE,
                &[("content-type", "")],
                Some(WrongType),
            ),
            (
                "PUT",
                "/api/x",
                CHANGE,
                &[("content-type", "application/json; charset=utf-8")],
                None,
            ),
            ("OPTIONS", "/api/x", OURS, &[], Some(WrongOrigin)),
            // WebSockets, and reading from another page.
            (
                "GET",
                "/api/events",
                OURS,
                &[("upgrade", "websocket")],
                Some(WrongOrigin),
            ),
            (
                "GET",
                "/api/events",
                OURS,
                &[("upgrade", "websocket"), ("origin", "http://evil")],
                Some(WrongOrigin),
            ),
            (
                "GET",
                "/api/events",
                CHANGE,
                &[("upgrade", "websocket")],
                None,
            ),
            (
                "GET",
                "/api/state",
                OURS,
                &[("origin", "http://evil.example")],
                Some(WrongOrigin),
            ),
            (
                "GET",
                "/api/state",
                OURS,
                &[("sec-fetch-site", "cross-site")],
                Some(WrongOrigin),
            ),
            ("GET", "/", OURS, &[("sec-fetch-site", "cross-site")], None),
        ];
        for (method, uri, base, changes, expected) in rows {
            check_row(method, uri, base, changes, expected.as_ref());
        }
    }
}
