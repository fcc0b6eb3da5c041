//! The POSIX reader on any bytes: no panic, every part inside the text.
#![no_main]

use std::collections::BTreeMap;

use cerco_model::{Command, Dialect, Guard, NoTree, Place, SandboxState};
use cerco_reader::{Call, Inner, Programs, read};
use libfuzzer_sys::fuzz_target;

struct NoPrograms;

impl Programs for NoPrograms {
    type Bound = ();
    fn bind(&self, _: Call<'_>, _: &Place<'_>, _: &mut Vec<Inner>) {}
}

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let dialect = if first % 2 == 0 { Dialect::Bash } else { Dialect::Sh };
    let Ok(command) = Command::new(text.to_vec(), dialect) else {
        return;
    };
    let place = Place {
        project: "/p".into(),
        loop_folder: "/p/l".into(),
        directory: "/p/l".into(),
        other_loops: Vec::new(),
        home: "/home/u".into(),
        user: "u".into(),
        environment: BTreeMap::from([("HOME".into(), "/home/u".into())]),
        sandbox: SandboxState::On,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    };
    let reading = read(&command, &place, &NoPrograms);
    for start in &reading.starts {
        assert!(start.part.of(command.text()).is_some());
    }
    for doubt in &reading.doubts {
        assert!(doubt.part.of(command.text()).is_some());
    }
});
