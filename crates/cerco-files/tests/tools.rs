//! What the tools do on an ordinary day, and how they say no.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    reason = "a test may stop at the first surprise"
)]

mod common;

use std::fs;

use cerco_files::{Depth, Existing, From, Limits, Occurrences, Pattern};
use common::{LOOT, World, code, edit, rel};

/// Each tool on each kind of place: the answer's word.
#[test]
fn every_tool_on_every_kind_of_place() {
    // path, list, read, search, write, edit, move away, delete
    let rows = [
        ("a.txt", ["not_folder", "ok", "ok", "ok", "ok", "ok", "ok"]),
        (
            "new/x.txt",
            [
                "missing", "missing", "missing", "ok", "missing", "missing", "missing",
            ],
        ),
        (
            "src",
            ["ok", "folder", "ok", "folder", "folder", "ok", "not_empty"],
        ),
        (
            ".env",
            [
                "not_folder",
                "secret",
                "secret",
                "secret",
                "secret",
                "secret",
                "secret",
            ],
        ),
        (
            "x/.env",
            [
                "missing", "secret", "missing", "secret", "secret", "secret", "secret",
            ],
        ),
        (
            "other",
            [
                "ok",
                "folder",
                "ok",
                "other_loop",
                "other_loop",
                "other_loop",
                "other_loop",
            ],
        ),
        (
            "other/theirs.txt",
            [
                "not_folder",
                "ok",
                "ok",
                "other_loop",
                "other_loop",
                "other_loop",
                "other_loop",
            ],
        ),
        (
            "other/new.txt",
            [
                "missing",
                "missing",
                "missing",
                "other_loop",
                "other_loop",
                "other_loop",
                "other_loop",
            ],
        ),
        (
            ".git/config",
            ["not_folder", "ok", "ok", "git", "git", "git", "git"],
        ),
        (
            ".git/hooks/pre-commit",
            ["missing", "missing", "missing", "git", "git", "git", "git"],
        ),
        (
            "sub/.GIT",
            ["missing", "missing", "missing", "git", "git", "git", "git"],
        ),
        (
            "cerco.toml",
            [
                "not_folder",
                "ok",
                "ok",
                "frozen",
                "frozen",
                "frozen",
                "frozen",
            ],
        ),
        ("cerco", ["own", "own", "own", "own", "own", "own", "own"]),
        (
            "cerco/journal.db",
            ["own", "own", "own", "own", "own", "own", "own"],
        ),
        (
            ".",
            ["ok", "folder", "ok", "root", "folder", "root", "root"],
        ),
    ];
    for (path, expected) in rows {
        let fresh = || {
            let world = World::new();
            let files = world.files();
            (world, files)
        };
        let path_of = rel(path);
        let (world, files) = fresh();
        let got = [
            code(&files.list(&path_of, 1)),
            code(&files.read(&path_of, From::Line(1), None)),
            code(&files.search(&path_of, &Pattern::Literal("t".into()))),
            code(&files.write(&path_of, b"new", Existing::Replace)),
            {
                let (_world, files) = fresh();
                code(&files.edit(&path_of, &[edit("two", "2", Occurrences::Exactly(1))]))
            },
            {
                let (_world, files) = fresh();
                code(&files.shift(&path_of, &rel("moved")))
            },
            {
                let (_world, files) = fresh();
                code(&files.delete(&path_of, Depth::Empty))
            },
        ];
        assert_eq!(got, expected, "{path}");
        drop(world);
    }
}

#[test]
fn a_listing_shows_what_is_off_limits_and_hides_cercos_own() {
    let world = World::new();
    let listing = world.files().list(&rel("."), 2).unwrap();
    let shown: Vec<(String, bool, bool)> = listing
        .entries
        .iter()
        .map(|e| (e.path.clone(), e.secret, e.read_only))
        .collect();
    let row = |path: &str, secret, read_only| (path.to_owned(), secret, read_only);
    assert_eq!(
        shown,
        [
            row(".env", true, false),
            row(".git", false, true),
            row(".git/config", false, true),
            row("a.txt", false, false),
            row("cerco.toml", false, true),
            row("other", false, true),
            row("other/theirs.txt", false, true),
            row("src", false, false),
            row("src/main.rs", false, false),
        ]
    );
    assert!(!listing.truncated);
}

#[test]
fn a_long_file_is_read_in_pieces_that_add_up() {
    let world = World::new();
    let whole: String = (1..=5000)
        .map(|n| format!("line {n} é\n"))
        .collect::<Vec<_>>()
        .concat();
    fs::write(world.at("loop/long.txt"), &whole).unwrap();
    let limits = Limits {
        read_bytes: 1000,
        ..Limits::default()
    };
    let files = world.files_with(limits);
    let (mut got, mut next) = (String::new(), Some(1));
    while let Some(line) = next {
        let piece = files
            .read(&rel("long.txt"), From::Line(line), None)
            .unwrap();
        assert!(piece.text.len() <= 1000 && !piece.replaced);
        got += &piece.text;
        next = piece.next_line;
    }
    assert_eq!(got, whole);
    let two = files
        .read(&rel("long.txt"), From::Line(3), Some(2))
        .unwrap();
    assert_eq!(two.text, "line 3 é\nline 4 é\n");
    assert_eq!(two.next_line, Some(5));
    let past = files
        .read(&rel("long.txt"), From::Line(9999), None)
        .unwrap();
    assert_eq!((past.text.as_str(), past.next_byte), ("", None));
}

