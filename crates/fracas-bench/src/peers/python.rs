//! MeshLib and CGAL, through their Python packages, where those are installed.

use fracas::Mesh;
use std::path::Path;
use std::process::{Command, Stdio};

/// What one peer needed.
pub struct PeerTime {
    pub name: String,
    pub ms: f64,
    pub pairs: usize,
}

const SCRIPT: &str = include_str!("../python/peers.py");

/// Times the peers on one mesh against itself, or on two. Empty where Python or the packages are missing.
pub fn time(meshes: &[&Mesh]) -> Vec<PeerTime> {
    let folder = std::env::temp_dir().join(format!("fracas-bench-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        return Vec::new();
    }
    let times = run(&folder, meshes).unwrap_or_default();
    let _ = std::fs::remove_dir_all(&folder);
    times
}

fn run(folder: &Path, meshes: &[&Mesh]) -> Option<Vec<PeerTime>> {
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT, if meshes.len() == 1 { "self" } else { "pair" }]);
    for (index, mesh) in meshes.iter().enumerate() {
        let path = folder.join(format!("{index}.off"));
        fracas_io::write(&path, mesh).ok()?;
        command.arg(path);
    }
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let peer = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PeerTime {
            name: value["peer"].as_str()?.to_owned(),
            ms: value["ms"].as_f64()?,
            pairs: value["pairs"].as_u64()? as usize,
        })
    };
    Some(text.lines().filter_map(peer).collect())
}
