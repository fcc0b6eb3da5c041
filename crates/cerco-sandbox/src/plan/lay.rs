//! The mounts of a plan, laid in order: the machine, the home, the project, the loop's
//! folder, and what nothing of may be seen.

use std::path::Path;

use super::paths::{folders_of, pins, visible};
use super::{Expected, Plan, Proof};
use crate::facts::{Facts, Found, Identity, Kind};
use crate::refusal::Refusal;
use crate::step::{Mount, Step, Why};

/// Past this many files with a name elsewhere, their folders are covered instead.
pub(super) const MAX_OUTWARD_FILES: usize = 40;
/// A private folder that nothing needs to be written to.
const SMALL: u64 = 16 << 20;
/// An empty folder over a hidden one.
const TINY: u64 = 4096;

impl Plan {
    pub(super) fn push(&mut self, mount: Mount, why: Why) {
        self.steps.push(Step { mount, why });
    }

    fn empty(&mut self, at: &Path, bytes: u64, why: Why) {
        let at = at.to_owned();
        self.push(
            Mount::Empty {
                at,
                bytes,
                closed: false,
            },
            why,
        );
    }

    fn read_only(&mut self, at: &Path, why: Why) {
        self.push(Mount::read_only(at), why);
    }

    /// The root, `/dev`, `/proc`, and empty folders over what belongs to others.
    pub(super) fn machine(&mut self, facts: &Facts) {
        self.read_only(Path::new("/"), Why::Root);
        self.push(Mount::Devices, Why::Devices);
        self.push(Mount::Processes, Why::Processes);
        for path in &facts.kernel_switches {
            self.read_only(path, Why::KernelSwitches);
        }
        for path in &facts.kernel_facts {
            self.push(Mount::Cover(path.clone()), Why::KernelFacts);
        }
        let scratch = self.limits.scratch_bytes;
        self.empty(Path::new("/dev/shm"), scratch / 2, Why::Shared);
        for path in &facts.shared {
            let bytes = match path.to_str() {
                Some("/tmp") => scratch,
                Some("/var/tmp") => scratch / 2,
                _ => SMALL,
            };
            self.empty(path, bytes, Why::Shared);
        }
        if let Some(scratch) = &facts.scratch {
            self.push(Mount::Folder(scratch.clone()), Why::Scratch);
        }
    }

    /// An empty home with the toolchains in it.
    pub(super) fn home(&mut self, facts: &Facts) {
        if let Some(home) = &facts.home {
            if visible(&self.steps, home) {
                self.empty(home, SMALL, Why::Home);
            } else {
                self.push(Mount::Folder(home.clone()), Why::Home);
            }
        }
        for toolchain in &facts.toolchains {
            self.push(
                Mount::ReadOnly {
                    from: toolchain.from.clone(),
                    at: toolchain.at.clone(),
                },
                Why::Toolchain,
            );
        }
        for found in &facts.credentials {
            self.cover(found, Why::Credentials);
        }
    }

    /// Read-only folders that don't lie in the loop's folder, then the project: the
    /// project may lie inside one of them.
    pub(super) fn project(&mut self, facts: &Facts) {
        let own = &facts.loop_folder.path;
        for found in facts.protected.iter().filter(|f| !f.path.starts_with(own)) {
            self.read_only(&found.path, Why::Protected);
            self.prove(found, Expected::ReadOnly);
        }
        self.read_only(&facts.project.path, Why::Project);
        self.prove(&facts.project, Expected::ReadOnly);
        // After the folders that show the machine's files once more.
        for found in &facts.root_only {
            if visible(&self.steps, &found.path) {
                self.cover(found, Why::RootOnly);
            }
        }
    }

