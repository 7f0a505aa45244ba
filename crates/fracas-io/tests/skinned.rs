//! Skins and animations of glTF documents, against positions computed by hand.

mod common;

use common::{f32s, glb};
use fracas::geom::{DAffine3, DQuat, DVec3};
use fracas::mesh::SkinError;
use fracas_io::{Reason, SkinnedScene, read_skinned, read_skinned_bytes};
use std::f64::consts::FRAC_1_SQRT_2;

const FLOAT: u32 = 5126;
const U8: u32 = 5121;
const U16: u32 = 5123;

/// A document under construction: accessors with the bytes behind them, and the rest as text.
struct Document {
    accessors: Vec<String>,
    views: Vec<String>,
    bytes: Vec<u8>,
    attributes: String,
    nodes: String,
    skin: String,
    animations: String,
}

impl Document {
    /// A triangle from the joint at the origin to beyond the joint at z = 1, at heights 0, 1 and 2, without weights.
    fn bar() -> Self {
        let mut document = Self {
            accessors: vec![],
            views: vec![],
            bytes: vec![],
            attributes: String::new(),
            nodes: r#"{"mesh":0,"skin":0},{"children":[2]},{"translation":[0,0,1]}"#.into(),
            skin: r#"{"joints":[1,2],"inverseBindMatrices":1}"#.into(),
            animations: String::new(),
        };
        document.add(FLOAT, "VEC3", &f32s(&[0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 2.0]), 3, "");
        let bind = |z: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, z, 1.0];
        document.add(FLOAT, "MAT4", &f32s(&[bind(0.0), bind(-1.0)].concat()), 2, "");
        document
    }

    /// The bar with the weights of joints 0 and 1 for each vertex.
    fn with_weights(weights: [[f32; 2]; 3]) -> Self {
        let mut document = Self::bar();
        let joints = document.add(U8, "VEC4", &[[0, 1, 0, 0]; 3].concat(), 3, "");
        let rows: Vec<f32> = weights.iter().flat_map(|&[a, b]| [a, b, 0.0, 0.0]).collect();
        let weights = document.add(FLOAT, "VEC4", &f32s(&rows), 3, "");
        document.attributes = format!(r#""JOINTS_0":{joints},"WEIGHTS_0":{weights}"#);
        document
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        let (offset, length) = (self.bytes.len(), bytes.len());
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{length}}}"#));
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    /// Adds an accessor and gives back its index.
    fn add(&mut self, kind: u32, shape: &str, bytes: &[u8], count: usize, more: &str) -> usize {
        let view = self.view(bytes);
        self.accessors.push(format!(
            r#"{{"bufferView":{view},"componentType":{kind},"count":{count},"type":"{shape}"{more}}}"#
        ));
        self.accessors.len() - 1
    }

    /// Adds a channel that moves the joint at z = 1.
    fn animate(&mut self, path: &str, interpolation: &str, times: &[f32], values: &[f32]) {
        let width = if path == "rotation" { 4 } else { 3 };
        let input = self.add(FLOAT, "SCALAR", &f32s(times), times.len(), "");
        let output = self.add(FLOAT, &format!("VEC{width}"), &f32s(values), values.len() / width, "");
        self.animations = format!(
            r#"{{"channels":[{{"sampler":0,"target":{{"node":2,"path":"{path}"}}}}],
            "samplers":[{{"input":{input},"output":{output},"interpolation":"{interpolation}"}}]}}"#
        );
    }

    fn glb(&self) -> Vec<u8> {
        let comma = if self.attributes.is_empty() { "" } else { "," };
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0,1]}}],"nodes":[{}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0{comma}{}}}}}]}}],"skins":[{}],"animations":[{}],
            "accessors":[{}],"bufferViews":[{}],"buffers":[{{"byteLength":{}}}]}}"#,
            self.nodes,
            self.attributes,
            self.skin,
            self.animations,
            self.accessors.join(","),
            self.views.join(","),
            self.bytes.len()
        );
        glb(&json, &self.bytes)
    }

    #[track_caller]
    fn read(&self) -> SkinnedScene {
        read_skinned_bytes(&self.glb(), "bar.glb").unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    fn error(&self) -> String {
        read_skinned_bytes(&self.glb(), "bar.glb").expect_err("a bad file").to_string()
    }
}

