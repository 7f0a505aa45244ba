//! Every way a file can be wrong, and the sentence that says so.

mod common;

use common::{TRIANGLE, f32s, glb, gltf, gltf_triangle, gltf_with, message, vec3s, view};
use fracas_io::Format::{self, Gltf, Obj, Off, Ply, Stl};

#[track_caller]
fn check(format: Format, cases: &[(&str, &str)]) {
    for (data, expected) in cases {
        assert_eq!(message(format, data), *expected, "for {data:?}");
    }
}

#[test]
fn empty_files() {
    for format in [Obj, Off, Stl, Ply, Gltf] {
        assert_eq!(message(format, ""), "file: the file is empty");
    }
}

#[test]
fn text_in_utf_16() {
    let text: Vec<u8> = "\u{feff}v 0 0 0\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for format in [Obj, Off, Ply] {
        let expected = "file, line 1: the text is in UTF-16; it must be in UTF-8 or ASCII";
        assert_eq!(message(format, &text), expected);
    }
}

#[test]
fn text_that_is_not_utf_8() {
    assert_eq!(message(Obj, b"v 0 0 \xff\xfe\n"), "file, line 1: `\u{fffd}\u{fffd}` is not a number");
    assert_eq!(message(Off, b"OFF 1 0 0\n0 \x80 0\n"), "file, line 2: `\u{fffd}` is not a number");
    let binary: Vec<u8> = (0..=255).collect();
    for format in [Obj, Off, Stl, Ply, Gltf] {
        message(format, &binary);
    }
}

#[test]
fn a_line_without_end() {
    let long = vec![b'x'; (64 << 20) + 300_000];
    assert_eq!(message(Obj, &long), "file, line 1: the line is longer than 67108864 bytes");
}

#[test]
fn broken_obj() {
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
    check(
        Obj,
        &[
            ("v 0 0 0\nv 1 x 0\n", "file, line 2: `x` is not a number"),
            ("v 0 0 0\n\n# a\nv 1 0\n", "file, line 4: the z coordinate is missing"),
            ("v\n", "file, line 1: the x coordinate is missing"),
            ("v 0 0 nan\n", "file, line 1: the z coordinate is not finite: NaN"),
            ("v 0 -inf 0\n", "file, line 1: the y coordinate is not finite: -inf"),
            ("v 1e400 0 0\n", "file, line 1: the x coordinate is not finite: inf"),
            ("v 1 2 3#4\n", "file, line 1: `3#4` is not a number"),
            ("v 1 \\\n 2 \\\n z\nv 0 0 q", "file, line 1: `z` is not a number"),
            ("v 1 2 3 \\\n\n\nv 0 0 q", "file, line 4: `q` is not a number"),
            ("\r\rv 0 0 q\r", "file, line 3: `q` is not a number"),
            (
                "<html>\n<body>\n",
                "file, line 1: `<html>` is not an OBJ statement, and the file defines no vertex",
            ),
        ],
    );
    for (face, expected) in [
        ("f 1 2 99", "the face names vertex 99, but only 3 are defined"),
        ("f 1 2 4", "the face names vertex 4, but only 3 are defined"),
        ("f 1 2 -4", "the face names vertex -4, but only 3 are defined"),
        ("f 0 1 2", "the face names vertex 0, but OBJ counts from 1"),
        ("f 1 2", "a face needs at least 3 corners, but this one has 2"),
        ("f 1", "a face needs at least 3 corners, but this one has 1"),
        ("f", "a face needs at least 3 corners, but this one has 0"),
        ("f 1 2 3.5", "`3.5` is not the corner of a face"),
        ("f 1 2 3/a", "`3/a` is not the corner of a face"),
        ("f 1 2 /3", "`/3` is not the corner of a face"),
        ("f 1 2 99999999999999999999", "`99999999999999999999` is not the corner of a face"),
        ("f 1 2 4294967297", "the face names vertex 4294967297, but only 3 are defined"),
    ] {
        assert_eq!(message(Obj, format!("{corners}{face}\n")), format!("file, line 4: {expected}"));
    }
    // Relative numbers count what is defined so far, others all that the file defines.
    let text = format!("f -1 -1 -1\n{corners}");
    assert_eq!(message(Obj, text), "file, line 1: the face names vertex -1, but only 0 are defined");
    let text = format!("f 1 2 3\nf 1 2 4\nf 1 2 5\n{corners}");
    assert_eq!(message(Obj, text), "file, line 2: the face names vertex 4, but only 3 are defined");
}

