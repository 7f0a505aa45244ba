//! Moving parts with coal, through its Python package.

use super::Played;
use super::parts::Touching;
use fracas::Mesh;
use fracas::geom::{DQuat, DVec3};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("../python/world.py");

/// Runs all frames `rounds` times.
pub(super) fn play(
    mesh: &Mesh,
    motion: &[Vec<(DQuat, DVec3)>],
    rounds: usize,
) -> io::Result<Played<Touching>> {
    let folder = std::env::temp_dir().join(format!("fracas-bench-world-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = play_in(&folder, mesh, motion, rounds);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn play_in(
    folder: &Path,
    mesh: &Mesh,
    motion: &[Vec<(DQuat, DVec3)>],
    rounds: usize,
) -> io::Result<Played<Touching>> {
    let [positions, triangles, poses] = ["positions", "triangles", "poses"].map(|name| folder.join(name));
    let numbers = mesh.positions().iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes);
    std::fs::write(&positions, numbers.collect::<Vec<_>>())?;
    let ids = mesh.triangles().iter().flatten().flat_map(|v| v.to_le_bytes());
    std::fs::write(&triangles, ids.collect::<Vec<_>>())?;
    let numbers =
        motion.iter().flatten().flat_map(|(turn, by)| turn.to_array().into_iter().chain(by.to_array()));
    std::fs::write(&poses, numbers.flat_map(f64::to_le_bytes).collect::<Vec<_>>())?;
    let python = std::env::var_os("FRACAS_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .args([&positions, &triangles, &poses])
        .args([motion.len().to_string(), rounds.to_string()])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Packages print warnings to the same place, before.
    let value: serde_json::Value = serde_json::from_str(text.lines().next_back().unwrap_or_default())
        .map_err(|_| {
            let last =
                String::from_utf8_lossy(&output.stderr).lines().next_back().unwrap_or_default().to_owned();
            io::Error::other(format!("pip install coal numpy, and set FRACAS_PYTHON; {last}"))
        })?;
    let read = |error: serde_json::Error| io::Error::other(error.to_string());
    Ok(Played {
        name: format!("coal {}", value["version"].as_str().unwrap_or_default()),
        seconds: serde_json::from_value(value["seconds"].clone()).map_err(read)?,
        found: serde_json::from_value(value["touching"].clone()).map_err(read)?,
    })
}
