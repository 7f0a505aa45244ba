//! Any bytes as a glTF document or `.glb` file: the readers must not panic, a mesh is written and read back equal, and skins get a
//! transform for each of their nodes at any time of any clip.
#![no_main]

use fracas_io::{Format, read_bytes, read_skinned_bytes, write_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(scene) = read_skinned_bytes(data, "fuzzed") {
        for (mesh, skinned) in scene.meshes().iter().enumerate().take(4) {
            assert_eq!(scene.rest_transforms(mesh).len(), skinned.skin().node_count());
            for (clip, animation) in scene.clips().iter().enumerate().take(4) {
                let transforms = scene.transforms_at(mesh, clip, 0.3 * animation.seconds());
                assert_eq!(transforms.len(), skinned.skin().node_count());
            }
        }
    }
    let Ok(mesh) = read_bytes(data, Format::Gltf, "fuzzed") else { return };
    let written = write_bytes(&mesh, Format::Ply, "written").expect("every mesh can be written as PLY");
    let again = read_bytes(&written, Format::Ply, "written").expect("what is written can be read");
    assert_eq!(again, mesh);
});
