//! Embree 3: its `rtcCollide` over triangles as user geometry, then a triangle test in `f32`. A small C++ program of our own, which is
//! built where a compiler and Embree are installed.

use fracas::Mesh;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOURCE: &str = include_str!("../cpp/embree.cpp");

/// The program and two meshes, ready to run.
pub struct Embree {
    folder: PathBuf,
}

/// What it needed and found.
pub struct Collided {
    pub ms: f64,
    pub version: String,
    pub pairs: Vec<(u32, u32)>,
}

impl Embree {
    /// Builds the program and writes the meshes; or says why that cannot be done.
    pub fn new(a: &Mesh, b: &Mesh) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("fracas-bench-embree-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let embree = Self { folder };
        embree.build()?;
        let bytes: Vec<u8> = [a, b].into_iter().flat_map(bytes_of).collect();
        std::fs::write(embree.path("meshes"), bytes).map_err(|error| error.to_string())?;
        Ok(embree)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn build(&self) -> Result<(), String> {
        let source = self.path("embree.cpp");
        std::fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
        let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
        let output = Command::new(&compiler)
            .args(["-O3", "-march=native", "-std=c++17"])
            .arg(&source)
            .arg("-o")
            .arg(self.path("embree"))
            .arg("-lembree3")
            .output()
            .map_err(|error| {
                format!("there is no C++ compiler `{}` ({error})", Path::new(&compiler).display())
            })?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        let first = complaint.lines().find(|line| line.contains("error")).unwrap_or_default();
        if output.status.success() {
            Ok(())
        } else {
            Err(format!("libembree-dev is not installed ({first})"))
        }
    }

    /// Collides the meshes for a while; the best round counts.
    pub fn collide(&self, threads: usize, budget: Duration) -> Result<Collided, String> {
        let output = Command::new(self.path("embree"))
            .arg(self.path("meshes"))
            .args([threads.to_string(), budget.as_secs_f64().to_string()])
            .arg(self.path("pairs"))
            .output()
            .map_err(|error| error.to_string())?;
        let value: Value =
            serde_json::from_slice(&output.stdout).map_err(|_| format!("it ended with {}", output.status))?;
        let bytes = std::fs::read(self.path("pairs")).map_err(|error| error.to_string())?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let pairs =
            numbers.chunks_exact(2).map(|pair| (u32::from_ne_bytes(pair[0]), u32::from_ne_bytes(pair[1])));
        Ok(Collided {
            ms: value["ms"].as_f64().ok_or("it printed no time")?,
            version: value["version"].as_str().unwrap_or_default().to_owned(),
            pairs: pairs.collect(),
        })
    }
}

impl Drop for Embree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Counts, positions and indices, as the program reads them.
fn bytes_of(mesh: &Mesh) -> Vec<u8> {
    let counts = [mesh.vertex_count() as u32, mesh.triangle_count() as u32];
    let mut bytes: Vec<u8> = counts.into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.extend(mesh.positions().iter().flat_map(|p| p.to_array()).flat_map(f64::to_ne_bytes));
    bytes.extend(mesh.triangles().as_flattened().iter().flat_map(|v| v.to_ne_bytes()));
    bytes
}
