//! How a triangle is divided, and divided further, while a cut crosses it.
//!
//! ```text
//!        c                c                c             A cut point comes with the front. The first one cuts the triangle
//!       / \              / \              / \            in two; with the second, one of the two is cut again. So every
//!      /   \    ──▶     P   \    ──▶     P───Q           part lies within a part of the step before and can replace it.
//!     /     \          /  `\ \          /  `\ \          If both come at once, the shorter diagonal is taken.
//!    a───────b        a─────`─b        a─────`─b
//! ```

use super::section::{Crossed, NONE};
use crate::geom::DVec3;
use crate::mesh::{LiveMesh, MeshEdit, TriangleId};

/// The vertices of a point of the sheet: one for both sides until the point is parted, none before the front comes near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vertex {
    pub(super) above: u32,
    pub(super) below: u32,
}

impl Vertex {
    pub(super) const ABSENT: Self = Self { above: NONE, below: NONE };

    pub(super) fn on(self, above: bool) -> u32 {
        if above { self.above } else { self.below }
    }
}

/// How a crossed triangle c, a, b is divided at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Not at all.
    Whole,
    /// c P b, P a b.
    AtP,
    /// c a Q, a b Q.
    AtQ,
    /// c P Q, P a b, P b Q.
    BothFromP,
    /// c P Q, P a Q, a b Q.
    BothFromQ,
}

/// The parts of a crossed triangle that are in the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    form: Form,
    /// The triangles of the mesh that make it up. Where there are fewer than three, the last is repeated.
    pub(super) triangles: [TriangleId; 3],
    /// The corners that each of them has.
    corners: [[u32; 3]; 3],
}

impl Parts {
    /// A triangle that is not divided, with its corners in the mesh's own order.
    pub(super) fn whole(triangle: TriangleId, corners: [u32; 3]) -> Self {
        Self { form: Form::Whole, triangles: [triangle; 3], corners: [corners; 3] }
    }

    /// The first of its triangles that the mesh has not, or has with other corners.
    pub(super) fn first_changed(&self, mesh: &LiveMesh) -> Option<TriangleId> {
        let mut parts = self.triangles.into_iter().zip(self.corners);
        parts.find(|&(id, corners)| !mesh.is_alive(id) || mesh.corners(id) != corners).map(|(id, _)| id)
    }

    /// Divides a crossed triangle as its cut points want it now. `ends` are what P and Q are in the mesh, and where
    /// at unit scale; `first` is the id of the first triangle that the edit adds.
    pub(super) fn divide(
        &mut self,
        mesh: &LiveMesh,
        crossed: &Crossed,
        (ends, to_unit): ([(Vertex, DVec3); 2], f64),
        first: u32,
        edit: &mut MeshEdit,
    ) {
        let before = *self;
        let [p, q] = ends.map(|(vertex, _)| vertex);
        let has = |vertex: Vertex| vertex != Vertex::ABSENT;
        let form = match (has(p), has(q), before.form) {
            (false, false, _) => Form::Whole,
            (true, false, _) => Form::AtP,
            (false, true, _) => Form::AtQ,
            (true, true, Form::AtP | Form::BothFromP) => Form::BothFromP,
            (true, true, Form::AtQ | Form::BothFromQ) => Form::BothFromQ,
            (true, true, Form::Whole) => better_form(mesh, crossed, ends.map(|(_, place)| place), to_unit),
        };
        let [c, a, b] = crossed.corners;
        let (p_lone, q_lone) = (p.on(crossed.lone_above), q.on(crossed.lone_above));
        let (p, q) = (p.on(!crossed.lone_above), q.on(!crossed.lone_above));
        let lone = [c, p_lone, q_lone];
        let parts: &[[u32; 3]] = match form {
            Form::Whole => return,
            Form::AtP | Form::AtQ if before.form == form => return,
            Form::AtP => &[[c, p, b], [p, a, b]],
            Form::AtQ => &[[c, a, q], [a, b, q]],
            Form::BothFromP => &[lone, [p, a, b], [p, b, q]],
            Form::BothFromQ => &[lone, [p, a, q], [a, b, q]],
        };
        // The index of the part before in which each part lies.
        let parents = match before.form {
            Form::Whole => [0; 3],
            Form::AtP => [0, 1, 0],
            Form::AtQ => [0, 0, 1],
            Form::BothFromP | Form::BothFromQ => [0, 1, 2],
        };
        let (mut triangles, mut corners) = (before.triangles, before.corners);
        for old in 0..3 {
            let inside = || (0..parts.len()).filter(|&k| parents[k] == old);
            let id = before.triangles[old];
            let is_same = inside().count() == 1 && inside().all(|k| mesh.corners(id) == parts[k]);
            if is_same {
                inside().for_each(|k| (triangles[k], corners[k]) = (id, parts[k]));
            } else if inside().count() > 0 {
                let new = first + edit.added.len() as u32..;
                inside().zip(new).for_each(|(k, id)| (triangles[k], corners[k]) = (TriangleId(id), parts[k]));
                edit.replace(id, inside().map(|k| parts[k]));
            }
        }
        if parts.len() == 2 {
            (triangles[2], corners[2]) = (triangles[1], corners[1]);
        }
        *self = Self { form, triangles, corners };
    }
}

/// The shorter diagonal of the four-sided part.
fn better_form(mesh: &LiveMesh, crossed: &Crossed, [p, q]: [DVec3; 2], to_unit: f64) -> Form {
    let [_, a, b] = crossed.corners.map(|v| mesh.positions()[v as usize] * to_unit);
    if p.distance_squared(b) <= q.distance_squared(a) { Form::BothFromP } else { Form::BothFromQ }
}
