//! From the words of the pure crates to the wire's: nothing is decided here, everything
//! that a person will see goes through [`Shown`].

use std::collections::{BTreeMap, BTreeSet};

use cerco_decide::{Ask, Request};
use cerco_model::{Finding as ModelFinding, Judgement, Part, Shown, Verdict as ModelVerdict};

use crate::wire::{AskKind, ExplainLine, Finding, Judged, Layer, Piece, ProgramRow, ShownText};
use crate::wire::{Tool, Verdict};

/// The longest command that a card shows whole, in bytes; the rest is counted.
const MAX_SHOWN: usize = 64 * 1024;

/// Any text, safe to show.
#[must_use]
pub fn shown(text: &str) -> String {
    Shown::of(text).to_string()
}

/// A command, with each piece told which findings' parts it belongs to.
#[must_use]
pub fn shown_text(text: &str, findings: &[ModelFinding]) -> ShownText {
    let parts: Vec<Part> = findings.iter().map(|f| f.part).collect();
    shown_parts(text, &parts, MAX_SHOWN)
}

/// A text of at most `most` bytes, with each piece told which of the parts it belongs to.
#[must_use]
pub fn shown_parts(text: &str, parts: &[Part], most: usize) -> ShownText {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let kept = text.get(..end).unwrap_or_default();
    let mut covers = Covers::of(parts);
    let mut pieces: Vec<Piece> = Vec::new();
    let shown = Shown::of(kept);
    let mut at = 0u32;
    for piece in shown.pieces() {
        // A plain piece shows its source character by character, so a finding's part may
        // cut it; a mark belongs whole to its character.
        let plain = piece.text.len() == (piece.part.end - piece.part.start) as usize;
        if plain {
            for character in piece.text.chars() {
                let here = piece.part.start.max(at);
                let mut bytes = [0; 4];
                let letter = character.encode_utf8(&mut bytes);
                push(&mut pieces, letter, piece.hidden, covers.at(here));
                at = here + u32::try_from(character.len_utf8()).unwrap_or(1);
            }
        } else {
            let of = covers.at(piece.part.start);
            push(&mut pieces, &piece.text, piece.hidden, of);
        }
        at = piece.part.end;
    }
    ShownText {
        has_hidden: shown.has_hidden(),
        left_out: (text.len() - end) as u64,
        pieces,
    }
}

fn push(pieces: &mut Vec<Piece>, text: &str, hidden: bool, of: &[u32]) {
    match pieces.last_mut() {
        Some(last) if last.hidden == hidden && last.findings == of && !hidden => {
            last.text.push_str(text);
        }
        _ => pieces.push(Piece {
            text: text.to_owned(),
            hidden,
            findings: of.to_vec(),
        }),
    }
}

/// A piece names at most so many findings. Thousands of parts on top of each other would
/// otherwise make a card of a short command as large as their product.
const MAX_COVERS: usize = 8;

/// Which parts cover each place of a text, asked for from left to right.
struct Covers {
    /// From each of these places on, these parts cover; in order.
    changes: std::vec::IntoIter<(u32, Vec<u32>)>,
    next: Option<(u32, Vec<u32>)>,
    now: Vec<u32>,
}

impl Covers {
    fn of(parts: &[Part]) -> Self {
        let mut edges: BTreeMap<u32, Vec<(u32, bool)>> = BTreeMap::new();
        for (part, number) in parts.iter().zip(0u32..) {
            if part.start < part.end {
                edges.entry(part.start).or_default().push((number, true));
                edges.entry(part.end).or_default().push((number, false));
            }
        }
        let mut open = BTreeSet::new();
        let mut changes = Vec::with_capacity(edges.len());
        for (place, numbers) in edges {
            for (number, begins) in numbers {
                if begins {
                    open.insert(number);
                } else {
                    open.remove(&number);
                }
            }
            changes.push((place, open.iter().copied().take(MAX_COVERS).collect()));
        }
        let mut changes = changes.into_iter();
        Self {
            next: changes.next(),
            changes,
            now: Vec::new(),
        }
    }

    fn at(&mut self, place: u32) -> &[u32] {
        while let Some((_, now)) = self.next.take_if(|(from, _)| *from <= place) {
            self.now = now;
            self.next = self.changes.next();
        }
        &self.now
    }
}

/// The findings of a judgement.
#[must_use]
pub fn findings(judgement: &Judgement) -> Vec<Finding> {
    judgement
        .findings()
        .iter()
        .map(|f| Finding {
            rule: f.rule.id().into_owned(),
            verdict: f.verdict.into(),
            part: f.part.into(),
            reason: shown(&f.reason),
            remedy: f.remedy.as_deref().map(shown),
            kind: f.kind.as_ref().map(|k| shown(k.as_str())),
        })
        .collect()
}

/// Every program the command would start, with the worst verdict inside its part.
#[must_use]
pub fn programs(judgement: &Judgement) -> Vec<ProgramRow> {
    judgement
        .programs
        .iter()
        .map(|program| {
            let verdict = judgement
                .findings()
                .iter()
                .filter(|f| f.part.start < program.part.end && f.part.end > program.part.start)
                .map(|f| f.verdict)
                .fold(ModelVerdict::Allowed, ModelVerdict::worst);
            let mut words = vec![program.name.clone()];
            words.extend(program.args.iter().map(|word| as_one(word)));
            ProgramRow {
                text: shown(&words.join(" ")),
                verdict: verdict.into(),
                part: program.part.into(),
            }
        })
        .collect()
}

