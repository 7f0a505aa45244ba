//! The parts of a glTF document that make surfaces move: skins and animations.
//!
//! They are read apart from the geometry, so that a mesh can be read from a document whose animations are damaged.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Rig {
    #[serde(default)]
    pub skins: Vec<SkinEntry>,
    #[serde(default)]
    pub animations: Vec<Animation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkinEntry {
    /// Nodes, in the order that vertices number them.
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    pub channels: Vec<ChannelEntry>,
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct ChannelEntry {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
    #[serde(default)]
    pub extensions: TargetExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub pointer: Option<Pointer>,
}

#[derive(Deserialize)]
pub(super) struct Pointer {
    pub pointer: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}
