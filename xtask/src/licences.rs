//! Are all dependencies under licences that let anybody use Fracas anywhere?
//!
//! `cargo tree` prints the licence of each crate. A licence here is an SPDX expression: names joined by `OR`
//! (any one will do) and `AND` (all are needed), with brackets; old crates write `/` for `OR`.

use crate::shell;

/// Licences that ask for no more than a notice.
const PERMISSIVE: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Checks every crate that any crate of the workspace is built with, on any platform.
pub fn check() -> Result<(), String> {
    let mut tree = shell::cargo(["tree", "--workspace", "--locked", "--target", "all"]);
    tree.args(["--edges", "normal,build", "--prefix", "none", "--no-dedupe", "--format", "{p}\t{l}"]);
    let listing = shell::output_of(&mut tree, "The dependencies cannot be listed")?;
    let mut crates: Vec<&str> = listing.lines().filter(|line| !line.is_empty()).collect();
    crates.sort_unstable();
    crates.dedup();
    for entry in &crates {
        let (name, licence) = entry.split_once('\t').unwrap_or((entry, ""));
        if !is_permissive(licence) {
            return Err(format!(
                "The licence of {name} is `{licence}`, which is not on the list in xtask/src/licences.rs."
            ));
        }
    }
    println!("{} crates, all under permissive licences", crates.len());
    Ok(())
}

/// Whether the expression can be met with permissive licences alone. An expression we cannot read cannot.
fn is_permissive(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest) == Some(true) && rest.is_empty()
}

fn any_of(words: &mut &[&str]) -> Option<bool> {
    let mut permissive = all_of(words)?;
    while skip(words, "OR") {
        permissive |= all_of(words)?;
    }
    Some(permissive)
}

fn all_of(words: &mut &[&str]) -> Option<bool> {
    let mut permissive = one(words)?;
    while skip(words, "AND") {
        permissive &= one(words)?;
    }
    Some(permissive)
}

fn one(words: &mut &[&str]) -> Option<bool> {
    if skip(words, "(") {
        let permissive = any_of(words)?;
        return skip(words, ")").then_some(permissive);
    }
    let (&name, rest) = words.split_first()?;
    *words = rest;
    // What follows WITH is an exception, which only ever allows more.
    if skip(words, "WITH") {
        *words = words.get(1..)?;
    }
    Some(PERMISSIVE.contains(&name))
}

fn skip(words: &mut &[&str], expected: &str) -> bool {
    let found = words.first() == Some(&expected);
    if found {
        *words = &words[1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_permissive;

    #[test]
    fn permissive_expressions() {
        for licence in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-2.0-only OR (BSD-3-Clause AND (Zlib OR GPL-3.0-only))",
        ] {
            assert!(is_permissive(licence), "{licence}");
        }
    }

    #[test]
    fn others_and_what_cannot_be_read() {
        for licence in [
            "",
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "(MIT OR Apache-2.0) AND GPL-3.0-only",
            "mit",
            "(MIT",
            "MIT)",
            "MIT OR",
            "MIT MIT",
            "GPL-3.0-only WITH GCC-exception-3.1",
            "MIT WITH",
        ] {
            assert!(!is_permissive(licence), "{licence}");
        }
    }
}
