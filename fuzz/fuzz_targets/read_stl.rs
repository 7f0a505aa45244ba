//! Any bytes as an STL file: the reader must not panic, and what it reads is written and read back equal in `f32`.
#![no_main]

use fracas::mesh::Mesh;
use fracas_io::{Format, WriteError, read_bytes, write_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(mesh) = read_bytes(data, Format::Stl, "fuzzed") else { return };
    let written = match write_bytes(&mesh, Format::Stl, "written") {
        Ok(written) => written,
        // Text has numbers that are too large for binary files.
        Err(WriteError::TooLargeForStl { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let again = read_bytes(&written, Format::Stl, "written").expect("what is written can be read");
    let rounded = mesh.positions().iter().map(|p| p.as_vec3().as_dvec3()).collect();
    assert_eq!(again, Mesh::new(rounded, mesh.triangles().to_vec()).expect("the rounded mesh is a mesh"));
});