/// Where the vertices of the first mesh are at a time of the first clip.
fn positions(scene: &SkinnedScene, seconds: f64) -> Vec<DVec3> {
    scene.meshes()[0].skin().evaluate(&scene.transforms_at(0, 0, seconds))
}

#[track_caller]
fn assert_near(found: &[DVec3], expected: &[[f64; 3]]) {
    assert_eq!(found.len(), expected.len());
    for (vertex, (p, q)) in found.iter().zip(expected).enumerate() {
        assert!(p.distance(DVec3::from_array(*q)) < 1e-6, "vertex {vertex} is at {p}, not {q:?}");
    }
}

const HALVES: [[f32; 2]; 3] = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]];
/// No turn, then a quarter turn about y: z becomes x.
const QUARTER: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 0.0, FRAC_1_SQRT_2 as f32, 0.0, FRAC_1_SQRT_2 as f32];

#[test]
fn a_bar_of_two_bones_bends_by_a_quarter_turn() {
    let mut document = Document::with_weights(HALVES);
    document.animate("rotation", "LINEAR", &[0.0, 2.0], &QUARTER);
    let scene = document.read();
    assert_near(
        scene.meshes()[0].skin().rest().positions(),
        &[[0.0, 0.0, 0.0], [0.5, 0.0, 1.0], [0.0, 0.0, 2.0]],
    );
    assert_near(&positions(&scene, -1.0), &[[0.0, 0.0, 0.0], [0.5, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    // Half of the second vertex stays at (0.5, 0, 1), the other half turns to (0, 0, 0.5).
    let bent = [[0.0, 0.0, 0.0], [0.25, 0.0, 0.75], [1.0, 0.0, 1.0]];
    assert_near(&positions(&scene, 2.0), &bent);
    assert_near(&positions(&scene, 9.0), &bent);
    // Half the time is half the angle, at constant speed.
    let (sine, cosine) = (std::f64::consts::PI / 8.0).sin_cos();
    assert_near(&positions(&scene, 0.5)[2..], &[[sine, 0.0, 1.0 + cosine]]);
    assert_eq!(scene.clips()[0].seconds(), 2.0);
}

#[test]
fn slerp_takes_the_shorter_arc() {
    let mut document = Document::with_weights(HALVES);
    let negated: Vec<f32> = QUARTER[..4]
        .iter()
        .chain(QUARTER[4..].iter())
        .enumerate()
        .map(|(k, x)| if k < 4 { *x } else { -x })
        .collect();
    document.animate("rotation", "LINEAR", &[0.0, 2.0], &negated);
    let (sine, cosine) = (std::f64::consts::PI / 4.0).sin_cos();
    assert_near(&positions(&document.read(), 1.0)[2..], &[[sine, 0.0, 1.0 + cosine]]);
}

#[test]
fn steps_lines_and_splines_lie_between_keys_as_the_specification_says() {
    let top = |document: &Document, seconds: f64| positions(&document.read(), seconds)[2];
    let mut document = Document::with_weights(HALVES);
    let values = [0.0, 0.0, 1.0, 4.0, 0.0, 1.0, 4.0, 8.0, 1.0];
    document.animate("translation", "STEP", &[1.0, 2.0, 4.0], &values);
    for (seconds, x, y) in
        [(0.0, 0.0, 0.0), (1.99, 0.0, 0.0), (2.0, 4.0, 0.0), (3.9, 4.0, 0.0), (4.0, 4.0, 8.0)]
    {
        assert_near(&[top(&document, seconds)], &[[x, y, 2.0]]);
    }
    document.animate("translation", "LINEAR", &[1.0, 2.0, 4.0], &values);
    for (seconds, x, y) in
        [(0.5, 0.0, 0.0), (1.25, 1.0, 0.0), (2.0, 4.0, 0.0), (3.5, 4.0, 6.0), (5.0, 4.0, 8.0)]
    {
        assert_near(&[top(&document, seconds)], &[[x, y, 2.0]]);
    }
    document.animate("scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, 1.0, 1.0, 3.0]);
    assert_near(&[top(&document, 0.5)], &[[0.0, 0.0, 3.0]]);
    // Keys 2 s apart with x from 0 to 1, slopes of 0 and 3 per second: ½ + 2 (−⅛) 3 = −¼ in the middle.
    let spline = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]].map(|[x, y, z]| [x, y, z]);
    let keys =
        [[9.0, 9.0, 9.0], spline[0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0], spline[1], [9.0, 9.0, 9.0]].concat();
    document.animate("translation", "CUBICSPLINE", &[0.0, 2.0], &keys);
    assert_near(
        &[top(&document, 0.0), top(&document, 1.0), top(&document, 2.0), top(&document, 7.0)],
        &[[0.0, 0.0, 2.0], [-0.25, 0.0, 2.0], [1.0, 0.0, 2.0], [1.0, 0.0, 2.0]],
    );
    // A spline of rotations with flat tangents is half way in the middle, and of length one.
    let zero = [0.0; 4];
    let keys = [&zero[..], &QUARTER[..4], &zero, &zero, &QUARTER[4..], &zero].concat();
    document.animate("rotation", "CUBICSPLINE", &[0.0, 2.0], &keys);
    let (sine, cosine) = (std::f64::consts::PI / 4.0).sin_cos();
    assert_near(&[top(&document, 1.0)], &[[sine, 0.0, 1.0 + cosine]]);
}

#[test]
fn rotations_may_be_normalised_integers() {
    let mut document = Document::with_weights(HALVES);
    let input = document.add(FLOAT, "SCALAR", &f32s(&[0.0, 1.0]), 2, "");
    let values: Vec<u8> =
        [0_i16, 0, 0, 32_767, 0, 23_170, 0, 23_170].iter().flat_map(|x| x.to_le_bytes()).collect();
    let output = document.add(5122, "VEC4", &values, 2, r#","normalized":true"#);
    document.animations = format!(
        r#"{{"channels":[{{"sampler":0,"target":{{"node":2,"path":"rotation"}}}}],
        "samplers":[{{"input":{input},"output":{output}}}]}}"#
    );
    assert_near(&positions(&document.read(), 1.0)[2..], &[[1.0, 0.0, 1.0]]);
}

#[test]
fn joints_follow_their_parents_and_the_node_of_the_mesh_counts_for_nothing() {
    let mut document = Document::with_weights(HALVES);
    document.nodes = r#"{"mesh":0,"skin":0,"translation":[100,0,0],"scale":[7,7,7]},
        {"children":[2],"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 0,0,5,1]},{"translation":[0,0,1],"rotation":[0,0.7071067811865476,0,0.7071067811865476]}"#.into();
    let scene = document.read();
    let rest = scene.rest_transforms(0);
    // The first joint turns x to y and lifts by 5; the second bends the upper half to x, which is then y.
    assert_near(
        &scene.meshes()[0].skin().evaluate(&rest),
        &[[0.0, 0.0, 5.0], [0.0, 0.25, 5.75], [0.0, 1.0, 6.0]],
    );
    assert_eq!(scene.meshes()[0].joints(), [1, 2]);
}

#[test]
fn without_inverse_bind_matrices_they_are_the_identity() {
    let mut document = Document::with_weights(HALVES);
    document.skin = r#"{"joints":[1,2]}"#.into();
    let scene = document.read();
    assert_eq!(scene.rest_transforms(0), [DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Z)]);
    document.skin = r#"{"joints":[2,1]}"#.into();
    assert_eq!(document.read().rest_transforms(0)[0], DAffine3::from_translation(DVec3::Z));
}

#[test]
fn integer_weights_may_be_a_few_steps_off() {
    for (kind, weights, largest) in [
        (U8, [[255_u16, 0, 0, 0], [127, 127, 0, 0], [85, 85, 85, 1]], 255.0),
        (U16, [[65_535, 0, 0, 0], [32_767, 32_767, 0, 0], [21_845, 21_845, 21_845, 1]], 65_535.0),
    ] {
        let mut document = Document::bar();
        let size = if kind == U8 { 1 } else { 2 };
        let bytes: Vec<u8> =
            weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()[..size].to_vec()).collect();
        let joints: Vec<u8> = [[0_u16, 1, 0, 0]; 3]
            .iter()
            .flatten()
            .flat_map(|joint| joint.to_le_bytes()[..size].to_vec())
            .collect();
        let joints = document.add(kind, "VEC4", &joints, 3, "");
        let shares = document.add(kind, "VEC4", &bytes, 3, r#","normalized":true"#);
        document.attributes = format!(r#""JOINTS_0":{joints},"WEIGHTS_0":{shares}"#);
        let scene = document.read();
        let skin = scene.meshes()[0].skin();
        let list =
            |vertex: usize| skin.influences(vertex).iter().map(|i| (i.node, i.weight)).collect::<Vec<_>>();
        assert_eq!(list(0), [(0, 1.0)]);
        assert_eq!(list(1), [(0, 0.5), (1, 0.5)], "254 of 255 is within the step");
        // Four entries: three of them are the joint 0.
        let sum: f64 = weights[2].iter().map(|&weight| f64::from(weight)).sum();
        assert!((list(2)[0].1 - (sum - largest / 3.0) / sum).abs() < 1e-3, "{:?}", list(2));
        // Three steps off is not what rounding does.
        let at = document.bytes.len() - 3 * 4 * size;
        document.bytes[at..at + size].copy_from_slice(&(largest as u16 - 3).to_le_bytes()[..size]);
        let error = document.error();
        assert!(error.contains("node 0, mesh 0: the weights of vertex 0 sum to 0.9"), "{error}");
    }
}

#[test]
fn all_sets_of_joints_count() {
    let mut document = Document::with_weights([[0.5, 0.0], [0.5, 0.0], [0.0, 0.25]]);
    let joints = document.add(U16, "VEC4", &[[1, 0, 0, 0, 0, 0, 0, 0]; 3].concat(), 3, "");
    let rows = [[0.5_f32, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.5, 0.25, 0.0, 0.0]].concat();
    let weights = document.add(FLOAT, "VEC4", &f32s(&rows), 3, "");
    document.attributes += &format!(r#","JOINTS_1":{joints},"WEIGHTS_1":{weights}"#);
    let scene = document.read();
    let list = |vertex: usize| {
        scene.meshes()[0].skin().influences(vertex).iter().map(|i| (i.node, i.weight)).collect::<Vec<_>>()
    };
    assert_eq!(list(0), [(0, 0.5), (1, 0.5)]);
    assert_eq!(list(2), [(0, 0.25), (1, 0.75)]);
}

#[test]
fn sparse_weights_and_joints_replace_what_is_below_them() {
    let mut document = Document::with_weights([[1.0, 0.0]; 3]);
    let which = document.view(&[2, 0, 0, 0]);
    let row = document.view(&f32s(&[0.25, 0.75, 0.0, 0.0]));
    let sparse = format!(
        r#","sparse":{{"count":1,"indices":{{"bufferView":{which},"componentType":5121}},"values":{{"bufferView":{row}}}}}}}"#
    );
    let last = document.accessors.last_mut().unwrap();
    *last = format!("{}{sparse}", last.strip_suffix('}').unwrap());
    // Joints that are zeros but for the sparse ones: accessor without a bufferView.
    let values = document.view(&[0, 1, 0, 0]);
    document.accessors[2] = format!(
        r#"{{"componentType":5121,"count":3,"type":"VEC4","sparse":{{"count":1,
        "indices":{{"bufferView":{which},"componentType":5121}},"values":{{"bufferView":{values}}}}}}}"#
    );
    let scene = document.read();
    let list = |vertex: usize| {
        scene.meshes()[0].skin().influences(vertex).iter().map(|i| (i.node, i.weight)).collect::<Vec<_>>()
    };
    assert_eq!([list(0), list(1)], [[(0, 1.0)], [(0, 1.0)]]);
    assert_eq!(list(2), [(0, 0.25), (1, 0.75)]);
}

