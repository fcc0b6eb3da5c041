//! Whether an expansion stands in the text as the parser has it: its end, its name, and that
//! nothing more is in it than the parser knows of.

use shuck_ast as s;

use super::command::Lower;

impl Lower<'_> {
    pub(super) fn whole(&mut self, span: s::Span) {
        if let Some(why) = slipped(self.raw(span)) {
            self.unsure(span, why);
        }
    }

    /// `${x~}` is more than the parser knows of, and it takes it for `$x`.
    pub(super) fn only_a_name(&mut self, span: s::Span) {
        let raw = self.raw(span).strip_prefix("${");
        let name = raw.and_then(|raw| raw.strip_suffix('}'));
        if name.is_some_and(|name| !is_parameter(name) && !name.ends_with(']')) {
            self.unsure(span, "this expansion isn't known");
        }
    }

    /// Whether the name at `span` has no braces that end it.
    pub(super) fn is_open(&mut self, span: s::Span) -> bool {
        let raw = self.raw(span);
        let is_open = raw
            .strip_prefix('$')
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        // The shell takes `\` and a new line out before it looks where the name ends.
        let behind = self.text.get(span.end.offset()..).unwrap_or_default();
        if is_open && behind.trim_start_matches("\\\n").len() < behind.len() {
            self.unsure(span, "the line goes on behind this name");
        }
        is_open
    }

    /// `${1x}` is an error of the shell's.
    pub(super) fn named(&mut self, name: &str, span: s::Span) {
        if !is_parameter(name) {
            self.unsure(span, "what is expanded here has no name");
        }
    }
}

/// A variable's name, a number, or one of the shell's own parameters.
fn is_parameter(name: &str) -> bool {
    let mut chars = name.chars();
    match chars.next() {
        Some(c) if c.is_ascii_digit() => chars.all(|c| c.is_ascii_digit()),
        Some(c) if c.is_ascii_alphabetic() || c == '_' => {
            chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        }
        Some(c) => "@*#?-$!".contains(c) && chars.next().is_none(),
        None => false,
    }
}

/// Where the parser is known to end an expansion elsewhere than the shell does.
fn slipped(raw: &str) -> Option<&'static str> {
    let Some(inner) = raw.strip_prefix('$') else {
        return Some("it isn't clear what is expanded here");
    };
    let inner = inner.strip_prefix('{')?;
    let Some(inner) = inner.strip_suffix('}') else {
        return Some("an expansion isn't closed");
    };
    if inner.contains("\\\n") {
        return Some("a continued line inside an expansion can't be followed");
    }
    let brace = inner
        .match_indices('{')
        .any(|(at, _)| !inner.get(..at).is_some_and(|before| before.ends_with('$')));
    if brace || inner.contains("\\}") || inner.ends_with('\\') || inner.ends_with(':') {
        return Some("it isn't clear where this expansion ends");
    }
    None
}
