//! The settings that a text holds, read as git reads them: of files that the person wrote,
//! to know where git will look. What a command wrote is read by [`crate::settings`], which
//! keeps nothing that it doesn't understand.

/// One setting: its section and key in lower case, a section's part left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) section: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

/// Every setting of `text` in order. Lines that git would refuse are left out.
pub(crate) fn settings(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    loop {
        while rest.next_if(|c| c.is_whitespace()).is_some() {}
        match rest.peek() {
            None => return found,
            Some('#' | ';') => while rest.next_if(|c| *c != '\n').is_some() {},
            Some('[') => {
                rest.next();
                section = header(&mut rest);
            }
            Some(_) => {
                let mut key = String::new();
                while let Some(c) = rest.next_if(|c| *c != '=' && *c != '\n') {
                    key.push(c);
                }
                let has_value = rest.next_if_eq(&'=').is_some();
                found.push(Setting {
                    section: section.clone(),
                    key: key.trim().to_ascii_lowercase(),
                    value: if has_value {
                        value(&mut rest)
                    } else {
                        String::new()
                    },
                });
            }
        }
    }
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// The section's name up to the bracket, which a quoted part may hold too.
fn header(rest: &mut Rest<'_>) -> String {
    let mut name = String::new();
    let mut in_part = false;
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            ']' if !in_part => break,
            '"' => in_part = !in_part,
            '\\' if in_part => {
                rest.next();
            }
            c if !in_part => name.push(c),
            _ => {}
        }
    }
    // `[section.part]` is the older form.
    let whole = name.trim();
    let (first, _) = whole.split_once('.').unwrap_or((whole, ""));
    first.trim().to_ascii_lowercase()
}

fn value(rest: &mut Rest<'_>) -> String {
    let mut out = String::new();
    let mut is_quoted = false;
    // Blanks at the end count only within quotes.
    let mut sure = 0;
    while let Some(c) = rest.next() {
        match c {
            '\n' => break,
            '#' | ';' if !is_quoted => {
                while rest.next_if(|c| *c != '\n').is_some() {}
                break;
            }
            '"' => {
                is_quoted = !is_quoted;
                sure = out.len();
            }
            '\\' => {
                match rest.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('\n') | None => {}
                    Some('\r') => {
                        rest.next_if_eq(&'\n');
                    }
                    Some(other) => out.push(other),
                }
                sure = out.len();
            }
            c if c.is_whitespace() && !is_quoted => {
                if !out.is_empty() {
                    out.push(c);
                }
            }
            c => {
                out.push(c);
                sure = out.len();
            }
        }
    }
    out.truncate(sure);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_git_reads_them() {
        for (text, expected) in [
            ("[core]\n\thooksPath = .gh # team\n", ".gh"),
            ("[core] hooksPath = .gh", ".gh"),
            ("[CORE]\nHOOKSPATH=\".g h\"", ".g h"),
            ("[core]\n hooksPath = a\\\nb ; c", "ab"),
            ("[core]\n; x\n# y\nhooksPath = a\\\\b\\tc", "a\\b\tc"),
            ("\u{feff}[core] # c\nhooksPath = .gh\r\n", ".gh"),
            ("[a \"x]\\\"\"]\nb=c\n[core]hooksPath=.gh", ".gh"),
        ] {
            let found = settings(text);
            let last = found.last().unwrap();
            assert_eq!(
                (
                    last.section.as_str(),
                    last.key.as_str(),
                    last.value.as_str()
                ),
                ("core", "hookspath", expected),
                "{text}"
            );
        }
        assert_eq!(
            settings("[include.x]\npath").first().unwrap().section,
            "include"
        );
    }
}