/// A word of several is shown as one: `-m 'Prices with tax'`. What isn't known before it
/// runs stays as it was written.
fn as_one(word: &str) -> String {
    let several = word.is_empty() || word.chars().any(char::is_whitespace);
    if several && !word.contains(['$', '`', '\'']) {
        format!("'{word}'")
    } else {
        word.to_owned()
    }
}

/// What the layers say of a command that was only checked.
#[must_use]
pub fn judged(request: &Request) -> Judged {
    let judgement = request.judgement();
    let kinds = judgement.asked_kinds();
    Judged {
        verdict: judgement.verdict().into(),
        command: shown_text(request.command().text(), judgement.findings()),
        findings: findings(judgement),
        programs: programs(judgement),
        kinds: kinds.iter().map(|k| shown(k.as_str())).collect(),
    }
}

/// The kinds of an ask.
#[must_use]
pub fn ask_kinds(ask: &Ask) -> Vec<AskKind> {
    ask.kinds()
        .iter()
        .map(|k| AskKind {
            kind: k.kind.as_str().to_owned(),
            grantable: k.grantable,
        })
        .collect()
}

/// The chain tools → filter → grants → sandbox, for an ask.
#[must_use]
pub fn explain(ask: &Ask) -> Vec<ExplainLine> {
    let request = ask.request();
    let role = shown(&request.who().role.name().0);
    let asked: Vec<&str> = ask.kinds().iter().map(|k| k.kind.as_str()).collect();
    let sandbox = match request.sandbox() {
        cerco_model::SandboxState::On => "It would run in the sandbox.",
        cerco_model::SandboxState::Off => "The sandbox is off: only the filter holds it.",
    };
    let line = |layer, verdict, text: String| ExplainLine {
        layer,
        verdict,
        text,
    };
    vec![
        line(
            Layer::Tools,
            Verdict::Allowed,
            format!("{role} may run commands."),
        ),
        line(
            Layer::Filter,
            request.judgement().verdict().into(),
            format!("It asks about: {}.", shown(&asked.join(", "))),
        ),
        line(
            Layer::Grants,
            Verdict::Asked,
            "No grant of this session covers all of it, and Full Auto is off.".to_owned(),
        ),
        line(Layer::Sandbox, Verdict::Allowed, sandbox.to_owned()),
    ]
}

impl From<cerco_model::Tool> for Tool {
    fn from(tool: cerco_model::Tool) -> Self {
        match tool {
            cerco_model::Tool::ReadFiles => Self::ReadFiles,
            cerco_model::Tool::WriteFiles => Self::WriteFiles,
            cerco_model::Tool::RunCommands => Self::RunCommands,
        }
    }
}

impl From<Tool> for cerco_model::Tool {
    fn from(tool: Tool) -> Self {
        match tool {
            Tool::ReadFiles => Self::ReadFiles,
            Tool::WriteFiles => Self::WriteFiles,
            Tool::RunCommands => Self::RunCommands,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cerco_model::Rule;

    #[test]
    fn a_findings_part_is_marked_and_hidden_characters_are_seen() {
        let text = "ls; git\u{200b} push";
        let finding = ModelFinding {
            rule: Rule::GitChange,
            verdict: ModelVerdict::Asked,
            part: Part::new(4, text.len()),
            reason: "changes the remote".into(),
            remedy: None,
            kind: None,
        };
        let shown = shown_text(text, &[finding]);
        let rows: Vec<(&str, bool, usize)> = shown
            .pieces
            .iter()
            .map(|p| (p.text.as_str(), p.hidden, p.findings.len()))
            .collect();
        assert_eq!(
            rows,
            [
                ("ls; ", false, 0),
                ("git", false, 1),
                ("⟦U+200B⟧", true, 1),
                (" push", false, 1)
            ]
        );
        assert!(shown.has_hidden);
    }

    #[test]
    fn a_word_of_several_is_shown_as_one() {
        for (word, seen) in [
            ("-m", "-m"),
            ("Prices with tax", "'Prices with tax'"),
            ("", "''"),
            ("$(a b)", "$(a b)"),
            ("it's so", "it's so"),
        ] {
            assert_eq!(as_one(word), seen);
        }
    }

    #[test]
    fn parts_may_touch_lie_in_each_other_and_be_thousands() {
        let text = "abcdef";
        let parts = [Part::new(0, 6), Part::new(1, 3), Part::new(3, 5)];
        let shown = shown_parts(text, &parts, 100);
        let rows: Vec<(&str, &[u32])> = shown
            .pieces
            .iter()
            .map(|p| (p.text.as_str(), p.findings.as_slice()))
            .collect();
        let expected: [(&str, &[u32]); 4] =
            [("a", &[0]), ("bc", &[0, 1]), ("de", &[0, 2]), ("f", &[0])];
        assert_eq!(rows, expected);
        let long = "x".repeat(20_000);
        let nested: Vec<Part> = (0..10_000).map(|n| Part::new(n, 20_000 - n)).collect();
        let shown = shown_parts(&long, &nested, 16_000);
        assert_eq!(shown.left_out, 4000);
        assert!(shown.pieces.iter().all(|p| p.findings.len() <= MAX_COVERS));
    }
}
