//! Checks who may use whom among the folders of the library, by reading the source.
//!
//! The compiler allows any module to use any other. The code stays easy to travel only if folders form layers: a
//! reader of `exact` need not know trees, and one structure can be replaced without reading the others. The table
//! below is the rule; every path from `crate::` on, and every chain of `super::` that leaves its folder, must obey.
//! Comments and strings are free, so documentation may point upward.
//!
//! A path must name a layer. `crate::Mesh`, `crate::*` and `crate as other` hide which layer is used and are refused,
//! although the compiler would take them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What every structure for finding collisions may use. None may use another structure.
const GROUND: &[&str] = &["base", "geom", "exact", "mesh", "pairs", "walk", "tree"];

/// Each layer with the layers it may use besides itself. A row may be there before its folder is.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("geom", &["base"]),
    ("exact", &["base", "geom"]),
    ("mesh", &["base", "geom", "exact"]),
    ("pairs", &["base", "geom", "exact", "mesh"]),
    ("walk", &["base", "geom", "exact", "mesh", "pairs"]),
    ("tree", &["base", "geom", "exact", "mesh", "pairs", "walk"]),
    ("contact", GROUND),
    ("tearing", GROUND),
    ("near", &["base", "geom", "exact", "mesh", "pairs"]),
    ("impact", &["base", "geom", "exact", "mesh", "pairs", "near", "walk"]),
    ("kinetic", &["base", "geom", "exact", "mesh", "pairs", "walk", "tree", "impact"]),
    ("skinned", GROUND),
    ("brittle", &["base", "geom", "exact", "mesh", "pairs", "walk", "tree", "contact"]),
    ("soup", GROUND),
    ("crowd", GROUND),
    ("cut", &["base", "geom", "mesh"]),
    ("fracture", &["base", "geom", "mesh"]),
    ("winding", GROUND),
    ("fill", &["base", "geom", "exact", "mesh", "pairs", "walk", "tree", "winding"]),
    // The finder reads hierarchies and soups; its tests read every structure.
    (
        "find",
        &[
            "base", "geom", "exact", "mesh", "pairs", "walk", "tree", "soup", "near", "impact", "contact",
            "tearing", "brittle", "skinned",
        ],
    ),
    (
        "world",
        &[
            "base", "geom", "exact", "mesh", "pairs", "walk", "find", "near", "impact", "tree", "tearing",
            "kinetic", "skinned", "brittle", "soup", "contact", "cut", "fracture", "fill",
        ],
    ),
];

/// What the crate that reads and writes files may use of the library.
const FRACAS_IO: &[&str] = &["geom", "mesh"];

#[test]
fn the_library_obeys_the_table() {
    let source = repository().join("crates/fracas/src");
    let mut violations = Vec::new();
    for path in rust_files(&source) {
        let inside = path.strip_prefix(&source).expect("files were found there");
        let modules = module_path(inside);
        // The front page declares and re-exports everything.
        let Some(layer) = modules.first() else { continue };
        let text = fs::read_to_string(&path).expect("a source file can be read");
        violations.extend(check(
            &format!("crates/fracas/src/{}", inside.display()),
            &text,
            layer,
            modules.len(),
        ));
    }
    assert!(violations.is_empty(), "{}", listed(&violations));
}

#[test]
fn the_readers_and_writers_of_files_use_only_meshes() {
    let source = repository().join("crates/fracas-io/src");
    let mut violations = Vec::new();
    for path in rust_files(&source) {
        let file =
            format!("crates/fracas-io/src/{}", path.strip_prefix(&source).expect("found there").display());
        let text = fs::read_to_string(&path).expect("a source file can be read");
        let paths = paths_from("fracas", &tokens(&text));
        violations.extend(forbidden(&file, "fracas-io", FRACAS_IO, paths));
    }
    assert!(violations.is_empty(), "{}", listed(&violations));
}

/// A path that the table does not allow.
#[derive(Debug, PartialEq)]
struct Violation {
    file: String,
    line: usize,
    path: String,
    layer: String,
    allowed: Vec<&'static str>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, path, layer, allowed } = self;
        write!(f, "{file}:{line}: `{path}`, but {layer} may use only: {}", allowed.join(" "))
    }
}

fn listed(violations: &[Violation]) -> String {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    format!("the layer rule is broken in {} places:\n{}", lines.len(), lines.join("\n"))
}

