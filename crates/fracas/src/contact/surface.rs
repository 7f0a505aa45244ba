//! The connectivity of a body's triangles, for walks over its surface.
//!
//! The list is made once for any kind of body, and again when the body has changed. Positions are not stored: they come from the view, so one
//! list serves every pose.

use crate::base::DisjointSets;
use crate::geom::{Box3, DVec3, Pose, Triangle};
use crate::mesh::{Adjacency, EdgeId, Mesh, TriangleId};
use crate::walk::{Shape, Stamp, View};

/// The connectivity of a body. Triangles are numbered here in the order of their ids.
#[derive(Default)]
pub(crate) struct Surface {
    /// The body, and which of its trees.
    of: Option<(Stamp, Option<usize>)>,
    /// By number, ascending.
    ids: Vec<TriangleId>,
    corners: Vec<[u32; 3]>,
    adjacency: Adjacency,
    /// The smallest box around all triangles, in the body's coordinates. Unlike that of a view it does not depend on the structure.
    bounds: Box3,
    /// An edge with an odd number of triangles.
    open_edge: Option<[u32; 2]>,
    /// The connected part of each triangle.
    part_of: Vec<u32>,
    /// The first triangle of each part.
    parts: Vec<u32>,
}

/// The body that a view shows, and which of its trees; `None` for a soup.
fn name_of(view: &View) -> Option<(Stamp, Option<usize>)> {
    match view.shape {
        Shape::Hierarchy { body, tree } => Some((body.stamp(), tree)),
        Shape::Soup(_) => None,
    }
}

impl Surface {
    /// Whether this is the list of a body as it stands.
    pub(crate) fn is_of(&self, view: &View) -> bool {
        self.of.is_some() && self.of == name_of(view)
    }

    /// Lists a body, unless it is the one listed already.
    pub(crate) fn list(&mut self, view: &View) {
        if self.is_of(view) {
            return;
        }
        self.of = name_of(view);
        self.ids.clear();
        self.corners.clear();
        match view.shape {
            Shape::Hierarchy { body, tree } => {
                let ids = &mut self.ids;
                body.roots(tree).for_each(|(root, _)| body.for_each_triangle(root, &mut |id| ids.push(id)));
                ids.sort_unstable();
                self.corners.extend(ids.iter().map(|id| body.vertices(id.0, true)));
            }
            Shape::Soup(mesh) => {
                self.ids.extend((0..mesh.triangles().len() as u32).map(TriangleId));
                self.corners.extend_from_slice(mesh.triangles());
            }
        }
        let here = view.at(&Pose::IDENTITY);
        self.bounds = Box3::from_points(self.ids.iter().flat_map(|&id| here.triangle(id).corners()));
        let vertices = self.corners.iter().flatten().max().map_or(0, |&v| v as usize + 1);
        let names = Mesh::new(vec![DVec3::ZERO; vertices], self.corners.clone());
        self.adjacency = Adjacency::build(&names.expect("vertices that were counted"));
        let odd = |edge: &crate::mesh::Edge| edge.ends[0] != edge.ends[1] && edge.uses.len() % 2 == 1;
        self.open_edge = self.adjacency.edges().find(odd).map(|edge| edge.ends);
        self.find_parts(vertices);
    }

    fn find_parts(&mut self, vertices: usize) {
        let mut sets = DisjointSets::new(vertices);
        self.corners.iter().for_each(|corners| sets.join_all(*corners));
        self.part_of.clear();
        self.parts.clear();
        let mut known = vec![u32::MAX; vertices];
        for (t, corners) in self.corners.iter().enumerate() {
            let part = &mut known[sets.root(corners[0]) as usize];
            if *part == u32::MAX {
                *part = self.parts.len() as u32;
                self.parts.push(t as u32);
            }
            self.part_of.push(*part);
        }
    }

    /// An edge that has an odd number of triangles, if there is one: the body is closed if there is none.
    pub(crate) fn open_edge(&self) -> Option<[u32; 2]> {
        self.open_edge
    }

    /// A box around the body where a pose puts it.
    pub(crate) fn bounds_at(&self, pose: &Pose) -> Box3 {
        let Box3 { min, max } = self.bounds;
        let corner = |k: u32| {
            let [x, y, z] = [k & 1, k & 2, k & 4].map(|bit| bit != 0);
            DVec3::new(
                if x { max.x } else { min.x },
                if y { max.y } else { min.y },
                if z { max.z } else { min.z },
            )
        };
        Box3::from_points((0..8).map(|k| pose.apply(corner(k))))
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.corners.iter().flatten().max().map_or(0, |&v| v as usize + 1)
    }

    pub(super) fn edge_count(&self) -> usize {
        self.adjacency.edges().len()
    }

    pub(crate) fn id(&self, triangle: u32) -> TriangleId {
        self.ids[triangle as usize]
    }

    pub(crate) fn number(&self, id: TriangleId) -> u32 {
        match self.ids.get(id.index()) {
            Some(found) if *found == id => id.0,
            _ => self.ids.binary_search(&id).expect("a triangle of the body") as u32,
        }
    }

    pub(super) fn corners(&self, triangle: u32) -> [u32; 3] {
        self.corners[triangle as usize]
    }

    /// The edges that leave the corners of a triangle.
    pub(super) fn edges(&self, triangle: u32) -> [EdgeId; 3] {
        self.adjacency.edges_of_triangles()[triangle as usize]
    }

    pub(super) fn ends(&self, edge: EdgeId) -> [u32; 2] {
        self.adjacency.edge(edge).ends
    }

    pub(super) fn triangles_at_vertex(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.adjacency.triangles_of_vertex(vertex).iter().map(|t| t.0)
    }

    pub(super) fn triangles_at_edge(&self, edge: EdgeId) -> impl Iterator<Item = u32> + '_ {
        self.adjacency.edge(edge).uses.iter().map(|part| part.triangle().0)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.iter().copied()
    }

    pub(super) fn part_of(&self, triangle: u32) -> u32 {
        self.part_of[triangle as usize]
    }

    /// A triangle where the view shows it.
    pub(super) fn triangle(&self, view: &View, triangle: u32) -> Triangle {
        view.triangle(self.id(triangle))
    }

    /// A vertex that some triangle names, where the view shows it.
    pub(super) fn position(&self, view: &View, vertex: u32) -> DVec3 {
        let triangle = self.adjacency.triangles_of_vertex(vertex)[0].0;
        let corner =
            self.corners(triangle).iter().position(|v| *v == vertex).expect("a corner of its triangle");
        self.triangle(view, triangle).corners()[corner]
    }
}