    /// The loop's folder, writable, with what inside it is not.
    pub(super) fn own_folder(&mut self, facts: &Facts) -> Result<(), Refusal> {
        let own = facts.loop_folder.path.clone();
        let mut held: Vec<(&Found, Why)> = Vec::new();
        let inside = |f: &&Found| f.path.starts_with(&own);
        held.extend(facts.mounts.iter().map(|f| (f, Why::NestedMount)));
        held.extend(facts.git.iter().map(|f| (f, Why::Git)));
        let outward = self.outward(facts);
        held.extend(outward.iter().map(|f| (f, Why::Outward)));
        held.extend(
            facts
                .protected
                .iter()
                .filter(inside)
                .map(|f| (f, Why::Protected)),
        );
        let program = Found {
            path: facts.program.clone(),
            kind: Kind::File,
            identity: Identity::UNKNOWN,
        };
        if inside(&&program) {
            // Cerco's own program in a folder that commands write: outside it would run
            // as something else the next time.
            held.push((&program, Why::Stage));
        }
        let hidden = facts.hidden.iter().filter(inside).map(|f| f.path.as_path());
        let pinned = pins(
            &own,
            held.iter().map(|(f, _)| f.path.as_path()).chain(hidden),
        );
        for pin in pinned {
            self.read_only(&pin, Why::Pin);
        }
        self.push(Mount::Writable { at: own.clone() }, Why::LoopFolder);
        self.prove(&facts.loop_folder, Expected::Writable);
        held.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        held.dedup_by(|(a, _), (b, _)| a.path == b.path);
        for (found, why) in held {
            self.read_only(&found.path, why);
            self.prove(found, Expected::ReadOnly);
        }
        if outward.iter().any(|found| found.path == own) {
            return Err(Refusal::TooManyCovers {
                count: facts.outward.len(),
                limit: MAX_OUTWARD_FILES,
            });
        }
        Ok(())
    }

    /// Files with a name outside are made read-only here; where there are many (package
    /// stores link thousands), the folders they lie in.
    fn outward(&mut self, facts: &Facts) -> Vec<Found> {
        if facts.outward.is_empty() {
            return Vec::new();
        }
        let own = &facts.loop_folder;
        let count = facts.outward.len();
        let held = if count <= MAX_OUTWARD_FILES {
            facts.outward.clone()
        } else {
            folders_of(&facts.outward, &own.path)
        };
        let which: Vec<String> = held
            .iter()
            .take(3)
            .map(|found| crate::refusal::shown(&found.path))
            .collect();
        self.notes.push(format!(
            "{count} files in the loop's folder have a second name outside of it (a hard link), so writing them would write outside: read-only in this run: {}{}. Package managers make copies instead with package-import-method=copy (pnpm) or UV_LINK_MODE=copy (uv)",
            which.join(", "),
            if held.len() > 3 { " …" } else { "" }
        ));
        held
    }

    /// What nothing of can be read, and sockets that stayed visible.
    pub(super) fn hidden(&mut self, facts: &Facts) {
        let mut hidden: Vec<&Found> = facts.hidden.iter().collect();
        hidden.sort_by(|a, b| a.path.cmp(&b.path));
        let mut last: Option<&Found> = None;
        for found in hidden {
            let inside_last = last.is_some_and(|l| found.path.starts_with(&l.path));
            if inside_last || !visible(&self.steps, &found.path) {
                continue;
            }
            self.cover(found, Why::Hidden);
            self.prove(found, Expected::Hidden);
            last = Some(found);
        }
        self.hidden_in_toolchains(facts);
        for socket in &facts.sockets {
            let covered = |step: &Step| step.why == Why::Socket && step.mount.at() == socket;
            if visible(&self.steps, socket) && !self.steps.iter().any(covered) {
                self.push(Mount::Cover(socket.clone()), Why::Socket);
            }
        }
    }

    /// A toolchain that is a link is seen at a second place, with what is hidden in it.
    fn hidden_in_toolchains(&mut self, facts: &Facts) {
        for toolchain in facts.toolchains.iter().filter(|open| open.from != open.at) {
            for found in &facts.hidden {
                let Ok(below) = found.path.strip_prefix(&toolchain.from) else {
                    continue;
                };
                let there = Found {
                    path: toolchain.at.join(below),
                    ..found.clone()
                };
                self.cover(&there, Why::Hidden);
                self.prove(&there, Expected::Hidden);
            }
        }
    }

    fn cover(&mut self, found: &Found, why: Why) {
        let at = found.path.clone();
        let mount = match found.kind {
            Kind::Folder => Mount::Empty {
                at,
                bytes: TINY,
                closed: true,
            },
            Kind::File => Mount::Cover(at),
        };
        self.push(mount, why);
    }

    fn prove(&mut self, found: &Found, expected: Expected) {
        self.proofs.push(Proof {
            path: found.path.clone(),
            identity: found.identity,
            expected,
        });
    }
}
