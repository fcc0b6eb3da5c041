//! The doors (UX.md §9): who gets in, and who is told to leave.
//!
//! No address is trusted and nothing that is missing counts as right. A request passes, in
//! this order: [`request`] (Host, Origin, content type), [`speaker`] (does the process on
//! the other end descend from a command or a host?), [`sessions`] (cookie and page key).

pub mod connections;
mod orphans;
pub mod request;
pub mod secret;
pub mod sessions;
pub mod speaker;

/// Headers of every answer. Scripts and styles come from our own files only, no other page
/// may frame or read us, and nothing is stored.
pub const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
         form-action 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The header that carries the page's key.
pub const PAGE_KEY_HEADER: &str = "x-cerco-page";
/// The longest body of a request, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;
/// The longest message over a WebSocket or a socket, in bytes.
pub const MAX_FRAME: usize = 64 * 1024;

/// Why somebody does not get in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// DNS rebinding: the browser was told that another name is this computer.
    #[error("this address is not Cerco's; open the address that `cerco open` prints")]
    WrongHost,
    /// Another page, or no page at all.
    #[error("only Cerco's own page may do this")]
    WrongOrigin,
    /// A form of another page could send it.
    #[error("only JSON is taken here (content-type: application/json)")]
    WrongType,
    /// No session, or it is over.
    #[error("sign in first: run `cerco open`")]
    NoSession,
    /// The page's key is missing or another page's.
    #[error("this page's key is not known any more; load the page again")]
    NoPageKey,
    /// A code that was used, is older than a minute, or never was one.
    #[error("this code is not valid (any more); run `cerco open` for another one")]
    WrongCode,
    /// Too many wrong codes.
    #[error("too many wrong codes; wait a minute and run `cerco open`")]
    TooManyTries,
    /// A command or a host is on the other end.
    #[error(
        "this comes from a process that an agent started ({0}); only a person may do it: use a browser or a terminal of your own"
    )]
    Agent(String),
    /// Who is on the other end may have been left behind by a host.
    #[error(
        "this comes from process {0}, which started after an agent's host did, in the same control group, and whose starter is gone: an agent may have left it. Use a browser or terminal that was open before the agent's host, or start one apart from it: systemd-run --user --scope BROWSER"
    )]
    LeftBehind(u32),
    /// Nobody can say which process is on the other end.
    #[error("it can't be found out which process this comes from; try again")]
    UnknownSpeaker,
}

impl Refused {
    /// A name that stays the same, and the HTTP status.
    #[must_use]
    pub fn id_and_status(&self) -> (&'static str, u16) {
        match self {
            Self::WrongHost => ("wrong_host", 421),
            Self::WrongOrigin => ("wrong_origin", 403),
            Self::WrongType => ("wrong_type", 415),
            Self::NoSession => ("no_session", 401),
            Self::NoPageKey => ("no_page_key", 401),
            Self::WrongCode => ("wrong_code", 401),
            Self::TooManyTries => ("too_many_tries", 429),
            Self::Agent(_) | Self::LeftBehind(_) => ("agent", 403),
            Self::UnknownSpeaker => ("unknown_speaker", 403),
        }
    }
}