#[test]
fn a_mesh_without_skin_follows_its_node() {
    let mut document = Document::bar();
    document.nodes = r#"{},{"children":[2]},{"mesh":0,"translation":[0,0,1]}"#.into();
    document.animate("rotation", "LINEAR", &[0.0, 2.0], &QUARTER);
    let scene = document.read();
    assert_eq!((scene.meshes()[0].skin().node_count(), scene.meshes()[0].joints()), (1, &[2][..]));
    assert_near(&positions(&scene, 2.0), &[[0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [2.0, 0.0, 1.0]]);
}

#[test]
fn bad_weights_and_joints_are_named() {
    let error = |weights| match read_skinned_bytes(&Document::with_weights(weights).glb(), "bar.glb") {
        Err(error) => error,
        Ok(_) => panic!("bad weights were read"),
    };
    let nan = error([[1.0, 0.0], [f32::NAN, 1.0], [0.0, 1.0]]);
    assert!(matches!(nan.reason, Reason::Skin(SkinError::BadWeight { vertex: 1, node: 0, .. })), "{nan}");
    let negative = error([[1.0, 0.0], [0.5, 0.5], [1.25, -0.25]]);
    assert!(
        matches!(negative.reason, Reason::Skin(SkinError::BadWeight { vertex: 2, node: 1, .. })),
        "{negative}"
    );
    let none = error([[0.0, 0.0], [0.5, 0.5], [0.0, 1.0]]);
    assert_eq!(none.to_string(), "bar.glb, node 0, mesh 0: vertex 0 has no node with a weight above zero");
    let off = error([[1.0, 0.0], [0.5, 0.49], [0.0, 1.0]]);
    assert!(matches!(off.reason, Reason::Skin(SkinError::BadSum { vertex: 1, .. })), "{off}");

    let mut document = Document::with_weights(HALVES);
    document.skin = r#"{"joints":[1]}"#.into();
    assert_eq!(
        document.error(),
        "bar.glb, node 0, mesh 0, primitive 0: vertex 1 names joint 1, but the skin has 1 joints"
    );
    document.skin = r#"{"joints":[1,2,0],"inverseBindMatrices":1}"#.into();
    assert_eq!(document.error(), "bar.glb, skin 0: there are 2 inverse bind matrices, where 3 are needed");
    document.skin = r#"{"joints":[1,9]}"#.into();
    assert_eq!(document.error(), "bar.glb, skin 0: a joint is node 9, but there are 3 nodes");
    document.skin = String::new();
    assert_eq!(document.error(), "bar.glb, skin 0: there is no such skin");

    let mut document = Document::with_weights(HALVES);
    document.accessors[3] = document.accessors[3].replace(r#""count":3"#, r#""count":2"#);
    assert_eq!(
        document.error(),
        "bar.glb, node 0, mesh 0, primitive 0: there are 2 rows of weights, where 3 are needed"
    );
    document.attributes = r#""JOINTS_0":2"#.into();
    assert_eq!(
        document.error(),
        "bar.glb, node 0, mesh 0, primitive 0: the mesh of a skin has no attribute WEIGHTS_0"
    );
    document.attributes = String::new();
    assert!(document.error().ends_with("the mesh of a skin has no attribute JOINTS_0"));

    let mut document = Document::with_weights(HALVES);
    document.accessors[2] = document.accessors[2].replace("5121", "5126");
    assert_eq!(document.error(), "bar.glb, accessor 2: component type 5126 does not belong here");
    let infinite = f32::INFINITY.to_le_bytes();
    let mut document = Document::with_weights(HALVES);
    document.bytes[36..40].copy_from_slice(&infinite);
    assert!(
        document.error().starts_with("bar.glb, skin 0: the inverse bind matrix of joint 0 is not finite")
    );
}

#[test]
fn damaged_animations_are_named_and_leave_the_plain_reader_alone() {
    let animated = |path: &str, interpolation: &str, times: &[f32], values: &[f32]| {
        let mut document = Document::with_weights(HALVES);
        document.animate(path, interpolation, times, values);
        document
    };
    let zeros = [0.0; 9];
    for (document, end) in [
        (
            animated("translation", "LINEAR", &[0.0, 1.0, 1.0], &zeros),
            "channel 0: key 2 is at 1 s, not finite, negative or not after the key before",
        ),
        (
            animated("translation", "LINEAR", &[-1.0, 0.0, 1.0], &zeros),
            "channel 0: key 0 is at -1 s, not finite, negative or not after the key before",
        ),
        (
            animated("translation", "LINEAR", &[0.0, 1.0], &zeros),
            "channel 0: there are 3 key values, where 2 are needed",
        ),
        (
            animated("translation", "CUBICSPLINE", &[0.0, 1.0], &zeros),
            "channel 0: there are 3 key values, where 6 are needed",
        ),
        (animated("translation", "LINEAR", &[], &[]), "channel 0: the channel has no keys"),
        (
            animated("translation", "SMOOTH", &[0.0], &[0.0; 3]),
            "channel 0: there is no interpolation `SMOOTH`",
        ),
        (animated("colour", "LINEAR", &[0.0], &[0.0; 3]), "channel 0: nodes have no `colour` to animate"),
        (
            animated("rotation", "LINEAR", &[0.0], &[0.0; 4]),
            "channel 0: the value of key 0 is [0, 0, 0, 0], which is no finite rotation",
        ),
        (
            animated("scale", "LINEAR", &[0.0], &[1.0, f32::NAN, 1.0]),
            "channel 0: the value of key 0 is [1, NaN, 1, 0], which is no finite scale",
        ),
    ] {
        assert_eq!(document.error(), format!("bar.glb, animation 0, {end}"));
        assert_eq!(
            fracas_io::read_bytes(&document.glb(), fracas_io::Format::Gltf, "bar.glb")
                .unwrap()
                .vertex_count(),
            3
        );
    }
    let mut document = animated("translation", "LINEAR", &[0.0], &[0.0; 3]);
    document.nodes = document
        .nodes
        .replace(r#"{"translation":[0,0,1]}"#, r#"{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,1,1]}"#);
    assert!(document.error().ends_with("channel 0: node 2 has a matrix, so it cannot be animated"));
    for (nodes, end) in [
        (
            r#"{"mesh":0,"skin":0},{"children":[2]},{"children":[2]}"#,
            "node 2: the node is the child of two nodes, so the nodes are not a tree",
        ),
        (
            r#"{"mesh":0,"skin":0},{},{"children":[3]},{"children":[2]}"#,
            "node 2: the node is below itself, so the nodes are not a tree",
        ),
    ] {
        let mut document = Document::with_weights(HALVES);
        document.nodes = nodes.into();
        assert_eq!(document.error(), format!("bar.glb, {end}"));
    }
}

#[test]
fn morph_targets_are_refused() {
    let mut document = Document::with_weights(HALVES);
    document.attributes += r#"},"targets":[{"POSITION":0}],"extras":{"#;
    assert_eq!(
        document.error(),
        "bar.glb, mesh 0, primitive 0: the mesh has morph targets, which are not read: only joints can move a skin"
    );
}

#[test]
fn seams_are_welded_where_vertices_never_part() {
    let mut document = Document::with_weights([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    // All three at one place: the first two follow the same joint, the third does not.
    document.bytes[..36].copy_from_slice(&f32s(&[1.0, 2.0, 0.0, 1.0, 2.0, -0.0, 1.0, 2.0, 0.0]));
    let scene = document.read();
    let welded = scene.meshes()[0].welded();
    assert_eq!(welded.rest().triangles(), [[0, 0, 1]]);
    assert_eq!(welded.influences(1)[0].node, 1);
    assert_eq!(scene.meshes()[0].skin().rest().vertex_count(), 3, "the skin itself keeps its vertices");
}

#[test]
fn a_file_moves_as_its_bytes_do() {
    let scene = read_skinned(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bar.gltf")).unwrap();
    let (skin, turn) = (scene.meshes()[0].skin(), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4));
    let half_way = skin.evaluate(&scene.transforms_at(0, 0, 1.0));
    for (vertex, &x) in skin.rest().positions().iter().enumerate() {
        let upper: f64 = skin.influences(vertex).iter().filter(|i| i.node == 1).map(|i| i.weight).sum();
        let expected = x * (1.0 - upper) + (turn * (x - DVec3::Z) + DVec3::Z) * upper;
        assert!(half_way[vertex].distance(expected) < 1e-6);
    }
    let missing = read_skinned("no such file.glb").unwrap_err();
    assert!(matches!(missing.reason, Reason::Io(_)));
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let mut document = Document::with_weights(HALVES);
    document.animate("rotation", "LINEAR", &[0.0, 2.0], &QUARTER);
    let bytes = document.glb();
    let mut refused = 0;
    for k in 0..6_000_usize {
        let mut broken = bytes.clone();
        let at = k * 7919 % bytes.len();
        broken[at] = match k % 3 {
            0 => broken[at] ^ (1 << (k / 3 % 8)),
            1 => b'9',
            _ => b"0-]}:,"[k / 3 % 6],
        };
        match read_skinned_bytes(&broken, "broken.glb") {
            Err(_) => refused += 1,
            Ok(scene) => {
                for (mesh, clip) in
                    (0..scene.meshes().len()).flat_map(|m| (0..scene.clips().len()).map(move |c| (m, c)))
                {
                    assert_eq!(
                        scene.transforms_at(mesh, clip, 1.0).len(),
                        scene.meshes()[mesh].skin().node_count()
                    );
                }
            }
        }
    }
    assert!(refused > 2_000, "{refused}");
}
