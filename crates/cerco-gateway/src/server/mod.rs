//! The server: connections, the people's HTTP door and the two socket doors, put together
//! from `doors`, `hub` and `terminals`.

mod agents;
mod api;
mod assets;
mod docker;
mod events;
mod guard;
mod lock;
mod openapi;
mod people;
mod routes;
mod strays;
mod terminal;

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::watch;

pub use openapi::description;

use crate::docker::Images;
use crate::doors::connections::{Connections, Seat};
use crate::doors::request::Address;
use crate::doors::sessions::Sessions;
use crate::doors::speaker::Speakers;
use crate::engine::Engine;
use crate::folders::{Folders, private_folder};
use crate::hub::{Hub, HubError};
use crate::terminals::{Shell, Terminals};

/// The agents' socket in the runtime folder.
pub const AGENT_SOCKET: &str = "gateway.sock";
/// The person's socket in the runtime folder.
pub const PERSON_SOCKET: &str = "person.sock";

/// Why the gateway can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// One runs already.
    #[error(
        "a gateway of yours runs already; open its page with: cerco open, or end it with: cerco down"
    )]
    Running,
    /// The port is taken.
    #[error(
        "port {port} on 127.0.0.1 can't be used: {source}; choose another one, or none for a free one"
    )]
    Port {
        /// The port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// A socket can't be made.
    #[error("the socket {} can't be made: {source}; check its folder", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system gives the process no threads, or doesn't let it protect itself.
    #[error("the gateway can't start its threads or keep its memory private: {0}")]
    Hardening(io::Error),
    /// No random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
    /// Folders, journal, state, settings.
    #[error(transparent)]
    Hub(#[from] HubError),
}

/// Everything the doors share.
pub struct Gateway {
    hub: Arc<Hub>,
    images: Arc<Images>,
    terminals: Terminals,
    sessions: Mutex<Sessions>,
    speakers: Speakers,
    connections: Connections,
    address: Address,
    port: u16,
    user: u32,
    down: watch::Sender<bool>,
}

impl Gateway {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page's address, without any code.
    #[must_use]
    pub fn page(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// A gateway that listens but does not serve yet.
pub struct Bound {
    gateway: Arc<Gateway>,
    http: Vec<TcpListener>,
    agents: UnixListener,
    people: UnixListener,
    sockets: [PathBuf; 2],
    // Held as long as the gateway lives; the system frees it when it dies.
    _lock: File,
}

/// Makes everything ready: lock, hardening, state, ports, sockets. Port 0: a free one.
pub async fn bind(
    folders: &Folders,
    engine: Arc<dyn Engine>,
    port: u16,
) -> Result<Bound, StartError> {
    // The second may lie in the first, which must not be made on the way, open to others.
    private_folder(&folders.state).map_err(HubError::from)?;
    private_folder(&folders.runtime).map_err(HubError::from)?;
    let lock = lock::take(folders).await?;
    cerco_sys::harden::keep_memory_private().map_err(StartError::Hardening)?;
    cerco_sys::harden::adopt_orphans().map_err(StartError::Hardening)?;
    let hub = Hub::open(folders, engine)?;
    let in_use = |source| StartError::Port { port, source };
    let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(in_use)?;
    let port = v4.local_addr().map_err(in_use)?.port();
    let mut http = vec![v4];
    // Where a browser takes `localhost` for ::1, somebody else could listen there. A
    // machine without IPv6 has no such address; then nobody can.
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
        Ok(v6) => http.push(v6),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(in_use(error)),
        Err(_) => {}
    }
    let sockets = [AGENT_SOCKET, PERSON_SOCKET].map(|name| folders.runtime.join(name));
    let [agents, people] = &sockets;
    let variable = |name: &str| std::env::var_os(name);
    let path = variable("PATH").unwrap_or_default();
    let gateway = Gateway {
        images: Arc::default(),
        terminals: Terminals::new(Shell::present(variable("SHELL"), &path)),
        sessions: Mutex::new(Sessions::new().map_err(StartError::Random)?),
        speakers: Speakers::new(std::process::id()),
        connections: Connections::default(),
        address: Address::on_port(port),
        port,
        user: cerco_sys::harden::user_id(),
        down: watch::channel(false).0,
        hub,
    };
    Ok(Bound {
        gateway: Arc::new(gateway),
        http,
        agents: socket(agents)?,
        people: socket(people)?,
        sockets,
        _lock: lock,
    })
}

/// Runs a gateway in this process until it goes down. `ready` is called once everything
/// listens.
pub fn run(
    folders: &Folders,
    engine: Arc<dyn Engine>,
    port: u16,
    ready: impl FnOnce(&Bound),
) -> Result<(), StartError> {
    let runtime = tokio::runtime::Runtime::new().map_err(StartError::Hardening)?;
    runtime.block_on(async {
        let bound = bind(folders, engine, port).await?;
        ready(&bound);
        bound.serve().await;
        Ok(())
    })
}

/// A socket file only for its owner. We hold the lock, so one that is there is left over.
fn socket(path: &PathBuf) -> Result<UnixListener, StartError> {
    let trouble = |source| StartError::Socket {
        path: path.clone(),
        source,
    };
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(trouble(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(trouble)?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(path, mode).map_err(trouble)?;
    Ok(listener)
}

impl Bound {
    /// What the doors share.
    #[must_use]
    pub fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    /// An address with a one-time code, for whoever started this process.
    pub fn first_address(&self) -> Result<String, StartError> {
        people::address(&self.gateway).map_err(StartError::Random)
    }

    /// Serves until it is told to go down.
    pub async fn serve(self) {
        let gateway = self.gateway;
        let mut down = gateway.down.subscribe();
        for listener in self.http {
            tokio::spawn(accept_http(Arc::clone(&gateway), listener));
        }
        tokio::spawn(agents::accept(Arc::clone(&gateway), self.agents));
        tokio::spawn(people::accept(Arc::clone(&gateway), self.people));
        let ticking = Arc::clone(&gateway);
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(200));
            loop {
                ticks.tick().await;
                ticking.hub.tick();
            }
        });
        tokio::spawn(strays::collect_all(std::process::id()));
        tokio::spawn(keep_no_longer(Arc::clone(&gateway)));
        let checking = Arc::clone(&gateway);
        tokio::task::spawn_blocking(move || checking.hub.check_readiness());
        // An error means that the sender is gone, and with it the gateway.
        let _ = down.wait_for(|down| *down).await;
        gateway.images.end();
        gateway.hub.shut_down();
        for _ in 0..100 {
            if gateway.hub.running() == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        for path in &self.sockets {
            // Gone already is as good.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Gateway {
    /// Ends the gateway in good order.
    pub fn go_down(&self) {
        self.down.send_replace(true);
    }
}

/// One end of an HTTP connection.
#[derive(Clone)]
struct Peer {
    near: SocketAddr,
    far: SocketAddr,
    seat: Arc<Seat>,
}

/// Applies the retention setting now and every hour.
async fn keep_no_longer(gateway: Arc<Gateway>) {
    let mut hours = tokio::time::interval(Duration::from_hours(1));
    loop {
        hours.tick().await;
        let hub = Arc::clone(&gateway.hub);
        let forgotten = tokio::task::spawn_blocking(move || hub.forget_old()).await;
        if let Ok(Err(error)) = forgotten {
            gateway
                .hub
                .alarm(&format!("old entries can't be deleted: {error}"));
        }
    }
}

async fn accept_http(gateway: Arc<Gateway>, listener: TcpListener) {
    let router = api::router(&gateway);
    loop {
        let Ok((stream, far)) = listener.accept().await else {
            // Out of descriptors: wait for some to come back instead of spinning.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(near) = stream.local_addr() else {
            continue;
        };
        let seat = Arc::new(gateway.connections.take());
        let peer = Peer {
            near,
            far,
            seat: Arc::clone(&seat),
        };
        let router = router.clone().layer(axum::Extension(peer));
        let task = tokio::spawn(serve_http(stream, router));
        seat.stop_with(task.abort_handle());
    }
}

async fn serve_http(stream: TcpStream, router: axum::Router) {
    // An error is the other end's: nothing to do but to let it go.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(30))
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades()
        .await;
}
