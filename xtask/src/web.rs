//! The pages: is each what its source builds, and does it work in a browser? `wasm` builds the module inside the page that is played with.
//!
//! Node.js and npm have to be there. Chromium is looked for on the path; on a Debian system it is installed where we may, and
//! otherwise the sentence says what to do. Pages for the tests are made by `fracas` itself, in `target/web`; screenshots are left in
//! `web/test-output` for people to look at.

use crate::test::test_programs;
use crate::{shell, wasm};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages, as the command takes them, and the scripts that build them, in this order: reports are the template of what is saved while
/// playing.
const BUILT: [(&str, &str); 2] =
    [("crates/fracas-cli/assets/report.html", "build"), ("crates/fracas-cli/assets/play.html", "build:play")];

/// Where pages for tests and pictures are made.
pub const MADE: &str = "target/web";

/// What a browser may be called.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Builds, compares, and runs all tests.
pub fn test() -> Result<(), String> {
    install()?;
    wasm::build()?;
    shell::run(&mut npm(["run", "types"]), "The types of the viewer do not fit")?;
    BUILT.into_iter().try_for_each(|(page, script)| same_page(page, script))?;
    wasm::write_hashes()?;
    let browser = browser()?;
    make_pages()?;
    let mut test = npm(["test"]);
    test.env("CHROMIUM", browser).env("FRACAS_FIXTURES", shell::root().join(MADE));
    shell::run(&mut test, "A test of the page failed")
}

/// An `npm` command in the folder of the viewer.
pub fn npm<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(shell::root().join("web"));
    command
}

/// Installs what the viewer is built and tested with, at the versions of its lock file.
pub fn install() -> Result<(), String> {
    if !shell::succeeds(&mut npm(["--version"])) {
        return Err("The viewer is built with Node.js: install version 20 or later, with npm.".to_owned());
    }
    let folder = shell::root().join("web");
    let lock = std::fs::read_to_string(folder.join("package-lock.json"))
        .map_err(|error| format!("web/package-lock.json cannot be read: {error}."))?;
    if lock.contains("\"resolved\"") {
        return Err("web/package-lock.json names hosts; make it with `npm install` in web/, whose .npmrc leaves them out.".to_owned());
    }
    shell::run(
        &mut npm(["ci", "--no-audit", "--no-fund"]),
        "The packages of the viewer could not be installed",
    )
}

/// Builds a page and compares it with the one that is there.
fn same_page(built: &str, script: &str) -> Result<(), String> {
    let path = shell::root().join(built);
    let read = || std::fs::read(&path).map_err(|error| format!("{built} cannot be read: {error}."));
    let before = read()?;
    shell::run(&mut npm(["run", script]), "The viewer does not build")?;
    if read()? == before {
        return Ok(());
    }
    if script == "build:play" && !wasm::is_comparable() {
        return std::fs::write(&path, before).map_err(|error| format!("{built} cannot be written: {error}."));
    }
    Err(format!("{built} was not what its source builds. It has been rebuilt: look at it and commit it."))
}

/// Builds both pages from their sources, the module included.
pub fn build() -> Result<(), String> {
    install()?;
    wasm::build()?;
    BUILT
        .iter()
        .try_for_each(|(_, script)| shell::run(&mut npm(["run", script]), "The viewer does not build"))
}

/// The browser of the system, installed if it can be.
pub fn browser() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    if let Some(found) = on_path() {
        return Ok(found);
    }
    // Only where it needs no password and the system is one we know.
    let may = Path::new("/etc/debian_version").exists()
        && shell::output_of(Command::new("id").arg("-u"), "There is no user")
            .is_ok_and(|id| id.trim() == "0");
    if may {
        let mut update = Command::new("apt-get");
        // Lists that are a little old do; where there are none, this brings them.
        let _ = shell::run(update.args(["update", "--quiet"]), "The lists of packages could not be read");
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]);
        shell::run(install.env("DEBIAN_FRONTEND", "noninteractive"), "Chromium could not be installed")?;
    }
    on_path().ok_or_else(|| {
        "The page is tested in Chromium, and there is none on the path: install it, or name it in the variable CHROMIUM."
            .to_owned()
    })
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

/// Makes the pages that the tests open, with the programs that the step "tests" has built: cargo would rebuild them with
/// other features if they were asked for alone.
fn make_pages() -> Result<(), String> {
    shell::run(&mut test_programs(&["--no-run"]), "The tests do not build")?;
    let failed = "The pages for the tests could not be made";
    let built = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| shell::root().join("target"), PathBuf::from)
        .join("debug");
    let program = |name: &str| {
        let mut command = Command::new(built.join(name).with_extension(std::env::consts::EXE_EXTENSION));
        command.current_dir(shell::root());
        command
    };
    shell::run(program("examples/web_fixtures").arg(MADE), failed)?;
    // The first ends with 1 because it finds collisions, as it should.
    for (page, words, status) in [
        ("check", "check shape:folded-cloth:20000", 1),
        ("near", "near shape:folded-cloth:2000 --reach 0.03", 0),
    ] {
        let mut command = program("fracas");
        command.args(words.split(' ')).args(["--json", "--html", &format!("{MADE}/{page}.html")]);
        let output = command.output().map_err(|error| shell::not_started(&command, &error))?;
        if output.status.code() != Some(status) {
            return Err(format!("{failed} (`fracas {words}`: {}).", output.status));
        }
        std::fs::write(shell::root().join(MADE).join(format!("{page}.json")), output.stdout)
            .map_err(|error| format!("{failed}: {error}."))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_pages_are_there_and_need_nothing_else() {
        for ((built, _), most) in BUILT.into_iter().zip([1 << 20, 4_000_000]) {
            let page = std::fs::read_to_string(shell::root().join(built)).unwrap();
            assert!(page.len() < most, "{built}: {} bytes", page.len());
            for word in ["<script src=", "<link rel=\"stylesheet\""] {
                assert!(!page.contains(word), "{built}: {word}");
            }
        }
    }
}
