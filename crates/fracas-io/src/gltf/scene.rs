//! Walks the nodes of a document and gathers their triangles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fracas::geom::{DAffine3, DMat3, DQuat, DVec3};
use fracas::mesh::Mesh;

use super::accessor::Buffers;
use super::corners::{Assembly, Mode};
use super::document::{Document, Node, Primitive, no_such};
use crate::error::{Fault, Place, Reason};
use crate::polygon::finish;

/// The mesh being gathered.
pub(super) struct Scene<'s> {
    document: &'s Document<'s>,
    pub buffers: Buffers<'s>,
    file_size: u64,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// A mesh of the document, at a place in the scene.
pub(super) struct Visit {
    pub mesh: usize,
    pub node: Option<usize>,
    pub pose: DAffine3,
    /// The skin whose joints move the vertices, for readers of skins.
    pub skin: Option<usize>,
}

/// A primitive that makes triangles.
pub(super) struct Piece {
    pub part: Part,
    mode: Mode,
    /// The accessor of the positions.
    position: usize,
    /// Accessors of joints and of weights, a pair for each set. Empty unless the visit has a skin.
    pub influences: Vec<[usize; 2]>,
    pub vertices: u64,
    /// The accessor of the indices.
    indices: Option<usize>,
    triangles: u64,
}

/// Names a primitive in messages.
#[derive(Clone, Copy)]
pub(super) struct Part {
    node: Option<usize>,
    mesh: usize,
    primitive: usize,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = self.node {
            write!(f, "node {node}, ")?;
        }
        write!(f, "mesh {}, primitive {}", self.mesh, self.primitive)
    }
}

impl Part {
    pub fn place(self) -> Place {
        Place::Part(self.to_string())
    }
}

impl<'s> Scene<'s> {
    pub fn new(document: &'s Document<'s>, buffers: Buffers<'s>, file_size: u64) -> Self {
        Self { document, buffers, file_size, positions: Vec::new(), triangles: Vec::new() }
    }

