//! Prints a line for every scene that can be played with: its hash after some steps in which a patient user does something.
//!
//! `cargo run --release -p fracas-web --features deterministic --example play_hashes [FILE]`
//!
//! With a file, the lines go there too; `web/test/hashes.test.mjs` compares them with runs in WebAssembly. Without the feature, lines may differ from
//! machine to machine.

use fracas_web::session::Session;
use std::error::Error;
use std::time::Instant;

/// The scenes.
const SCENES: [&str; 5] = ["plates", "handful", "bricks", "piggybank", "cut"];
/// How many steps are compared.
const STEPS: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let size = std::env::var("FRACAS_SIZE").unwrap_or("small".to_owned());
    let mut lines = String::new();
    for scene in SCENES {
        let mut session = Session::make(scene, &size, 0.0, None)?;
        let (mut fractures, mut slowest, begin) = (0.0, 0.0_f64, Instant::now());
        for _ in 0..STEPS {
            let start = Instant::now();
            session.rehearse()?;
            slowest = slowest.max(start.elapsed().as_secs_f64());
            fractures += session.play().frame().counter("fractures").unwrap_or(0.0);
        }
        let seconds = begin.elapsed().as_secs_f64();
        let pieces = session.play().frame().counter("pieces").unwrap_or(0.0);
        lines += &format!("{scene} {size} {STEPS} {}\n", session.hash());
        eprintln!(
            "{scene}: {:.2} ms per step, slowest {:.1} ms; {fractures} fractures, {pieces} pieces",
            1e3 * seconds / STEPS as f64,
            1e3 * slowest
        );
    }
    print!("{lines}");
    if let Some(file) = words.first() {
        if let Some(folder) = std::path::Path::new(file).parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, lines)?;
    }
    Ok(())
}
