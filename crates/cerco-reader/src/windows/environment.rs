//! Looking a variable up the way Windows does: names are case-blind, and some are always
//! there.

use cerco_model::Place;

/// The value of `name` in the run's environment.
///
/// Windows fills in the variables that describe the machine and the person even where a
/// caller leaves them out, so a missing `APPDATA` is never read as empty: a text that
/// names it means the person's folder.
pub(crate) fn look_up(place: &Place<'_>, name: &str) -> Option<String> {
    if let Some((_, value)) = place
        .environment
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
    {
        return Some(value.clone());
    }
    let home = place.home.trim_end_matches('\\');
    let under = |rest: &str| Some(format!("{home}\\{rest}"));
    match name.to_ascii_uppercase().as_str() {
        "USERPROFILE" => Some(home.to_owned()),
        "HOMEDRIVE" => home.get(..2).map(str::to_owned),
        "HOMEPATH" => home.get(2..).map(str::to_owned),
        "APPDATA" => under("AppData\\Roaming"),
        "LOCALAPPDATA" => under("AppData\\Local"),
        "TEMP" | "TMP" => under("AppData\\Local\\Temp"),
        "ONEDRIVE" => under("OneDrive"),
        "USERNAME" => Some(place.user.clone()),
        "SYSTEMDRIVE" => Some("C:".to_owned()),
        "SYSTEMROOT" | "WINDIR" => Some("C:\\Windows".to_owned()),
        "PROGRAMFILES" | "PROGRAMW6432" => Some("C:\\Program Files".to_owned()),
        "PROGRAMFILES(X86)" => Some("C:\\Program Files (x86)".to_owned()),
        "COMMONPROGRAMFILES" => Some("C:\\Program Files\\Common Files".to_owned()),
        "PROGRAMDATA" | "ALLUSERSPROFILE" => Some("C:\\ProgramData".to_owned()),
        "PUBLIC" => Some("C:\\Users\\Public".to_owned()),
        "COMSPEC" => Some("C:\\Windows\\System32\\cmd.exe".to_owned()),
        "OS" => Some("Windows_NT".to_owned()),
        _ => None,
    }
}
