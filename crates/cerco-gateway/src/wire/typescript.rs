//! Writes `web/src/wire.ts` from the wire types and holds it to them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

#[allow(
    clippy::wildcard_imports,
    reason = "the roots are the module's own types"
)]
use super::*;

/// Collects a type and all it mentions, by name.
struct Collector<'a> {
    config: &'a Config,
    declared: BTreeMap<String, String>,
}

impl TypeVisitor for Collector<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(self.config);
        if self.declared.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        self.declared
            .insert(name, format!("{docs}export {}", T::decl(self.config)));
        T::visit_dependencies(self);
    }
}

fn generated() -> String {
    let config = Config::new().with_large_int("number");
    let mut all = Collector {
        config: &config,
        declared: BTreeMap::new(),
    };
    macro_rules! roots { ($($name:ty),* $(,)?) => { $(all.visit::<$name>();)* } }
    roots!(
        Snapshot,
        Numbered,
        WindowMessage,
        SignIn,
        PageKey,
        Problem,
        AnswerRequest,
        AnswerResult,
        ExtendRequest,
        DenyAllRequest,
        OpenBoard,
        CreateLoop,
        CreateBubble,
        SetFullAuto,
        SetNetwork,
        SetHideSecrets,
        SettingsChange,
        SelfTest,
        DockerImage,
        ImageSize,
        DownloadImage,
        JournalQuery,
        JournalPage,
        OutputQuery,
        OutputRange,
        OpenTerminal,
        TerminalMessage,
        TerminalEvent,
        InsertRequest,
        InsertResult,
        RuleFile,
        Judged,
        Status,
    );
    let mut text = String::from(
        "// Generated from crates/cerco-gateway/src/wire by its tests; don't edit.\n\
         // To write it anew: UPDATE=1 cargo test -p cerco-gateway typescript\n",
    );
    let _ = writeln!(text, "\nexport const SCHEMA_VERSION = {SCHEMA_VERSION};");
    for declaration in all.declared.values() {
        let _ = write!(text, "\n{declaration}\n");
    }
    text
}

#[test]
fn the_pages_types_are_the_wire_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/wire.ts");
    let generated = generated();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &generated).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == generated,
        "web/src/wire.ts is not what the wire types say; run with UPDATE=1"
    );
}
