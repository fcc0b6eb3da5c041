//! Brace expansion, which bash does on the written word before everything else.

use compact_str::CompactString;

use crate::posix::tree::{Frag, Param, ParamOp, Quote};

/// Words that one brace expansion may make.
const MOST: usize = 1_024;

/// A unit of a word: a live character, or a fragment that braces don't look into.
#[derive(Clone, Copy, Debug)]
enum Unit<'w> {
    Char(char),
    Frag(&'w Frag),
}

/// A fragment of an expanded word.
#[derive(Debug)]
pub(super) enum Part<'w> {
    Bare(CompactString),
    Frag(&'w Frag),
}

/// The words that `frags` make; nothing where no brace is live, an error where there
/// are too many.
pub(super) fn expand(frags: &[Frag]) -> Option<Result<Vec<Vec<Part<'_>>>, ()>> {
    if !frags
        .iter()
        .any(|f| matches!(f, Frag::Bare(text) if text.contains('{')))
    {
        return None;
    }
    let mut units = Vec::new();
    for frag in frags {
        match frag {
            Frag::Bare(text) => units.extend(text.chars().map(Unit::Char)),
            other @ (Frag::Quoted(_)
            | Frag::Opaque
            | Frag::Param(..)
            | Frag::Command(..)
            | Frag::Arith(..)
            | Frag::Process(_)) => units.push(Unit::Frag(other)),
        }
    }
    let Ok(words) = words(&units, 0) else {
        return Some(Err(()));
    };
    if let [word] = words.as_slice()
        && word.len() == units.len()
    {
        return None;
    }
    Some(Ok(words.into_iter().map(join).collect()))
}

/// `{$p,q}r` is `$pr qr`: the name that `frag` gets from the text behind it, and how many
/// bytes of that text are in it.
pub(super) fn longer(frag: &Frag, behind: Option<&Part<'_>>) -> Option<(Param, usize)> {
    let (Frag::Param(param, Quote::Bare), Some(Part::Bare(text))) = (frag, behind) else {
        return None;
    };
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    if !param.is_open || end == 0 {
        return None;
    }
    let mut name = param.name.clone();
    name.push_str(text.get(..end)?);
    let param = Param {
        name,
        index: None,
        op: ParamOp::Get,
        is_open: true,
        part: param.part,
    };
    Some((param, end))
}

/// Whether a `$` that stood alone has come to stand before something that it expands.
pub(super) fn makes_dollar(text: &str, is_last: bool) -> bool {
    text.match_indices('$').any(|(at, _)| {
        match text.get(at + 1..).and_then(|rest| rest.chars().next()) {
            None => !is_last,
            Some(next) => next.is_ascii_alphanumeric() || "_{([\'\"`@*#?$!-".contains(next),
        }
    })
}

fn join(units: Vec<Unit<'_>>) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for unit in units {
        match unit {
            Unit::Char(c) => {
                if let Some(Part::Bare(text)) = parts.last_mut() {
                    text.push(c);
                } else {
                    let mut text = CompactString::default();
                    text.push(c);
                    parts.push(Part::Bare(text));
                }
            }
            Unit::Frag(frag) => parts.push(Part::Frag(frag)),
        }
    }
    parts
}

fn words<'w>(units: &[Unit<'w>], depth: usize) -> Result<Vec<Vec<Unit<'w>>>, ()> {
    if depth > 64 {
        return Err(());
    }
    for (at, unit) in units.iter().enumerate() {
        if !matches!(unit, Unit::Char('{')) {
            continue;
        }
        let Some(choices) = alternatives(units, at, depth)? else {
            continue;
        };
        let (middles, after) = choices;
        let (before, _) = units.split_at(at);
        let tails = words(units.get(after..).unwrap_or_default(), depth + 1)?;
        if middles.len().saturating_mul(tails.len()) > MOST {
            return Err(());
        }
        let mut out = Vec::with_capacity(middles.len() * tails.len());
        for middle in &middles {
            for tail in &tails {
                let mut word = before.to_vec();
                word.extend_from_slice(middle);
                word.extend_from_slice(tail);
                out.push(word);
            }
        }
        return Ok(out);
    }
    Ok(vec![units.to_vec()])
}

type Middles<'w> = Vec<Vec<Unit<'w>>>;

