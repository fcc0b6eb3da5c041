//! The PowerShell reader on any bytes: no panic, every part inside the text.
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
    let Ok(command) = Command::new(data.to_vec(), Dialect::PowerShell) else {
        return;
    };
    let place = Place {
        project: "C:\\p".into(),
        loop_folder: "C:\\p\\l".into(),
        directory: "C:\\p\\l".into(),
        other_loops: Vec::new(),
        home: "C:\\Users\\u".into(),
        user: "u".into(),
        environment: BTreeMap::from([("X".into(), "a&b".into())]),
        sandbox: SandboxState::On,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    };
    let reading = read(&command, &place, &NoPrograms);
    for start in &reading.starts {
        assert!(start.part.of(command.text()).is_some());
        assert!(start.args.iter().all(|word| word.part.of(command.text()).is_some()));
    }
    for doubt in &reading.doubts {
        assert!(doubt.part.of(command.text()).is_some());
    }
});
