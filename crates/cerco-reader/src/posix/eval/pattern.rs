//! Matching of shell patterns against known text, where that is settled.

/// A character of a pattern and whether it is quoted.
pub(super) type Pat = (char, bool);

/// Whether `text` as a whole matches; nothing where the pattern is beyond what is
/// decided here (classes by name, extended patterns).
pub(super) fn matches(pattern: &[Pat], text: &[char]) -> Option<bool> {
    if !is_simple(pattern) {
        return None;
    }
    let mut fuel = 100_000;
    go(pattern, text, &mut fuel)
}

/// No extended pattern, no named class.
fn is_simple(pattern: &[Pat]) -> bool {
    let unquoted = |i: usize, want: char| pattern.get(i).is_some_and(|(c, q)| *c == want && !q);
    (0..pattern.len()).all(|i| {
        let extended = unquoted(i + 1, '(') && "?*+@!".chars().any(|c| unquoted(i, c));
        let class = unquoted(i, '[') && [':', '.', '='].into_iter().any(|c| unquoted(i + 1, c));
        !extended && !class
    })
}

fn go(pattern: &[Pat], text: &[char], fuel: &mut u32) -> Option<bool> {
    // The usual two-pointer walk: only the last `*` is ever gone back to.
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        *fuel = fuel.checked_sub(1)?;
        let step = match pattern.get(p) {
            Some(('*', false)) => {
                star = Some((p + 1, t));
                p += 1;
                continue;
            }
            None if t == text.len() => return Some(true),
            None => None,
            Some((c, quoted)) => match text.get(t) {
                None => None,
                Some(_) if *c == '?' && !quoted => Some(1),
                Some(have) if *c == '[' && !quoted => match set(pattern, p + 1, *have)? {
                    Set::Holds(width) => Some(width + 1),
                    Set::Lacks => None,
                    Set::Unclosed => (*have == '[').then_some(1),
                },
                Some(have) => (have == c).then_some(1),
            },
        };
        match (step, star) {
            (Some(width), _) => {
                p += width;
                t += 1;
            }
            (None, Some((after, from))) if from < text.len() => {
                star = Some((after, from + 1));
                p = after;
                t = from + 1;
            }
            (None, _) => return Some(false),
        }
    }
}

enum Set {
    /// With so many pattern characters after the `[`.
    Holds(usize),
    Lacks,
    Unclosed,
}

fn set(pattern: &[Pat], from: usize, have: char) -> Option<Set> {
    let mut at = from;
    let negated = matches!(pattern.get(at), Some(('!' | '^', false)));
    if negated {
        at += 1;
    }
    let first = at;
    let mut holds = false;
    loop {
        let Some((c, quoted)) = pattern.get(at).copied() else {
            return Some(Set::Unclosed);
        };
        if c == ']' && !quoted && at > first {
            break;
        }
        if c == '[' && !quoted && matches!(pattern.get(at + 1), Some((':' | '.' | '=', false))) {
            return None;
        }
        if matches!(pattern.get(at + 1), Some(('-', false)))
            && let Some((to, _)) = pattern.get(at + 2).copied()
            && !matches!(pattern.get(at + 2), Some((']', false)))
        {
            // Ranges follow the locale's order; only within plain ASCII is that settled.
            if !c.is_ascii() || !to.is_ascii() {
                return None;
            }
            holds |= (c..=to).contains(&have);
            at += 3;
        } else {
            holds |= c == have;
            at += 1;
        }
    }
    if holds == negated {
        return Some(Set::Lacks);
    }
    Some(Set::Holds(at + 1 - from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_shell_matches() {
        for (pattern, text, want) in [
            ("*.rs", "a.rs", Some(true)),
            ("*.rs", "a.rsx", Some(false)),
            ("a?c", "abc", Some(true)),
            ("[a-c]x", "bx", Some(true)),
            ("[!a-c]x", "bx", Some(false)),
            ("[]]", "]", Some(true)),
            ("[", "[", Some(true)),
            ("*a*b", "xxaxxb", Some(true)),
            ("@(a|b)", "a", None),
            ("[[:alpha:]]", "a", None),
            ("", "", Some(true)),
        ] {
            let pattern: Vec<Pat> = pattern.chars().map(|c| (c, false)).collect();
            let text: Vec<char> = text.chars().collect();
            assert_eq!(matches(&pattern, &text), want, "{pattern:?} {text:?}");
        }
    }
}
