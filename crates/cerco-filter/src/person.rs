//! The package registries that a person configured for their package managers.
//!
//! SPEC §3.2 takes them for package registries. Only files of the person's own count; a file in
//! a project adds none, since agents write there. This reads texts; finding them is the caller's.
//! What isn't understood adds nothing.

use url::Url;

/// A folder that files of a person lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The home.
    Home,
    /// `$XDG_CONFIG_HOME`, else `.config` in the home.
    Config,
    /// `$CARGO_HOME`, else `.cargo` in the home.
    Cargo,
    /// `%APPDATA%`; nowhere else than on Windows.
    AppData,
}

/// A file of a package manager that may name registries.
#[derive(Debug)]
pub struct PersonFile {
    /// The folder it lies in.
    pub base: Base,
    /// Its path from there, with `/`.
    pub path: &'static str,
    form: Form,
}

/// How addresses are written in a file.
#[derive(Debug)]
enum Form {
    /// `key = address`, `key: address`, `key address`, and the indented lines below.
    /// A key with `*` in front stands for every key that ends so.
    Keys(&'static [&'static str]),
    /// Between an opening and a closing tag, in any number of places.
    Between(&'static str, &'static str),
}

const fn file(base: Base, path: &'static str, form: Form) -> PersonFile {
    PersonFile { base, path, form }
}

const PIP: &[&str] = &["index-url", "extra-index-url", "index", "find-links"];
const CARGO: &[&str] = &["index", "registry"];
const URL: &[&str] = &["url"];

/// Where package managers keep what a person configured.
pub const PERSON_FILES: &[PersonFile] = &[
    file(
        Base::Home,
        ".npmrc",
        Form::Keys(&["registry", "*:registry"]),
    ),
    file(
        Base::Home,
        ".yarnrc",
        Form::Keys(&["registry", "*:registry"]),
    ),
    file(
        Base::Home,
        ".yarnrc.yml",
        Form::Keys(&["npmRegistryServer"]),
    ),
    file(Base::Home, ".bunfig.toml", Form::Keys(&["registry", "url"])),
    file(Base::Config, "pip/pip.conf", Form::Keys(PIP)),
    file(Base::Home, ".pip/pip.conf", Form::Keys(PIP)),
    file(
        Base::Home,
        "Library/Application Support/pip/pip.conf",
        Form::Keys(PIP),
    ),
    file(Base::AppData, "pip/pip.ini", Form::Keys(PIP)),
    file(
        Base::Config,
        "uv/uv.toml",
        Form::Keys(&["index-url", "extra-index-url", "default-index", "url"]),
    ),
    file(Base::Config, "pypoetry/config.toml", Form::Keys(URL)),
    file(
        Base::Home,
        ".condarc",
        Form::Keys(&["channels", "default_channels", "channel_alias"]),
    ),
    file(Base::Cargo, "config.toml", Form::Keys(CARGO)),
    file(Base::Cargo, "config", Form::Keys(CARGO)),
    file(Base::Config, "go/env", Form::Keys(&["GOPROXY"])),
    file(
        Base::Home,
        ".m2/settings.xml",
        Form::Between("<url>", "</url>"),
    ),
    file(
        Base::Home,
        ".nuget/NuGet/NuGet.Config",
        Form::Between("<packageSources>", "</packageSources>"),
    ),
    file(
        Base::AppData,
        "NuGet/NuGet.Config",
        Form::Between("<packageSources>", "</packageSources>"),
    ),
    file(Base::Home, ".gemrc", Form::Keys(&[":sources", "sources"])),
    file(
        Base::Home,
        ".bundle/config",
        Form::Keys(&["BUNDLE_MIRROR*"]),
    ),
    file(Base::Config, "composer/config.json", Form::Keys(URL)),
    file(Base::Home, ".composer/config.json", Form::Keys(URL)),
];

impl PersonFile {
    /// The hosts that its `text` names as registries, in lower case, each once.
    #[must_use]
    pub fn hosts(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        match self.form {
            Form::Keys(keys) => under_keys(text, keys, &mut found),
            Form::Between(open, close) => {
                let text = without_comments(text);
                for piece in text.split(open).skip(1) {
                    let inside = piece.split(close).next().unwrap_or_default();
                    add_hosts(inside, &mut found);
                }
            }
        }
        found
    }
}

fn under_keys(text: &str, keys: &[&str], found: &mut Vec<String>) {
    let mut counts = false;
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';', '/']) {
            continue;
        }
        // An address, or an item of a list, belongs to the key above it.
        let goes_on = bare.starts_with(['-', '"', '\'', '[', ']']) && key(bare).is_empty()
            || line.starts_with([' ', '\t']) && bare.contains("://") && !is_key(bare)
            || bare.starts_with("- ");
        if !goes_on {
            counts = keys.iter().any(|wanted| is(key(bare), wanted));
        }
        if counts {
            add_hosts(bare, found);
        }
    }
}

/// The name that a line gives a value to: up to the first `=`, blank, or `:` before a blank or
/// the end.
fn key(line: &str) -> &str {
    let line = line.trim_start_matches(['"', '\'', '{', ' ']);
    let ends = line.char_indices().find(|(at, c)| match c {
        '=' | '"' | '\'' | ' ' | '\t' => true,
        ':' => line
            .get(at + 1..)
            .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])),
        _ => false,
    });
    let name = ends.map_or("", |(at, _)| line.get(..at).unwrap_or_default());
    if name.contains("://") { "" } else { name }
}