/// What the brace at `open` expands to, and where the text goes on behind it.
fn alternatives<'w>(
    units: &[Unit<'w>],
    open: usize,
    depth: usize,
) -> Result<Option<(Middles<'w>, usize)>, ()> {
    let mut level = 0_usize;
    let mut commas = Vec::new();
    for (at, unit) in units.iter().enumerate().skip(open + 1) {
        match unit {
            Unit::Char('{') => level += 1,
            Unit::Char(',') if level == 0 => commas.push(at),
            Unit::Char('}') if level > 0 => level -= 1,
            Unit::Char('}') => {
                let inside = units.get(open + 1..at).unwrap_or_default();
                if commas.is_empty() {
                    let nested = inside.iter().any(|u| matches!(u, Unit::Char('{')));
                    let dots = inside
                        .windows(2)
                        .any(|pair| matches!(pair, [Unit::Char('.'), Unit::Char('.')]));
                    if nested && dots {
                        // What bash makes of `{{a,b}1..3}` follows no rule.
                        return Err(());
                    }
                    return Ok(sequence(inside)?.map(|middles| (middles, at + 1)));
                }
                let mut middles = Vec::new();
                let mut from = open + 1;
                for end in commas.iter().copied().chain([at]) {
                    middles.extend(words(units.get(from..end).unwrap_or_default(), depth + 1)?);
                    if middles.len() > MOST {
                        return Err(());
                    }
                    from = end + 1;
                }
                return Ok(Some((middles, at + 1)));
            }
            Unit::Char(_) | Unit::Frag(_) => {}
        }
    }
    Ok(None)
}

/// `{1..5}`, `{a..e..2}`.
fn sequence<'w>(inside: &[Unit<'w>]) -> Result<Option<Middles<'w>>, ()> {
    let mut text = String::new();
    for unit in inside {
        match unit {
            Unit::Char(c) => text.push(*c),
            Unit::Frag(_) => return Ok(None),
        }
    }
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match fields.as_slice() {
        [from, to] => (*from, *to, 1),
        [from, to, step] => match step.parse::<i64>() {
            Ok(step) => (*from, *to, step),
            Err(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    let step = i64::try_from(step.unsigned_abs().max(1)).map_err(|_| ())?;
    let chars = |text: &str| text.chars().map(Unit::Char).collect::<Vec<_>>();
    let run = |a: i64, b: i64| -> Result<Vec<i64>, ()> {
        let count = a.abs_diff(b) / step.unsigned_abs();
        if count >= MOST as u64 {
            return Err(());
        }
        let count = i64::try_from(count).map_err(|_| ())?;
        let sign = if a <= b { step } else { -step };
        Ok((0..=count).map(|i| a + i * sign).collect())
    };
    let letter = |text: &str| {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if c.is_ascii_alphabetic() => Some(c),
            _ => None,
        }
    };
    if let (Ok(a), Ok(b)) = (from.parse::<i64>(), to.parse::<i64>()) {
        if from.starts_with('+') || to.starts_with('+') {
            return Ok(None);
        }
        let padded = |t: &str| {
            t.trim_start_matches('-').starts_with('0') && t.trim_start_matches('-').len() > 1
        };
        let width = if padded(from) || padded(to) {
            from.len().max(to.len())
        } else {
            0
        };
        return Ok(Some(
            run(a, b)?
                .into_iter()
                .map(|n| chars(&format!("{n:0width$}")))
                .collect(),
        ));
    }
    if let (Some(a), Some(b)) = (letter(from), letter(to)) {
        if a.is_ascii_lowercase() != b.is_ascii_lowercase() {
            // The letters between them are a backslash and a backtick.
            return Err(());
        }
        let numbers = run(i64::from(u32::from(a)), i64::from(u32::from(b)))?;
        return Ok(Some(
            numbers
                .into_iter()
                .filter_map(|n| u32::try_from(n).ok().and_then(char::from_u32))
                .map(|c| vec![Unit::Char(c)])
                .collect(),
        ));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &str) {
        let frags = [Frag::Bare(text.into())];
        let got = match expand(&frags) {
            None => text.to_owned(),
            Some(Err(())) => "too many".to_owned(),
            Some(Ok(words)) => words
                .iter()
                .map(|parts| {
                    parts
                        .iter()
                        .map(|p| match p {
                            Part::Bare(text) => text.as_str(),
                            Part::Frag(_) => "?",
                        })
                        .collect::<String>()
                })
                .collect::<Vec<_>>()
                .join(" "),
        };
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn as_bash_expands() {
        check("a{b,c}d", "abd acd");
        check("{a,b}{c,d}", "ac ad bc bd");
        check("{a,{b,c}}", "a b c");
        check("{1..3}", "1 2 3");
        check("{03..1}", "03 02 01");
        check("{a..c}", "a b c");
        check("{a}", "{a}");
        check("{}", "{}");
        check("a{b", "a{b");
        check("x{,y}", "x xy");
        check("{1..99999}", "too many");
    }
}