    /// Positions and triangles of the scene.
    pub fn read(mut self) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), Fault> {
        let visits = self.visits()?;
        let (vertices, triangles) = self.check_size(&visits)?;
        self.positions.reserve_exact(vertices);
        self.triangles.reserve_exact(triangles);
        for visit in &visits {
            self.read_mesh(visit)?;
        }
        Ok((self.positions, self.triangles))
    }

    /// One mesh of the scene by itself, and its primitives that brought vertices, in the order of these.
    pub fn read_one(&mut self, visit: &Visit) -> Result<(Mesh, Vec<Piece>), Fault> {
        let pieces = self.read_mesh(visit)?;
        let (positions, triangles) =
            (std::mem::take(&mut self.positions), std::mem::take(&mut self.triangles));
        Ok((finish(positions, triangles)?, pieces))
    }

    /// Bytes that a document of this size may make a reader hold: nodes may repeat a mesh.
    pub fn limit(&self) -> u64 {
        (64 << 20) + 1024 * (self.file_size + self.buffers.size())
    }

    /// The meshes of the scene in the order of their triangles.
    pub fn visits(&self) -> Result<Vec<Visit>, Fault> {
        let document = self.document;
        if let Some(index) = document.scene.or((!document.scenes.is_empty()).then_some(0)) {
            let scene = document.scenes.get(index).ok_or_else(|| no_such("scene", index))?;
            return self.walk(&scene.nodes);
        }
        if document.nodes.is_empty() {
            let alone = |mesh| Visit { mesh, node: None, pose: DAffine3::IDENTITY, skin: None };
            return Ok((0..document.meshes.len()).map(alone).collect());
        }
        self.walk(&document.roots())
    }

    /// Visits nodes depth first. Each may be reached once, so a damaged file cannot make it walk for ever.
    fn walk(&self, roots: &[usize]) -> Result<Vec<Visit>, Fault> {
        let document = self.document;
        let mut visits = Vec::new();
        let mut seen = vec![false; document.nodes.len()];
        let mut to_visit: Vec<(usize, DAffine3)> =
            roots.iter().rev().map(|&node| (node, DAffine3::IDENTITY)).collect();
        while let Some((index, parent)) = to_visit.pop() {
            let place = || Place::Part(format!("node {index}"));
            let node = document.nodes.get(index).ok_or_else(|| no_such("node", index))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(Fault::malformed(
                    place(),
                    "the node is reached twice, so the nodes are not a tree",
                ));
            }
            if node.extensions.instancing.is_some() {
                return Err(Fault::unsupported(place(), "instancing by EXT_mesh_gpu_instancing is not read"));
            }
            let pose = match local_transform(node).map_err(|reason| Fault::malformed(place(), reason))? {
                Some(local) => parent * local,
                None => parent,
            };
            if let Some(mesh) = node.mesh {
                visits.push(Visit { mesh, node: Some(index), pose, skin: None });
            }
            to_visit.extend(node.children.iter().rev().map(|&child| (child, pose)));
        }
        Ok(visits)
    }

    /// How many vertices and triangles the scene has. Refuses it if they take too much memory.
    ///
    /// All buffers that are used get opened first, so that the limit follows what is there and not what a document
    /// claims.
    pub fn check_size(&mut self, visits: &[Visit]) -> Result<(usize, usize), Fault> {
        let mut needed = 0_u64;
        let (mut vertices, mut triangles) = (0_u64, 0_u64);
        for visit in visits {
            let mut seen = BTreeSet::new();
            for piece in pieces(self.document, visit)? {
                let piece = piece?;
                let influences = piece.influences.iter().flatten().copied();
                for accessor in [Some(piece.position), piece.indices].into_iter().flatten().chain(influences)
                {
                    self.buffers.open_for(self.document, accessor)?;
                }
                if seen.insert(piece.key()) {
                    vertices = vertices.saturating_add(piece.vertices);
                    let each = 24 + 128 * piece.influences.len() as u64;
                    needed = needed.saturating_add(piece.vertices.saturating_mul(each));
                }
                triangles = triangles.saturating_add(piece.triangles);
            }
        }
        if vertices.max(triangles) >= u64::from(u32::MAX) {
            let reason = "the scene has more vertices or triangles than ids can name";
            return Err(Fault::whole(Reason::Unsupported(reason.into())));
        }
        let (needed, limit) = (needed.saturating_add(triangles * 12), self.limit());
        if needed > limit {
            let reason =
                format!("the scene takes {needed} bytes, more than a file of this size may ({limit})");
            return Err(Fault::whole(Reason::Unsupported(reason)));
        }
        Ok((vertices as usize, triangles as usize))
    }

    /// Appends a mesh. Gives back its primitives that brought vertices.
    fn read_mesh(&mut self, visit: &Visit) -> Result<Vec<Piece>, Fault> {
        // Vertices already read here, and the first of each primitive.
        let mut first_vertex = BTreeMap::new();
        let mut with_vertices = Vec::new();
        for piece in pieces(self.document, visit)? {
            let piece = piece?;
            let known = first_vertex.get(&piece.key()).copied();
            let first = known.unwrap_or(self.positions.len() as u32);
            if known.is_none() {
                self.read_positions(&piece, &visit.pose)?;
                first_vertex.insert(piece.key(), first);
            }
            self.read_triangles(&piece, first)?;
            if known.is_none() {
                with_vertices.push(piece);
            }
        }
        Ok(with_vertices)
    }

    fn read_positions(&mut self, piece: &Piece, pose: &DAffine3) -> Result<(), Fault> {
        let first = self.positions.len();
        self.buffers.read_positions(self.document, piece.position, &mut self.positions)?;
        let moved = *pose != DAffine3::IDENTITY;
        for (vertex, position) in self.positions[first..].iter_mut().enumerate() {
            if moved {
                *position = pose.transform_point3(*position);
            }
            if !position.is_finite() {
                let place = Place::Part(format!("{}, vertex {vertex}", piece.part));
                return Err(Fault::not_finite(*position, place));
            }
        }
        Ok(())
    }

    fn read_triangles(&mut self, piece: &Piece, first: u32) -> Result<(), Fault> {
        let mut assembly = Assembly::new(piece.mode);
        let triangles = &mut self.triangles;
        // That the sum of first and vertex fits is known since room was made.
        let Some(accessor) = piece.indices else {
            (0..piece.vertices).for_each(|vertex| assembly.add(first + vertex as u32, triangles));
            return Ok(());
        };
        self.buffers.read_indices(self.document, accessor, |vertex| {
            if u64::from(vertex) >= piece.vertices {
                let (vertex, vertices) = (i64::from(vertex), piece.vertices);
                let reason = Reason::NoSuchVertex { vertex, vertices, counted_from: 0 };
                return Err(Fault::new(piece.part.place(), reason));
            }
            assembly.add(first + vertex, triangles);
            Ok(())
        })
    }
}