#[test]
fn a_line_of_ten_megabytes_is_read_and_searched_within_bounds() {
    let world = World::new();
    let mut line = "x".repeat(10 << 20);
    line.push_str("needle");
    fs::write(world.at("loop/wide.txt"), &line).unwrap();
    let files = world.files();
    let (mut at, mut length) = (Some(0), 0);
    while let Some(byte) = at {
        let piece = files
            .read(&rel("wide.txt"), From::Byte(byte), None)
            .unwrap();
        assert!(piece.text.len() <= Limits::default().read_bytes);
        length += piece.text.len();
        at = piece.next_byte;
    }
    assert_eq!(length, line.len());
    let found = files
        .search(&rel("."), &Pattern::Literal("needle".into()))
        .unwrap();
    assert_eq!(found.hits.len(), 1);
    assert!(
        found.hits[0].text.len() < 500,
        "{}",
        found.hits[0].text.len()
    );
}

#[test]
fn binary_files_and_other_encodings_are_said() {
    let world = World::new();
    fs::write(world.at("loop/b.bin"), b"ab\0cd").unwrap();
    fs::write(world.at("loop/latin.txt"), b"caf\xe9\n").unwrap();
    let files = world.files();
    assert_eq!(
        code(&files.read(&rel("b.bin"), From::Line(1), None)),
        "binary"
    );
    let text = files.read(&rel("latin.txt"), From::Line(1), None).unwrap();
    assert_eq!((text.text.as_str(), text.replaced), ("caf\u{fffd}\n", true));
    let change = [edit("caf", "x", Occurrences::All)];
    assert_eq!(code(&files.edit(&rel("latin.txt"), &change)), "not_utf8");
    assert_eq!(code(&files.edit(&rel("b.bin"), &change)), "binary");
    assert_eq!(
        files
            .search(&rel("."), &Pattern::Literal("cd".into()))
            .unwrap()
            .skipped
            .binary,
        1
    );
}

#[test]
fn a_search_says_what_it_left_out() {
    let world = World::new();
    fs::create_dir(world.at("loop/node_modules")).unwrap();
    fs::write(world.at("loop/node_modules/x.js"), "one").unwrap();
    let files = world.files();
    let found = files
        .search(&rel("."), &Pattern::Regex("^(one|fn main)".into()))
        .unwrap();
    let hits: Vec<_> = found
        .hits
        .iter()
        .map(|h| (h.path.as_str(), h.line, h.column))
        .collect();
    assert_eq!(hits, [("a.txt", 1, 0), ("src/main.rs", 1, 0)]);
    assert_eq!(found.skipped.secret, 1);
    assert_eq!(found.skipped.folders, [".git", "node_modules"]);
    let inside = files
        .search(&rel("node_modules"), &Pattern::Literal("one".into()))
        .unwrap();
    assert_eq!(inside.hits.len(), 1);
    let loot = files
        .search(&rel("."), &Pattern::Literal(LOOT.into()))
        .unwrap();
    assert_eq!(loot.hits, []);
}

#[test]
fn costly_patterns_are_refused_and_hostile_ones_stay_linear() {
    let world = World::new();
    fs::write(world.at("loop/a.txt"), "a".repeat(1 << 20)).unwrap();
    let files = world.files();
    for pattern in ["(", "((a{500}){500}){500}", &"(".repeat(5000)] {
        let result = files.search(&rel("."), &Pattern::Regex(pattern.into()));
        assert_eq!(code(&result), "pattern", "{pattern:.20}");
    }
    let before = std::time::Instant::now();
    files
        .search(&rel("."), &Pattern::Regex("(a+)+$|(a*)*b".into()))
        .unwrap();
    assert!(before.elapsed().as_secs() < 5, "{:?}", before.elapsed());
}

