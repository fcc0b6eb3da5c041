//! Rule `address`: a web address that isn't a package registry, GitHub, Docker Hub or this computer.

use cerco_model::{Part, Rule, Verdict};
use cerco_reader::Text;

use super::{About, Case, Findings, path};
use crate::address::{self, Address, Package, Remote};
use crate::table::{Meaning, Use};
use crate::text::tail;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Address,
    verdict: Verdict::Refused,
    sentence: "A web address that isn't a package registry, GitHub, Docker Hub or this computer.",
    reason: "{}",
    instead: "use a package registry, GitHub or this computer; a person can allow a host in their own `cerco.toml`",
    matches: &[
        "curl https://example.com",
        "ping -c 1 evil.example",
        "git clone https://github.com.evil.example/x/y",
        "curl http://2130706433/",
    ],
    not: &[
        "curl -s http://localhost:3000/health",
        "git clone https://github.com/o/r.git",
        "echo https://example.com",
    ],
};

/// One argument that is, or may be, an address.
pub(crate) fn judge_use(case: &Case<'_>, used: &Use, out: &mut Findings) {
    let text = used.value.text(&case.start.args);
    let part = used.part;
    match used.meaning {
        Meaning::Url if is_port_here(text) => {}
        Meaning::Url | Meaning::Proxy => say(case, address::address(text, case.place), part, out),
        Meaning::Host => say(case, address::host(text, case.place), part, out),
        Meaning::Place
            if text.known_prefix().contains("://") && !text.known_prefix().starts_with("file:") =>
        {
            say(case, address::address(text, case.place), part, out);
        }
        Meaning::Remote => match address::remote(text, case.place) {
            Remote::Name => {}
            Remote::Address(found) => say(case, found, part, out),
            Remote::Path => path::judge_text(case, text, path::Access::Read, part, out),
            Remote::Program => out.refuse(
                Rule::Remote,
                part,
                "this transport makes git run a program of the address's choosing",
                None,
            ),
        },
        Meaning::Package(ecosystem) => match address::package(text, ecosystem, case.place) {
            Package::Known => {}
            Package::Address(found) => say(case, found, part, out),
            Package::Path(written) => {
                path::judge_str(case, path::without_version(&written, ecosystem), part, out);
            }
        },
        Meaning::Tool if text.known_prefix().contains(':') => {
            if let Package::Address(found) =
                address::package(text, crate::table::Ecosystem::Npm, case.place)
            {
                say(case, found, part, out);
            }
        }
        Meaning::Image => image(case, text, part, out),
        Meaning::Resolve => {
            // host:port:address[,address]
            let mut fields = text.known_prefix().splitn(3, ':');
            if let Some(addresses) = fields.nth(2) {
                for one in addresses.split(',') {
                    say(
                        case,
                        address::host(
                            &Text::Known(one.trim_matches(['[', ']']).into()),
                            case.place,
                        ),
                        part,
                        out,
                    );
                }
            }
        }
        Meaning::Connect => {
            if let Some(target) = text.known_prefix().split(':').nth(2)
                && !target.is_empty()
            {
                say(
                    case,
                    address::host(&Text::Known(target.into()), case.place),
                    part,
                    out,
                );
            }
        }
        // What stands in the file can't be known, and the guard doesn't see it either.
        Meaning::Sources if text.known() != Some("-") => {
            out.unclear(part, "which addresses this file holds");
        }
        Meaning::Endpoint => {
            for one in address::inside(text) {
                say(case, address::address(&one, case.place), part, out);
            }
        }
        Meaning::Setting => {
            if let Some((name, _)) = text.known_prefix().split_once('=') {
                let value = tail(text, name.len() + 1);
                judge_variable(case, name.trim(), &value, part, out);
            }
        }
        Meaning::General => general(case, text, part, out),
        // `postgres://host/db`, `host=x dbname=y`, or the database's name.
        Meaning::Conninfo => {
            general(case, text, part, out);
            let words = text.known().unwrap_or_default().split_ascii_whitespace();
            for host in words.filter_map(|word| {
                word.strip_prefix("host=")
                    .or(word.strip_prefix("hostaddr="))
            }) {
                if !host.starts_with('/') {
                    let host = Text::Known(host.trim_matches('\'').into());
                    say(case, address::host(&host, case.place), part, out);
                }
            }
        }
        _ => {}
    }
}

fn image(case: &Case<'_>, text: &Text, part: Part, out: &mut Findings) {
    let start = text.known_prefix();
    match address::image_registry(start) {
        Some(host) => say(
            case,
            address::host(&Text::Known(host.into()), case.place),
            part,
            out,
        ),
        None if text.known().is_none() => say(case, Address::Unclear, part, out),
        None => {}
    }
}