#[test]
fn broken_off() {
    let needs = "are left in the file";
    check(
        Off,
        &[
            ("# nothing\n", "file, line 1: the file has no header"),
            ("solid x\n", "file, line 1: `solid` is not the header of an OFF file"),
            ("XOFF\n", "file, line 1: `XOFF` is not the header of an OFF file"),
            ("OFF BINARY\n1 0 0\n", "file, line 1: this is a binary OFF file; only text is read"),
            ("4OFF\n1 0 0\n0 0 0 1\n", "file, line 1: `4OFF` has points of other than three dimensions"),
            ("nOFF 3\n1 0 0\n0 0 0\n", "file, line 1: `nOFF` has points of other than three dimensions"),
            ("OFF\n", "file, line 1: the number of vertices is missing"),
            ("OFF\n\n3\n", "file, line 3: the number of faces is missing"),
            ("OFF\n-3 1 0\n", "file, line 2: the number of vertices is negative: -3"),
            ("OFF\n3 -1 0\n", "file, line 2: the number of faces is negative: -1"),
            ("OFF\n3.5 1 0\n", "file, line 2: `3.5` is not a whole number"),
            ("OFF 3 0 0\n0.0 0.0 0.0\n1 0 0\n", "file, line 3: the file ends after 2 of 3 vertices"),
            ("OFF 2 0 0\n0.0 0.0 0\n1 0\n", "file, line 3: the file ends after 1 of 2 vertices"),
            ("COFF 2 0 0\n0.0 0.0 0.0 1\n1 0\n", "file, line 3: the z coordinate is missing"),
            (
                "OFF 2 0 0\n0 0 0 1 0 0\n",
                "file, line 2: more than three values on the line of a vertex, which the header does not announce",
            ),
            (
                "OFF 2 1 0\n0 0 0\n3 0 0 0\n1 1 1\n",
                "file, line 3: more than three values on the line of a vertex, which the header does not announce",
            ),
            ("OFF 1 0 0\n0 nan 0\n", "file, line 2: the y coordinate is not finite: NaN"),
            ("OFF 1 0 0\n0 1 inf\n", "file, line 2: the z coordinate is not finite: inf"),
            ("OFF 1 0 0\n0 1 zero\n", "file, line 2: `zero` is not a number"),
            (
                "OFF 1 1 0\n0 0 0\n",
                "file, line 2: 1 faces need at least 1 bytes, but only 0 are left in the file",
            ),
            ("OFF 1 2 0\n0 0 0\n3 0 0 0\n", "file, line 3: the file ends after 1 of 2 faces"),
            ("OFF 1 1 0\n0 0 0\n3 0 0\n", "file, line 3: the file ends after 0 of 1 faces"),
            (
                "OFF 1 1 0\n0 0 0\n3 0 0 1\n",
                "file, line 3: the face names vertex 1, but only 1 are defined, counted from 0",
            ),
            (
                "OFF 1 1 0\n0 0 0\n3 0 0 -1\n",
                "file, line 3: the face names vertex -1, but only 1 are defined, counted from 0",
            ),
            ("OFF 1 1 0\n0 0 0\n3 0\n\n0 0.5\n", "file, line 5: `0.5` is not a whole number"),
            ("OFF 1 1 0\n0 0 0\n-3 0 0 0\n", "file, line 3: the face has -3 corners"),
            ("OFF 1 1 0\n0 0 0\nx\n", "file, line 3: `x` is not a whole number"),
        ],
    );
    for text in
        ["OFF 4294967295 0 0\n0 0 0\n", "OFF 1 4294967295 0\n0 0 0\n3 0 0 0\n", "OFF 0 99999999999999999 0\n"]
    {
        assert!(message(Off, text).ends_with(needs), "{}", message(Off, text));
    }
    let many_corners = "OFF 1 1 0\n0 0 0\n999999999999999999 0 0 0\n";
    assert_eq!(message(Off, many_corners), "file, line 3: the file ends after 0 of 1 faces");
}

