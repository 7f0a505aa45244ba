//! Where a cut surface meets the surface of a body: cut points, crossed triangles, outlines.
//!
//! # Idea
//!
//! ```text
//!          c            Every vertex is above or below; a vertex exactly on the cut counts as above. An edge between
//!         / \           the two has one cut point, shared by its triangles. A crossed triangle has one corner c alone
//!   ·····P···Q·····     on its side and two cut points, P on the edge c–a and Q on the edge b–c. From triangle to
//!       /     \         triangle, the segments P–Q make up closed outlines.
//!      a───────b
//! ```
//!
//! A vertex nearly on the cut would make triangles without area. It is treated as if it were a little farther away,
//! [`clearance`](super::CutOptions::clearance): the outline becomes that of a body in which this vertex is moved a
//! little along the normal, so it still does not cross itself. The cut points stay on their edges.

use super::{CutError, CutSurface};
use crate::geom::DVec3;
use crate::mesh::{LiveMesh, TriangleId};

pub(super) const NONE: u32 = u32::MAX;

/// The cut of one surface through one mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    pub(super) points: Vec<CutPoint>,
    pub(super) crossed: Vec<Crossed>,
    /// Closed chains of cut points that run with the body on their left, seen from above in the chart.
    pub(super) loops: Vec<Vec<u32>>,
    /// Chains that end: at the rim of an open mesh, or where the range of the front ends.
    pub(super) paths: Vec<Vec<u32>>,
}

/// The place where the cut crosses an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutPoint {
    pub(super) position: DVec3,
    /// Indices of the one or two crossed triangles that share it; [`NONE`] for a missing second.
    pub(super) crossed: [u32; 2],
}

/// A triangle that the cut divides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossed {
    pub(super) triangle: TriangleId,
    /// Its corners c, a, b in their order; c is alone on its side.
    pub(super) corners: [u32; 3],
    pub(super) lone_above: bool,
    /// The cut points P on c–a and Q on b–c.
    pub(super) points: [u32; 2],
}

impl Crossed {
    /// The segment between the cut points in the direction of outlines: opposite to the part below.
    pub(super) fn segment(&self) -> [u32; 2] {
        let [p, q] = self.points;
        if self.lone_above { [p, q] } else { [q, p] }
    }
}

/// A side of a crossed triangle that has a cut point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    ends: [u32; 2],
    crossed: u32,
    /// 0 for P, 1 for Q.
    which: u8,
    /// Whether the triangle passes the edge from its lower to its higher end.
    upward: bool,
}

impl Section {
    /// The section of a mesh, or of the triangles with a cut point that `keep` wants to keep.
    pub(super) fn of(
        mesh: &LiveMesh,
        surface: &CutSurface,
        clearance: f64,
        keep: Option<&dyn Fn(DVec3) -> bool>,
    ) -> Result<Self, CutError> {
        let heights: Vec<f64> = mesh.positions().iter().map(|&p| surface.side(p)).collect();
        let triangles = mesh.live_triangles().map(|id| (id, mesh.corners(id)));
        // No vertex counts as nearer than this share of its shortest edge.
        let kept_off = |vertex: u32, edge_length: f64| {
            let distance = heights[vertex as usize].abs();
            if distance >= clearance * edge_length {
                distance
            } else {
                distance.max(clearance * shortest_edge(mesh, vertex))
            }
        };
        Self::among(mesh.positions(), triangles, surface, &heights, &kept_off, keep)
    }

    /// The section of some triangles. `heights` are the sides of all vertices; `kept_off` says how far from the cut a
    /// vertex counts as being, for an edge of a given length.
    pub(super) fn among(
        positions: &[DVec3],
        triangles: impl Iterator<Item = (TriangleId, [u32; 3])>,
        surface: &CutSurface,
        heights: &[f64],
        kept_off: &dyn Fn(u32, f64) -> f64,
        keep: Option<&dyn Fn(DVec3) -> bool>,
    ) -> Result<Self, CutError> {
        let period = surface.period();
        let is_cut = |a: u32, b: u32| {
            let (x, y) = (heights[a as usize], heights[b as usize]);
            // From the upper half of one turn to the lower half of the next, nothing is crossed.
            (x < 0.0) != (y < 0.0) && period.is_none_or(|period| (x - y).abs() < 0.5 * period)
        };
        let place = |a: u32, b: u32| cut_place(positions, surface, heights, kept_off, a.min(b), a.max(b));

        let mut section = Self::default();
        let mut uses: Vec<Use> = vec![];
        for (triangle, corners) in triangles {
            let sides = [0, 1, 2].map(|k| (corners[k], corners[(k + 1) % 3]));
            if let Some(&vertex) = corners.iter().find(|v| !heights[**v as usize].is_finite()) {
                return Err(CutError::TooFar { vertex });
            }
            let cut = sides.map(|(a, b)| is_cut(a, b));
            let count = cut.iter().filter(|cut| **cut).count();
            if count == 0 {
                continue;
            }
            let kept =
                |keep: &dyn Fn(DVec3) -> bool| (0..3).any(|k| cut[k] && keep(place(sides[k].0, sides[k].1)));
            if !keep.is_none_or(kept) {
                continue;
            }
            // The side that is not cut lies opposite to the lone corner.
            let (2, Some(whole)) = (count, (0..3).find(|&k| !cut[k])) else {
                return Err(CutError::TooCoarse { triangle });
            };
            let corners @ [c, a, b] = [2, 0, 1].map(|k| corners[(whole + k) % 3]);
            let crossed = section.crossed.len() as u32;
            for (which, (from, to)) in [(0, (c, a)), (1, (b, c))] {
                uses.push(Use { ends: [from.min(to), from.max(to)], crossed, which, upward: from < to });
            }
            let lone_above = heights[c as usize] >= 0.0;
            section.crossed.push(Crossed { triangle, corners, lone_above, points: [NONE; 2] });
        }
        uses.sort_unstable();
        for group in uses.chunk_by(|one, next| one.ends == next.ends) {
            let ends = group[0].ends;
            if group.len() > 2 || group.len() == 2 && group[0].upward == group[1].upward {
                return Err(CutError::NotASurface { ends });
            }
            let point = section.points.len() as u32;
            for side in group {
                section.crossed[side.crossed as usize].points[side.which as usize] = point;
            }
            let crossed = [group[0].crossed, group.get(1).map_or(NONE, |side| side.crossed)];
            let position = place(ends[0], ends[1]);
            if !position.is_finite() {
                return Err(CutError::TooFar { vertex: ends[0] });
            }
            section.points.push(CutPoint { position, crossed });
        }
        section.chain();
        // Two triangles with the same corners, back to back.
        if let Some(pair) = section.loops.iter().find(|chain| chain.len() < 3) {
            let [c, a, _] = section.crossed[section.points[pair[0] as usize].crossed[0] as usize].corners;
            return Err(CutError::NotASurface { ends: [c.min(a), c.max(a)] });
        }
        Ok(section)
    }

