//! Meshes that follow the nodes of a document: skins, joints, and clips that move them.
//!
//! ```text
//!   vertex at rest ──▶ Σ weight × (joint's node in the world × inverse bind matrix)
//!                                   ▲ clip at a time
//! ```
//!
//! A mesh with a skin follows its joints, and the transform of its own node counts for nothing, as the specification says. A mesh
//! without a skin follows its node: it becomes a skin of one joint.
//!
//! # What is read
//!
//! Every set of joints and weights; weights as floats or normalised integers; sparse accessors; joints without inverse bind
//! matrices (they are then the identity). Joints with the weight 0 are dropped, whatever they name. Weights of integers may be
//! half a step off each, so the sums of them may be, too; floats are held to [`Skin::TOLERANCE`]. Meshes with morph targets are refused.
//!
//! # Reference
//!
//! Khronos Group. *glTF 2.0 Specification*, version 2.0.1, 2021, sections 3.7.3 and 3.11.

use std::collections::BTreeMap;

use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::mesh::{Influence, Mesh, Skin};

use super::accessor::{Buffers, Kind};
use super::clip::{Clip, read_clips};
use super::document::{Document, no_such};
use super::rig::{Rig, SkinEntry};
use super::scene::{Piece, Scene, Visit};
use super::skeleton::Skeleton;
use crate::error::{Fault, Place, Reason};

/// The meshes of a glTF document, and the clips that move them.
///
/// ```
/// let scene = fracas_io::read_skinned("tests/data/bar.gltf")?;
/// let skin = scene.meshes()[0].skin();
/// assert_eq!(skin.node_count(), 2);
///
/// // At the end of its clip, the upper half of the bar points along x instead of z.
/// let bent = skin.evaluate(&scene.transforms_at(0, 0, scene.clips()[0].seconds()));
/// let reach = |axis: fn(&fracas::DVec3) -> f64| bent.iter().map(axis).fold(f64::MIN, f64::max);
/// assert!((reach(|p| p.x) - 1.0).abs() < 1e-6 && reach(|p| p.z) < 1.2);
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SkinnedScene {
    skeleton: Skeleton,
    meshes: Vec<SkinnedMesh>,
    clips: Vec<Clip>,
}

/// A mesh of a glTF document that follows joints.
///
/// ```
/// let scene = fracas_io::read_skinned("tests/data/bar.gltf")?;
/// let bar = &scene.meshes()[0];
/// assert_eq!((bar.name(), bar.joints()), (Some("bar"), &[1, 2][..]));
/// // The bar has a seam: its first and last column of vertices are the same.
/// let welded = bar.welded();
/// assert_eq!((bar.skin().rest().vertex_count(), welded.rest().vertex_count()), (25, 20));
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SkinnedMesh {
    name: Option<String>,
    skin: Skin,
    /// The node of each joint.
    joints: Vec<usize>,
    /// For each joint, the map from the mesh at rest to the joint.
    inverse_binds: Vec<DAffine3>,
}

impl SkinnedScene {
    /// The meshes that the scene shows, in the order of its nodes. Those without triangles are left out.
    pub fn meshes(&self) -> &[SkinnedMesh] {
        &self.meshes
    }

    /// The animations of the document.
    #[must_use]
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// The transforms of the nodes of a mesh's skin at a time of a clip; before its first key and after its last, as there.
    ///
    /// Panics if there is no such mesh or clip.
    #[must_use]
    pub fn transforms_at(&self, mesh: usize, clip: usize, seconds: f64) -> Vec<DAffine3> {
        self.meshes[mesh].transforms(&self.nodes_at(clip, seconds))
    }

    /// The transforms of the nodes of a mesh's skin when no clip moves them. Panics if there is no such mesh.
    #[must_use]
    pub fn rest_transforms(&self, mesh: usize) -> Vec<DAffine3> {
        self.meshes[mesh].transforms(&self.skeleton.global(self.skeleton.rest()))
    }

    /// Where all nodes of the document are at a time of a clip. A scene of many meshes asks once, and each of its meshes turns the
    /// answer into transforms of its own ([`SkinnedMesh::transforms`]). Panics if there is no such clip.
    #[must_use]
    pub fn nodes_at(&self, clip: usize, seconds: f64) -> Vec<DAffine3> {
        let mut locals = self.skeleton.rest().to_vec();
        self.clips[clip].apply(seconds, &mut locals);
        self.skeleton.global(&locals)
    }
}

impl SkinnedMesh {
    /// What the document calls it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The mesh at rest, with the weights of its joints. Vertices are those of the document; a mesh for collisions is usually better
    /// [welded](SkinnedMesh::welded).
    pub fn skin(&self) -> &Skin {
        &self.skin
    }