#[test]
fn broken_text_stl() {
    let head = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n";
    check(
        Stl,
        &[
            ("solid x\nfacit normal", "file, line 2: `facit` stands where `facet` or `endsolid` should"),
            ("solid x\nfacet 0 0 1", "file, line 2: `0` stands where `normal` should"),
            (
                "solid x\nfacet normal 0 0\nouter loop\nvertex",
                "file, line 3: `loop` stands where `outer loop` should",
            ),
            (
                "solid x\nfacet normal 0 0 1\nouter vertex",
                "file, line 3: `vertex` stands where `loop` should",
            ),
            ("solid x\nfacet normal 0 0 1\nouter loop\n1", "file, line 4: `1` stands where `vertex` should"),
            ("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x", "file, line 4: `x` is not a number"),
            (
                "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf",
                "file, line 4: the z coordinate is not finite: inf",
            ),
            ("solid x\nendsolid x\nfacet", "file, line 3: `facet` stands where `solid` should"),
            ("solid x\n", "file, line 1: the file ends inside a solid, after 0 complete facets"),
        ],
    );
    let cases = [
        ("vertex 0 0 1\n", "line 7: `vertex` stands where `endloop` should"),
        ("endloop\nfacet", "line 8: `facet` stands where `endfacet` should"),
        ("endloop\nendfacet\n", "line 8: the file ends inside a solid, after 1 complete facets"),
    ];
    for (tail, expected) in cases {
        assert_eq!(message(Stl, format!("{head}{tail}")), format!("file, {expected}"));
    }
}

#[test]
fn broken_binary_stl() {
    let file = |count: u32, floats: &[f32], cut: usize| {
        let mut bytes = vec![b' '; 80];
        bytes.extend(count.to_le_bytes());
        for facet in floats.chunks(9) {
            bytes.extend(f32s(&[0.0; 3]));
            bytes.extend(f32s(facet));
            bytes.extend([0, 0]);
        }
        bytes.truncate(bytes.len() - cut);
        bytes
    };
    let too_short = "file, byte 0: 83 bytes are too few for a binary STL file, and it is not text";
    assert_eq!(message(Stl, file(0, &[], 1)), too_short);
    let cut = "file, byte 84: 1 facets need at least 50 bytes, but only 49 are left in the file";
    assert_eq!(message(Stl, file(1, &TRIANGLE, 1)), cut);
    let absurd =
        "file, byte 84: 4294967295 facets need at least 214748364750 bytes, but only 50 are left in the file";
    assert_eq!(message(Stl, file(u32::MAX, &TRIANGLE, 0)), absurd);
    for (corner, axis, value, expected) in [
        (0, 0, f32::NAN, "file, byte 96: the x coordinate is not finite: NaN"),
        (1, 1, f32::INFINITY, "file, byte 108: the y coordinate is not finite: inf"),
        (5, 2, f32::NEG_INFINITY, "file, byte 170: the z coordinate is not finite: -inf"),
    ] {
        let mut floats = [TRIANGLE, TRIANGLE].concat();
        floats[corner * 3 + axis] = value;
        assert_eq!(message(Stl, file(2, &floats, 0)), expected);
    }
}

const VERTEX: &str = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
const FACE: &str = "element face 1\nproperty list uchar int vertex_indices\n";

