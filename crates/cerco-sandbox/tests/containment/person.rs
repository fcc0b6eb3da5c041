//! As whom an attempt is made.

use std::os::unix::fs::MetadataExt;

use crate::case::Case;

/// A user of this machine.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Whether the suite itself runs as somebody else, who is root.
    pub(crate) is_other: bool,
}

/// Attempts that would harm the machine when root makes them where no control group can be
/// made: nothing else limits how many processes root starts.
const NEEDS_A_GROUP: &[&str] = &["lm-001"];

/// Whether Cerco can limit root's processes here.
fn root_is_limited() -> bool {
    let (group, _members) = cerco_sandbox::group::Group::make(Some(16), None);
    group.remove();
    group.limits_processes()
}

impl Person {
    /// The current user, and an ordinary one where the current one is root.
    pub(crate) fn all() -> Vec<Self> {
        let uid = std::fs::metadata("/proc/self").unwrap().uid();
        let me = lookup(|fields| fields[2] == uid.to_string()).unwrap();
        if uid != 0 {
            return vec![me];
        }
        let name = std::env::var("CERCO_TEST_USER").unwrap_or_else(|_| "cerco-test".to_owned());
        let ordinary = lookup(|fields| fields[0] == name)
            .unwrap_or_else(|| panic!("no user {name}: run scripts/test-setup.sh first"));
        let ordinary = Self {
            is_other: true,
            ..ordinary
        };
        vec![ordinary, me]
    }

    /// Whether `case` is for this user and can be prepared.
    pub(crate) fn can_try(&self, case: &Case) -> bool {
        let is_root = self.uid == 0;
        let meant = case.user.is_empty() || (case.user == "root") == is_root;
        let prepared = !case.needs_root() || is_root || self.is_other;
        if !meant || !prepared {
            return false;
        }
        let harmful = is_root && NEEDS_A_GROUP.contains(&case.id.as_str()) && !root_is_limited();
        if harmful {
            eprintln!(
                "{} as root is not made: no control group limits root here",
                case.id
            );
        }
        !harmful
    }

    /// The words that make a command run as this user.
    pub(crate) fn words(&self) -> Vec<String> {
        if !self.is_other {
            return Vec::new();
        }
        let (uid, gid) = (self.uid.to_string(), self.gid.to_string());
        [
            "setpriv",
            "--reuid",
            &uid,
            "--regid",
            &gid,
            "--clear-groups",
        ]
        .map(str::to_owned)
        .to_vec()
    }
}

fn lookup(is_it: impl Fn(&[&str]) -> bool) -> Option<Person> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.len() > 3 && is_it(&fields)).then(|| Person {
            name: fields[0].to_owned(),
            uid: fields[2].parse().unwrap(),
            gid: fields[3].parse().unwrap(),
            is_other: false,
        })
    })
}
