//! Sign-in codes, sessions and page keys. All in memory: they end with the gateway.
//!
//! A wrong code never keeps the right one out: 256 bits can't be guessed, so counting
//! tries only keeps guessers from costing anything, and locking up would let any process
//! on this computer lock the person out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Refused;
use super::secret::Secret;

const CODE_LIFE: Duration = Duration::from_mins(1);
const SESSION_IDLE: Duration = Duration::from_hours(12);
const TRIES_PER_MINUTE: usize = 10;
const MAX_CODES: usize = 16;
const MAX_SESSIONS: usize = 16;
const MAX_PAGES: usize = 64;

#[derive(Debug)]
struct Session {
    cookie: Secret,
    last: Instant,
    pages: VecDeque<Secret>,
}

/// Everybody who is signed in.
#[derive(Debug)]
pub struct Sessions {
    cookie_name: String,
    codes: VecDeque<(Secret, Instant)>,
    open: VecDeque<Session>,
    wrong: VecDeque<Instant>,
}

/// What a signed-in page gets.
#[derive(Debug)]
pub struct SignedIn {
    /// For the cookie.
    pub cookie: Secret,
    /// For the header of every request.
    pub key: Secret,
}

impl Sessions {
    /// Nobody is signed in. The cookie's name has a random end: cookies don't know ports,
    /// so another program on this computer could overwrite one with a known name.
    pub fn new() -> Result<Self, getrandom::Error> {
        let suffix = Secret::random()?;
        let suffix: String = suffix.reveal().chars().take(12).collect();
        Ok(Self {
            cookie_name: format!("cerco_{suffix}"),
            codes: VecDeque::new(),
            open: VecDeque::new(),
            wrong: VecDeque::new(),
        })
    }

    /// The cookie's name.
    #[must_use]
    pub fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    /// A new code: it works once, within a minute.
    pub fn new_code(&mut self, now: Instant) -> Result<Secret, getrandom::Error> {
        let code = Secret::random()?;
        self.codes.push_back((code.clone(), now));
        if self.codes.len() > MAX_CODES {
            self.codes.pop_front();
        }
        Ok(code)
    }

    /// Trades a code for a session.
    pub fn sign_in(&mut self, code: &str, now: Instant) -> Result<SignedIn, Refused> {
        self.codes
            .retain(|(_, made)| now.duration_since(*made) <= CODE_LIFE);
        let Some(at) = self.codes.iter().position(|(known, _)| known.is(code)) else {
            return Err(self.wrong_code(now));
        };
        self.codes.remove(at);
        let new = || Secret::random().map_err(|_| Refused::NoSession);
        let (cookie, key) = (new()?, new()?);
        self.open.push_back(Session {
            cookie: cookie.clone(),
            last: now,
            pages: VecDeque::from([key.clone()]),
        });
        if self.open.len() > MAX_SESSIONS {
            self.open.pop_front();
        }
        Ok(SignedIn { cookie, key })
    }

    fn wrong_code(&mut self, now: Instant) -> Refused {
        self.wrong
            .retain(|at| now.duration_since(*at) < Duration::from_mins(1));
        if self.wrong.len() >= TRIES_PER_MINUTE {
            return Refused::TooManyTries;
        }
        self.wrong.push_back(now);
        Refused::WrongCode
    }

    /// A key for a page that was loaded again.
    pub fn new_page(&mut self, cookies: &str, now: Instant) -> Result<Secret, Refused> {
        let session = self.session(cookies, now)?;
        let key = Secret::random().map_err(|_| Refused::NoPageKey)?;
        session.pages.push_back(key.clone());
        if session.pages.len() > MAX_PAGES {
            session.pages.pop_front();
        }
        Ok(key)
    }

    /// Whether the cookie (a whole `Cookie` header) belongs to a session.
    pub fn check_cookie(&mut self, cookies: &str, now: Instant) -> Result<(), Refused> {
        self.session(cookies, now).map(|_| ())
    }

    /// Whether cookie and page key belong together.
    pub fn check(&mut self, cookies: &str, key: &str, now: Instant) -> Result<(), Refused> {
        let session = self.session(cookies, now)?;
        if session.pages.iter().any(|page| page.is(key)) {
            return Ok(());
        }
        Err(Refused::NoPageKey)
    }