    /// For each node of the skin, the node of the document that moves it. None if the document has no nodes.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// The transforms of the skin's nodes when the nodes of the document are there. Panics if nodes are missing.
    #[must_use]
    pub fn transforms(&self, nodes: &[DAffine3]) -> Vec<DAffine3> {
        if self.joints.is_empty() {
            return vec![DAffine3::IDENTITY; self.skin.node_count()];
        }
        let place = |(&joint, bind): (&usize, &DAffine3)| nodes[joint] * *bind;
        self.joints.iter().zip(&self.inverse_binds).map(place).collect()
    }

    /// The skin with vertices merged that are at the same place at rest and follow the same nodes with the same weights: they are
    /// never apart. Documents repeat vertices along seams of textures. Triangles keep their order.
    pub fn welded(&self) -> Skin {
        let rest = self.skin.rest();
        // Zeros of both signs are the same place.
        let bits = |p: DVec3| (p + DVec3::ZERO).to_array().map(f64::to_bits);
        let mut names = BTreeMap::new();
        let (mut kept, mut renamed) = (Vec::new(), Vec::with_capacity(rest.vertex_count()));
        for (vertex, &p) in rest.positions().iter().enumerate() {
            let weights = self.skin.influences(vertex).iter().map(|i| (i.node, i.weight.to_bits()));
            let name = *names.entry((bits(p), weights.collect::<Vec<_>>())).or_insert(kept.len() as u32);
            if name as usize == kept.len() {
                kept.push(vertex);
            }
            renamed.push(name);
        }
        let positions = kept.iter().map(|&vertex| rest.positions()[vertex]).collect();
        let triangles = rest.triangles().iter().map(|t| t.map(|vertex| renamed[vertex as usize])).collect();
        let mesh = Mesh::new(positions, triangles).expect("vertices of a mesh");
        let influences = kept.iter().map(|&vertex| self.skin.influences(vertex).iter().copied());
        Skin::new(mesh, self.skin.node_count(), influences).expect("weights of a skin")
    }
}

/// Reads the meshes of a scene with their joints, and all clips.
pub(super) fn read(
    document: &Document<'_>,
    rig: Rig,
    buffers: Buffers<'_>,
    file_size: u64,
) -> Result<SkinnedScene, Fault> {
    let skeleton = Skeleton::of(document)?;
    let mut scene = Scene::new(document, buffers, file_size);
    let mut visits = scene.visits()?;
    for visit in &mut visits {
        visit.pose = DAffine3::IDENTITY;
        visit.skin = visit.node.and_then(|node| document.nodes[node].skin);
        refuse_morphs(document, visit)?;
    }
    scene.check_size(&visits)?;
    let mut meshes = Vec::new();
    for visit in &visits {
        let mesh = match visit.skin {
            Some(skin) => {
                let entry = rig.skins.get(skin).ok_or_else(|| no_such("skin", skin))?;
                read_mesh(&mut scene, document, visit, skin, entry)?
            }
            None => rigid_mesh(&mut scene, document, visit)?,
        };
        meshes.extend((mesh.skin.rest().triangle_count() > 0).then_some(mesh));
    }
    let limit = scene.limit();
    let clips = read_clips(document, rig.animations, &skeleton, &mut scene.buffers, limit)?;
    Ok(SkinnedScene { skeleton, meshes, clips })
}

fn refuse_morphs(document: &Document<'_>, visit: &Visit) -> Result<(), Fault> {
    let mesh = document.meshes.get(visit.mesh).ok_or_else(|| no_such("mesh", visit.mesh))?;
    match mesh.primitives.iter().position(|primitive| !primitive.targets.is_empty()) {
        None => Ok(()),
        Some(index) => {
            let place = Place::Part(format!("mesh {}, primitive {index}", visit.mesh));
            let reason = "the mesh has morph targets, which are not read: only joints can move a skin";
            Err(Fault::unsupported(place, reason))
        }
    }
}

/// Names a mesh in messages.
fn place_of(visit: &Visit) -> Place {
    let node = visit.node.map_or(String::new(), |node| format!("node {node}, "));
    Place::Part(format!("{node}mesh {}", visit.mesh))
}

/// A mesh that its node alone moves.
fn rigid_mesh(scene: &mut Scene<'_>, document: &Document<'_>, visit: &Visit) -> Result<SkinnedMesh, Fault> {
    let (rest, _) = scene.read_one(visit)?;
    let whole = vec![[Influence { node: 0, weight: 1.0 }]; rest.vertex_count()];
    // A document without nodes shows its meshes as they are: nothing can move them.
    let joints: Vec<usize> = visit.node.into_iter().collect();
    let skin = Skin::new(rest, 1, whole).map_err(|e| Fault::new(place_of(visit), Reason::Skin(e)))?;
    let name = document.meshes[visit.mesh].name.clone();
    Ok(SkinnedMesh { name, skin, inverse_binds: vec![DAffine3::IDENTITY; joints.len()], joints })
}

