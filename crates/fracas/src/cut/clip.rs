//! A Voronoi cell of a body: the body clipped by planes.
//!
//! A cell starts as the whole body. [`Cell::clipped`] divides the triangles that the plane crosses, drops the side beyond the
//! plane, and closes the rest with a cap. So a cell is always closed. It knows of each of its triangles whether it is
//! one of the body's, a piece of one, or belongs to a cap.

use super::section::{NONE, Scan, Section, sides};
use super::triangulate::{Density, triangulate};
use super::{CutError, CutSurface};
use crate::base::DisjointSets;
use crate::geom::{Box3, DVec3};
use crate::mesh::{LiveMesh, TriangleId};
use glam::DVec2;

/// Vertices and triangles of a cell; the indices are its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) positions: Vec<DVec3>,
    /// The vertex of the body that each vertex is, or [`NONE`] for a new one.
    pub(super) sources: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) faces: Vec<Face>,
}

/// What a triangle of a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// A triangle of the body as it was.
    Whole(TriangleId),
    /// A piece of a triangle of the body.
    Piece(TriangleId),
    /// New surface on the plane of this number.
    Cap(u32),
}

/// Distances that count as none, in units of the body's size: what rounding makes of points that lie on a plane.
const ROUNDING: f64 = 1e-14;
/// Lumps smaller than this are no pieces, in units of the body's size: planes that nearly meet in a line leave them behind.
const SPECK: f64 = 1e-11;

impl Cell {
    pub(super) fn of(mesh: &LiveMesh) -> Self {
        let ids: Vec<TriangleId> = mesh.live_triangles().collect();
        Self {
            positions: mesh.positions().to_vec(),
            sources: (0..mesh.vertex_count() as u32).collect(),
            triangles: ids.iter().map(|&id| mesh.corners(id)).collect(),
            faces: ids.into_iter().map(Face::Whole).collect(),
        }
    }

    /// The cell without lumps that are nothing but rounding.
    pub(super) fn without_specks(mut self, size: f64) -> Self {
        let mut lumps = DisjointSets::new(self.positions.len());
        self.triangles.iter().for_each(|&corners| lumps.join_all(corners));
        let mut boxes = vec![Box3::EMPTY; self.positions.len()];
        for &v in self.triangles.iter().flatten() {
            let lump = &mut boxes[lumps.root(v) as usize];
            *lump = lump.union(&Box3::from_points([self.positions[v as usize]]));
        }
        self.retain(|[v, ..], _| boxes[lumps.root(v) as usize].extent().max_element() > SPECK * size);
        self
    }

    pub(super) fn retain(&mut self, mut is_wanted: impl FnMut([u32; 3], Face) -> bool) {
        let faces = self.triangles.iter().copied().zip(self.faces.iter().copied());
        (self.triangles, self.faces) = faces.filter(|&(corners, face)| is_wanted(corners, face)).unzip();
    }

    /// Whether every edge between vertices of caps is passed once in each direction. Others are not new.
    pub(super) fn is_closed(&self) -> bool {
        let mut on_cap = vec![false; self.positions.len()];
        for (corners, face) in self.triangles.iter().zip(&self.faces) {
            if matches!(face, Face::Cap(_)) {
                corners.iter().for_each(|&v| on_cap[v as usize] = true);
            }
        }
        let sides = self.triangles.iter().flat_map(|&corners| sides(corners));
        let mut sides: Vec<[u32; 2]> =
            sides.filter(|ends| ends.iter().all(|&v| on_cap[v as usize])).collect();
        sides.sort_unstable();
        sides.windows(2).all(|pair| pair[0] != pair[1])
            && sides.iter().all(|&[a, b]| sides.binary_search(&[b, a]).is_ok())
    }

    /// How far the cell reaches from a point.
    pub(super) fn reach(&self, from: DVec3) -> f64 {
        let corners = self.triangles.iter().flatten().map(|&v| self.positions[v as usize]);
        corners.map(|p| p.distance_squared(from)).fold(0.0, f64::max).sqrt()
    }