#[test]
fn broken_ply_headers() {
    let cases = [
        ("play\n", "line 1: the file does not begin with the word `ply`"),
        ("ply\nformat ascii 1.0\n", "line 2: the header has no `end_header`"),
        ("ply\nelement vertex 0\nend_header\n", "line 3: the header has no `format`"),
        ("ply\nformat binary 1.0\n", "line 2: the format `binary` is not known"),
        ("ply\nformat ascii 2.0\n", "line 2: version `2.0` is not known, only 1.0"),
        ("ply\nformat ascii 1.0\nelements\n", "line 3: `elements` is not a statement of a PLY header"),
        ("ply\nelement\n", "line 2: the name of the element is missing"),
        ("ply\nelement vertex\n", "line 2: the number of elements is missing"),
        ("ply\nelement vertex -1\n", "line 2: the number of elements is negative: -1"),
        ("ply\nelement vertex 1e3\n", "line 2: `1e3` is not a whole number"),
        ("ply\nproperty float x\n", "line 2: a property stands before the first element"),
        ("ply\nelement vertex 1\nproperty real x\n", "line 3: `real` is not a type of PLY"),
        ("ply\nelement vertex 1\nproperty float\n", "line 3: the name of the property is missing"),
        (
            "ply\nelement vertex 1\nproperty float x\nproperty int x\n",
            "line 4: a second property `x` of `vertex`",
        ),
        (
            "ply\nelement face 1\nproperty list float int a\n",
            "line 3: the length of a list is not of a whole-number type",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(Ply, text), format!("file, {expected}"));
    }
    let no_list = "element `face` has no list of whole numbers `vertex_indices` or `vertex_index`";
    let cases = [
        (
            "element face 1\nproperty list uchar int vertex_indices\n",
            ": the header has no element `vertex`".to_owned(),
        ),
        (
            "element vertex 1\nproperty float x\nproperty float y\n",
            ", line 3: element `vertex` has no scalar property `z`".to_owned(),
        ),
        (
            "element vertex 0\nproperty list int int x\n",
            ", line 3: element `vertex` has no scalar property `x`".to_owned(),
        ),
        (&format!("{VERTEX}element face 1\nproperty int a\n"), format!(", line 7: {no_list}")),
        (&format!("{VERTEX}element face 1\nproperty int vertex_indices\n"), format!(", line 7: {no_list}")),
        (
            &format!("{VERTEX}element face 1\nproperty list int float vertex_indices\n"),
            format!(", line 7: {no_list}"),
        ),
        (&format!("{VERTEX}{VERTEX}"), ", line 7: a second element `vertex`".to_owned()),
        (
            &format!("{VERTEX}element tristrips 1\nproperty list int int vertex_indices\n"),
            ", line 7: the triangles are in strips (element `tristrips`), which are not read".to_owned(),
        ),
        (
            &VERTEX.replace("vertex 1", "vertex 4294967295"),
            ", line 3: 4294967295 vertices are more than ids can name".to_owned(),
        ),
    ];
    for (text, expected) in cases {
        let text = format!("ply\nformat ascii 1.0\n{text}end_header\n0 0 0\n");
        assert_eq!(message(Ply, text), format!("file{expected}"));
    }
}

#[test]
fn broken_text_ply() {
    for (body, expected) in [
        ("0 0 z\n3 0 0 0\n", "line 10: `z` is not a number"),
        ("0 nan 0\n3 0 0 0\n", "line 10: the y coordinate is not finite: NaN"),
        ("0 0\n3 0 0 0\n", "line 10: the z coordinate is missing"),
        ("0 0 0 0\n3 0 0 0\n", "line 10: there are more values than element `vertex` has properties"),
        ("0 0 0\n3 0 0 1\n", "line 11: the face names vertex 1, but only 1 are defined, counted from 0"),
        ("0 0 0\n3 0 0 -1\n", "line 11: the face names vertex -1, but only 1 are defined, counted from 0"),
        ("0 0 0\n3 0 0\n", "line 11: a corner is missing"),
        ("0 0 0\n3 0 0 0 0\n", "line 11: there are more values than element `face` has properties"),
        ("0 0 0\n3 0 0 0.5\n", "line 11: `0.5` is not a whole number"),
        ("0 0 0\n-3 0 0 0\n", "line 11: a list of length -3"),
        ("0 0 0\n\n\n", "line 12: the file ends after 0 of 1 faces"),
        ("0 0 0\n999999999999999999 0 0\n", "line 11: a corner is missing"),
        ("0 0\n", "line 3: 1 vertices need at least 5 bytes, but only 4 are left in the file"),
    ] {
        let text = format!("ply\nformat ascii 1.0\n{VERTEX}{FACE}end_header\n{body}");
        assert_eq!(message(Ply, text), format!("file, {expected}"));
    }
    let text = format!(
        "ply\nformat ascii 1.0\n{VERTEX}element face 4000000000\nproperty list int int vertex_index\nend_header\n0 0 0\n"
    );
    let expected =
        "file, line 7: 4000000000 faces need at least 7999999999 bytes, but only 0 are left in the file";
    assert_eq!(message(Ply, text), expected);
}

