//! Walks the nodes of a document and gathers their triangles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fracas::geom::{DAffine3, DMat3, DQuat, DVec3};

use super::accessor::Buffers;
use super::document::{Document, Node, Primitive, no_such};
use crate::error::{Fault, Place, Reason};

/// The mesh being gathered.
pub(super) struct Scene<'s> {
    document: &'s Document<'s>,
    buffers: Buffers<'s>,
    file_size: u64,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// A mesh of the document, at a place in the scene.
struct Visit {
    mesh: usize,
    node: Option<usize>,
    pose: DAffine3,
}

/// A primitive that makes triangles.
struct Piece {
    part: Part,
    mode: Mode,
    /// The accessor of the positions.
    position: usize,
    vertices: u64,
    /// The accessor of the indices.
    indices: Option<usize>,
    triangles: u64,
}

/// Names a primitive in messages.
#[derive(Clone, Copy)]
struct Part {
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
    fn place(self) -> Place {
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
        self.make_room(&visits)?;
        for visit in &visits {
            self.read_mesh(visit)?;
        }
        Ok((self.positions, self.triangles))
    }

    /// The meshes of the scene in the order of their triangles.
    fn visits(&self) -> Result<Vec<Visit>, Fault> {
        let document = self.document;
        if let Some(index) = document.scene.or((!document.scenes.is_empty()).then_some(0)) {
            let scene = document.scenes.get(index).ok_or_else(|| no_such("scene", index))?;
            return self.walk(&scene.nodes);
        }
        if document.nodes.is_empty() {
            let alone = |mesh| Visit { mesh, node: None, pose: DAffine3::IDENTITY };
            return Ok((0..document.meshes.len()).map(alone).collect());
        }
        let mut is_child = vec![false; document.nodes.len()];
        for &child in document.nodes.iter().flat_map(|node| &node.children) {
            if let Some(flag) = is_child.get_mut(child) {
                *flag = true;
            }
        }
        let roots: Vec<usize> = (0..document.nodes.len()).filter(|&node| !is_child[node]).collect();
        self.walk(&roots)
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
                visits.push(Visit { mesh, node: Some(index), pose });
            }
            to_visit.extend(node.children.iter().rev().map(|&child| (child, pose)));
        }
        Ok(visits)
    }

    /// Reserves what the scene needs, or refuses it if that is too much.
    ///
    /// All buffers that are used get opened first, so that the limit follows what is there and not what a document
    /// claims.
    fn make_room(&mut self, visits: &[Visit]) -> Result<(), Fault> {
        let (mut vertices, mut triangles) = (0_u64, 0_u64);
        for visit in visits {
            let mut seen = BTreeSet::new();
            for piece in pieces(self.document, visit)? {
                let piece = piece?;
                for accessor in [Some(piece.position), piece.indices].into_iter().flatten() {
                    self.buffers.open_for(self.document, accessor)?;
                }
                if seen.insert(piece.position) {
                    vertices = vertices.saturating_add(piece.vertices);
                }
                triangles = triangles.saturating_add(piece.triangles);
            }
        }
        if vertices.max(triangles) >= u64::from(u32::MAX) {
            let reason = "the scene has more vertices or triangles than ids can name";
            return Err(Fault::whole(Reason::Unsupported(reason.into())));
        }
        let needed = vertices * 24 + triangles * 12;
        let limit = (64 << 20) + 1024 * (self.file_size + self.buffers.size());
        if needed > limit {
            let reason =
                format!("the scene takes {needed} bytes, more than a file of this size may ({limit})");
            return Err(Fault::whole(Reason::Unsupported(reason)));
        }
        self.positions.reserve_exact(vertices as usize);
        self.triangles.reserve_exact(triangles as usize);
        Ok(())
    }

    fn read_mesh(&mut self, visit: &Visit) -> Result<(), Fault> {
        // Accessors of positions already read here, and the first vertex of each.
        let mut first_vertex = BTreeMap::new();
        for piece in pieces(self.document, visit)? {
            let piece = piece?;
            let first = match first_vertex.get(&piece.position) {
                Some(&first) => first,
                None => {
                    let first = self.positions.len() as u32;
                    self.read_positions(&piece, &visit.pose)?;
                    first_vertex.insert(piece.position, first);
                    first
                }
            };
            self.read_triangles(&piece, first)?;
        }
        Ok(())
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
        let mut assembly = Assembly { mode: piece.mode, corners: 0, kept: [0; 2] };
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

/// The primitives of a mesh that make triangles.
fn pieces<'s>(
    document: &'s Document<'s>,
    visit: &Visit,
) -> Result<impl Iterator<Item = Result<Piece, Fault>> + use<'s>, Fault> {
    let &Visit { mesh, node, .. } = visit;
    let primitives = &document.meshes.get(mesh).ok_or_else(|| no_such("mesh", mesh))?.primitives;
    Ok(primitives.iter().enumerate().filter_map(move |(index, primitive)| {
        let part = Part { node, mesh, primitive: index };
        piece(document, primitive, part).transpose()
    }))
}

