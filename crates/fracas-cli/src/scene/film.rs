//! A run as an animated glTF file that any viewer plays.
//!
//! # Idea
//!
//! glTF cannot change the triangles of a mesh over time. So each key frame is a mesh of its own under a node of its own,
//! and the animation gives one node after the other the scale 1, all others 0, which hides them:
//!
//! ```text
//!   node 0   1 ──┐ 0 ────────────────      Steps between key frames are left out: a film has at most 60, fewer for
//!   node 1   0 ──┘ 1 ──┐ 0 ──────────      large meshes, spread evenly, the first and the last step among them.
//!   node 2   0 ────────┘ 1 ──────────
//! ```
//!
//! Triangles have the colour of their fragment; cracks are pale, triangles that collide are red. glTF's up is y, the
//! scenes' is z, so everything stands under a node that turns it.

use std::io::{self, Write};

use fracas::geom::DVec3;
use fracas_frames::Frame;
use serde_json::{Value, json};

const MOST_KEYS: usize = 60;
const FEWEST_KEYS: usize = 12;
/// About how many bytes a film may have; what grows on the way comes on top.
const BUDGET: usize = 48 << 20;
/// Bytes that a triangle takes: three indices, and half a vertex.
const BYTES_PER_TRIANGLE: usize = 18;
/// The material of triangles that collide, then that of cracks, then those of fragments in turn.
const COLOURS: [[f64; 3]; 10] = [
    [0.80, 0.02, 0.02],
    [0.85, 0.78, 0.55],
    [0.80, 0.28, 0.03],
    [0.70, 0.62, 0.35],
    [0.10, 0.35, 0.12],
    [0.08, 0.25, 0.55],
    [0.45, 0.15, 0.45],
    [0.05, 0.40, 0.42],
    [0.45, 0.42, 0.05],
    [0.30, 0.18, 0.10],
];
const COLLIDING: usize = 0;
const CRACK: usize = 1;
const FIRST_FRAGMENT: usize = 2;
const GROUND: [f64; 3] = [0.35, 0.35, 0.35];

/// Collects key frames of a run.
#[derive(Debug)]
pub struct Film {
    steps: usize,
    step_seconds: f64,
    ground: Option<f64>,
    /// How many key frames there will be at most; known after the first.
    wanted: usize,
    /// Corners of every triangle slot, and whether it is on a crack.
    triangles: Vec<([u32; 3], bool)>,
    keys: Vec<Key>,
}

#[derive(Debug)]
struct Key {
    seconds: f64,
    step: usize,
    positions: Vec<[f32; 3]>,
    /// Corners by material; most are empty.
    corners: [Vec<u32>; COLOURS.len()],
}

impl Film {
    /// An empty film of a run.
    #[must_use]
    pub fn new(steps: usize, step_seconds: f64, ground: Option<f64>) -> Self {
        Self { steps, step_seconds, ground, wanted: MOST_KEYS, triangles: Vec::new(), keys: Vec::new() }
    }

    /// Takes note of a frame. All frames of the run are needed, in order.
    pub fn note(&mut self, frame: &Frame) {
        for new in &frame.added {
            self.triangles.resize(self.triangles.len().max(new.id.index() + 1), ([0; 3], false));
            self.triangles[new.id.index()] = (new.corners, new.is_crack);
        }
        if frame.step == 0 {
            let bytes = BYTES_PER_TRIANGLE * self.triangles.len().max(1);
            self.wanted = (BUDGET / bytes).clamp(FEWEST_KEYS, MOST_KEYS);
        }
        let gaps = (self.wanted - 1).min(self.steps).max(1);
        let next = (self.keys.len() * self.steps).div_ceil(gaps);
        if frame.step >= next {
            self.keys.push(Key::of(frame, &self.triangles));
        }
    }

    /// Makes the frame that was noted last a key frame, if it is none.
    pub fn end_with(&mut self, frame: &Frame) {
        if self.keys.last().is_none_or(|key| key.step < frame.step) {
            self.keys.push(Key::of(frame, &self.triangles));
        }
    }