#[test]
fn an_edit_happens_exactly_as_often_as_said_or_not_at_all() {
    let exactly = Occurrences::Exactly;
    for (edits, expected, text) in [
        (vec![edit("two", "2", exactly(1))], "ok", "one\n2\nthree\n"),
        (
            vec![edit("t", "T", Occurrences::All)],
            "ok",
            "one\nTwo\nThree\n",
        ),
        (vec![edit("t", "T", exactly(2))], "ok", "one\nTwo\nThree\n"),
        (
            vec![edit("t", "T", exactly(1))],
            "occurs",
            "one\ntwo\nthree\n",
        ),
        (
            vec![edit("zwei", "2", exactly(1))],
            "occurs",
            "one\ntwo\nthree\n",
        ),
        (
            vec![edit("zwei", "2", exactly(0))],
            "occurs",
            "one\ntwo\nthree\n",
        ),
        (
            vec![edit("", "2", exactly(1))],
            "empty_edit",
            "one\ntwo\nthree\n",
        ),
        (
            vec![edit("one", "1", exactly(1)), edit("no", "", exactly(1))],
            "occurs",
            "one\ntwo\nthree\n",
        ),
        (
            vec![
                edit("one", "two", exactly(1)),
                edit("two\ntwo", "x", exactly(1)),
            ],
            "ok",
            "x\nthree\n",
        ),
    ] {
        let world = World::new();
        let result = world.files().edit(&rel("a.txt"), &edits);
        assert_eq!(code(&result), expected, "{edits:?}");
        assert_eq!(world.text("loop/a.txt"), text, "{edits:?}");
    }
    let world = World::new();
    let error = world
        .files()
        .edit(&rel("a.txt"), &[edit("t", "T", exactly(1))])
        .unwrap_err();
    assert!(error.remedy().contains("lines 2, 3"), "{}", error.remedy());
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions_but_no_set_user_bit() {
    use std::os::unix::fs::PermissionsExt;
    for (before, after) in [
        (0o755, 0o755),
        (0o600, 0o600),
        (0o4755, 0o755),
        (0o6711, 0o711),
    ] {
        let world = World::new();
        let path = world.at("loop/a.txt");
        fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
        world
            .files()
            .write(&rel("a.txt"), b"x", Existing::Replace)
            .unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, after, "{before:o}");
    }
}

#[test]
fn writing_moving_and_deleting() {
    let world = World::new();
    let files = world.files();
    assert!(
        files
            .write(&rel("d/e/f.txt"), b"hi", Existing::Keep)
            .unwrap()
            .created
    );
    assert_eq!(
        code(&files.write(&rel("d/e/f.txt"), b"ho", Existing::Keep)),
        "exists"
    );
    assert!(
        !files
            .write(&rel("d/e/f.txt"), b"ho", Existing::Replace)
            .unwrap()
            .created
    );
    assert_eq!(world.text("loop/d/e/f.txt"), "ho");
    assert_eq!(code(&files.shift(&rel("d"), &rel("d/e/x"))), "bad_path");
    assert_eq!(
        code(&files.shift(&rel("d/e/f.txt"), &rel("a.txt"))),
        "exists"
    );
    assert_eq!(code(&files.shift(&rel("a.txt"), &rel("key.pem"))), "secret");
    assert_eq!(files.shift(&rel("d"), &rel("g/h")).unwrap().to, "g/h");
    assert_eq!(world.text("loop/g/h/e/f.txt"), "ho");
    assert_eq!(code(&files.delete(&rel("g"), Depth::Empty)), "not_empty");
    assert_eq!(files.delete(&rel("g"), Depth::All).unwrap().entries, 4);
    assert!(!world.at("loop/g").exists());
    let huge = vec![b'x'; usize::try_from(Limits::default().write_bytes).unwrap() + 1];
    assert_eq!(
        code(&files.write(&rel("huge"), &huge, Existing::Replace)),
        "too_large"
    );
}

#[test]
fn a_folder_that_holds_something_protected_stays_whole() {
    for (file, is_loop) in [
        ("sub/.env", false),
        ("sub/x/key.pem", false),
        ("sub/repo/.git/HEAD", false),
        ("", true),
    ] {
        let world = World::new();
        let files = if is_loop {
            let mut bounds = world.bounds(Limits::default());
            fs::create_dir_all(world.at("loop/sub/theirs")).unwrap();
            bounds.other_loops.push(rel("sub/theirs"));
            cerco_files::LoopFiles::open(bounds).unwrap()
        } else {
            let path = world.at("loop").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
            world.files()
        };
        fs::write(world.at("loop/sub/a.txt"), "mine").unwrap();
        assert_eq!(
            code(&files.delete(&rel("sub"), Depth::All)),
            "holds",
            "{file}"
        );
        assert_eq!(
            code(&files.shift(&rel("sub"), &rel("elsewhere"))),
            "holds",
            "{file}"
        );
        assert_eq!(world.text("loop/sub/a.txt"), "mine");
    }
}

#[test]
fn limits_are_said_not_hidden() {
    let world = World::new();
    for n in 0..50 {
        fs::write(world.at(&format!("loop/f{n}.txt")), "same\n").unwrap();
    }
    let files = world.files_with(Limits {
        listed: 10,
        hits: 5,
        ..Limits::default()
    });
    let listing = files.list(&rel("."), 1).unwrap();
    assert_eq!((listing.entries.len(), listing.truncated), (10, true));
    let found = files
        .search(&rel("."), &Pattern::Literal("same".into()))
        .unwrap();
    assert_eq!((found.hits.len(), found.truncated), (5, true));
    let few = world.files_with(Limits {
        visited: 20,
        ..Limits::default()
    });
    assert!(few.list(&rel("."), 1).unwrap().truncated);
    fs::create_dir(world.at("loop/many")).unwrap();
    for n in 0..30 {
        fs::write(world.at(&format!("loop/many/{n}")), "").unwrap();
    }
    assert_eq!(code(&few.delete(&rel("many"), Depth::All)), "too_many");
    assert!(
        world.at("loop/many/29").exists(),
        "nothing may go when not all was looked at"
    );
}
