//! What binary STL and PLY files, and text PLY files, may look like.

mod common;

use common::{SQUARE, assert_mesh, f32s, mesh};
use fracas_io::Format::{Ply, Stl};

const FAN: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn stl(header: &[u8], facets: &[[f32; 9]], after: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend((facets.len() as u32).to_le_bytes());
    for facet in facets {
        bytes.extend(f32s(&[f32::NAN; 3]));
        bytes.extend(f32s(facet));
        bytes.extend([7, 7]);
    }
    bytes.extend(after);
    bytes
}

#[test]
fn binary_stl_is_a_soup() {
    let facet = [0.0, 0.1, 0.2, 1.0, 1.1, 1.2, 2.0, 2.1, 2.2];
    let expected: Vec<[f64; 3]> = facet.chunks(3).map(|p| [p[0], p[1], p[2]].map(f64::from)).collect();
    // A header may begin with `solid`, and bytes may follow, but not both without a zero to tell it from text.
    for bytes in [
        stl(b"", &[facet, facet], b""),
        stl(b"solid but binary, and the size is right", &[facet, facet], b""),
        stl(b"solid", &[facet, facet], b"after"),
        stl(b"any", &[facet, facet], &[0; 60]),
    ] {
        let read = mesh(Stl, bytes);
        assert_mesh(&read, &[&expected[..], &expected].concat(), &[[0, 1, 2], [3, 4, 5]]);
    }
    assert_mesh(&mesh(Stl, stl(b"", &[], b"")), &[], &[]);
}

/// A file with a square after other elements, properties in odd order and of odd types, and lists to step over.
fn odd_ply(format: &str) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\ncomment element vertex 9\nobj_info property\nelement nothing 3\n\
        element edge 2\nproperty list uint8 double weights\nproperty short id\n\
        element face 3\nproperty float area\nproperty list ushort int vertex_index\nproperty list char short uv\n\
        element vertex 4\nproperty uchar red\nproperty double z\nproperty list uchar float w\nproperty int y\n\
        property float x\nelement tail 2\nproperty int8 a\nproperty uint b\nend_header\n"
    );
    let mut body = Body { bytes: header.into_bytes(), format: format.to_owned() };
    for weights in [&[0.5, 1.5][..], &[]] {
        body.put(weights.len() as f64, "u1");
        weights.iter().for_each(|&weight| body.put(weight, "f8"));
        body.put(-5.0, "i2");
        body.end();
    }
    for corners in [&[0, 1][..], &[0, 1, 2, 3], &[]] {
        body.put(2.5, "f4");
        body.put(corners.len() as f64, "u2");
        corners.iter().for_each(|&corner| body.put(f64::from(corner), "i4"));
        body.put(2.0, "i1");
        body.put(-1.0, "i2");
        body.put(-2.0, "i2");
        body.end();
    }
    for (i, [x, y, z]) in SQUARE.into_iter().enumerate() {
        body.put(200.0, "u1");
        body.put(z, "f8");
        body.put(i as f64, "u1");
        (0..i).for_each(|_| body.put(0.25, "f4"));
        body.put(y, "i4");
        body.put(x, "f4");
        body.end();
    }
    for _ in 0..2 {
        body.put(-1.0, "i1");
        body.put(4e9, "u4");
        body.end();
    }
    body.bytes
}

struct Body {
    bytes: Vec<u8>,
    format: String,
}

impl Body {
    fn put(&mut self, value: f64, kind: &str) {
        if self.format == "ascii" {
            self.bytes.extend(format!("{value} ").bytes());
            return;
        }
        let mut bytes = match kind {
            "u1" => (value as u8).to_le_bytes().to_vec(),
            "i1" => (value as i8).to_le_bytes().to_vec(),
            "u2" => (value as u16).to_le_bytes().to_vec(),
            "i2" => (value as i16).to_le_bytes().to_vec(),
            "u4" => (value as u32).to_le_bytes().to_vec(),
            "i4" => (value as i32).to_le_bytes().to_vec(),
            "f4" => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        if self.format == "binary_big_endian" {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn end(&mut self) {
        if self.format == "ascii" {
            self.bytes.push(b'\n');
        }
    }
}

#[test]
fn ply_of_any_layout_in_all_three_encodings() {
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        assert_mesh(&mesh(Ply, odd_ply(format)), &SQUARE, &FAN);
        let followed = [odd_ply(format), b"more\n".to_vec()].concat();
        assert_mesh(&mesh(Ply, followed), &SQUARE, &FAN);
    }
}

#[test]
fn ply_indices_of_every_type_in_both_byte_orders() {
    for (name, kind) in
        [("char", "i1"), ("uchar", "u1"), ("int16", "i2"), ("ushort", "u2"), ("int", "i4"), ("uint32", "u4")]
    {
        for format in ["binary_little_endian", "binary_big_endian"] {
            let header = format!(
                "ply\nformat {format} 1.0\nelement vertex 4\nproperty {name} x\nproperty float y\nproperty double z\n\
                element face 2\nproperty list {name} {name} vertex_indices\nend_header\n"
            );
            let mut body = Body { bytes: header.into_bytes(), format: format.to_owned() };
            for [x, y, z] in SQUARE {
                body.put(x, kind);
                body.put(y, "f4");
                body.put(z, "f8");
            }
            for value in [3.0, 3.0, 2.0, 1.0, 4.0, 0.0, 1.0, 2.0, 3.0] {
                body.put(value, kind);
            }
            assert_mesh(&mesh(Ply, body.bytes), &SQUARE, &[[3, 2, 1], [0, 1, 2], [0, 2, 3]]);
        }
    }
}

#[test]
fn ply_with_the_line_ends_of_every_system() {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nend_header\n";
    for end in ["\n", "\r\n", "\r"] {
        // 0x0a0d0a0d: the first bytes of the body look like line ends.
        let x = f32::from_le_bytes(*b"\n\r\n\r");
        let bytes = [header.replace('\n', end).into_bytes(), f32s(&[x, 1.0, 2.0])].concat();
        assert_mesh(&mesh(Ply, bytes), &[[x.into(), 1.0, 2.0]], &[]);
    }
    let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
        end_header\n\n0 1 2\n";
    for end in ["\n", "\r\n", "\r"] {
        assert_mesh(&mesh(Ply, text.replace('\n', end)), &[[0.0, 1.0, 2.0]], &[]);
    }
}

#[test]
fn ply_polygon_longer_than_the_window() {
    let corners = 300_000_u32;
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 2\nproperty list int int vertex_indices\nend_header\n";
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend(f32s(&SQUARE.concat().iter().map(|&x| x as f32).collect::<Vec<_>>()));
    let mut expected = Vec::new();
    for face in 0..2 {
        bytes.extend(corners.to_le_bytes());
        let of = |corner: u32| (corner + face) % 4;
        (0..corners).for_each(|corner| bytes.extend(of(corner).to_le_bytes()));
        expected.extend((2..corners).map(|corner| [of(0), of(corner - 1), of(corner)]));
    }
    assert_mesh(&mesh(Ply, bytes), &SQUARE, &expected);
}

#[test]
fn ply_without_faces_is_a_mesh_without_triangles() {
    let header =
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n";
    for faces in ["", "element face 0\n", "element face 0\nproperty list uchar int vertex_indices\n"] {
        let text = format!("{header}{faces}end_header\n0 0 0\n1 0 0\n");
        assert_mesh(&mesh(Ply, text), &SQUARE[..2], &[]);
    }
    let none = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header";
    assert_mesh(&mesh(Ply, none), &[], &[]);
}