    /// Writes the film as one binary glTF file.
    ///
    /// # Errors
    /// Those of the writer; a film of more than 4 GiB.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut scene = Document::default();
        for key in &self.keys {
            scene.add_key(key);
        }
        if let Some(height) = self.ground {
            scene.add_ground(height, self.reach());
        }
        scene.animate(&self.keys, self.step_seconds);
        scene.write(out)
    }

    /// Half the side of a square that everything stands on.
    fn reach(&self) -> f64 {
        let positions = self.keys.iter().flat_map(|key| &key.positions);
        let reach = positions.fold(0.0_f32, |reach, p| reach.max(p[0].abs()).max(p[1].abs()));
        1.2 * f64::from(reach)
    }
}

impl Key {
    fn of(frame: &Frame, triangles: &[([u32; 3], bool)]) -> Self {
        let mut collides = vec![false; triangles.len()];
        for pair in &frame.pairs {
            collides[pair.a.index()] = true;
            collides[pair.b.index()] = true;
        }
        let mut corners: [Vec<u32>; COLOURS.len()] = Default::default();
        // Vertices that no triangle names any more are left out.
        let mut place = vec![u32::MAX; frame.positions.len()];
        let mut positions = Vec::new();
        for (slot, &(triangle, is_crack)) in triangles.iter().enumerate() {
            let fragment = frame.fragments[slot];
            if fragment == Frame::DEAD {
                continue;
            }
            let material = match (collides[slot], is_crack) {
                (true, _) => COLLIDING,
                (false, true) => CRACK,
                (false, false) => FIRST_FRAGMENT + fragment as usize % (COLOURS.len() - FIRST_FRAGMENT),
            };
            for vertex in triangle {
                let place = &mut place[vertex as usize];
                if *place == u32::MAX {
                    *place = positions.len() as u32;
                    positions.push(frame.positions[vertex as usize].as_vec3().to_array());
                }
                corners[material].push(*place);
            }
        }
        Self { seconds: frame.seconds, step: frame.step, positions, corners }
    }
}

/// A glTF document under construction: its JSON lists, and the bytes they point into.
#[derive(Default)]
struct Document {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    /// Node 0 is the root; these follow.
    nodes: Vec<Value>,
    animations: Vec<Value>,
}

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

impl Document {
    fn add_key(&mut self, key: &Key) {
        let scale = if self.nodes.is_empty() { 1.0 } else { 0.0 };
        let positions = self.add_positions(&key.positions);
        let mut primitives = Vec::new();
        for (material, corners) in key.corners.iter().enumerate().filter(|(_, corners)| !corners.is_empty()) {
            let indices = self.add_indices(corners);
            primitives.push(json!({
                "attributes": { "POSITION": positions }, "indices": indices, "material": material,
            }));
        }
        self.add_node(&format!("step {}", key.step), primitives, json!({ "scale": [scale, scale, scale] }));
    }

    fn add_ground(&mut self, height: f64, reach: f64) {
        let corner = |x: f64, y: f64| DVec3::new(x * reach, y * reach, height).as_vec3().to_array();
        let square = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let positions = self.add_positions(&square);
        let indices = self.add_indices(&[0, 1, 2, 0, 2, 3]);
        let primitive = json!({
            "attributes": { "POSITION": positions }, "indices": indices, "material": COLOURS.len(),
        });
        self.add_node("ground", vec![primitive], json!({}));
    }

    /// Adds a node with a mesh of its own; nothing, if it has no triangles.
    fn add_node(&mut self, name: &str, primitives: Vec<Value>, mut node: Value) {
        node["name"] = json!(name);
        if !primitives.is_empty() {
            node["mesh"] = json!(self.meshes.len());
            self.meshes.push(json!({ "primitives": primitives }));
        }
        self.nodes.push(node);
    }

