//! The guide: do all links lead somewhere, and does mdBook build it?
//!
//! Links are checked by a small reader of Markdown: every relative link of the README, the other pages at the root and everything
//! below `docs/` must name a file, and an anchor must be a heading of its page. Every page below `docs/` must be in the
//! summary. Links to other hosts are not followed, so the test needs no network.
//!
//! `mdbook` is installed below `target/tools` at one version where it is missing, without its server and search: about a minute on two cores,
//! once per checkout.

use crate::shell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const MDBOOK_VERSION: &str = "0.5.4";

/// Where tools are installed, below the root of the repository.
const TOOLS: &str = "target/tools";

/// Checks all links and builds the guide into `target/guide`.
pub fn test() -> Result<(), String> {
    check_links(&shell::root())?;
    let mdbook = install()?;
    let mut build = Command::new(mdbook);
    shell::run(build.args(["build", "docs/guide"]).current_dir(shell::root()), "The guide could not be built")
}

/// The right `mdbook`, installed if it is not there.
fn install() -> Result<PathBuf, String> {
    let program =
        shell::root().join(TOOLS).join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let version = shell::output_of(Command::new(&program).arg("--version"), "mdbook is missing");
    if version.is_ok_and(|version| version.trim().trim_start_matches("mdbook v") == MDBOOK_VERSION) {
        return Ok(program);
    }
    let mut install =
        shell::cargo(["install", "mdbook", "--locked", "--no-default-features", "--debug", "--force"]);
    install.args(["--version", MDBOOK_VERSION, "--root", TOOLS]);
    shell::run(&mut install, "mdbook could not be installed")?;
    Ok(program)
}

/// Fails with the first link that leads nowhere, or a page that the summary leaves out.
fn check_links(root: &Path) -> Result<(), String> {
    let docs = root.join("docs");
    let mut pages = markdown_below(&docs)?;
    let summary = read(&docs.join("SUMMARY.md"))?;
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|link| docs.join(link)).collect();
    if let Some(left_out) = pages.iter().find(|page| !listed.contains(*page) && !page.ends_with("SUMMARY.md"))
    {
        return Err(format!("docs/SUMMARY.md leaves out {}.", named(root, left_out)));
    }
    let at_root = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    pages.extend(at_root.map(|name| root.join(name)));
    for page in &pages {
        for link in links(&read(page)?) {
            follow(page, &link)
                .map_err(|why| format!("{} has a link to `{link}`: {why}.", named(root, page)))?;
        }
    }
    println!("{} pages, all links lead somewhere", pages.len());
    Ok(())
}

/// Fails with the reason why a link leads nowhere.
fn follow(page: &Path, link: &str) -> Result<(), String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(());
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => page.to_path_buf(),
        _ => page.parent().unwrap_or(Path::new(".")).join(path),
    };
    if !target.exists() {
        return Err("there is no such file".to_owned());
    }
    if anchor.is_empty() || headings(&read(&target)?).iter().any(|heading| heading == anchor) {
        return Ok(());
    }
    Err("the page has no such heading".to_owned())
}

/// Targets of all links and pictures of a page, in order; code is left out.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(page) {
        let parts: Vec<&str> = line.split("](").collect();
        found.extend(parts.iter().skip(1).filter_map(|part| part.split_once(')')).map(|(link, _)| link));
        for attribute in ["src=\"", "srcset=\"", "href=\""] {
            found.extend(
                line.split(attribute).skip(1).filter_map(|part| part.split_once('"')).map(|(link, _)| link),
            );
        }
    }
    found.into_iter().map(|link| link.split(' ').next().unwrap_or(link).to_owned()).collect()
}

/// Anchors of all headings of a page, as mdBook and code hosts make them.
fn headings(page: &str) -> Vec<String> {
    let heading = |line: &&str| line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let anchor = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    prose(page).filter(heading).map(anchor).collect()
}

/// The lines of a page that are not code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// All Markdown files of a folder and those below, sorted.
fn markdown_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("{} cannot be read: {error}.", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            files.extend(markdown_below(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(page: &Path) -> Result<String, String> {
    std::fs::read_to_string(page).map_err(|error| format!("{} cannot be read: {error}.", page.display()))
}

fn named(root: &Path, page: &Path) -> String {
    page.strip_prefix(root).unwrap_or(page).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_pictures_are_found_outside_of_code() {
        let page = "[a](b.md) and ![c](d.png \"title\")\n```rust\nlet x = v[0](1);\n```\n<img src=\"e.svg\">\n[f](g.md#h)";
        assert_eq!(links(page), ["b.md", "d.png", "e.svg", "g.md#h"]);
    }

    #[test]
    fn headings_become_anchors() {
        let page = "# The guide\n## What is exact, and what is not?\n```sh\n# no heading\n```\n#no-heading";
        assert_eq!(headings(page), ["the-guide", "what-is-exact-and-what-is-not"]);
    }

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let page = shell::root().join("README.md");
        assert_eq!(follow(&page, "https://rustup.rs"), Ok(()));
        assert_eq!(follow(&page, "docs/guide/questions.md#contacts"), Ok(()));
        assert!(follow(&page, "docs/guide/no-such-page.md").unwrap_err().contains("no such file"));
        assert!(follow(&page, "docs/guide/questions.md#no-such").unwrap_err().contains("no such heading"));
    }

    #[test]
    fn all_links_of_the_project_lead_somewhere() {
        assert_eq!(check_links(&shell::root()), Ok(()));
    }
}
