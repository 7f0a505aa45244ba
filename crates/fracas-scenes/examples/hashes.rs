//! Prints a line of hashes for every scene at size small, or for the scenes named: equal lines, equal answers.
//!
//! `cargo run --release -p fracas-scenes --example hashes [SCENE ...]`
//!
//! Every scene runs twice, on one thread and on all; the program fails if the two differ.

#[path = "../tests/hashing/mod.rs"]
mod hashing;

use fracas_scenes::{SCENES, SceneError};
use hashing::SceneHash;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = SCENES.iter().map(|scene| scene.name.to_owned()).collect();
    }
    for name in names {
        let begin = Instant::now();
        let alone = match SceneHash::of(&name, false) {
            Err(error @ SceneError::NoData { .. }) => {
                eprintln!("skipped: {error}");
                continue;
            }
            other => other?,
        };
        println!("{alone}");
        let all = SceneHash::of(&name, true)?;
        if alone != all {
            return Err(format!("on all threads: {all}").into());
        }
        eprintln!("{name}: {:.1} s", begin.elapsed().as_secs_f64());
    }
    Ok(())
}