/// httpie's short form of this computer: `:3000/api`, `:/api`. `://host` and `:@host` are none,
/// and what isn't known may only stand behind the first `/`.
fn is_port_here(text: &Text) -> bool {
    let Some(rest) = text.known_prefix().strip_prefix(':') else {
        return false;
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with('/') && !rest.starts_with("//")
        || rest.starts_with('?') && text.known().is_some_and(|t| !t.contains('@'))
        || rest.is_empty() && text.known().is_some()
}

/// A word whose meaning isn't in the table: an address if it begins like one.
fn general(case: &Case<'_>, text: &Text, part: Part, out: &mut Findings) {
    let start = text.known_prefix();
    let skip = if start.starts_with('-') {
        start.find('=').map_or(0, |at| at + 1)
    } else {
        0
    };
    let value = start.get(skip..).unwrap_or_default();
    let scheme = value.split_once("://").map(|(scheme, _)| scheme);
    let is_scheme = |s: &str| {
        !s.is_empty()
            && s.chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    if scheme.is_some_and(is_scheme)
        && scheme != Some("file")
        && !is_store(case, scheme)
        && !value.contains(char::is_whitespace)
    {
        // Databases, queues and the like have schemes of their own: their host counts.
        say(
            case,
            address::address(&with_web_scheme(&tail(text, skip)), case.place),
            part,
            out,
        );
    } else if let Some((user, rest)) = value.split_once('@')
        && let Some((host, _)) = rest.split_once(':')
        && !user.is_empty()
        && user
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && host.contains('.')
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'))
    {
        say(
            case,
            address::host(&Text::Known(host.into()), case.place),
            part,
            out,
        );
    }
}

/// `aws s3 cp a s3://bucket/a`: a bucket's name is no computer's. What these programs change
/// online is asked about, and where else they would go is an option of its own.
fn is_store(case: &Case<'_>, scheme: Option<&str>) -> bool {
    matches!(scheme, Some("s3" | "gs"))
        && case
            .bound()
            .row()
            .is_some_and(|row| matches!(row.name, "aws" | "gsutil" | "gcloud"))
}

/// `postgres://user:secret@localhost/db` is judged by its host alone.
fn with_web_scheme(text: &Text) -> Text {
    let Some(known) = text.known() else {
        return text.clone();
    };
    match known.split_once("://") {
        Some((scheme, rest))
            if !matches!(
                scheme,
                "http"
                    | "https"
                    | "ssh"
                    | "git"
                    | "git+https"
                    | "git+ssh"
                    | "git+http"
                    | "ftp"
                    | "sftp"
            ) =>
        {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            let host = authority.rsplit('@').next().unwrap_or(authority);
            Text::Known(format!("http://{host}/").into())
        }
        _ => text.clone(),
    }
}

/// Says what came out.
pub(crate) fn say(case: &Case<'_>, found: Address, part: Part, out: &mut Findings) {
    match found {
        Address::Known => {}
        Address::Foreign(why) => out.refuse(Rule::Address, part, why, Some(ABOUT.instead.into())),
        Address::Unclear => {
            if !case.is_guarded() {
                out.unclear(part, "an address");
            }
        }
        Address::File(path) => path::judge_str(case, &path, part, out),
    }
}

/// Variables that name a registry, an index or a proxy (upper case).
const VARIABLES: &[&str] = &[
    "NPM_CONFIG_REGISTRY",
    "NPM_REGISTRY",
    "YARN_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
    "BUN_CONFIG_REGISTRY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "POETRY_REPOSITORIES_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "FTP_PROXY",
    "NPM_CONFIG_PROXY",
    "NPM_CONFIG_HTTPS_PROXY",
    "PIP_PROXY",
    "CARGO_HTTP_PROXY",
    "GOPROXY",
    "GOSUMDB",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "ELECTRON_MIRROR",
    "NODEJS_ORG_MIRROR",
    "NVM_NODEJS_ORG_MIRROR",
    "HOMEBREW_BOTTLE_DOMAIN",
    "HOMEBREW_API_DOMAIN",
    "HEX_MIRROR",
    "BUNDLE_MIRROR",
    "MAVEN_REPO_URL",
    "COMPOSER_REPO_PACKAGIST",
    "PUB_HOSTED_URL",
    "FLUTTER_STORAGE_BASE_URL",
    "CONDA_CHANNEL_ALIAS",
];

/// Variables that name the computer a client talks to (upper case).
const HOST_VARIABLES: &[&str] = &[
    "PGHOST",
    "PGHOSTADDR",
    "MYSQL_HOST",
    "GH_HOST",
    "GITLAB_HOST",
    "VAULT_ADDR",
    "NOMAD_ADDR",
    "CONSUL_HTTP_ADDR",
    "ETCDCTL_ENDPOINTS",
    "AWS_ENDPOINT_URL",
    "KUBERNETES_MASTER",
    "RSYNC_PROXY",
    "SENTRY_URL",
    "REDISCLI_HOST",
    "GITHUB_SERVER_URL",
];

/// A variable that steers where a program connects to.
pub(crate) fn judge_variable(
    case: &Case<'_>,
    name: &str,
    value: &Text,
    part: Part,
    out: &mut Findings,
) {
    let upper = name.to_ascii_uppercase();
    let registry = VARIABLES.contains(&upper.as_str())
        || upper.starts_with("CARGO_REGISTRIES_") && upper.ends_with("_INDEX")
        || upper.starts_with("UV_INDEX_") && upper.ends_with("_URL")
        || upper.starts_with("NPM_CONFIG_") && upper.ends_with("REGISTRY");
    let host = HOST_VARIABLES.contains(&upper.as_str()) || upper.starts_with("AWS_ENDPOINT_URL_");
    // A socket's folder is a path, and judged as one.
    if !registry && (!host || value.known_prefix().starts_with('/')) {
        return;
    }
    for one in value.known_prefix().split([',', '|', ' ']) {
        if matches!(one, "" | "direct" | "off") {
            continue;
        }
        let text = if value.known().is_some() {
            Text::Known(one.into())
        } else {
            value.clone()
        };
        say(case, address::address(&text, case.place), part, out);
    }
    if value.known().is_none() && value.known_prefix().is_empty() {
        say(case, Address::Unclear, part, out);
    }
}
