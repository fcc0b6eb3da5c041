//! The keeper as a program of its own, for programs that use these crates without the
//! `cerco` binary (which is its own keeper). This crate's tests use it too.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    cerco_run::keeper_main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
