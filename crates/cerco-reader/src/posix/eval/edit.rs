//! What the operators of `${x…}` make of a text that is known.

use compact_str::CompactString;

use super::pattern::{Pat, matches};

/// `list[from..from + length]` with the shell's negative numbers.
pub(super) fn cut<T>(list: &[T], from: i64, length: Option<i64>) -> &[T] {
    let count = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let from = if from < 0 { from + count } else { from };
    let to = match length {
        None => count,
        Some(n) if n < 0 => count + n,
        Some(n) => from.saturating_add(n).min(count),
    };
    match (usize::try_from(from), usize::try_from(to)) {
        (Ok(from), Ok(to)) => list.get(from..to).unwrap_or_default(),
        _ => &[],
    }
}

/// Whether `from` lies behind the end that a negative `length` counts, which is an error.
pub(super) fn is_backwards(count: usize, from: i64, length: i64) -> bool {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let from = if from < 0 {
        from.saturating_add(count)
    } else {
        from
    };
    length < 0 && count.saturating_add(length) < from
}

/// Nothing where there is more than ASCII, which the locale decides on.
pub(super) fn change_case(text: &str, upper: bool, all: bool) -> Option<CompactString> {
    let change = |(i, c): (usize, char)| match (all || i == 0, upper) {
        (true, true) => c.to_ascii_uppercase(),
        (true, false) => c.to_ascii_lowercase(),
        (false, _) => c,
    };
    let changed = text.chars().enumerate().map(change).collect();
    text.is_ascii().then_some(changed)
}

/// Texts longer than this aren't matched against every position.
const MOST: usize = 4_096;

pub(super) fn strip(
    text: &str,
    pattern: &[Pat],
    suffix: bool,
    longest: bool,
) -> Option<CompactString> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > MOST {
        return None;
    }
    let rest = |cut: usize| -> CompactString {
        if suffix {
            chars.iter().take(chars.len() - cut).collect()
        } else {
            chars.iter().skip(cut).collect()
        }
    };
    let part = |cut: usize| {
        if suffix {
            chars.get(chars.len() - cut..)
        } else {
            chars.get(..cut)
        }
    };
    let mut order: Vec<usize> = (0..=chars.len()).collect();
    if longest {
        order.reverse();
    }
    for n in order {
        if matches(pattern, part(n)?)? {
            return Some(rest(n));
        }
    }
    Some(text.into())
}

pub(super) fn replace(text: &str, pattern: &[Pat], by: &str, all: bool) -> Option<CompactString> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > 512 {
        return None;
    }
    // `#` and `%` in front anchor the pattern.
    if matches!(pattern.first(), Some(('#' | '%', false))) || pattern.is_empty() {
        return if pattern.is_empty() {
            Some(text.into())
        } else {
            None
        };
    }
    let mut out = CompactString::default();
    let mut at = 0;
    let mut done = false;
    while at < chars.len() {
        let mut matched = 0;
        if all || !done {
            for end in (at + 1..=chars.len()).rev() {
                if matches(pattern, chars.get(at..end)?)? {
                    matched = end - at;
                    break;
                }
            }
        }
        if matched == 0 {
            out.extend(chars.get(at));
            at += 1;
        } else {
            out.push_str(by);
            at += matched;
            done = true;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pat(text: &str) -> Vec<Pat> {
        text.chars().map(|c| (c, false)).collect()
    }

    #[test]
    fn operators_as_bash_works_them() {
        assert_eq!(
            strip("a.b.c", &pat("*."), false, false).as_deref(),
            Some("b.c")
        );
        assert_eq!(
            strip("a.b.c", &pat("*."), false, true).as_deref(),
            Some("c")
        );
        assert_eq!(
            strip("a.b.c", &pat(".*"), true, false).as_deref(),
            Some("a.b")
        );
        assert_eq!(strip("a.b.c", &pat(".*"), true, true).as_deref(), Some("a"));
        assert_eq!(
            replace("xsxsh", &pat("x"), "", true).as_deref(),
            Some("ssh")
        );
        assert_eq!(
            replace("aab", &pat("a"), "c", false).as_deref(),
            Some("cab")
        );
        assert_eq!(cut(&['a', 'b', 'c'], -2, None), ['b', 'c']);
        assert_eq!(cut(&['a', 'b', 'c'], 0, Some(-1)), ['a', 'b']);
    }
}