/// Checks one file of a layer; `depth` is how many modules it lies below the crate.
fn check(file: &str, text: &str, layer: &str, depth: usize) -> Vec<Violation> {
    let Some((name, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
        let path = format!("mod {layer}, which has no row in {}", file!());
        return vec![Violation { file: file.into(), line: 1, path, layer: layer.into(), allowed: vec![] }];
    };
    let allowed: Vec<&'static str> = allowed.iter().copied().chain([*name]).collect();
    let tokens = tokens(text);
    let mut paths = paths_from("crate", &tokens);
    paths.extend(paths_above(depth, &tokens));
    forbidden(file, layer, &allowed, paths)
}

fn forbidden(file: &str, layer: &str, allowed: &[&'static str], paths: Vec<UsedPath>) -> Vec<Violation> {
    let broken = paths.into_iter().filter(|used| !allowed.contains(&used.first.as_str()));
    broken
        .map(|UsedPath { line, written, .. }| Violation {
            file: file.into(),
            line,
            path: written,
            layer: layer.into(),
            allowed: allowed.to_vec(),
        })
        .collect()
}

/// A path in the code, as far as the name after its root.
#[derive(Debug, PartialEq)]
struct UsedPath {
    line: usize,
    written: String,
    /// The name after the root, which ought to be a layer.
    first: String,
}

/// Every path that begins with `root`. A group gives one path for each of its members.
fn paths_from(root: &str, tokens: &[Token]) -> Vec<UsedPath> {
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        // In `other::fracas` or `value.fracas` it is not the root.
        if token.text != root || i > 0 && [":", "."].contains(&tokens[i - 1].text.as_str()) {
            continue;
        }
        let rest = &tokens[i + 1..];
        if rest.first().is_some_and(|next| next.text == "as") {
            found.push(UsedPath { line: token.line, written: format!("{root} as"), first: "as".into() });
        } else if let Some(after) = after_colons(rest) {
            found.extend(heads(after).map(|name| name.below(root)));
        }
    }
    found
}

/// Every chain of `super::` long enough to leave the layer's folder, if it goes on with the name of a layer.
///
/// Modules written inside a file are not counted, so such a chain in them may be legal; `crate::` is clearer there.
fn paths_above(depth: usize, tokens: &[Token]) -> Vec<UsedPath> {
    let mut found = Vec::new();
    let mut rest = tokens;
    while let Some(begin) = rest.iter().position(|token| token.text == "super") {
        rest = &rest[begin..];
        let mut steps = 0;
        while rest.first().is_some_and(|token| token.text == "super") {
            steps += 1;
            rest = after_colons(&rest[1..]).unwrap_or(&[]);
        }
        if steps >= depth {
            let layers = heads(rest).filter(|name| LAYERS.iter().any(|(layer, _)| *layer == name.text));
            found.extend(layers.map(|name| name.below(&vec!["super"; steps].join("::"))));
        }
    }
    found
}

/// What follows `::`, if it is there.
fn after_colons(tokens: &[Token]) -> Option<&[Token]> {
    match tokens {
        [a, b, rest @ ..] if a.text == ":" && b.text == ":" => Some(rest),
        _ => None,
    }
}

/// The next name or, if a group in braces comes next, the first name of each of its members.
fn heads(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let group = tokens.first().is_some_and(|token| token.text == "{");
    let mut depth = 0;
    let mut member_begins = !group;
    let mut ended = false;
    tokens.iter().filter(move |token| {
        match token.text.as_str() {
            _ if ended => return false,
            "{" => {
                member_begins = depth == 0;
                depth += 1;
            }
            "}" => {
                depth -= 1;
                ended = depth == 0;
            }
            "," if depth == 1 => member_begins = true,
            _ => {
                ended = !group;
                return std::mem::take(&mut member_begins);
            }
        }
        false
    })
}

/// A word or a single sign of the code, with its line.
#[derive(Debug, PartialEq)]
struct Token {
    line: usize,
    text: String,
}

impl Token {
    fn below(&self, root: &str) -> UsedPath {
        UsedPath { line: self.line, written: format!("{root}::{}", self.text), first: self.text.clone() }
    }
}

/// Splits source code into words and signs; comments, strings and characters are left out.
fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(next) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let raw = ["r", "br", "cr"].contains(&&rest[..word]).then(|| raw_string(&rest[word..])).flatten();
        let skipped = if let Some(length) = raw {
            word + length
        } else if word > 0 {
            found.push(Token { line, text: rest[..word].into() });
            word
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if next == '"' {
            quoted(rest, '"')
        } else if next == '\'' {
            // A quote begins a character if another ends it; otherwise it begins a lifetime.
            let mut inside = rest[1..].chars();
            let escaped = inside.next() == Some('\\');
            if escaped || inside.next() == Some('\'') { quoted(rest, '\'') } else { 1 }
        } else {
            if !next.is_whitespace() {
                found.push(Token { line, text: next.into() });
            }
            next.len_utf8()
        };
        line += rest[..skipped].matches('\n').count();
        rest = &rest[skipped..];
    }
    found
}

/// Length of the literal at the beginning of the text, up to and with its closing quote.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Length of the rest of a raw string after its letters, if it is one.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let inside = text[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", &text[..hashes]);
    Some(inside.find(&end).map_or(text.len(), |at| hashes + 1 + at + end.len()))
}

/// Length of the comment at the beginning of the text; comments may lie in comments.
fn block_comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if rest.starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The modules of a file below `src`: `mesh/report.rs` is `mesh::report`, `mesh/mod.rs` is `mesh`.
fn module_path(inside: &Path) -> Vec<String> {
    let names = inside.with_extension("");
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "mod" && name != "lib").collect()
}

