//! Names that the language itself gives a meaning.

/// Commands that run a block at once, in the shell's own state.
pub(super) fn runs_block_now(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "foreach-object"
            | "foreach"
            | "%"
            | "where-object"
            | "where"
            | "?"
            | "measure-command"
            | "sort-object"
            | "sort"
            | "group-object"
            | "group"
            | "select-object"
            | "select"
            | "format-table"
            | "ft"
            | "format-list"
            | "fl"
            | "invoke-command"
            | "icm"
    )
}

/// `ForEach-Object` and its aliases: a bare word behind it is a member it calls.
pub(super) fn is_each(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "foreach-object" | "foreach" | "%"
    )
}

/// Commands whose output is their argument.
pub(super) fn is_echo(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "write-output" | "write" | "echo"
    )
}

/// Commands that list a folder.
pub(super) fn is_list(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "get-childitem" | "gci" | "dir" | "ls"
    )
}

/// Types a cast to which only converts a value.
pub(super) fn is_plain_type(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("system.").unwrap_or(&name);
    let name = name.trim_end_matches("[]");
    matches!(
        name,
        "string"
            | "char"
            | "int"
            | "int16"
            | "int32"
            | "int64"
            | "long"
            | "uint"
            | "uint16"
            | "uint32"
            | "uint64"
            | "byte"
            | "sbyte"
            | "double"
            | "single"
            | "float"
            | "decimal"
            | "bool"
            | "boolean"
            | "switch"
            | "void"
            | "array"
            | "hashtable"
            | "ordered"
            | "pscustomobject"
            | "psobject"
            | "object"
            | "xml"
            | "regex"
            | "datetime"
            | "timespan"
            | "guid"
            | "version"
            | "semver"
            | "uri"
            | "bigint"
            | "ref"
            | "math"
            | "io.fileinfo"
            | "io.directoryinfo"
            | "management.automation.pscredential"
    )
}

/// Drive prefixes of a variable that mean a scope.
pub(super) fn is_scope(prefix: &str) -> bool {
    matches!(
        prefix,
        "global" | "script" | "local" | "private" | "using" | "variable" | "workflow"
    )
}

/// Variables of the shell that later commands are steered by.
pub(super) fn steers(name: &str) -> bool {
    matches!(
        name,
        "psdefaultparametervalues"
            | "psmoduleautoloadingpreference"
            | "executioncontext"
            | "profile"
            | "pshome"
            | "psemailserver"
            | "pssessionapplicationname"
            | "pssessionconfigurationname"
            | "psnativecommandargumentpassing"
            | "ofs"
    )
}