    /// Shows one key after the other.
    fn animate(&mut self, keys: &[Key], step_seconds: f64) {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let end = keys.last().map_or(0.0, |key| key.seconds + step_seconds);
        for (i, key) in keys.iter().enumerate() {
            let from = key.seconds;
            let until = keys.get(i + 1).map_or(end, |next| next.seconds);
            let is_last = i + 1 == keys.len();
            // Time and scale; every list begins at 0 and ends with the film.
            let mut shown = vec![(0.0, if i == 0 { 1.0 } else { 0.0 })];
            if i > 0 {
                shown.push((from, 1.0));
            }
            if !is_last {
                shown.push((until, 0.0));
            }
            if until < end || is_last {
                shown.push((end, if is_last { 1.0 } else { 0.0 }));
            }
            let times: Vec<f32> = shown.iter().map(|key| key.0 as f32).collect();
            let scales: Vec<[f32; 3]> = shown.iter().map(|key| [key.1; 3]).collect();
            let (input, output) = (self.add_times(&times), self.add_scales(&scales));
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": i + 1, "path": "scale" } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": "STEP" }));
        }
        if keys.len() > 1 {
            self.animations.push(json!({ "name": "run", "samplers": samplers, "channels": channels }));
        }
    }

    fn add_positions(&mut self, positions: &[[f32; 3]]) -> usize {
        let (low, high) = positions.iter().fold(([f32::MAX; 3], [f32::MIN; 3]), |(low, high), p| {
            ([0, 1, 2].map(|k| low[k].min(p[k])), [0, 1, 2].map(|k| high[k].max(p[k])))
        });
        let mut accessor = json!({ "componentType": FLOAT, "type": "VEC3", "count": positions.len() });
        if !positions.is_empty() {
            (accessor["min"], accessor["max"]) = (json!(low), json!(high));
        }
        self.add(positions.as_flattened().iter().flat_map(|x| x.to_le_bytes()), accessor)
    }

    fn add_indices(&mut self, indices: &[u32]) -> usize {
        let accessor = json!({ "componentType": UNSIGNED_INT, "type": "SCALAR", "count": indices.len() });
        self.add(indices.iter().flat_map(|i| i.to_le_bytes()), accessor)
    }

    fn add_times(&mut self, times: &[f32]) -> usize {
        let accessor = json!({
            "componentType": FLOAT, "type": "SCALAR", "count": times.len(),
            "min": [times.first()], "max": [times.last()],
        });
        self.add(times.iter().flat_map(|t| t.to_le_bytes()), accessor)
    }

    fn add_scales(&mut self, scales: &[[f32; 3]]) -> usize {
        let accessor = json!({ "componentType": FLOAT, "type": "VEC3", "count": scales.len() });
        self.add(scales.as_flattened().iter().flat_map(|x| x.to_le_bytes()), accessor)
    }

    /// Appends data, all of it in words of four bytes, and describes it.
    fn add(&mut self, data: impl Iterator<Item = u8>, mut accessor: Value) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(data);
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(json!({
            "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset,
        }));
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let material = |[r, g, b]: [f64; 3]| {
            json!({ "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 } })
        };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let children: Vec<usize> = (1..=self.nodes.len()).collect();
        let mut nodes =
            vec![json!({ "name": "z is up", "rotation": [-half, 0.0, 0.0, half], "children": children })];
        nodes.extend(self.nodes);
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("fracas ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": nodes,
            "meshes": self.meshes,
            "materials": COLOURS.iter().chain([&GROUND]).map(|&colour| material(colour)).collect::<Vec<_>>(),
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bytes.len() }],
        });
        if !self.animations.is_empty() {
            document["animations"] = json!(self.animations);
        }
        let mut text = serde_json::to_vec(&document)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let length =
            |bytes: usize| u32::try_from(bytes).map_err(|_| io::Error::other("the film is too large"));
        let total = length(12 + 8 + text.len() + 8 + self.bytes.len())?;
        out.write_all(b"glTF")?;
        out.write_all(&2_u32.to_le_bytes())?;
        out.write_all(&total.to_le_bytes())?;
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.bytes)] {
            out.write_all(&length(chunk.len())?.to_le_bytes())?;
            out.write_all(kind)?;
            out.write_all(chunk)?;
        }
        Ok(())
    }
}