/// What a primitive is made of, or `None` if it has no triangles.
fn piece(document: &Document<'_>, primitive: &Primitive, part: Part) -> Result<Option<Piece>, Fault> {
    let mode = match primitive.mode {
        None | Some(4) => Mode::List,
        Some(5) => Mode::Strip,
        Some(6) => Mode::Fan,
        Some(0..=3) => return Ok(None),
        Some(mode) => return Err(Fault::malformed(part.place(), format!("there is no mode {mode}"))),
    };
    let Some(position) = primitive.attributes.position else { return Ok(None) };
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
    Ok(Some(Piece { part, mode, position, vertices, indices: primitive.indices, triangles }))
}

/// The transform of a node, or `None` for the identity.
fn local_transform(node: &Node) -> Result<Option<DAffine3>, String> {
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

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    List,
    Strip,
    Fan,
}

/// Makes triangles of a stream of corners.
struct Assembly {
    mode: Mode,
    /// Corners so far: of the present triangle in a list, of all in a strip.
    corners: u64,
    /// The two corners that the next one makes a triangle with.
    kept: [u32; 2],
}

impl Assembly {
    #[inline]
    fn add(&mut self, corner: u32, triangles: &mut Vec<[u32; 3]>) {
        let [a, b] = self.kept;
        if self.corners < 2 {
            self.kept[self.corners as usize] = corner;
            self.corners += 1;
            return;
        }
        // Every other triangle of a strip is turned, so that all face the same way.
        let turned = self.mode == Mode::Strip && self.corners % 2 == 1;
        triangles.push(if turned { [a, corner, b] } else { [a, b, corner] });
        match self.mode {
            Mode::List => self.corners = 0,
            Mode::Strip => (self.kept, self.corners) = ([b, corner], self.corners + 1),
            Mode::Fan => self.kept = [a, corner],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(mode: Mode, corners: u32) -> Vec<[u32; 3]> {
        let (mut assembly, mut triangles) = (Assembly { mode, corners: 0, kept: [0; 2] }, Vec::new());
        (0..corners).for_each(|corner| assembly.add(corner, &mut triangles));
        triangles
    }

    #[test]
    fn lists_strips_and_fans_follow_the_specification() {
        assert_eq!(assemble(Mode::List, 6), [[0, 1, 2], [3, 4, 5]]);
        // p_i = v_i, v_{i + 1 + i % 2}, v_{i + 2 - i % 2}
        assert_eq!(assemble(Mode::Strip, 6), [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]);
        // p_i = v_0, v_{i + 1}, v_{i + 2}, up to the corner that comes first
        assert_eq!(assemble(Mode::Fan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        for mode in [Mode::List, Mode::Strip, Mode::Fan] {
            assert!(assemble(mode, 2).is_empty());
        }
    }
}
