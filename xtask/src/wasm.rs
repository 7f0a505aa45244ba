//! The module of the page that is played with: `crates/fracas-web`, built for the browser into `web/wasm`.
//!
//! The module must be the same bytes wherever it is built, since the page that holds it is committed and compared. So paths of the checkout and
//! of the user's home are cut off, and the tool that makes its JavaScript has the version of the crate. Both are built below `target/`, the module in
//! a folder of its own: other flags would rebuild everything else.

use crate::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler that the committed page was built with. Others make other bytes.
pub const COMPILER: &str = "1.95.0";

const TARGET: &str = "wasm32-unknown-unknown";
/// Where the module is built, and where the page takes it from.
const FOLDER: &str = "target/wasm";
const PACKAGE: &str = "web/wasm";
/// Where tools are installed.
const TOOLS: &str = "target/tools";
/// The hashes of native runs, with which runs in the browser are compared.
const HASHES: &str = "target/web/hashes.txt";

/// Builds the module and its JavaScript.
pub fn build() -> Result<(), String> {
    let tool = install()?;
    add_target()?;
    let mut build = shell::cargo(["build", "--profile", "web", "--locked", "-p", "fracas-web"]);
    build.args(["--features", "deterministic", "--target", TARGET, "--target-dir", FOLDER]);
    build.env("CARGO_ENCODED_RUSTFLAGS", flags()).env_remove("RUSTFLAGS");
    shell::run(&mut build, "The module for the browser does not build")?;
    let module = format!("{FOLDER}/{TARGET}/web/fracas_web.wasm");
    let mut bind = Command::new(tool);
    bind.args([
        module.as_str(),
        "--target",
        "web",
        "--out-dir",
        PACKAGE,
        "--remove-name-section",
        "--remove-producers-section",
    ]);
    shell::run(bind.current_dir(shell::root()), "The module's JavaScript could not be made")
}

/// Whether this compiler makes the bytes of the committed page; if not, says so.
pub fn is_comparable() -> bool {
    let version = shell::output_of(Command::new("rustc").arg("--version"), "rustc is missing");
    let version = version.unwrap_or_default();
    let is_same = version.split(' ').nth(1) == Some(COMPILER);
    if !is_same {
        println!(
            "play.html was built with rustc {COMPILER}, and this is {}: its bytes are not compared.",
            version.trim()
        );
    }
    is_same
}

/// Vector instructions, and no path of this machine; flags are apart by the character that cargo asks for.
fn flags() -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let registry = home.map(|home| home.join("registry/src"));
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        all.sort();
        all
    };
    let cut: Vec<PathBuf> = registry.iter().flat_map(|folder| below(folder)).chain([shell::root()]).collect();
    let cut = cut.iter().map(|folder| format!("\u{1f}--remap-path-prefix={}=", folder.display()));
    format!("-Ctarget-feature=+simd128{}", cut.collect::<String>())
}

/// Adds the target to the toolchain where it is missing.
fn add_target() -> Result<(), String> {
    let sysroot = shell::output_of(Command::new("rustc").args(["--print", "sysroot"]), "rustc is missing")?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).is_dir() {
        return Ok(());
    }
    let complaint = format!("The target {TARGET} could not be added: run `rustup target add {TARGET}`");
    shell::run(Command::new("rustup").args(["target", "add", TARGET]), &complaint)
}

/// The version of the crate, from the lock file.
fn version() -> Result<String, String> {
    let lock = std::fs::read_to_string(shell::root().join("Cargo.lock"))
        .map_err(|error| format!("Cargo.lock cannot be read: {error}."))?;
    let (_, after) = lock
        .split_once("name = \"wasm-bindgen\"\nversion = \"")
        .ok_or("Cargo.lock does not name wasm-bindgen.")?;
    Ok(after.split('"').next().unwrap_or_default().to_owned())
}

/// The right `wasm-bindgen`, installed if it is not there: without its server, and without optimisation.
fn install() -> Result<PathBuf, String> {
    let version = version()?;
    let name = format!("wasm-bindgen{}", std::env::consts::EXE_SUFFIX);
    let program = shell::root().join(TOOLS).join("bin").join(name);
    let found = shell::output_of(Command::new(&program).arg("--version"), "wasm-bindgen is missing");
    if found.is_ok_and(|found| found.trim() == format!("wasm-bindgen {version}")) {
        return Ok(program);
    }
    let mut install =
        shell::cargo(["install", "wasm-bindgen-cli", "--no-default-features", "--debug", "--force"]);
    install.args(["--bin", "wasm-bindgen", "--version", version.as_str(), "--root", TOOLS]);
    shell::run(&mut install, "wasm-bindgen could not be installed")?;
    Ok(program)
}

/// Writes the hashes of native runs, with which the tests of the page compare theirs.
pub fn write_hashes() -> Result<(), String> {
    let mut run = shell::cargo(["run", "--locked", "-p", "fracas-web", "--features", "deterministic"]);
    run.args(["--example", "play_hashes", "--", HASHES]);
    shell::run(&mut run, "The native runs for the page could not be made")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_tool_is_that_of_the_crate() {
        let version = version().unwrap();
        let manifest = std::fs::read_to_string(shell::root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains(&format!("wasm-bindgen = \"={version}\"")), "{version}");
    }
}