/// A mesh that joints move.
fn read_mesh(
    scene: &mut Scene<'_>,
    document: &Document<'_>,
    visit: &Visit,
    skin: usize,
    entry: &SkinEntry,
) -> Result<SkinnedMesh, Fault> {
    let skin_place = || Place::Part(format!("skin {skin}"));
    if let Some(&joint) = entry.joints.iter().find(|&&joint| joint >= document.nodes.len()) {
        let reason = format!("a joint is node {joint}, but there are {} nodes", document.nodes.len());
        return Err(Fault::malformed(skin_place(), reason));
    }
    let joints = entry.joints.clone();
    let inverse_binds = match entry.inverse_bind_matrices {
        None => vec![DAffine3::IDENTITY; joints.len()],
        Some(accessor) => {
            let numbers = scene.buffers.read_numbers(document, accessor, "MAT4", Kind::Float)?;
            let (given, expected) = (numbers.rows().len(), joints.len());
            // More matrices than joints are legal.
            if given < expected {
                let reason = Reason::WrongCount { what: "inverse bind matrices", given, expected };
                return Err(Fault::new(skin_place(), reason));
            }
            let matrices = numbers.rows().take(expected).enumerate();
            let read = matrices.map(|(joint, m)| affine(m).ok_or(joint)).collect::<Result<_, _>>();
            read.map_err(|joint| {
                let reason =
                    format!("the inverse bind matrix of joint {joint} is not finite or not affine: its last row must be 0 0 0 1");
                Fault::malformed(skin_place(), reason)
            })?
        }
    };
    let (rest, pieces) = scene.read_one(visit)?;
    let mut influences: Vec<Vec<Influence>> = Vec::with_capacity(rest.vertex_count());
    let mut tolerance = Skin::TOLERANCE;
    for piece in &pieces {
        let first = influences.len();
        influences.resize(first + piece.vertices as usize, Vec::new());
        let step = read_influences(
            &mut scene.buffers,
            document,
            piece,
            joints.len(),
            first,
            &mut influences[first..],
        )?;
        // Rounding moves each weight by half a step at most.
        tolerance = tolerance.max(0.5 * step * (4 * piece.influences.len()) as f64);
    }
    let skin = Skin::with_tolerance(rest, joints.len(), influences, tolerance)
        .map_err(|error| Fault::new(place_of(visit), Reason::Skin(error)))?;
    Ok(SkinnedMesh { name: document.meshes[visit.mesh].name.clone(), skin, joints, inverse_binds })
}

/// Reads all sets of joints and weights of a primitive whose first vertex is `first`. Gives back the largest step of the weights.
fn read_influences(
    buffers: &mut Buffers<'_>,
    document: &Document<'_>,
    piece: &Piece,
    joint_count: usize,
    first: usize,
    influences: &mut [Vec<Influence>],
) -> Result<f64, Fault> {
    let mut largest_step = 0.0_f64;
    for &[joints, weights] in &piece.influences {
        for (accessor, what) in [(joints, "rows of joints"), (weights, "rows of weights")] {
            let given = document.accessor(accessor)?.count;
            if given != piece.vertices {
                let (given, expected) = (given as usize, piece.vertices as usize);
                return Err(Fault::new(piece.part.place(), Reason::WrongCount { what, given, expected }));
            }
        }
        let joints = buffers.read_numbers(document, joints, "VEC4", Kind::Index)?;
        let weights = buffers.read_numbers(document, weights, "VEC4", Kind::Fraction)?;
        largest_step = largest_step.max(weights.step);
        for (vertex, (row, shares)) in joints.rows().zip(weights.rows()).enumerate() {
            for (&joint, &weight) in row.iter().zip(shares) {
                if weight == 0.0 {
                    continue;
                }
                if joint as usize >= joint_count {
                    let (vertex, joint) = (first + vertex, joint as u32);
                    let reason = Reason::NoSuchJoint { vertex, joint, joints: joint_count };
                    return Err(Fault::new(piece.part.place(), reason));
                }
                influences[vertex].push(Influence { node: joint as u32, weight });
            }
        }
    }
    Ok(largest_step)
}

/// Sixteen numbers, by columns, as an affine map.
fn affine(m: &[f64]) -> Option<DAffine3> {
    let column = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
    let map = DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) };
    let is_affine = [m[3], m[7], m[11], m[15]] == [0.0, 0.0, 0.0, 1.0];
    (is_affine && map.is_finite()).then_some(map)
}
