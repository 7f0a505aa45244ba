//! Any bytes as a Gmsh, Medit or VTK file: no reader may panic, and what is read is a sound mesh.
//!
//! The first line of a VTK file and all that comes before its binary sections is hard to guess, so bytes are tried with
//! that before them, too.
#![no_main]

use fracas::mesh::tets::TetMesh;
use fracas_io::{TetFormat, read_tets_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for format in [TetFormat::Gmsh, TetFormat::Medit, TetFormat::Vtk] {
        check(data, format);
    }
    for kind in ["ASCII", "BINARY"] {
        let head = format!("# vtk DataFile Version 5.1\nx\n{kind}\nDATASET UNSTRUCTURED_GRID\n");
        check(&[head.as_bytes(), data].concat(), TetFormat::Vtk);
    }
});

fn check(data: &[u8], format: TetFormat) {
    let Ok(mesh) = read_tets_bytes(data, format, "fuzzed") else { return };
    let (positions, tets) = mesh.clone().into_parts();
    assert_eq!(TetMesh::new(positions, tets).as_ref(), Ok(&mesh));
}
