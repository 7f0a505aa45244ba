//! Any bytes as a PLY file: the reader must not panic, and what it reads is written and read back equal.
#![no_main]

use fracas_io::{Format, read_bytes, write_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(mesh) = read_bytes(data, Format::Ply, "fuzzed") else { return };
    let written = write_bytes(&mesh, Format::Ply, "written").expect("every mesh can be written as PLY");
    let again = read_bytes(&written, Format::Ply, "written").expect("what is written can be read");
    assert_eq!(again, mesh);
});
