//! What several tests need.
#![allow(dead_code, reason = "each test file uses a part of it")]

use fracas::geom::DVec3;
use fracas::mesh::Mesh;
use fracas_io::{Format, read_bytes};

/// Reads text or bytes that must be right.
#[track_caller]
pub fn mesh(format: Format, data: impl AsRef<[u8]>) -> Mesh {
    read_bytes(data.as_ref(), format, "file").unwrap_or_else(|error| panic!("{error}"))
}

/// Reads text or bytes that must be wrong, and says what is told about them.
#[track_caller]
pub fn message(format: Format, data: impl AsRef<[u8]>) -> String {
    match read_bytes(data.as_ref(), format, "file") {
        Ok(mesh) => panic!("read {} vertices, {} triangles", mesh.vertex_count(), mesh.triangle_count()),
        Err(error) => error.to_string(),
    }
}

/// Checks vertices and triangles.
#[track_caller]
pub fn assert_mesh(mesh: &Mesh, positions: &[[f64; 3]], triangles: &[[u32; 3]]) {
    let positions: Vec<DVec3> = positions.iter().map(|&p| DVec3::from_array(p)).collect();
    assert_eq!(mesh.positions(), positions);
    assert_eq!(mesh.triangles(), triangles);
}

/// The corners of the unit square in the plane z = 0.
pub const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

/// A square of two triangles.
pub fn square() -> Mesh {
    let positions = SQUARE.map(DVec3::from_array).to_vec();
    Mesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// A glTF document of one node, with the buffer embedded.
pub fn gltf(primitive: &str, accessors: &str, views: &str, buffer: &[u8]) -> String {
    gltf_with(r#""nodes":[{"mesh":0}]"#, primitive, accessors, views, buffer)
}

/// The same with other nodes, of which number 0 is the root.
pub fn gltf_with(nodes: &str, primitive: &str, accessors: &str, views: &str, buffer: &[u8]) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],{nodes},
        "meshes":[{{"primitives":[{primitive}]}}],"accessors":[{accessors}],"bufferViews":[{views}],
        "buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{}"}}]}}"#,
        buffer.len(),
        base64(buffer)
    )
}

/// A glTF document of a triangle at (0,0,0), (1,0,0), (0,1,0), with other nodes.
pub fn gltf_triangle(nodes: &str) -> String {
    gltf_with(nodes, r#"{"attributes":{"POSITION":0}}"#, &vec3s(3), &view(0, 36), &f32s(&TRIANGLE))
}

/// Nine coordinates of a triangle.
pub const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// An accessor of positions in view 0.
pub fn vec3s(count: usize) -> String {
    format!(r#"{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}"#)
}

/// A view of buffer 0.
pub fn view(offset: usize, length: usize) -> String {
    format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{length}}}"#)
}

/// Numbers as little-endian bytes.
pub fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A `.glb` file of a document and its buffer.
pub fn glb(json: &str, buffer: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend(((12 + 8 + json.len() + 8 + buffer.len()) as u32).to_le_bytes());
    for (kind, data) in [(b"JSON", &json[..]), (b"BIN\0", buffer)] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(data);
    }
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().enumerate().fold(0, |word, (i, &byte)| word | u32::from(byte) << (16 - 8 * i));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { digit as char } else { '=' });
        }
    }
    text
}
