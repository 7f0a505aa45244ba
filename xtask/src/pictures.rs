//! `cargo xtask pictures`: the pictures of the README and the docs, from real runs in headless Chromium.
//!
//! `web/pictures.mjs` lists them: which scene, which frame, seen from where. Runs go to `target/web/pictures`.

use crate::{shell, web};

/// Runs the scenes and takes all pictures anew.
pub fn run() -> Result<(), String> {
    web::install()?;
    let browser = web::browser()?;
    let mut build = shell::cargo(["build", "--release", "--locked", "-p", "fracas-cli"]);
    shell::run(&mut build, "The command does not build")?;
    let program =
        shell::root().join("target/release").join(format!("fracas{}", std::env::consts::EXE_SUFFIX));
    let mut node = std::process::Command::new("node");
    node.arg("pictures.mjs").arg(program).arg(shell::root().join(web::MADE).join("pictures"));
    node.arg(shell::root().join("docs/pictures"))
        .env("CHROMIUM", browser)
        .current_dir(shell::root().join("web"));
    shell::run(&mut node, "A picture could not be taken")
}
