//! Package managers in the sandbox reach registries through the proxy, and nothing else is
//! reached. What stands in for the registries listens on this computer; who leads there is
//! given to the proxy by its constructor, and only here.
//!
//! This program is several: the checks, the keeper of each command, and the first process
//! inside each sandbox.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

#[cfg(target_os = "linux")]
mod ground;
#[cfg(target_os = "linux")]
mod stand_in;
#[cfg(target_os = "linux")]
#[path = "../support/mod.rs"]
mod support;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;
    if let Some(code) = cerco_sandbox::stage::enter(cerco_run::hold_own_starts) {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words
        .first()
        .is_some_and(|w| w == cerco_run::KeeperProgram::WORD)
    {
        return cerco_run::keeper_main();
    }
    // What the test runners ask for.
    if words.iter().any(|word| word == "--list") {
        if !words.iter().any(|word| word == "--ignored") {
            for (name, _) in linux::CHECKS {
                println!("{name}: test");
            }
        }
        return ExitCode::SUCCESS;
    }
    let chosen = words.iter().find(|word| !word.starts_with('-'));
    for (name, check) in linux::CHECKS {
        if chosen.is_none_or(|chosen| name.contains(chosen.as_str())) {
            check();
            println!("{name} ... ok");
        }
    }
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::Arc;

    use cerco_model::{Ending, Outcome};
    use cerco_run::{Egress, Internet};

    use super::ground::{Ground, Registries};
    use super::support::text;

    pub(crate) const CHECKS: &[(&str, fn())] = &[
        ("package_managers_reach_registries", package_managers),
        ("nothing_else_is_reached", nothing_else),
        ("a_name_that_leads_inside_is_not_followed", leads_inside),
        ("without_the_switch_there_is_no_proxy", switched_off),
        ("many_connections_at_once_are_borne", many),
    ];

    fn said_in_all(outcome: &Outcome) -> String {
        let (out, err) = (&outcome.stdout.head, &outcome.stderr.head);
        format!("{}{}", text(out), text(err))
    }

    /// Each with what it must print, as a command in the loop's folder.
    fn package_managers() {
        let registries = Registries::start();
        for (name, command, said) in [
            (
                "npm",
                "npm_config_cafile=$PWD/ca.pem npm install --no-audit --no-fund --registry=https://npm.registry.example/ standin && node -p 'require(\"standin\")'",
                "42",
            ),
            (
                "pip",
                "/usr/bin/python3 -m pip install -q --disable-pip-version-check --cert ca.pem --index-url https://pip.registry.example/simple --target site standin && PYTHONPATH=site /usr/bin/python3 -c 'import standin; print(standin.answer)'",
                "42",
            ),
            (
                "cargo",
                "CARGO_HTTP_CAINFO=$PWD/ca.pem cargo fetch && ls $CARGO_HOME/registry/cache/*",
                "standin-1.0.0.crate",
            ),
            (
                "git",
                "git -c http.sslCAInfo=ca.pem clone -q https://git.registry.example/standin.git cloned && cat cloned/file",
                "42",
            ),
            (
                "curl, plain",
                "curl -sSf http://npm.registry.example/standin | head -c 18",
                r#"{"name": "standin""#,
            ),
        ] {
            let ground = Ground::new(registries.folder());
            let outcome = ground.run(command, Some(registries.egress())).outcome;
            let all = said_in_all(&outcome);
            assert_eq!(outcome.ending, Ending::Exit(0), "{name}: {all}");
            assert!(all.contains(said), "{name}: {all}");
            assert_eq!(outcome.guard_refusals, [], "{name}");
        }
    }

    /// A command, what it or the proxy says, and what is kept for the journal: a part of
    /// the target, or `-` for nothing.
    fn check_refused(registries: &Registries, (name, command, said, kept): Attempt<'_>) {
        let ground = Ground::new(registries.folder());
        let outcome = ground.run(command, Some(registries.egress())).outcome;
        let all = said_in_all(&outcome);
        assert!(all.contains(said), "{name}: {all}");
        assert_eq!(outcome.failure, None, "{name}");
        let refused = outcome.guard_refusals.first();
        if kept == "-" {
            assert_eq!(refused, None, "{name}");
            // One answer at most, whatever was asked behind it.
            assert!(all.matches("HTTP/1.").count() <= 1, "{name}: {all}");
            return;
        }
        let refused = refused.unwrap_or_else(|| panic!("{name}: nothing kept"));
        assert_eq!(refused.rule, "address", "{name}");
        assert!(refused.argv[1].contains(kept), "{name}: {refused:?}");
        assert!(all.contains("was not reached (address)"), "{name}: {all}");
    }

    type Attempt<'a> = (&'a str, &'a str, &'a str, &'a str);

    fn nothing_else() {
        let registries = Registries::start();
        let (npm, port) = ("npm.registry.example", cerco_sandbox::PROXY_PORT);
        let raw = |sent: &str| {
            format!(
                r"exec 3<>/dev/tcp/127.0.0.1/{port}; printf '{sent}' >&3; timeout 20 cat <&3 | tr -d '\000'"
            )
        };
        let smuggled = raw(&format!(
            r"GET http://{npm}/standin HTTP/1.1\r\nHost: {npm}\r\n\r\nGET http://evil.example/ HTTP/1.1\r\n\r\n"
        ));
        let body = raw(&format!(
            r"GET http://{npm}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ));
        let ssh = raw(&format!(
            r"CONNECT {npm}:443 HTTP/1.1\r\n\r\nSSH-2.0-OpenSSH_9\r\n"
        ));
        let greeted = format!(
            "openssl s_client -proxy 127.0.0.1:{port} -connect {npm}:443 -servername evil.example </dev/null"
        );
        for attempt in [
            (
                "another host",
                "curl -sS https://evil.example/",
                "403",
                "evil.example:443",
            ),
            (
                "in plain",
                "curl -sS http://evil.example/",
                "evil.example is no package registry",
                "evil.example:80",
            ),
            (
                "its end alike",
                "curl -sS https://registry.example.evil.example/",
                "403",
                "registry.example.evil.example:443",
            ),
            (
                "an address",
                "curl -sS http://169.254.169.254/latest/",
                "names no host",
                "",
            ),
            (
                "this computer",
                "curl -sS --noproxy x http://localhost:80/",
                "localhost is no package registry",
                "localhost:80",
            ),
            (
                "another port",
                "curl -sS https://npm.registry.example:22/",
                "403",
                "npm.registry.example:22",
            ),
            (
                "another greeting",
                greeted.as_str(),
                "access denied",
                "npm.registry.example:443",
            ),
            (
                "no TLS",
                ssh.as_str(),
                "is no TLS",
                "npm.registry.example:443",
            ),
            ("a second request", smuggled.as_str(), "200 OK", "-"),
            ("a body", body.as_str(), "has a body", ""),
            (
                "past the proxy",
                "curl -sS -m 5 --noproxy '*' https://1.1.1.1/",
                "curl:",
                "-",
            ),
            (
                "a name",
                "getent hosts npm.registry.example || echo unknown",
                "unknown",
                "-",
            ),
        ] {
            check_refused(&registries, attempt);
        }
    }

    fn leads_inside() {
        let registries = Registries::start();
        let ground = Ground::new(registries.folder());
        let inside = Internet::with(|_, port| Ok(vec![([127, 0, 0, 1], port).into()]));
        let egress = Egress::by(Registries::hosts(), Arc::new(inside));
        let command = "curl -sS https://npm.registry.example/standin";
        let outcome = ground.run(command, Some(egress)).outcome;
        assert_ne!(outcome.ending, Ending::Exit(0), "{outcome:?}");
        let refused = &outcome.guard_refusals[0];
        assert!(
            refused
                .reason
                .contains("127.0.0.1, which is no address of the public network")
        );
    }

    fn switched_off() {
        let registries = Registries::start();
        let mut ground = Ground::new(registries.folder());
        let ran = ground.run("echo ran", None);
        assert_eq!(ran.outcome.ending, Ending::Failed, "{ran:?}");
        assert_eq!(ran.outcome.stdout.head, b"");
        ground.network = cerco_sandbox::Network::Off;
        let port = cerco_sandbox::PROXY_PORT;
        let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo open");
        let ran = ground.run(&command, Some(registries.egress()));
        assert_eq!(ran.outcome.ending, Ending::Exit(1), "{ran:?}");
    }

    /// More than are served at once, none of which says anything; then one that does.
    fn many() {
        let registries = Registries::start();
        let ground = Ground::new(registries.folder());
        let port = cerco_sandbox::PROXY_PORT;
        let command = format!(
            "/usr/bin/python3 -c \"
import socket
silent = [socket.create_connection(('127.0.0.1', {port})) for _ in range(60)]
import urllib.request
print(len(urllib.request.urlopen('http://npm.registry.example/standin', timeout=20).read()) > 10)
\""
        );
        let outcome = ground.run(&command, Some(registries.egress())).outcome;
        assert_eq!(text(&outcome.stdout.head), "True\n", "{outcome:?}");
    }
}