fn is_key(line: &str) -> bool {
    let name = key(line);
    !name.is_empty() && !name.starts_with('-')
}

fn is(key: &str, wanted: &str) -> bool {
    if let Some(end) = wanted.strip_prefix('*') {
        key.ends_with(end)
    } else if let Some(start) = wanted.strip_suffix('*') {
        key.starts_with(start)
    } else {
        key.eq_ignore_ascii_case(wanted)
    }
}

/// What of an XML text is no comment.
fn without_comments(text: &str) -> String {
    let mut pieces = text.split("<!--");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(piece.split_once("-->").map_or("", |(_, rest)| rest));
    }
    kept
}

fn add_hosts(text: &str, found: &mut Vec<String>) {
    let ends = |c: char| c.is_whitespace() || "\"'<>,|]}".contains(c);
    for word in text.split(ends) {
        let Some(at) = word.find("http") else {
            continue;
        };
        // `sparse+https://…`
        let address = word.get(at..).unwrap_or_default();
        let Ok(url) = Url::parse(address) else {
            continue;
        };
        if !matches!(url.scheme(), "http" | "https") {
            continue;
        }
        if let Some(url::Host::Domain(name)) = url.host() {
            let name = name.trim_end_matches('.').to_owned();
            if name.contains('.') && !found.contains(&name) {
                found.push(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let file = PERSON_FILES.iter().find(|f| f.path == path).unwrap();
        assert_eq!(file.hosts(text), expected, "{path}: {text}");
    }

    #[test]
    fn registries_are_found() {
        check(
            ".npmrc",
            "registry=https://npm.corp.example/\n@acme:registry = https://Acme.example/x\n; registry=https://no.example\n//npm.corp.example/:_authToken=${T}\nproxy=http://proxy.example:3128\nmessage=see https://no.example\n",
            &["npm.corp.example", "acme.example"],
        );
        check(
            "pip/pip.conf",
            "[global]\nindex-url = https://user:pw@pypi.corp.example/simple\nextra-index-url =\n    https://a.example/simple\n    https://b.example/simple\ntimeout = 60\nproxy = http://p.example\n",
            &["pypi.corp.example", "a.example", "b.example"],
        );
        check(
            "uv/uv.toml",
            "[[index]]\nname = \"x\"\nurl = \"https://uv.example/simple\"\n[pip]\nextra-index-url = [\n  \"https://c.example/simple\",\n]\n",
            &["uv.example", "c.example"],
        );
        check(
            "config.toml",
            "[registries.corp]\nindex = \"sparse+https://cargo.corp.example/index/\"\n[source.mirror]\nregistry = \"https://mirror.example/git\"\n[http]\nproxy = \"http://p.example:1\"\n",
            &["cargo.corp.example", "mirror.example"],
        );
        check(
            "go/env",
            "GOPROXY=https://go.corp.example,https://b.example|direct\nGOFLAGS=-mod=mod\n",
            &["go.corp.example", "b.example"],
        );
        check(
            ".m2/settings.xml",
            "<settings><mirrors><mirror><url>https://nexus.corp.example/m2</url></mirror></mirrors><!-- <url>https://no.example</url> --><proxies><proxy><host>p.example</host></proxy></proxies></settings>",
            &["nexus.corp.example"],
        );
        check(
            ".nuget/NuGet/NuGet.Config",
            "<configuration><packageSources><add key=\"c\" value=\"https://nuget.corp.example/v3/index.json\" /></packageSources><config><add key=\"http_proxy\" value=\"http://p.example\"/></config></configuration>",
            &["nuget.corp.example"],
        );
        check(
            ".yarnrc.yml",
            "npmRegistryServer: \"https://yarn.corp.example\"\nhttpProxy: http://p.example\n",
            &["yarn.corp.example"],
        );
        check(
            ".yarnrc",
            "\"@acme:registry\" \"https://y.example/x\"\nregistry \"https://z.example\"\n",
            &["y.example", "z.example"],
        );
        check(
            ".gemrc",
            "---\n:sources:\n- https://gems.corp.example/\n:verbose: true\n:homepage: https://no.example\n",
            &["gems.corp.example"],
        );
        check(
            ".condarc",
            "channels:\n  - https://conda.corp.example/main\n  - defaults\nproxy_servers:\n  http: http://p.example\n",
            &["conda.corp.example"],
        );
        check(
            "composer/config.json",
            "{\n  \"repositories\": {\n    \"x\": {\n      \"type\": \"composer\",\n      \"url\": \"https://composer.corp.example\"\n    }\n  }\n}\n",
            &["composer.corp.example"],
        );
    }

    #[test]
    fn what_is_none_adds_nothing() {
        check(".npmrc", "", &[]);
        check(".npmrc", "registry=${REGISTRY}\n", &[]);
        check(".npmrc", "registry=http://localhost:4873\n", &[]);
        check(".npmrc", "registry=https://\u{0}\n", &[]);
        check(".npmrc", "registry=ftp://a.example\n", &[]);
        check(".m2/settings.xml", "<url>", &[]);
        check(".m2/settings.xml", "<!-- <url>https://a.example</url>", &[]);
    }
}