/// Every Rust file below a folder, in a fixed order. There must be some, or the check would check nothing.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository can be read") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty(), "no Rust files below {}", folder.display());
    files.sort();
    files
}

/// The checker itself, on sources that fit on a line or two.
mod checker {
    use super::*;

    fn broken(text: &str, layer: &str, depth: usize) -> Vec<(usize, String)> {
        check("x.rs", text, layer, depth).into_iter().map(|v| (v.line, v.path)).collect()
    }

    #[test]
    fn a_violation_names_file_line_path_and_what_is_allowed() {
        let found = check("src/mesh/x.rs", "use crate::geom::Box3;\nuse crate::tree::MeshTree;\n", "mesh", 2);
        assert_eq!(
            listed(&found),
            "the layer rule is broken in 1 places:\n\
             src/mesh/x.rs:2: `crate::tree`, but mesh may use only: base geom exact mesh"
        );
    }

    #[test]
    fn groups_are_taken_apart() {
        let text =
            "use crate::{\n    geom::{self, Box3},\n    pairs,\n    mesh::{Mesh, soup::{tree}}, world\n};";
        assert_eq!(broken(text, "mesh", 2), [(3, "crate::pairs".into()), (4, "crate::world".into())]);
    }

    #[test]
    fn paths_in_expressions_and_types_count() {
        let text = "fn f(x: &crate::tree::Node) -> crate::geom::Box3 { crate::pairs::brute(x) as _ }";
        assert_eq!(broken(text, "exact", 1), [(1, "crate::tree".into()), (1, "crate::pairs".into())]);
    }

    #[test]
    fn names_that_hide_the_layer_are_refused() {
        let expected =
            ["crate::Mesh", "crate::*", "crate::self", "crate as"].map(|path| (1, path.to_string()));
        assert_eq!(
            broken("use crate::Mesh; use crate::*; use crate::{self}; use crate as c;", "tree", 1),
            expected
        );
    }

    #[test]
    fn chains_of_super_that_leave_the_folder_count() {
        assert_eq!(broken("use super::tree::Node;", "mesh", 1), [(1, "super::tree".into())]);
        assert_eq!(broken("use super::super::{geom, tree};", "mesh", 2), [(1, "super::super::tree".into())]);
        assert_eq!(broken("use super::tree; use super::*; use super::super::*;", "mesh", 2), []);
    }

    #[test]
    fn structures_never_use_each_other() {
        let text = "use crate::tree::MeshTree; use crate::soup::Soup;";
        assert_eq!(broken(text, "tearing", 1), [(1, "crate::soup".into())]);
        assert_eq!(broken(text, "world", 1), []);
    }

    #[test]
    fn comments_strings_and_lookalikes_are_free() {
        let text = r###"
            //! See [`crate::tree`].
            /* use crate::tree; /* crate::tree */ crate::tree */
            pub(crate) fn f<'a>(c: &'a str) { let quote = ('"', '\'', "crate::tree \" crate::tree"); }
            const RAW: &str = r#"crate::tree " crate::tree"#; const BYTES: &[u8] = b"crate::tree";
            use crate::geom; use other::crate_::tree; mod krate { } use my_crate::tree;
        "###;
        assert_eq!(broken(text, "mesh", 2), []);
        // What follows is code again.
        assert_eq!(broken(&format!("{text}use crate::tree;"), "mesh", 2), [(7, "crate::tree".into())]);
    }

    #[test]
    fn a_folder_without_a_row_is_refused() {
        let found = listed(&check("src/fire/mod.rs", "", "fire", 1));
        assert!(found.contains("src/fire/mod.rs:1: `mod fire, which has no row in "), "{found}");
    }

    #[test]
    fn another_crate_is_checked_by_its_name() {
        let text =
            "use fracas::{mesh::Mesh, tree}; use crate::fracas::tree; use fracas_io::tree; use fracas as f;";
        let found = forbidden("x.rs", "fracas-io", FRACAS_IO, paths_from("fracas", &tokens(text)));
        let paths: Vec<&str> = found.iter().map(|violation| violation.path.as_str()).collect();
        assert_eq!(paths, ["fracas::tree", "fracas as"]);
    }

    #[test]
    fn the_table_has_no_cycle() {
        for (i, (layer, allowed)) in LAYERS.iter().enumerate() {
            let above = allowed.iter().find(|name| !LAYERS[..i].iter().any(|(earlier, _)| earlier == *name));
            assert_eq!(above, None, "{layer} uses a layer that is not above it in the table");
        }
    }

    #[test]
    fn files_become_modules() {
        assert_eq!(module_path(Path::new("mesh/shapes/sphere.rs")), ["mesh", "shapes", "sphere"]);
        assert_eq!(module_path(Path::new("mesh/mod.rs")), ["mesh"]);
        assert!(module_path(Path::new("lib.rs")).is_empty());
    }
}
