//! The parts of a glTF document that have to do with geometry.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::{Fault, Place};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'j> {
    asset: Asset,
    #[serde(default)]
    extensions_required: Vec<String>,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<SceneNodes>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<MeshPrimitives>,
    #[serde(default)]
    accessors: Vec<Accessor>,
    #[serde(default)]
    buffer_views: Vec<View>,
    #[serde(default, borrow)]
    pub buffers: Vec<BufferEntry<'j>>,
}

#[derive(Deserialize)]
struct Asset {
    version: String,
}

#[derive(Deserialize)]
pub(super) struct SceneNodes {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    /// By columns.
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    #[serde(default)]
    pub extensions: NodeExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub instancing: Option<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct MeshPrimitives {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub targets: Vec<IgnoredAny>,
    #[serde(default)]
    pub extensions: PrimitiveExtensions,
}

/// The accessor of each attribute.
#[derive(Deserialize)]
pub(super) struct Attributes(BTreeMap<String, usize>);

impl Attributes {
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}

#[derive(Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub draco: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: u64,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
    #[serde(default)]
    extensions: BTreeMap<String, IgnoredAny>,
}

impl View {
    /// The extension that has compressed the bytes of the view.
    pub fn compression(&self) -> Option<&str> {
        self.extensions.keys().map(String::as_str).find(|name| name.ends_with("_meshopt_compression"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferEntry<'j> {
    #[serde(borrow)]
    pub uri: Option<Uri<'j>>,
    pub byte_length: u64,
}

/// Borrowed from the document where it can be: an embedded buffer is most of the file.
#[derive(Deserialize)]
pub(super) struct Uri<'j>(#[serde(borrow)] pub Cow<'j, str>);

/// Required extensions that leave positions and indices as they are, by how their names begin.
const HARMLESS: &[&str] = &[
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_animation_pointer",
    "KHR_xmp",
    "KHR_node_visibility",
];

impl<'j> Document<'j> {
    /// Reads the JSON text, which begins at byte `at` of a binary file.
    pub fn parse(json: &'j [u8], at: Option<u64>) -> Result<Self, Fault> {
        let document: Document<'_> = parse(json, at)?;
        let version = &document.asset.version;
        if !version.starts_with("2.") {
            let reason = format!("version {version} of glTF is not read, only 2");
            return Err(Fault::unsupported(Place::Part("asset".into()), reason));
        }
        let strange = |name: &&String| !HARMLESS.iter().any(|harmless| name.starts_with(harmless));
        if let Some(name) = document.extensions_required.iter().find(strange) {
            let reason = format!("the document requires the extension {name}, which is not read");
            return Err(Fault::unsupported(Place::Part("extensionsRequired".into()), reason));
        }
        Ok(document)
    }

    pub fn accessor(&self, index: usize) -> Result<&Accessor, Fault> {
        self.accessors.get(index).ok_or_else(|| no_such("accessor", index))
    }

    pub fn view(&self, index: usize) -> Result<&View, Fault> {
        self.buffer_views.get(index).ok_or_else(|| no_such("bufferView", index))
    }

    /// The nodes that are no one's child.
    pub fn roots(&self) -> Vec<usize> {
        let mut is_child = vec![false; self.nodes.len()];
        for &child in self.nodes.iter().flat_map(|node| &node.children) {
            if let Some(flag) = is_child.get_mut(child) {
                *flag = true;
            }
        }
        (0..self.nodes.len()).filter(|&node| !is_child[node]).collect()
    }

    /// Whether an accessor has bytes of its own.
    pub fn has_data(&self, accessor: usize) -> bool {
        self.accessors.get(accessor).is_some_and(|accessor| accessor.buffer_view.is_some())
    }
}

/// A part of the document from its JSON text, which begins at byte `at` of a binary file.
pub(super) fn parse<'j, T: Deserialize<'j>>(json: &'j [u8], at: Option<u64>) -> Result<T, Fault> {
    let json = json.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(json);
    // Chunks are padded with blanks, and by some writers with zeros.
    let length = json.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let json = &json[..length];
    serde_json::from_slice(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        match at {
            None => Fault::malformed(Place::Line(line as u64), format!("{reason} (column {column})")),
            Some(at) => Fault::malformed(Place::Byte(at + offset_of(json, line, column)), reason),
        }
    })
}

pub(super) fn no_such(what: &str, index: usize) -> Fault {
    Fault::malformed(Place::Part(format!("{what} {index}")), format!("there is no such {what}"))
}

/// The byte at a line and column, both counted from 1.
fn offset_of(text: &[u8], line: usize, column: usize) -> u64 {
    let before: usize =
        text.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)) as u64
}
