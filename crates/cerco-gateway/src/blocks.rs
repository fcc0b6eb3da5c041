//! The code blocks of a chat answer: what stands between Markdown's fences.
//!
//! Only fences are known here; what stands between them is for `prose`. A
//! fence that nobody closes ends with the text, as in Markdown (`CommonMark` 0.31, §4.5).

/// A part of a chat answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Whether it stood between fences.
    pub is_code: bool,
    /// Its text, without the fences and without the last line's end.
    pub text: &'a str,
}

/// Takes a text apart. Every line is in one block, but for the fences themselves; empty
/// blocks are left out, so the numbers are those of what is shown.
#[must_use]
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut all = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let (begin, end) = (at, at + line.len());
        at = end;
        let turns = match (open, fence(line)) {
            (None, Some((mark, length, _))) => Some(Some((mark, length))),
            (Some((mark, length)), Some((other, longer, bare)))
                if mark == other && longer >= length && bare =>
            {
                Some(None)
            }
            _ => None,
        };
        if let Some(next) = turns {
            push(&mut all, open.is_some(), text.get(start..begin));
            (open, start) = (next, end);
        }
    }
    push(&mut all, open.is_some(), text.get(start..));
    all
}

fn push<'a>(all: &mut Vec<Block<'a>>, is_code: bool, text: Option<&'a str>) {
    let text = text.unwrap_or_default();
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if !text.trim().is_empty() {
        all.push(Block { is_code, text });
    }
}

/// The mark of a fence, how often it stands there, and whether nothing follows it.
fn fence(line: &str) -> Option<(char, usize, bool)> {
    let inside = line.trim_start_matches(' ');
    if line.len() - inside.len() > 3 {
        return None;
    }
    let mark = inside.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inside.trim_start_matches(mark);
    let length = inside.len() - rest.len();
    // A line of code in backticks is no fence.
    let is_fence = length >= 3 && !(mark == '`' && rest.contains('`'));
    is_fence.then(|| (mark, length, rest.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(bool, &str)]) {
        let found: Vec<_> = blocks(text).iter().map(|b| (b.is_code, b.text)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn what_stands_between_fences_is_code() {
        check("", &[]);
        check("just words\nand more", &[(false, "just words\nand more")]);
        check(
            "Run:\n```sh\nnpm test\n```\nthen look.",
            &[(false, "Run:"), (true, "npm test"), (false, "then look.")],
        );
        check("```\r\nls\r\n```\r\n", &[(true, "ls")]);
        check("~~~~\na\n~~~\nb\n~~~~", &[(true, "a\n~~~\nb")]);
        check("````\n```\n````", &[(true, "```")]);
        check("```\nnever closed\n", &[(true, "never closed")]);
        check(
            "```\n``` not the end\nx\n```",
            &[(true, "``` not the end\nx")],
        );
        check("``` a ` b\nwords", &[(false, "``` a ` b\nwords")]);
        check("    ```\n    indented", &[(false, "    ```\n    indented")]);
        check("   ```\nx\n  ```", &[(true, "x")]);
        check("```\n\n```\nafter", &[(false, "after")]);
    }
}