    /// Joins the segments to loops and paths, each begun at its lowest possible point.
    fn chain(&mut self) {
        let mut next = vec![NONE; self.points.len()];
        let mut has_previous = vec![false; self.points.len()];
        for crossed in &self.crossed {
            let [from, to] = crossed.segment();
            next[from as usize] = to;
            has_previous[to as usize] = true;
        }
        let mut seen = vec![false; self.points.len()];
        let mut follow = |start: usize| {
            let mut chain = vec![];
            let mut at = start as u32;
            while at != NONE && !seen[at as usize] {
                seen[at as usize] = true;
                chain.push(at);
                at = next[at as usize];
            }
            chain
        };
        for start in (0..self.points.len()).filter(|&p| !has_previous[p]) {
            self.paths.push(follow(start));
        }
        for start in 0..self.points.len() {
            let chain = follow(start);
            if !chain.is_empty() {
                self.loops.push(chain);
            }
        }
    }

    /// Mean length of the sides of the crossed triangles.
    pub(super) fn edge_length(&self, mesh: &LiveMesh) -> f64 {
        let perimeter = |crossed: &Crossed| {
            let [a, b, c] = crossed.corners.map(|v| mesh.positions()[v as usize]);
            a.distance(b) + b.distance(c) + c.distance(a)
        };
        self.crossed.iter().map(perimeter).sum::<f64>() / (3 * self.crossed.len()).max(1) as f64
    }
}

/// Where an edge is cut. It depends on the edge alone, so its triangles agree.
fn cut_place(
    positions: &[DVec3],
    surface: &CutSurface,
    heights: &[f64],
    kept_off: &dyn Fn(u32, f64) -> f64,
    a: u32,
    b: u32,
) -> DVec3 {
    let [p, q] = [a, b].map(|v| positions[v as usize]);
    let [x, y] = [a, b].map(|v| heights[v as usize]);
    let [from, to] = [a, b].map(|v| kept_off(v, p.distance(q)));
    let t = if from + to == 0.0 {
        0.5
    } else if from > x.abs() || to > y.abs() {
        from / (from + to)
    } else {
        root(|t| surface.side(p + (q - p) * t), x, y)
    };
    // Nearer to one end or the other, so that rounding is relative to what is left.
    if t <= 0.5 { p + (q - p) * t } else { q + (p - q) * (1.0 - t) }
}

fn shortest_edge(mesh: &LiveMesh, vertex: u32) -> f64 {
    let at = mesh.positions()[vertex as usize];
    let corners = mesh.triangles_of_vertex(vertex).flat_map(|triangle| mesh.corners(triangle));
    let lengths = corners.filter(|v| *v != vertex).map(|v| mesh.positions()[v as usize].distance(at));
    lengths.fold(f64::INFINITY, f64::min)
}

/// A root between 0 and 1 of a function with values of different signs there. Straight functions take one step.
fn root(value: impl Fn(f64) -> f64, at_0: f64, at_1: f64) -> f64 {
    let (mut low, mut high) = ((0.0, at_0), (1.0, at_1));
    let mut t = 0.0;
    for step in 0..64 {
        // Secants first; halves where they are slow.
        t = if step < 8 {
            low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1))
        } else {
            0.5 * (low.0 + high.0)
        };
        let here = value(t);
        if here == 0.0 || here.abs() <= 1e-15 * (at_0.abs() + at_1.abs()) || t <= low.0 || t >= high.0 {
            break;
        }
        if (here < 0.0) == (low.1 < 0.0) { low = (t, here) } else { high = (t, here) }
    }
    t
}