    /// The cell above or below a plane, which gets a number for its cap; `None` if that is all of it. `size` is the
    /// body's.
    pub(super) fn clipped(
        &self,
        plane: &CutSurface,
        above: bool,
        number: u32,
        size: f64,
    ) -> Result<Option<Self>, CutError> {
        let heights: Vec<f64> = self.positions.iter().map(|&p| plane.side(p)).collect();
        let towards = if above { 1.0 } else { -1.0 };
        let inward = self.triangles.iter().flatten().map(|&v| towards * heights[v as usize]);
        let (least, most) =
            inward.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        if least >= -ROUNDING * size {
            return Ok(None);
        }
        if most <= ROUNDING * size {
            return Ok(Some(Self::default()));
        }
        let triangles = self.triangles.iter().enumerate().map(|(t, &c)| (TriangleId(t as u32), c));
        let kept_off = |v: u32, _: f64| heights[v as usize].abs().max(ROUNDING * size);
        let (positions, heights) = (&self.positions[..], &heights[..]);
        let scan = Scan { positions, surface: plane, heights, kept_off: &kept_off, keep: None };
        let section = Section::among(triangles, &scan)?;
        Ok(Some(self.side(&section, heights, plane, above, number)))
    }

    fn side(&self, section: &Section, heights: &[f64], plane: &CutSurface, above: bool, number: u32) -> Self {
        let mut made = Self::default();
        // The vertices of this cell, then the cut points, in the cell to be made.
        let first_point = self.positions.len() as u32;
        let mut numbers = vec![NONE; self.positions.len() + section.points.len()];
        let mut keep = |made: &mut Self, old: u32| {
            let number = &mut numbers[old as usize];
            if *number == NONE {
                *number = match old.checked_sub(first_point) {
                    Some(point) => made.add(section.points[point as usize].position, NONE),
                    None => made.add(self.positions[old as usize], self.sources[old as usize]),
                };
            }
            *number
        };
        let mut crossed = section.crossed.iter().peekable();
        for (t, &corners) in self.triangles.iter().enumerate() {
            let face = self.faces[t];
            let Some(cut) = crossed.next_if(|cut| cut.triangle.index() == t) else {
                if (heights[corners[0] as usize] >= 0.0) == above {
                    let corners = corners.map(|v| keep(&mut made, v));
                    made.push(corners, face);
                }
                continue;
            };
            let face = if let Face::Whole(id) = face { Face::Piece(id) } else { face };
            let [p, q] = cut.points.map(|i| keep(&mut made, first_point + i));
            let [c, a, b] = cut.corners;
            if cut.lone_above == above {
                let c = keep(&mut made, c);
                made.push([c, p, q], face);
            } else {
                let [a, b] = [a, b].map(|v| keep(&mut made, v));
                let length =
                    |v: u32, w: u32| made.positions[v as usize].distance_squared(made.positions[w as usize]);
                let from_p = length(p, b) <= length(q, a);
                made.push(if from_p { [p, a, b] } else { [p, a, q] }, face);
                made.push(if from_p { [p, b, q] } else { [a, b, q] }, face);
            }
        }
        let outline: Vec<DVec2> = section.points.iter().map(|p| plane.chart(p.position).into()).collect();
        let none = Density { edge: &|_| 1.0, growth: f64::INFINITY };
        for corners in triangulate(&outline, &section.loops, &none).triangles {
            let [a, b, c] = corners.map(|i| keep(&mut made, first_point + i));
            made.push(if above { [a, c, b] } else { [a, b, c] }, Face::Cap(number));
        }
        made
    }

    pub(super) fn add(&mut self, position: DVec3, source: u32) -> u32 {
        self.positions.push(position);
        self.sources.push(source);
        self.positions.len() as u32 - 1
    }

    pub(super) fn push(&mut self, corners: [u32; 3], face: Face) {
        self.triangles.push(corners);
        self.faces.push(face);
    }
}