impl Piece {
    /// Primitives of one mesh with the same key share their vertices.
    fn key(&self) -> (usize, Vec<[usize; 2]>) {
        (self.position, self.influences.clone())
    }
}

/// The primitives of a mesh that make triangles.
fn pieces<'s>(
    document: &'s Document<'s>,
    visit: &Visit,
) -> Result<impl Iterator<Item = Result<Piece, Fault>> + use<'s>, Fault> {
    let &Visit { mesh, node, skin, .. } = visit;
    let primitives = &document.meshes.get(mesh).ok_or_else(|| no_such("mesh", mesh))?.primitives;
    Ok(primitives.iter().enumerate().filter_map(move |(index, primitive)| {
        let part = Part { node, mesh, primitive: index };
        piece(document, primitive, part, skin.is_some()).transpose()
    }))
}

/// What a primitive is made of, or `None` if it has no triangles.
fn piece(
    document: &Document<'_>,
    primitive: &Primitive,
    part: Part,
    has_skin: bool,
) -> Result<Option<Piece>, Fault> {
    let mode = match primitive.mode {
        None | Some(4) => Mode::List,
        Some(5) => Mode::Strip,
        Some(6) => Mode::Fan,
        Some(0..=3) => return Ok(None),
        Some(mode) => return Err(Fault::malformed(part.place(), format!("there is no mode {mode}"))),
    };
    let Some(position) = primitive.attributes.get("POSITION") else { return Ok(None) };
    if primitive.extensions.draco.is_some() && !document.has_data(position) {
        let reason = "the geometry is compressed by KHR_draco_mesh_compression, which is not read";
        return Err(Fault::unsupported(part.place(), reason));
    }
    let vertices = document.accessor(position)?.count;
    let corners = match primitive.indices {
        Some(accessor) => document.accessor(accessor)?.count,
        None => vertices,
    };
    if mode == Mode::List && corners % 3 != 0 {
        let reason = format!("{corners} corners do not make whole triangles");
        return Err(Fault::malformed(part.place(), reason));
    }
    let triangles = match mode {
        Mode::List => corners / 3,
        Mode::Strip | Mode::Fan => corners.saturating_sub(2),
    };
    let influences = if has_skin { influences(primitive, part)? } else { Vec::new() };
    Ok(Some(Piece { part, mode, position, influences, vertices, indices: primitive.indices, triangles }))
}

/// The accessors of joints and weights of a primitive, a pair for each set.
fn influences(primitive: &Primitive, part: Part) -> Result<Vec<[usize; 2]>, Fault> {
    let set = |k: usize| ["JOINTS", "WEIGHTS"].map(|name| primitive.attributes.get(&format!("{name}_{k}")));
    let mut sets = Vec::new();
    loop {
        let number = sets.len();
        match set(number) {
            [Some(joints), Some(weights)] => sets.push([joints, weights]),
            [None, None] if number > 0 => return Ok(sets),
            [joints, _] => {
                let missing = if joints.is_some() { "WEIGHTS" } else { "JOINTS" };
                let reason = format!("the mesh of a skin has no attribute {missing}_{number}");
                return Err(Fault::malformed(part.place(), reason));
            }
        }
    }
}

/// The transform of a node, or `None` for the identity.
pub(super) fn local_transform(node: &Node) -> Result<Option<DAffine3>, String> {
    if let Some(m) = node.matrix {
        if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
            return Err("the last row of the matrix is not 0 0 0 1".into());
        }
        let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
        let matrix3 = DMat3::from_cols(column(0), column(4), column(8));
        return Ok(Some(DAffine3 { matrix3, translation: column(12) }));
    }
    if node.translation.is_none() && node.rotation.is_none() && node.scale.is_none() {
        return Ok(None);
    }
    let rotation = match node.rotation {
        None => DQuat::IDENTITY,
        Some(q) => {
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return Err(format!("the rotation {q:?} is not a unit quaternion"));
            }
            DQuat::from_array(q.map(|x| x / length))
        }
    };
    let scale = DVec3::from_array(node.scale.unwrap_or([1.0; 3]));
    let translation = DVec3::from_array(node.translation.unwrap_or_default());
    Ok(Some(DAffine3::from_scale_rotation_translation(scale, rotation, translation)))
}
