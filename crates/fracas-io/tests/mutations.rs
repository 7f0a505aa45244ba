//! Damaged files never make a reader panic, and what is still read can be written and read back.
//!
//! Valid files of every kind are changed at random places, by a generator with a fixed seed: bytes flipped, replaced,
//! removed and inserted, parts repeated, the end cut off, numbers made absurd.

mod common;

use common::{TRIANGLE, f32s, glb, gltf, gltf_triangle, square, vec3s, view};
use fracas::internal::Random;
use fracas::mesh::Mesh;
use fracas_io::Format::{self, Gltf, Obj, Off, Ply, Stl};
use fracas_io::{read_bytes, write_bytes};

const CASES: usize = 4000;

fn originals() -> Vec<(Format, Vec<u8>)> {
    let mut files: Vec<(Format, Vec<u8>)> = [Obj, Off, Stl, Ply]
        .map(|format| (format, write_bytes(&square(), format, "square").unwrap()))
        .to_vec();
    let facet =
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n";
    files.push((Stl, format!("solid a\n{facet}{facet}endsolid a\nsolid b\n{facet}endsolid").into_bytes()));
    files.push((
        Obj,
        b"# x\nv 0 0 0 1\nv 1 0 0\nvn 0 0 1\nf 1//1 2//1 -1//1 \\\n3\nv 1 1 0 0 0 0\nf -3 -2 -1\n".to_vec(),
    ));
    files.push((
        Off,
        b"CNOFF 3 2 0\n0 0 0 1 1 1 0 0 1\n1 0 0 1\n0 1 0 2\n3 0 1 2 1 1 1\n4 0 1\n 2 0\n".to_vec(),
    ));
    files.push((Off, b"OFF 3 1 0\n0\n0 0\n1 0 0\n0 1 0\n3 0 1 2".to_vec()));
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let header = format!(
            "ply\nformat {format} 1.0\nelement vertex 3\nproperty uchar x\nproperty char y\nproperty uchar z\n\
            element face 2\nproperty list uchar uchar uv\nproperty list uchar char vertex_index\n\
            element edge 1\nproperty uchar a\nend_header\n"
        );
        let rows: [&[u8]; 6] =
            [&[0, 0, 0], &[1, 0, 0], &[0, 1, 0], &[2, 7, 7, 3, 0, 1, 2], &[0, 4, 0, 1, 2, 0], &[5]];
        let body = match format {
            "ascii" => {
                rows.map(|row| row.iter().map(|value| format!("{value} ")).collect::<String>()).join("\n")
            }
            _ => String::from_utf8(rows.concat()).unwrap(),
        };
        files.push((Ply, format!("{header}{body}").into_bytes()));
    }
    let nodes = r#""nodes":[{"children":[1],"scale":[2,1,1]},{"mesh":0,"translation":[1,0,0]}]"#;
    files.push((Gltf, gltf_triangle(nodes).into_bytes()));
    let sparse = r#"{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","sparse":{"count":1,
        "indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":0}}},
        {"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}"#;
    let views = format!("{},{}", view(0, 36), view(36, 3));
    let buffer = [f32s(&TRIANGLE), vec![1, 2, 0]].concat();
    let primitive = r#"{"attributes":{"POSITION":0},"indices":1,"mode":5}"#;
    let document = gltf(primitive, sparse, &views, &buffer);
    files.push((Gltf, document.into_bytes()));
    let embedded = gltf(r#"{"attributes":{"POSITION":0}}"#, &vec3s(3), &view(0, 36), &f32s(&TRIANGLE));
    let (head, _) = embedded.split_once(r#","uri""#).unwrap();
    files.push((Gltf, glb(&format!("{head}}}]}}"), &f32s(&TRIANGLE))));
    files
}

#[test]
fn damaged_files_are_refused_or_read_but_never_panic() {
    let mut random = Random::linear(1);
    let (mut refused, mut read) = (0, 0);
    for (format, original) in originals() {
        let _ = read_bytes(&original, format, "original").unwrap_or_else(|error| panic!("{format}: {error}"));
        for _ in 0..CASES {
            let mut bytes = original.clone();
            for _ in 0..=random.below(3) {
                damage(&mut bytes, &mut random);
            }
            match read_bytes(&bytes, format, "damaged") {
                Ok(mesh) => {
                    check_round_trip(&mesh);
                    read += 1;
                }
                Err(error) => {
                    let sentence = error.to_string();
                    assert!(sentence.starts_with("damaged") && sentence.contains(": "), "{sentence}");
                    assert!(!sentence.contains('\n') && sentence.len() < 400, "{sentence}");
                    refused += 1;
                }
            }
        }
    }
    // Both must happen, or the damage is too small or too large to test anything.
    assert!(refused > 1000 && read > 1000, "{refused} refused, {read} read");
}

#[test]
fn every_beginning_of_a_file_is_refused_or_read() {
    for (format, original) in originals() {
        for length in 0..original.len() {
            if let Ok(mesh) = read_bytes(&original[..length], format, "cut") {
                check_round_trip(&mesh);
            }
        }
    }
}

#[test]
fn every_file_is_read_as_every_format_without_panic() {
    for (_, bytes) in originals() {
        for format in [Obj, Off, Stl, Ply, Gltf] {
            if let Ok(mesh) = read_bytes(&bytes, format, "other") {
                check_round_trip(&mesh);
            }
        }
    }
}

fn check_round_trip(mesh: &Mesh) {
    for format in [Obj, Off, Ply] {
        let bytes = write_bytes(mesh, format, "again").unwrap();
        assert_eq!(&read_bytes(&bytes, format, "again").unwrap(), mesh);
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let length = random.below(8).min(bytes.len() - at);
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..at + length)),
        4 => bytes.insert(at, random.below(256) as u8),
        5 => {
            let part = bytes[at..at + length].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, part);
        }
        6 => {
            let words: [&[u8]; 12] = [
                b"-1",
                b"0",
                b"4294967295",
                b"4294967296",
                b"18446744073709551615",
                b"1e999",
                b"nan",
                b"-",
                b"\n",
                b"\\\n",
                b"\xff\xff\xff\xff",
                b"/",
            ];
            let word = words[random.below(words.len())];
            bytes.splice(at..at + length, word.iter().copied());
        }
        _ => {
            // Another digit in place of one.
            if let Some(digit) = bytes[at..].iter_mut().find(|byte| byte.is_ascii_digit()) {
                *digit = b'0' + random.below(10) as u8;
            }
        }
    }
}
