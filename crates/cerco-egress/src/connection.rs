//! One connection of a client inside: its request is read, judged and carried.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::{self, No};
use crate::authority::Authority;
use crate::greeting::{self, Greeting};
use crate::head::{self, Request};
use crate::proxy::{STACK, Shared};
use crate::route::NoRoute;

/// How long a client may take for its request, and again for its greeting.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long one address of a host may take to answer.
const CONNECT: Duration = Duration::from_secs(10);
/// Where tunnels lead, and where plain requests do.
const HTTPS: u16 = 443;
const HTTP: u16 = 80;

/// Serves `client` to its end.
pub(crate) fn serve(mut client: TcpStream, shared: &Shared) {
    let Some(_known) = shared.live.know(&client) else {
        return;
    };
    // Whoever is gone needs no answer.
    let _ = carry(&mut client, shared);
    let _ = client.shutdown(Shutdown::Both);
}

fn carry(client: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let mut bytes = Vec::new();
    let Some(end) = head(client, &mut bytes)? else {
        return answer::say(client, No::Bad, "the request's head is too long");
    };
    let rest = bytes.split_off(end);
    let request = match head::read(&bytes) {
        Ok(request) => request,
        Err(wrong) => {
            let why = format!("the request {wrong}");
            shared.refused(&first_words(&bytes), &why);
            return answer::say(client, No::Bad, &why);
        }
    };
    let (to, port) = match &request {
        Request::Tunnel(to) => (to, HTTPS),
        Request::Plain { to, .. } => (to, HTTP),
    };
    let mut server = match reach(to, port, shared) {
        Ok(server) => server,
        Err((no, why)) => {
            if no == No::Refused {
                shared.refused(&format!("{}:{}", to.host, to.port), &why);
            }
            return answer::say(client, no, &why);
        }
    };
    let Some(_known) = shared.live.know(&server) else {
        return Ok(());
    };
    match request {
        Request::Tunnel(to) => tunnel(client, server, rest, &to, shared),
        Request::Plain { send, .. } => {
            // One connection, one request: what follows it is never read.
            server.write_all(&send)?;
            io::copy(&mut server, client).map(|_| ())
        }
    }
}

/// Reads until the head is whole; nothing where it is too long.
fn head(client: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(end) = head::end(bytes).filter(|end| *end <= head::LONGEST) {
            return Ok(Some(end));
        }
        if bytes.len() > head::LONGEST {
            return Ok(None);
        }
        more(client, bytes, until)?;
    }
}

/// Reads some more before `until`; an end is an error.
fn more(client: &mut TcpStream, bytes: &mut Vec<u8>, until: Instant) -> io::Result<()> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    client.set_read_timeout(Some(left))?;
    let mut buffer = [0; 4096];
    let count = client.read(&mut buffer)?;
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    bytes.extend(buffer.iter().take(count));
    Ok(())
}

/// Connects to a host that may be reached.
fn reach(to: &Authority, port: u16, shared: &Shared) -> Result<TcpStream, (No, String)> {
    let host = &to.host;
    if !shared.allows(host) {
        let why = format!("{host} is no package registry, GitHub or Docker Hub");
        return Err((No::Refused, why));
    }
    if to.port != port {
        let why = format!("port {} of {host} is not where packages are", to.port);
        return Err((No::Refused, why));
    }
    let addresses = shared.route.to(host, port).map_err(|why| match why {
        NoRoute::NotPublic(_) => (No::Refused, format!("{host}: {why}")),
        NoRoute::Unknown(_) => (No::Unreachable, format!("{host}: {why}")),
    })?;
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for at in addresses {
        match TcpStream::connect_timeout(&at, CONNECT) {
            Ok(server) => return Ok(server),
            Err(why) => last = why,
        }
    }
    Err((No::Unreachable, format!("{host} can't be reached: {last}")))
}

/// Promises the tunnel, hears whom the client greets in it, and carries both ways.
fn tunnel(
    client: &mut TcpStream,
    mut server: TcpStream,
    mut bytes: Vec<u8>,
    to: &Authority,
    shared: &Shared,
) -> io::Result<()> {
    client.write_all(answer::ESTABLISHED)?;
    let until = Instant::now() + PATIENCE;
    let greeted = loop {
        match greeting::read(&bytes) {
            Greeting::More => more(client, &mut bytes, until)?,
            greeted => break greeted,
        }
    };
    let host = &to.host;
    let why = match greeted {
        Greeting::For(name) if name == *host => None,
        Greeting::For(name) => Some(format!(
            "the tunnel was asked for {host}, and {name} is greeted in it"
        )),
        Greeting::Nobody => Some(format!(
            "the greeting in the tunnel to {host} does not say whom it is for"
        )),
        Greeting::Other | Greeting::More => {
            Some(format!("what goes through the tunnel to {host} is no TLS"))
        }
    };
    if let Some(why) = why {
        shared.refused(&format!("{host}:{}", to.port), &why);
        return client.write_all(answer::DENIED);
    }
    client.set_read_timeout(None)?;
    server.write_all(&bytes)?;
    let (mut back, mut answers) = (client.try_clone()?, server.try_clone()?);
    let other = thread::Builder::new()
        .name("egress back".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            let _ = io::copy(&mut answers, &mut back);
            let _ = back.shutdown(Shutdown::Write);
        })?;
    let _ = io::copy(client, &mut server);
    let _ = server.shutdown(Shutdown::Write);
    // A panic there would be this connection's alone.
    let _ = other.join();
    Ok(())
}

/// The request's first line, for the journal.
fn first_words(head: &[u8]) -> String {
    let line = head.split(|b| *b == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.chars()
        .take(200)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}
