//! What glTF documents may look like.

mod common;

use common::{SQUARE, TRIANGLE, assert_mesh, f32s, glb, gltf, gltf_triangle, gltf_with, mesh, vec3s, view};
use fracas_io::Format::Gltf;
use fracas_io::read;

const AT_ORIGIN: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn square_bytes() -> Vec<u8> {
    f32s(&SQUARE.concat().iter().map(|&x| x as f32).collect::<Vec<_>>())
}

#[test]
fn lists_strips_and_fans_with_and_without_indices() {
    let accessors = |count: usize, kind: u32| {
        format!(r#"{},{{"bufferView":1,"componentType":{kind},"count":{count},"type":"SCALAR"}}"#, vec3s(4))
    };
    for (mode, indices, expected) in [
        (4, &[0_u32, 1, 2, 0, 2, 3][..], &[[0, 1, 2], [0, 2, 3]][..]),
        (5, &[1, 2, 0, 3], &[[1, 2, 0], [2, 3, 0]]),
        (6, &[0, 1, 2, 3], &[[0, 1, 2], [0, 2, 3]]),
        (6, &[3, 2], &[]),
    ] {
        for (kind, size) in [(5121, 1), (5123, 2), (5125, 4)] {
            let bytes: Vec<u8> =
                indices.iter().flat_map(|index| index.to_le_bytes()[..size].to_vec()).collect();
            let views = format!("{},{}", view(0, 48), view(48, bytes.len()));
            let primitive = format!(r#"{{"attributes":{{"POSITION":0}},"indices":1,"mode":{mode}}}"#);
            let text =
                gltf(&primitive, &accessors(indices.len(), kind), &views, &[square_bytes(), bytes].concat());
            assert_mesh(&mesh(Gltf, text), &SQUARE, expected);
        }
    }
    for (mode, expected) in [(5, [[0, 1, 2], [1, 3, 2]]), (6, [[0, 1, 2], [0, 2, 3]])] {
        let primitive = format!(r#"{{"attributes":{{"POSITION":0}},"mode":{mode}}}"#);
        assert_mesh(
            &mesh(Gltf, gltf(&primitive, &vec3s(4), &view(0, 48), &square_bytes())),
            &SQUARE,
            &expected,
        );
    }
    assert_mesh(&mesh(Gltf, gltf_triangle(r#""nodes":[{"mesh":0}]"#)), &AT_ORIGIN, &[[0, 1, 2]]);
}

#[test]
fn points_lines_and_primitives_without_positions_are_skipped() {
    let primitives = r#"{"attributes":{"POSITION":0},"mode":0},{"attributes":{"POSITION":0},"mode":3},
        {"attributes":{"NORMAL":0}},{"attributes":{"POSITION":0}}"#;
    let text = gltf(primitives, &vec3s(3), &view(0, 36), &f32s(&TRIANGLE));
    assert_mesh(&mesh(Gltf, text), &AT_ORIGIN, &[[0, 1, 2]]);
}

#[test]
fn primitives_of_a_node_share_vertices_but_nodes_do_not() {
    let primitive = r#"{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"indices":2}"#;
    let accessors = format!(
        r#"{},{{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}},
        {{"bufferView":1,"byteOffset":3,"componentType":5121,"count":3,"type":"SCALAR"}}"#,
        vec3s(4)
    );
    let views = format!("{},{}", view(0, 48), view(48, 6));
    let nodes = r#""nodes":[{"mesh":0,"children":[1]},{"mesh":0}]"#;
    let text =
        gltf_with(nodes, primitive, &accessors, &views, &[square_bytes(), vec![0, 1, 2, 0, 2, 3]].concat());
    let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    assert_mesh(&mesh(Gltf, text), &[SQUARE, SQUARE].concat(), &triangles);
}

#[test]
fn transforms_are_composed_from_the_root_down() {
    // A quarter turn about z after a scale by two, inside a shift by (10, 0, 0), and a matrix beside it.
    let nodes = r#""nodes":[{"translation":[10,0,0],"children":[1,2]},
        {"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,2,2]},
        {"mesh":0,"matrix":[1,0,0,0, 0,-1,0,0, 0,0,1,0, 0.1,0,5,1]}]"#;
    let read = mesh(Gltf, gltf_triangle(nodes));
    let expected = [
        [10.0, 0.0, 0.0],
        [10.0, 2.0, 0.0],
        [8.0, 0.0, 0.0],
        [10.1, 0.0, 5.0],
        [11.1, 0.0, 5.0],
        [10.1, -1.0, 5.0],
    ];
    for (position, expected) in read.positions().iter().zip(expected) {
        assert!(position.distance(expected.into()) < 1e-14, "{position} is not {expected:?}");
    }
    assert_eq!(read.triangles(), [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn transforms_keep_the_precision_of_the_document() {
    let nodes = r#""nodes":[{"mesh":0,"translation":[4000000.1,0,0]}]"#;
    let read = mesh(Gltf, gltf_triangle(nodes));
    assert_eq!(read.positions()[0].x, 4_000_000.1, "in f32 this would be 4000000");
}

#[test]
fn ids_follow_the_walk_through_the_scene() {
    // The walk is 0, 2, 3, 1: depth first, each node before its children, children in order.
    let nodes = r#""nodes":[{"children":[2,1]},{"mesh":0,"translation":[1,0,0]},
        {"mesh":0,"translation":[2,0,0],"children":[3]},{"mesh":0,"translation":[1,0,0]}]"#;
    let read = mesh(Gltf, gltf_triangle(nodes));
    let first_x: Vec<f64> = read.positions().iter().step_by(3).map(|p| p.x).collect();
    assert_eq!(first_x, [2.0, 3.0, 1.0]);
}

#[test]
fn the_default_scene_counts_and_without_one_the_first_and_without_scenes_all_roots() {
    let text = gltf_triangle(r#""nodes":[{"mesh":0},{"mesh":0,"translation":[5,0,0]}]"#);
    let first_x =
        |text: &str| mesh(Gltf, text).positions().iter().step_by(3).map(|p| p.x).collect::<Vec<_>>();
    let scenes = r#""scene":0,"scenes":[{"nodes":[0]}]"#;
    assert_eq!(first_x(&text), [0.0]);
    assert_eq!(first_x(&text.replace(scenes, r#""scene":1,"scenes":[{"nodes":[0]},{"nodes":[1]}]"#)), [5.0]);
    assert_eq!(first_x(&text.replace(scenes, r#""scenes":[{"nodes":[1]},{"nodes":[0]}]"#)), [5.0]);
    assert_eq!(first_x(&text.replace(r#""scene":0,"scenes":[{"nodes":[0]}],"#, "")), [0.0, 5.0]);
    assert_eq!(first_x(&text.replace(scenes, r#""scenes":[{}]"#)), [0.0; 0], "an empty scene is legal");
    let no_nodes = gltf_triangle(r#""nodes":[]"#).replace(r#""scene":0,"scenes":[{"nodes":[0]}],"#, "");
    assert_eq!(first_x(&no_nodes), [0.0]);
}

#[test]
fn interleaved_and_quantised_positions() {
    // Rows of 8 bytes: three 16-bit numbers and two bytes of something else; the last row ends early.
    let rows: [[i16; 4]; 3] = [[0, 0, 0, 99], [32_767, 0, 0, 99], [0, -32_768, 16_384, 99]];
    let mut bytes: Vec<u8> = rows.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    bytes.truncate(22);
    let accessor = |normalized: bool| {
        format!(
            r#"{{"bufferView":0,"componentType":5122,"normalized":{normalized},"count":3,"type":"VEC3"}}"#
        )
    };
    let view = r#"{"buffer":0,"byteLength":22,"byteStride":8}"#;
    let primitive = r#"{"attributes":{"POSITION":0}}"#;
    let plain = mesh(Gltf, gltf(primitive, &accessor(false), view, &bytes));
    assert_mesh(&plain, &[[0.0; 3], [32_767.0, 0.0, 0.0], [0.0, -32_768.0, 16_384.0]], &[[0, 1, 2]]);
    let normalised = mesh(Gltf, gltf(primitive, &accessor(true), view, &bytes));
    assert_mesh(&normalised, &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 16_384.0 / 32_767.0]], &[[0, 1, 2]]);
}

#[test]
fn sparse_positions_over_values_and_over_zeros() {
    let mut bytes = f32s(&TRIANGLE);
    bytes.extend([1, 0, 2, 0]);
    bytes.extend(f32s(&[7.0, 8.0, 9.0, -7.0, -8.0, -9.0]));
    let views = format!("{},{},{}", view(0, 36), view(36, 4), view(40, 24));
    let sparse =
        r#""sparse":{"count":2,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":2}}"#;
    let primitive = r#"{"attributes":{"POSITION":0}}"#;
    for base in [r#""bufferView":0,"#, ""] {
        let accessor = format!(r#"{{{base}"componentType":5126,"count":3,"type":"VEC3",{sparse}}}"#);
        let read = mesh(Gltf, gltf(primitive, &accessor, &views, &bytes));
        assert_mesh(&read, &[[0.0; 3], [7.0, 8.0, 9.0], [-7.0, -8.0, -9.0]], &[[0, 1, 2]]);
    }
}

#[test]
fn binary_files_with_chunks_of_other_kinds() {
    let embedded = gltf_triangle(r#""nodes":[{"mesh":0}]"#);
    let (head, _) = embedded.split_once(r#","uri""#).unwrap();
    let json = format!("{head}}}]}}");
    let bytes = glb(&json, &f32s(&TRIANGLE));
    assert_mesh(&mesh(Gltf, &bytes), &AT_ORIGIN, &[[0, 1, 2]]);

    let body = bytes.len() - 44;
    let other = [&5_u32.to_le_bytes()[..], b"XYZ!", b"12345678"].concat();
    let with_other = [&bytes[..body], &other, &bytes[body..], &other].concat();
    assert_mesh(&mesh(Gltf, with_other), &AT_ORIGIN, &[[0, 1, 2]]);
    assert_mesh(&mesh(Gltf, glb(&embedded, b"")), &AT_ORIGIN, &[[0, 1, 2]]);
}

#[test]
fn buffers_in_files_beside_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let embedded = gltf_triangle(r#""nodes":[{"mesh":0}]"#);
    let (head, _) = embedded.split_once(r#","uri""#).unwrap();
    let path = folder.path().join("triangle.gltf");
    std::fs::create_dir(folder.path().join("a b")).unwrap();
    std::fs::write(folder.path().join("a b/data.bin"), f32s(&TRIANGLE)).unwrap();
    std::fs::write(&path, format!(r#"{head},"uri":"a%20b/data.bin"}}]}}"#)).unwrap();
    assert_mesh(&read(&path).unwrap(), &AT_ORIGIN, &[[0, 1, 2]]);

    std::fs::write(&path, format!(r#"{head},"uri":"gone.bin"}}]}}"#)).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("triangle.gltf, buffer 0 (`gone.bin`): No such file"), "{error}");
    for uri in ["https://example.org/data.bin", "/etc/hostname"] {
        std::fs::write(&path, format!(r#"{head},"uri":"{uri}"}}]}}"#)).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.ends_with("only buffers in files beside the document are read"), "{error}");
    }
}
