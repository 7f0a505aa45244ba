//! IPC Toolkit through its Python package.

use super::Step;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("../python/ccd.py");

/// What IPC Toolkit needed for a step of a mesh.
pub struct ClothTimes {
    pub version: String,
    pub lbvh_ms: f64,
    pub candidates: u64,
    pub stepsize_ms: f64,
    pub step: f64,
    pub query_ns: f64,
    pub call_ns: f64,
}

/// What it needed for a list of queries.
pub struct QueryTimes {
    pub seconds: f64,
    pub hits: u64,
}

/// Fails if the package is not installed; with `--quick` it may be missing.
pub fn check(quick: bool) -> io::Result<()> {
    if quick || is_installed() {
        return Ok(());
    }
    let advice = "IPC Toolkit is not installed: pip install ipctk==1.6.1 numpy scipy (or use --quick, which leaves it out)";
    Err(io::Error::other(advice))
}

fn is_installed() -> bool {
    let output = Command::new(python()).args(["-c", "import ipctk, numpy"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// The interpreter: `FRACAS_PYTHON`, or `python3`.
fn python() -> PathBuf {
    std::env::var_os("FRACAS_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from)
}

/// Times candidates, step size and single queries; `None` where the package is missing.
pub fn time_cloth(step: &Step, sample: usize) -> io::Result<Option<ClothTimes>> {
    if !is_installed() {
        return Ok(None);
    }
    in_folder(|folder| {
        let (positions, triangles) = (folder.join("positions"), folder.join("triangles"));
        let all = step.mesh.positions().iter().chain(&step.end);
        std::fs::write(
            &positions,
            all.flat_map(|p| p.to_array().map(f64::to_le_bytes)).flatten().collect::<Vec<_>>(),
        )?;
        let ids = step.mesh.triangles().iter().flatten();
        std::fs::write(&triangles, ids.flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())?;
        let value = run(&["cloth", text(&positions)?, text(&triangles)?, &sample.to_string()])?;
        let number = |key: &str| value[key].as_f64().unwrap_or(f64::NAN);
        Ok(Some(ClothTimes {
            version: value["version"].as_str().unwrap_or_default().to_owned(),
            lbvh_ms: number("lbvh_ms"),
            candidates: (number("edge_edge") + number("vertex_triangle")) as u64,
            stepsize_ms: number("stepsize_ms"),
            step: number("step"),
            query_ns: number("query_ns"),
            call_ns: number("call_ns"),
        }))
    })
}

/// Times a list of queries of one kind, `"vf"` or `"ee"`.
pub fn time_queries(queries: &[[[f64; 3]; 8]], kind: &str) -> io::Result<Option<QueryTimes>> {
    if !is_installed() {
        return Ok(None);
    }
    in_folder(|folder| {
        let file = folder.join("queries");
        let bytes = queries.iter().flatten().flatten().flat_map(|x| x.to_le_bytes());
        std::fs::write(&file, bytes.collect::<Vec<_>>())?;
        let value = run(&["queries", text(&file)?, kind])?;
        let number = |key: &str| value[key].as_f64().unwrap_or(f64::NAN);
        let seconds = number("seconds") - number("call_seconds");
        Ok(Some(QueryTimes { seconds, hits: value["hits"].as_u64().unwrap_or(0) }))
    })
}

fn run(arguments: &[&str]) -> io::Result<serde_json::Value> {
    let output = Command::new(python()).args(["-c", SCRIPT]).args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // It prints its warnings to the same place, before.
    let answer = text.lines().next_back().unwrap_or_default();
    serde_json::from_str(answer).map_err(|_| {
        io::Error::other(format!("IPC Toolkit did not answer: {}", String::from_utf8_lossy(&output.stderr)))
    })
}

fn text(path: &Path) -> io::Result<&str> {
    path.to_str()
        .ok_or_else(|| io::Error::other("the folder for temporary files has a name that is not text"))
}

/// Calls `work` with a folder that is removed afterwards.
fn in_folder<T>(work: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = std::env::temp_dir().join(format!("fracas-bench-ccd-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = work(&folder);
    std::fs::remove_dir_all(&folder)?;
    result
}