#[test]
fn broken_binary_ply() {
    let header = format!("ply\nformat binary_little_endian 1.0\n{VERTEX}{FACE}end_header\n");
    let at = |offset: usize| header.len() + offset;
    let file = |body: &[&[u8]]| [header.as_bytes(), &body.concat()].concat();
    let origin = f32s(&[0.0; 3]);
    let face = |corners: &[i32]| corners.iter().flat_map(|corner| corner.to_le_bytes()).collect::<Vec<u8>>();
    for (data, byte, expected) in [
        (
            file(&[&origin[..11]]),
            at(0),
            "1 vertices need at least 12 bytes, but only 11 are left in the file",
        ),
        (file(&[&f32s(&[0.0, f32::NAN, 0.0])]), at(4), "the y coordinate is not finite: NaN"),
        (file(&[&f32s(&[0.0, 0.0, f32::INFINITY])]), at(8), "the z coordinate is not finite: inf"),
        (file(&[&origin]), at(12), "1 faces need at least 1 bytes, but only 0 are left in the file"),
        (file(&[&origin, &[3], &face(&[0, 0])]), at(12), "the file ends after 0 of 1 faces"),
        (file(&[&origin, &[255], &face(&[0, 0])]), at(12), "the file ends after 0 of 1 faces"),
        (
            file(&[&origin, &[3], &face(&[0, 0, 1])]),
            at(21),
            "the face names vertex 1, but only 1 are defined, counted from 0",
        ),
        (
            file(&[&origin, &[4], &face(&[0, 0, -7, 0])]),
            at(21),
            "the face names vertex -7, but only 1 are defined, counted from 0",
        ),
    ] {
        assert_eq!(message(Ply, data), format!("file, byte {byte}: {expected}"));
    }
    // A length that is negative, one that is absurd, and counts that are.
    let signed = header.replace("uchar int", "char int");
    let data = [signed.as_bytes(), &origin, &[0xff]].concat();
    assert_eq!(message(Ply, data), format!("file, byte {}: a list of length -1", signed.len() + 12));
    let wide = header.replace("uchar int", "uint int");
    let data = [wide.as_bytes(), &origin, &[0xff; 4], &[0; 12]].concat();
    assert_eq!(
        message(Ply, data),
        format!("file, byte {}: the file ends after 0 of 1 faces", wide.len() + 12)
    );
    for (count, what) in [
        ("vertex 4000000000", "4000000000 vertices"),
        ("face 999999999999999999", "999999999999999999 faces"),
    ] {
        let word = count.split(' ').next().unwrap();
        let data =
            [header.replace(&format!("{word} 1"), count).as_bytes(), &origin, &[3], &face(&[0; 3])].concat();
        assert!(message(Ply, &data).contains(&format!("{what} need at least")), "{}", message(Ply, &data));
    }
    // A coordinate after a list, where rows differ in size, and an element of rows that is cut short.
    let varying = "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty list uchar uchar a\nproperty float x\n\
        property float y\nproperty double z\nend_header\n";
    let data = [varying.as_bytes(), &[1, 9], &[0; 8], &f64::NAN.to_be_bytes()].concat();
    let expected = format!("file, byte {}: the z coordinate is not finite: NaN", varying.len() + 10);
    assert_eq!(message(Ply, data), expected);
    let tail = header.replace("end_header", "element rest 3\nproperty int a\nend_header");
    let data = [tail.as_bytes(), &origin, &[0], &[0; 11]].concat();
    assert!(
        message(Ply, data)
            .ends_with("3 elements `rest` need at least 12 bytes, but only 11 are left in the file")
    );
}

