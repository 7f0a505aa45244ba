//! What the tests share: machines to run on, and inputs.
#![allow(dead_code)] // Every test uses its own part.

#[path = "../../../fracas/tests/common/cases.rs"]
pub mod cases;
#[path = "../../../fracas/tests/exact/inputs.rs"]
pub mod inputs;
#[path = "../../../fracas/tests/common/soups.rs"]
pub mod soups;

use fracas::mesh::Mesh;
use fracas::pairs::{Pair, Touch};
use fracas_gpu::{GpuError, GpuOptions, GpuSoup};

type Make = fn(&[&Mesh], GpuOptions) -> Result<GpuSoup, GpuError>;

/// The processor, and the device if there is one.
pub fn machines() -> Vec<(&'static str, Make)> {
    let mut machines: Vec<(&'static str, Make)> = vec![("host", GpuSoup::on_host)];
    match GpuSoup::available() {
        Ok(_) => machines.push(("device", GpuSoup::new)),
        Err(reason) => eprintln!("on the processor only: {reason}"),
    }
    machines
}

/// Pairs of a mesh with itself.
pub fn self_pairs(make: Make, mesh: &Mesh, touch: Touch) -> Vec<Pair> {
    let mut soup = make(&[mesh], GpuOptions { touch, within: true }).expect("a soup");
    soup.find_pairs().expect("pairs").to_vec()
}

/// Pairs between two meshes, each numbered from zero.
pub fn pairs_between(make: Make, a: &Mesh, b: &Mesh, touch: Touch) -> Vec<Pair> {
    let mut soup = make(&[a, b], GpuOptions { touch, within: false }).expect("a soup");
    let first = a.triangle_count() as u32;
    soup.find_pairs().expect("pairs").iter().map(|p| Pair::new(p.a.0, p.b.0 - first)).collect()
}
