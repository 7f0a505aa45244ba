//! Checks that ARCHITECTURE.md describes the folders that are there: no more, no fewer.
//!
//! A map that shows streets that do not exist sends its reader astray, and one that lacks streets is soon not
//! opened any more. Three things are checked:
//!
//! - every path in the drawing below the heading "Workspace" exists,
//! - every path in the running text, written as `code`, exists,
//! - every crate, and every folder of the library's source, is in the drawing.
//!
//! In the drawing, one line names one path, indented by `│`, `├` and `└` to show what it lies in. A folder ends in `/`.
//! After two spaces there may be a description; a line without `├` or `└` carries it on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a path in the running text may begin, so that the text can say `exact/tri_tri.rs`.
const BEGINNINGS: [&str; 3] = ["", "crates", "crates/fracas/src"];

#[test]
fn every_path_that_is_named_exists() {
    let text = document();
    let drawn = drawn_paths(&text);
    assert!(drawn.len() > 5, "the drawing below \"Workspace\" names only {drawn:?}");
    let missing: Vec<&String> = drawn.iter().filter(|path| !exists(&repository(), path)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md draws paths that do not exist: {missing:#?}");

    let anywhere =
        |path: &str| BEGINNINGS.iter().any(|beginning| exists(&repository().join(beginning), path));
    let missing: Vec<String> = mentioned_paths(&text).into_iter().filter(|path| !anywhere(path)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md mentions paths that do not exist: {missing:#?}");
}

#[test]
fn every_folder_is_named() {
    let drawn = drawn_paths(&document());
    let mut folders = folders_in("crates");
    let mut deeper = folders_in("crates/fracas/src");
    while let Some(folder) = deeper.pop() {
        deeper.extend(folders_in(&folder));
        folders.push(folder);
    }
    let unnamed: Vec<&String> =
        folders.iter().filter(|folder| !drawn.contains(&format!("{folder}/"))).collect();
    assert!(unnamed.is_empty(), "ARCHITECTURE.md does not draw these folders: {unnamed:#?}");
}

/// The paths of the drawing in the first block below the heading "Workspace", from the repository's root.
fn drawn_paths(text: &str) -> BTreeSet<String> {
    let section = text.lines().skip_while(|line| line.trim() != "## Workspace").skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    let block = section
        .skip_while(|line| !line.starts_with("```"))
        .skip(1)
        .take_while(|line| !line.starts_with("```"));

    let mut paths = BTreeSet::new();
    // The folders that the present line may lie in, each with the column of its name.
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in block {
        let drawn: String = line.chars().take_while(|c| "│├└─ ".contains(*c)).collect();
        if !drawn.contains(['├', '└']) {
            continue;
        }
        let column = drawn.chars().count();
        let name = line[drawn.len()..].split("  ").next().unwrap_or_default().trim();
        open.retain(|(outer, _)| *outer < column);
        let path = open.last().map_or(String::new(), |(_, folder)| folder.clone()) + name;
        if name.ends_with('/') {
            open.push((column, path.clone()));
        }
        paths.insert(path);
    }
    paths
}

/// What looks like a path among the `code` in the running text, outside of blocks.
fn mentioned_paths(text: &str) -> Vec<String> {
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(line.split('`').skip(1).step_by(2).filter(|code| is_path(code)).map(String::from));
        }
    }
    found
}

fn is_path(code: &str) -> bool {
    let plain = code.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    plain
        && (code.contains('/')
            || [".rs", ".toml", ".md", ".lock", ".cff"].iter().any(|end| code.ends_with(end)))
}

/// Whether the path is there, as a folder if it ends in `/` and as anything if not.
fn exists(from: &Path, path: &str) -> bool {
    if path.ends_with('/') { from.join(path).is_dir() } else { from.join(path).exists() }
}

/// The folders directly inside a folder, as paths from the repository's root.
fn folders_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(repository().join(folder)).expect("a folder of the repository can be read");
    let entries = entries.map(|entry| entry.expect("an entry can be read"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy())).collect()
}

fn document() -> String {
    fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md can be read")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The checker itself, on documents that fit on a screen.
mod checker {
    use super::*;

    const SMALL: &str = "\
See `crates/elsewhere/` and `cargo test`.

```text
├ not/in/the/workspace
```

## Workspace

Some words first.

```text
small/
├ Cargo.toml          one line about it
├ crates/
│ ├ one/              the first of them,
│ │                   described on two lines
│ │ └ src/
│ │   └ lib.rs
│ └ two/
└ .ci/run
```

```text
├ another/block
```

## Rules

`one/src/lib.rs` and `README.md`, but not `a::b`, `x / y` or `one`.
";

    #[test]
    fn the_drawing_becomes_paths() {
        let expected = [
            ".ci/run",
            "Cargo.toml",
            "crates/",
            "crates/one/",
            "crates/one/src/",
            "crates/one/src/lib.rs",
            "crates/two/",
        ];
        assert_eq!(drawn_paths(SMALL).iter().map(String::as_str).collect::<Vec<_>>(), expected);
        assert!(drawn_paths("## Elsewhere\n```text\n├ a/\n```\n").is_empty());
    }

    #[test]
    fn paths_in_the_running_text_are_found() {
        assert_eq!(mentioned_paths(SMALL), ["crates/elsewhere/", "one/src/lib.rs", "README.md"]);
    }

    #[test]
    fn a_file_is_not_a_folder() {
        assert!(exists(&repository(), "crates/") && exists(&repository(), "Cargo.toml"));
        assert!(!exists(&repository(), "Cargo.toml/") && !exists(&repository(), "no-such-folder/"));
    }

    #[test]
    fn the_crate_of_this_test_is_among_the_folders() {
        assert!(folders_in("crates").contains(&"crates/fracas".to_string()));
        assert!(folders_in("crates/fracas/src").contains(&"crates/fracas/src/geom".to_string()));
    }
}
