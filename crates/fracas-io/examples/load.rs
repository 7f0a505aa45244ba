//! Loads a mesh and prints its size, the time it took and the memory it needed.
//!
//! `cargo run --release -p fracas-io --example load -- FILE`

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: load FILE")?;
    let start = Instant::now();
    let mesh = fracas_io::read(&path)?;
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = |bytes: f64| bytes / 1e6;
    let file = megabytes(std::fs::metadata(&path)?.len() as f64);
    let memory = megabytes((mesh.vertex_count() * 24 + mesh.triangle_count() * 12) as f64);
    println!("{path}: {} vertices, {} triangles", mesh.vertex_count(), mesh.triangle_count());
    println!("file {file:.0} MB in {seconds:.2} s ({:.0} MB/s), mesh {memory:.0} MB", file / seconds);
    // Linux tells the most memory that was ever resident.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status")
        && let Some(line) = status.lines().find(|line| line.starts_with("VmHWM:"))
        && let Some(kilobytes) = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok())
    {
        let peak = megabytes(kilobytes * 1024.0);
        println!("peak memory {peak:.0} MB = {:.2} x mesh = {:.2} x file", peak / memory, peak / file);
    }
    Ok(())
}
