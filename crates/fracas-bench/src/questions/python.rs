//! coal, FCL and IPC Toolkit through their Python packages.

use fracas::Mesh;
use fracas::geom::{DQuat, DVec3};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("../python/questions.py");

/// What a peer answered about the least distance at all poses.
pub struct Distances {
    pub us: f64,
    pub distances: Vec<f64>,
}

/// What IPC Toolkit found near in a mesh.
pub struct NearPairs {
    pub version: String,
    /// Milliseconds with either broad phase.
    pub lbvh_ms: f64,
    pub grid_ms: f64,
    /// Its collisions: pairs whose nearest parts are the same count once.
    pub collisions: u64,
    /// Every pair of features by its own distances, if there are not too many: 0, vertex, triangle, 0; or 1, and the vertices of two edges.
    pub pairs: Option<Vec<Vec<u32>>>,
}

/// Asks coal and FCL for the least distance of two meshes at poses of the second; a peer that is not installed is `None`.
pub fn closest(a: &Mesh, b: &Mesh, poses: &[(DQuat, DVec3)]) -> io::Result<[Option<Distances>; 2]> {
    in_folder(|folder| {
        let [one, other, file] = ["a", "b", "poses"].map(|name| folder.join(name));
        write_mesh(&one, a)?;
        write_mesh(&other, b)?;
        let numbers = poses.iter().flat_map(|(turn, by)| turn.to_array().into_iter().chain(by.to_array()));
        std::fs::write(&file, numbers.flat_map(f64::to_le_bytes).collect::<Vec<_>>())?;
        let value = run(&["closest", text(&one)?, text(&other)?, text(&file)?])?;
        Ok(["coal", "fcl"].map(|peer| {
            let answers = value[peer]["distances"].as_array()?;
            let distances = answers.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect();
            Some(Distances { us: value[peer]["us"].as_f64()?, distances })
        }))
    })
}

/// Asks IPC Toolkit what is near in a mesh.
pub fn near(mesh: &Mesh, reach: f64) -> io::Result<NearPairs> {
    in_folder(|folder| {
        let name = folder.join("mesh");
        write_mesh(&name, mesh)?;
        let value = run(&["near", text(&name)?, &format!("{reach:e}")])?;
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
        Ok(NearPairs {
            version: value["version"].as_str().unwrap_or_default().to_owned(),
            lbvh_ms: number(&value["ms"]["LBVH"]),
            grid_ms: number(&value["ms"]["HashGrid"]),
            collisions: value["collisions"].as_u64().unwrap_or(0),
            pairs: serde_json::from_value(value["pairs"].clone()).ok(),
        })
    })
}

fn write_mesh(name: &Path, mesh: &Mesh) -> io::Result<()> {
    let numbers = mesh.positions().iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes);
    std::fs::write(name.with_extension("positions"), numbers.collect::<Vec<_>>())?;
    let ids = mesh.triangles().iter().flatten().flat_map(|v| v.to_le_bytes());
    std::fs::write(name.with_extension("triangles"), ids.collect::<Vec<_>>())
}

fn run(arguments: &[&str]) -> io::Result<serde_json::Value> {
    let python = std::env::var_os("FRACAS_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let output = Command::new(python).args(["-c", SCRIPT]).args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Packages print warnings to the same place, before.
    serde_json::from_str(text.lines().next_back().unwrap_or_default()).map_err(|_| {
        let advice = "pip install coal python-fcl ipctk numpy scipy, and set FRACAS_PYTHON";
        let last = String::from_utf8_lossy(&output.stderr).lines().next_back().unwrap_or_default().to_owned();
        io::Error::other(format!("{advice}; {last}"))
    })
}

fn text(path: &Path) -> io::Result<&str> {
    path.to_str()
        .ok_or_else(|| io::Error::other("the folder for temporary files has a name that is not text"))
}

/// Calls `work` with a folder that is removed afterwards.
fn in_folder<T>(work: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = std::env::temp_dir().join(format!("fracas-bench-questions-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = work(&folder);
    std::fs::remove_dir_all(&folder)?;
    result
}
