//! What the outside tells the inside: folders, numbers and names, as arguments.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Everything that attempts aim at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The project.
    pub(crate) project: PathBuf,
    /// The loop's folder.
    pub(crate) own: PathBuf,
    /// A folder outside of the project.
    pub(crate) outside: PathBuf,
    /// In the names and arguments of all that belongs to this self-test.
    pub(crate) mark: String,
    /// The number of a process outside.
    pub(crate) victim: u32,
    /// Ports outside: one that takes connections, one that takes datagrams.
    pub(crate) tcp: u16,
    /// See `tcp`.
    pub(crate) udp: u16,
    /// The outside's namespaces, as `/proc/self/ns` shows them.
    pub(crate) namespaces: Vec<String>,
    /// Paths nothing of which may be read.
    pub(crate) hidden: Vec<PathBuf>,
    /// The person's home, and which file it is outside: `device:inode`.
    pub(crate) home: Option<(PathBuf, String)>,
}

impl Names {
    /// As arguments, `name=value` each.
    pub(super) fn encode(&self) -> Vec<OsString> {
        let word = |name: &str, value: &OsStr| {
            let mut word = OsString::from(format!("{name}="));
            word.push(value);
            word
        };
        let mut words = vec![
            word("project", self.project.as_os_str()),
            word("own", self.own.as_os_str()),
            word("outside", self.outside.as_os_str()),
            word("mark", self.mark.as_ref()),
            word("victim", self.victim.to_string().as_ref()),
            word("tcp", self.tcp.to_string().as_ref()),
            word("udp", self.udp.to_string().as_ref()),
        ];
        words.extend(
            self.namespaces
                .iter()
                .map(|n| word("namespace", n.as_ref())),
        );
        words.extend(self.hidden.iter().map(|p| word("hidden", p.as_os_str())));
        if let Some((home, file)) = &self.home {
            words.push(word("home", home.as_os_str()));
            words.push(word("home-file", file.as_ref()));
        }
        words
    }

    /// Nothing where a word is none of these.
    pub(super) fn decode(words: &[OsString]) -> Option<Self> {
        let mut names = Self::default();
        let (mut home, mut home_file) = (None, None);
        for word in words {
            let bytes = word.as_bytes();
            let at = bytes.iter().position(|b| *b == b'=')?;
            let (name, value) = bytes.split_at_checked(at)?;
            let value = OsString::from_vec(value.get(1..)?.to_vec());
            let text = || value.to_str().map(str::to_owned);
            match std::str::from_utf8(name).ok()? {
                "project" => names.project = value.into(),
                "own" => names.own = value.into(),
                "outside" => names.outside = value.into(),
                "mark" => names.mark = text()?,
                "victim" => names.victim = text()?.parse().ok()?,
                "tcp" => names.tcp = text()?.parse().ok()?,
                "udp" => names.udp = text()?.parse().ok()?,
                "namespace" => names.namespaces.push(text()?),
                "hidden" => names.hidden.push(value.into()),
                "home" => home = Some(PathBuf::from(value)),
                "home-file" => home_file = Some(text()?),
                _ => return None,
            }
        }
        names.home = home.zip(home_file);
        Some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_arrives() {
        let names = Names {
            project: "/a b=c".into(),
            own: "/a b=c/own".into(),
            outside: OsString::from_vec(vec![b'/', 0xff]).into(),
            mark: "m".into(),
            victim: 7,
            tcp: 1,
            udp: 2,
            namespaces: vec!["net:[1]".into()],
            hidden: vec!["/h".into(), "/i".into()],
            home: Some(("/home/x".into(), "1:2".into())),
        };
        assert_eq!(Names::decode(&names.encode()), Some(names));
        assert_eq!(Names::decode(&["what=ever".into()]), None);
    }
}