#[test]
fn broken_gltf_documents() {
    let good = gltf_triangle(r#""nodes":[{"mesh":0}]"#);
    for (from, to, expected) in [
        (r#""asset""#, r#""acid""#, "line 3: missing field `asset` (column "),
        (r#""2.0""#, r#""1.0""#, "asset: version 1.0 of glTF is not read, only 2"),
        (r#""scene":0"#, r#""scene":1"#, "scene 1: there is no such scene"),
        (r#""nodes":[0]}"#, r#""nodes":[9]}"#, "node 9: there is no such node"),
        (r#"{"mesh":0}"#, r#"{"mesh":3}"#, "mesh 3: there is no such mesh"),
        (r#"{"mesh":0}"#, r#"{"mesh":-3}"#, "line 1: invalid value: integer `-3`"),
        (
            r#"{"mesh":0}"#,
            r#"{"children":[0]}"#,
            "node 0: the node is reached twice, so the nodes are not a tree",
        ),
        (
            r#"{"mesh":0}"#,
            r#"{"rotation":[0,0,0,0]}"#,
            "node 0: the rotation [0.0, 0.0, 0.0, 0.0] is not a unit quaternion",
        ),
        (
            r#"{"mesh":0}"#,
            r#"{"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}"#,
            "node 0: the last row of the matrix is not 0 0 0 1",
        ),
        (
            r#"{"mesh":0}"#,
            r#"{"mesh":0,"scale":[1e308,1,1],"translation":[1e308,0,0]}"#,
            "node 0, mesh 0, primitive 0, vertex 1: the x coordinate is not finite: inf",
        ),
        (
            r#"{"mesh":0}"#,
            r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}"#,
            "node 0: instancing by EXT_mesh_gpu_instancing is not read",
        ),
        (r#""POSITION":0"#, r#""POSITION":1"#, "accessor 1: there is no such accessor"),
        (r#""POSITION":0}"#, r#""POSITION":0},"mode":7"#, "node 0, mesh 0, primitive 0: there is no mode 7"),
        (
            r#""POSITION":0}"#,
            r#""POSITION":0},"indices":0"#,
            "accessor 0: indices are of type VEC3, not SCALAR",
        ),
        ("VEC3", "VEC2", "accessor 0: positions are of type VEC2, not VEC3"),
        ("5126", "5130", "accessor 0: component type 5130 does not belong here"),
        (
            r#""count":3"#,
            r#""count":2"#,
            "node 0, mesh 0, primitive 0: 2 corners do not make whole triangles",
        ),
        (
            r#""count":3"#,
            r#""count":6"#,
            "accessor 0: 6 elements end at byte 72 of bufferView 0, which has 36",
        ),
        (
            r#""count":3"#,
            r#""count":3000000000"#,
            "the scene takes 84000000000 bytes, more than a file of this size may",
        ),
        (
            r#""count":3"#,
            r#""count":18446744073709551615"#,
            "the scene has more vertices or triangles than ids can name",
        ),
        (
            r#""count":3"#,
            r#""count":3,"byteOffset":18446744073709551615"#,
            "accessor 0: 3 elements end at byte 18446744073709551651 of bufferView 0, which has 36",
        ),
        (r#""bufferView":0"#, r#""bufferView":7"#, "bufferView 7: there is no such bufferView"),
        (r#""buffer":0"#, r#""buffer":2"#, "buffer 2: there is no such buffer"),
        (
            r#""byteOffset":0"#,
            r#""byteOffset":4"#,
            "bufferView 0: the view ends at byte 40 of buffer 0, which has 36",
        ),
        (
            r#""byteOffset":0"#,
            r#""byteStride":8"#,
            "bufferView 0: the stride of 8 bytes is less than an element's 12 or more than 252",
        ),
        (
            r#""byteOffset":0"#,
            r#""byteStride":0"#,
            "bufferView 0: the stride of 0 bytes is less than an element's 12 or more than 252",
        ),
        (
            r#""byteOffset":0"#,
            r#""extensions":{"EXT_meshopt_compression":{}}"#,
            "bufferView 0: the geometry is compressed by EXT_meshopt_compression, which is not read",
        ),
        (
            r#"[{"byteLength":36"#,
            r#"[{"byteLength":99"#,
            "buffer 0: the buffer has 36 bytes, but should have 99",
        ),
        (r#""uri":"data:"#, r#""url":"data:"#, "buffer 0: the buffer has no data"),
        (";base64", ";base32", "buffer 0: the embedded buffer is not in base64"),
        (";base64,AA", ";base64,A*", "buffer 0: the base64 text is damaged: "),
        ("data:application", "beside/application", "cannot be found from bytes in memory"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from} is not in the document");
        let message = message(Gltf, text);
        assert!(message.contains(expected), "{message:?} is not {expected:?}");
    }
    assert!(message(Gltf, "{").starts_with("file, line 1: EOF while parsing"));
    assert!(message(Gltf, "{\n\n,").starts_with("file, line 3: key must be a string"));
    let deep = "[".repeat(100_000);
    assert!(message(Gltf, format!(r#"{{"extras":{deep}"#)).contains("EOF while parsing"));
}

#[test]
fn gltf_that_is_compressed_or_requires_what_is_not_known() {
    let good = gltf_triangle(r#""nodes":[{"mesh":0}]"#);
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "XYZ_something"] {
        let text = good.replacen(r#""scene":0"#, &format!(r#""extensionsRequired":["{name}"],"scene":0"#), 1);
        let expected = format!(
            "file, extensionsRequired: the document requires the extension {name}, which is not read"
        );
        assert_eq!(message(Gltf, text), expected);
    }
    let required = r#""extensionsRequired":["KHR_materials_unlit","KHR_mesh_quantization"],"scene":0"#;
    let _ = common::mesh(Gltf, good.replacen(r#""scene":0"#, required, 1));
    let draco = good.replacen(
        r#""POSITION":0}"#,
        r#""POSITION":0},"extensions":{"KHR_draco_mesh_compression":{}}"#,
        1,
    );
    let _ = common::mesh(Gltf, &draco);
    let without_fallback = draco.replacen(r#""bufferView":0,"#, "", 1);
    let expected = "file, node 0, mesh 0, primitive 0: \
        the geometry is compressed by KHR_draco_mesh_compression, which is not read";
    assert_eq!(message(Gltf, without_fallback), expected);
}

#[test]
fn broken_gltf_indices_and_values() {
    let document = |kind: u32, indices: &[u8], more: &str| {
        let accessors = format!(
            r#"{},{{"bufferView":1,"componentType":{kind},"count":3,"type":"SCALAR"{more}}}"#,
            vec3s(3)
        );
        let views = format!("{},{}", view(0, 36), view(36, indices.len()));
        let primitive = r#"{"attributes":{"POSITION":0},"indices":1}"#;
        gltf(primitive, &accessors, &views, &[f32s(&TRIANGLE), indices.to_vec()].concat())
    };
    let part = "file, node 0, mesh 0, primitive 0";
    let expected = format!("{part}: the face names vertex 3, but only 3 are defined, counted from 0");
    assert_eq!(message(Gltf, document(5121, &[0, 1, 3], "")), expected);
    assert_eq!(
        message(Gltf, document(5126, &[0; 12], "")),
        "file, accessor 1: component type 5126 does not belong here"
    );
    let sparse =
        r#","sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":1}}"#;
    assert_eq!(
        message(Gltf, document(5121, &[0, 1, 2], sparse)),
        "file, accessor 1: sparse indices of triangles are not read"
    );
    let no_view = document(5121, &[0, 1, 2], "").replacen(r#""bufferView":1,"#, "", 1);
    assert_eq!(message(Gltf, no_view), "file, accessor 1: the indices have no bufferView");

    let mut floats = TRIANGLE;
    floats[5] = f32::NAN;
    let text = gltf_with(
        r#""nodes":[{"mesh":0}]"#,
        r#"{"attributes":{"POSITION":0}}"#,
        &vec3s(3),
        &view(0, 36),
        &f32s(&floats),
    );
    assert_eq!(message(Gltf, text), format!("{part}, vertex 1: the z coordinate is not finite: NaN"));

    for indices in [[1, 1], [2, 1], [1, 3]] {
        let accessor = r#"{"componentType":5126,"count":3,"type":"VEC3",
            "sparse":{"count":2,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":1}}}"#;
        let views = format!("{},{}", view(0, 2), view(2, 24));
        let bytes = [&indices[..], &f32s(&TRIANGLE[..6])].concat();
        let message = message(Gltf, gltf(r#"{"attributes":{"POSITION":0}}"#, accessor, &views, &bytes));
        assert!(
            message.contains("accessor 0, sparse: index ") && message.ends_with("beyond 3 elements"),
            "{message}"
        );
    }
}

#[test]
fn broken_glb() {
    let json = gltf_triangle(r#""nodes":[{"mesh":0}]"#);
    let (head, _) = json.split_once(r#","uri""#).unwrap();
    let good = glb(&format!("{head}}}]}}"), &f32s(&TRIANGLE));
    let _ = common::mesh(Gltf, &good);
    let mut version = good.clone();
    version[4] = 1;
    assert_eq!(message(Gltf, version), "file, byte 4: version 1 of binary glTF is not read, only 2");
    assert_eq!(message(Gltf, &good[..6]), "file, byte 0: the file ends inside its header");
    assert_eq!(message(Gltf, &good[..12]), "file, byte 12: the first chunk of the file is not JSON");
    assert_eq!(message(Gltf, &good[..18]), "file, byte 12: the file ends inside the header of a chunk");
    let cut = message(Gltf, &good[..100]);
    assert!(
        cut.starts_with("file, byte 20: ")
            && cut.ends_with("bytes of a chunk need at least 328 bytes, but only 80 are left in the file"),
        "{cut}"
    );
    let cut = message(Gltf, &good[..good.len() - 1]);
    assert!(
        cut.ends_with("36 bytes of a chunk need at least 36 bytes, but only 35 are left in the file"),
        "{cut}"
    );
    let mut broken = good.clone();
    broken[21] = b'!';
    assert_eq!(message(Gltf, &broken), "file, byte 21: key must be a string");
}