    /// Ends the session of this cookie.
    pub fn sign_out(&mut self, cookies: &str) {
        let name = self.cookie_name.clone();
        self.open
            .retain(|session| !values(cookies, &name).any(|value| session.cookie.is(value)));
    }

    fn session(&mut self, cookies: &str, now: Instant) -> Result<&mut Session, Refused> {
        self.open
            .retain(|session| now.duration_since(session.last) <= SESSION_IDLE);
        let name = self.cookie_name.clone();
        let session = self
            .open
            .iter_mut()
            .find(|session| values(cookies, &name).any(|value| session.cookie.is(value)))
            .ok_or(Refused::NoSession)?;
        session.last = now;
        Ok(session)
    }
}

/// The values of the cookie `name` in a `Cookie` header. There may be several: another
/// program can set one for a longer path, and that must not push ours aside.
fn values<'a>(cookies: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    cookies
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(move |(key, _)| *key == name)
        .map(|(_, value)| value)
        .take(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed_in(sessions: &mut Sessions, now: Instant) -> (String, String) {
        let code = sessions.new_code(now).unwrap();
        let signed = sessions.sign_in(code.reveal(), now).unwrap();
        let cookie = format!("a=b; {}={}", sessions.cookie_name(), signed.cookie.reveal());
        (cookie, signed.key.reveal().to_owned())
    }

    #[test]
    fn a_code_works_once_and_within_a_minute() {
        let mut sessions = Sessions::new().unwrap();
        let now = Instant::now();
        let code = sessions.new_code(now).unwrap();
        assert!(sessions.sign_in(code.reveal(), now).is_ok());
        assert_eq!(
            sessions.sign_in(code.reveal(), now).err(),
            Some(Refused::WrongCode)
        );
        let late = sessions.new_code(now).unwrap();
        let after = now + Duration::from_secs(61);
        assert_eq!(
            sessions.sign_in(late.reveal(), after).err(),
            Some(Refused::WrongCode)
        );
        assert_eq!(sessions.sign_in("", now).err(), Some(Refused::WrongCode));
    }

    #[test]
    fn guessers_are_slowed_and_the_person_is_not_locked_out() {
        let mut sessions = Sessions::new().unwrap();
        let now = Instant::now();
        let code = sessions.new_code(now).unwrap();
        for _ in 0..TRIES_PER_MINUTE {
            assert_eq!(sessions.sign_in("0", now).err(), Some(Refused::WrongCode));
        }
        assert_eq!(
            sessions.sign_in("0", now).err(),
            Some(Refused::TooManyTries)
        );
        assert!(sessions.sign_in(code.reveal(), now).is_ok());
    }

    #[test]
    fn cookie_and_key_belong_together() {
        let mut sessions = Sessions::new().unwrap();
        let now = Instant::now();
        let (one, one_key) = signed_in(&mut sessions, now);
        let (two, two_key) = signed_in(&mut sessions, now);
        for (cookie, key, expected) in [
            (&one, &one_key, Ok(())),
            (&two, &two_key, Ok(())),
            (&one, &two_key, Err(Refused::NoPageKey)),
            (&one, &String::new(), Err(Refused::NoPageKey)),
            (&"cerco=1".to_owned(), &one_key, Err(Refused::NoSession)),
            (&String::new(), &one_key, Err(Refused::NoSession)),
        ] {
            assert_eq!(sessions.check(cookie, key, now), expected);
        }
        let again = sessions.new_page(&one, now).unwrap();
        assert_eq!(sessions.check(&one, again.reveal(), now), Ok(()));
        sessions.sign_out(&one);
        assert_eq!(sessions.check(&one, &one_key, now), Err(Refused::NoSession));
        assert_eq!(sessions.check(&two, &two_key, now), Ok(()));
    }

    #[test]
    fn a_session_ends_after_twelve_idle_hours() {
        let mut sessions = Sessions::new().unwrap();
        let now = Instant::now();
        let (cookie, key) = signed_in(&mut sessions, now);
        let later = now + Duration::from_hours(11);
        assert_eq!(sessions.check(&cookie, &key, later), Ok(()));
        let idle = later + Duration::from_hours(13);
        assert_eq!(sessions.check(&cookie, &key, idle), Err(Refused::NoSession));
    }
}
