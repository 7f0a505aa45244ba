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
//! little along the normal, so it still does not cross itself. The cut points stay on their edges. So they may be off the
//! surface by as much, and a second cut along the same surface would find slivers there: a piece that only touches the cut, up to twice the
//! clearance, is not cut.

use super::{CutError, CutSurface};
use crate::base::DisjointSets;
use crate::geom::DVec3;
use crate::mesh::{LiveMesh, TriangleId};

pub(super) const NONE: u32 = u32::MAX;

/// A triangle of a mesh and its corners.
type Face = (TriangleId, [u32; 3]);

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
    /// The cut points P on c–a and Q on b–c. Beyond the end of a path, a triangle has only P, and Q is [`NONE`].
    pub(super) points: [u32; 2],
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

impl Use {
    fn new([from, to]: [u32; 2], crossed: u32, which: u8) -> Self {
        Self { ends: [from.min(to), from.max(to)], crossed, which, upward: from < to }
    }
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
        let spared = pieces_beside(mesh, surface, clearance, &heights);
        let is_spared = |corners: [u32; 3]| spared.as_ref().is_some_and(|spared| spared[corners[0] as usize]);
        let triangles = mesh.live_triangles().map(|id| (id, mesh.corners(id)));
        let triangles = triangles.filter(|&(_, corners)| !is_spared(corners));
        // No vertex counts as nearer than this share of its shortest edge.
        let kept_off = |vertex: u32, edge_length: f64| {
            let distance = heights[vertex as usize].abs();
            if distance >= clearance * edge_length {
                distance
            } else {
                distance.max(clearance * shortest_edge(mesh, vertex))
            }
        };
        let positions = mesh.positions();
        Self::among(triangles, &Scan { positions, surface, heights: &heights, kept_off: &kept_off, keep })
    }

    /// The section of some triangles.
    pub(super) fn among(triangles: impl Iterator<Item = Face>, scan: &Scan) -> Result<Self, CutError> {
        let mut section = Self::default();
        let mut uses: Vec<Use> = vec![];
        let mut beyond: Vec<Face> = vec![];
        for (triangle, corners) in triangles {
            if let Some(&vertex) = corners.iter().find(|v| !scan.heights[**v as usize].is_finite()) {
                return Err(CutError::TooFar { vertex });
            }
            let sides = scan.cut_sides(corners);
            if sides == [None; 3] {
                continue;
            }
            let kept =
                |keep: &dyn Fn(DVec3) -> bool| sides.iter().flatten().any(|ends| keep(scan.place(*ends)));
            if scan.keep.is_none_or(kept) {
                section.cross(scan, (triangle, corners), &mut uses)?;
            } else {
                beyond.push((triangle, corners));
            }
        }
        uses.sort_unstable();
        section.reach_beyond(scan, &beyond, &mut uses)?;
        section.place_points(scan, &uses)?;
        section.chain();
        // Two triangles with the same corners, back to back.
        if let Some(pair) = section.loops.iter().find(|chain| chain.len() < 3) {
            let [c, a, _] = section.crossed[section.points[pair[0] as usize].crossed[0] as usize].corners;
            return Err(CutError::NotASurface { ends: [c.min(a), c.max(a)] });
        }
        Ok(section)
    }

    /// Adds a triangle that the cut divides.
    fn cross(&mut self, scan: &Scan, (triangle, corners): Face, uses: &mut Vec<Use>) -> Result<(), CutError> {
        let sides = scan.cut_sides(corners);
        // The side that is not cut lies opposite to the lone corner.
        let mut whole = (0..3).filter(|&k| sides[k].is_none());
        let (Some(whole), None) = (whole.next(), whole.next()) else {
            return Err(CutError::TooCoarse { triangle });
        };
        let corners @ [c, a, b] = [2, 0, 1].map(|k| corners[(whole + k) % 3]);
        let crossed = self.crossed.len() as u32;
        uses.push(Use::new([c, a], crossed, 0));
        uses.push(Use::new([b, c], crossed, 1));
        let lone_above = scan.heights[c as usize] >= 0.0;
        self.crossed.push(Crossed { triangle, corners, lone_above, points: [NONE; 2] });
        Ok(())
    }

    /// Adds the triangles that were not kept but share a cut point with one that was: they get that point too.
    fn reach_beyond(&mut self, scan: &Scan, beyond: &[Face], uses: &mut Vec<Use>) -> Result<(), CutError> {
        let kept: Vec<[u32; 2]> = uses.iter().map(|side| side.ends).collect();
        for &(triangle, corners) in beyond {
            let sides = scan.cut_sides(corners);
            let is_shared = |k: usize| sides[k].is_some_and(|ends| kept.binary_search(&ends).is_ok());
            let mut shared = (0..3).filter(|&k| is_shared(k));
            match (shared.next(), shared.next()) {
                (None, _) => {}
                (Some(_), Some(_)) => self.cross(scan, (triangle, corners), uses)?,
                (Some(k), None) => {
                    let corners = [0, 1, 2].map(|i| corners[(k + i) % 3]);
                    uses.push(Use::new([corners[0], corners[1]], self.crossed.len() as u32, 0));
                    self.crossed.push(Crossed { triangle, corners, lone_above: true, points: [NONE; 2] });
                }
            }
        }
        uses.sort_unstable();
        Ok(())
    }

    /// Makes the uses of each edge one cut point.
    fn place_points(&mut self, scan: &Scan, uses: &[Use]) -> Result<(), CutError> {
        for group in uses.chunk_by(|one, next| one.ends == next.ends) {
            let ends = group[0].ends;
            if group.len() > 2 || group.len() == 2 && group[0].upward == group[1].upward {
                return Err(CutError::NotASurface { ends });
            }
            for side in group {
                self.crossed[side.crossed as usize].points[side.which as usize] = self.points.len() as u32;
            }
            let crossed = [group[0].crossed, group.get(1).map_or(NONE, |side| side.crossed)];
            let position = scan.place(ends);
            if !position.is_finite() {
                return Err(CutError::TooFar { vertex: ends[0] });
            }
            // An edge that passes the axis of a helicoid jumps from side to side and is cut nowhere.
            let [at_p, at_q] = scan.farther(ends);
            let most = |period: f64| at_p.abs() + at_q.abs() + 1e-9 * period;
            if scan.surface.period().is_some_and(|period| scan.surface.side(position).abs() > most(period)) {
                return Err(CutError::TooCoarse { triangle: self.crossed[crossed[0] as usize].triangle });
            }
            self.points.push(CutPoint { position, crossed });
        }
        Ok(())
    }

    /// The next cut point along the outline of each cut point, or [`NONE`].
    pub(super) fn successors(&self) -> Vec<u32> {
        let mut next = vec![NONE; self.points.len()];
        for crossed in self.crossed.iter().filter(|crossed| crossed.points[1] != NONE) {
            // Outlines run opposite to the part below.
            let [p, q] = crossed.points;
            let [from, to] = if crossed.lone_above { [p, q] } else { [q, p] };
            next[from as usize] = to;
        }
        next
    }

    /// Joins the segments to loops and paths, each begun at its lowest possible point.
    fn chain(&mut self) {
        let next = self.successors();
        let mut begins = vec![true; next.len()];
        next.iter().filter(|&&to| to != NONE).for_each(|&to| begins[to as usize] = false);
        let mut seen = vec![false; next.len()];
        let points = 0..next.len() as u32;
        self.paths = chains(&next, points.clone().filter(|&p| begins[p as usize]), &mut seen);
        self.loops = chains(&next, points, &mut seen);
    }

    /// Mean length of the sides of the crossed triangles.
    pub(super) fn edge_length(&self, mesh: &LiveMesh) -> f64 {
        mean_side(mesh, self.crossed.iter().map(|crossed| crossed.corners))
    }
}

/// Mean length of the sides of some triangles; 0 without any.
pub(super) fn mean_side(mesh: &LiveMesh, triangles: impl ExactSizeIterator<Item = [u32; 3]>) -> f64 {
    let sides = 3 * triangles.len().max(1);
    let perimeter = |corners: [u32; 3]| {
        let [a, b, c] = corners.map(|v| mesh.positions()[v as usize]);
        a.distance(b) + b.distance(c) + c.distance(a)
    };
    triangles.map(perimeter).sum::<f64>() / sides as f64
}

/// Follows successors from each start up to [`NONE`] or something seen before.
pub(super) fn chains(next: &[u32], starts: impl Iterator<Item = u32>, seen: &mut [bool]) -> Vec<Vec<u32>> {
    let follow = |start: u32| {
        let (mut chain, mut at) = (vec![], start);
        while at != NONE && !std::mem::replace(&mut seen[at as usize], true) {
            chain.push(at);
            at = next[at as usize];
        }
        chain
    };
    starts.map(follow).filter(|chain| !chain.is_empty()).collect()
}

/// The sides of a triangle, each from a corner to the next.
pub(super) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// What decides which edges are cut, and where.
pub(super) struct Scan<'a> {
    pub(super) positions: &'a [DVec3],
    pub(super) surface: &'a CutSurface,
    /// The sides of all vertices.
    pub(super) heights: &'a [f64],
    /// How far from the cut a vertex counts as being, for an edge of a given length.
    pub(super) kept_off: &'a dyn Fn(u32, f64) -> f64,
    /// Which cut points are wanted; `None` for all.
    pub(super) keep: Option<&'a dyn Fn(DVec3) -> bool>,
}

impl Scan<'_> {
    /// The ends, lower first, of each side of a triangle that is cut.
    fn cut_sides(&self, corners: [u32; 3]) -> [Option<[u32; 2]>; 3] {
        sides(corners).map(|[a, b]| self.is_cut(a, b).then_some([a.min(b), a.max(b)]))
    }

    fn is_cut(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.heights[a as usize], self.heights[b as usize]);
        // From the upper half of one turn to the lower half of the next, nothing is crossed.
        (x < 0.0) != (y < 0.0) && self.surface.period().is_none_or(|period| (x - y).abs() < 0.5 * period)
    }

    /// How much farther from the cut each end of an edge counts as being than it is, with the sign of its side. In
    /// between, it is less and less.
    fn farther(&self, ends: [u32; 2]) -> [f64; 2] {
        let [p, q] = ends.map(|v| self.positions[v as usize]);
        ends.map(|v| {
            let height = self.heights[v as usize];
            let distance = (self.kept_off)(v, p.distance(q)) - height.abs();
            distance.max(0.0) * if height < 0.0 { -1.0 } else { 1.0 }
        })
    }

    /// Where an edge is cut. It depends on the edge alone, so its triangles agree.
    fn place(&self, ends: [u32; 2]) -> DVec3 {
        let [p, q] = ends.map(|v| self.positions[v as usize]);
        let [x, y] = ends.map(|v| self.heights[v as usize]);
        let [at_p, at_q] = self.farther(ends);
        let height = |t: f64| self.surface.side(p + (q - p) * t) + at_p * (1.0 - t) + at_q * t;
        let t = if [x + at_p, y + at_q] == [0.0; 2] { 0.5 } else { root(height, [x + at_p, y + at_q]) };
        // Nearer to one end or the other, so that rounding is relative to what is left.
        if t <= 0.5 { p + (q - p) * t } else { q + (p - q) * (1.0 - t) }
    }
}

/// By vertex, whether its piece lies beside the cut and only touches it; `None` if no piece does.
///
/// An earlier cut along the same surface leaves faces whose vertices are within the clearance of it, on either side. A piece with such
/// faces is cut only if it reaches farther than that to both sides. Pieces are looked for only if a crossed triangle has a corner so
/// near.
fn pieces_beside(
    mesh: &LiveMesh,
    surface: &CutSurface,
    clearance: f64,
    heights: &[f64],
) -> Option<Vec<bool>> {
    if surface.period().is_some() {
        return None;
    }
    let share = 2.0 * clearance + 1e-12;
    let longest_side = |corners: [u32; 3]| {
        let [a, b, c] = corners.map(|v| mesh.positions()[v as usize]);
        a.distance(b).max(b.distance(c)).max(c.distance(a))
    };
    let comes_near = |id: TriangleId| {
        let corners = mesh.corners(id);
        let [x, y, z] = corners.map(|v| heights[v as usize]);
        let is_crossed = (x < 0.0) != (y < 0.0) || (x < 0.0) != (z < 0.0);
        is_crossed && x.abs().min(y.abs()).min(z.abs()) <= share * longest_side(corners)
    };
    if !mesh.live_triangles().any(comes_near) {
        return None;
    }
    let mut pieces = DisjointSets::new(mesh.vertex_count());
    mesh.live_triangles().for_each(|id| pieces.join_all(mesh.corners(id)));
    let mut shortest = vec![f64::INFINITY; mesh.vertex_count()];
    for corners in mesh.live_triangles().map(|id| mesh.corners(id)) {
        for [a, b] in sides(corners) {
            let length = mesh.positions()[a as usize].distance(mesh.positions()[b as usize]);
            for v in [a, b].into_iter().filter(|_| a != b) {
                shortest[v as usize] = shortest[v as usize].min(length);
            }
        }
    }
    // By piece: how far it reaches to the negative and to the positive side, and how far its vertices may be kept off the cut.
    let mut extents = vec![[0.0_f64; 3]; mesh.vertex_count()];
    for v in mesh.live_triangles().flat_map(|id| mesh.corners(id)) {
        let [below, above, kept_off] = &mut extents[pieces.root(v) as usize];
        let (height, edge) = (heights[v as usize], shortest[v as usize]);
        *below = below.max(-height);
        *above = above.max(height);
        *kept_off = kept_off.max(if edge.is_finite() { share * edge } else { 0.0 });
    }
    let is_beside = |v: u32| {
        let [below, above, kept_off] = extents[pieces.root(v) as usize];
        below.min(above) <= kept_off
    };
    Some((0..mesh.vertex_count() as u32).map(is_beside).collect())
}

fn shortest_edge(mesh: &LiveMesh, vertex: u32) -> f64 {
    let at = mesh.positions()[vertex as usize];
    let corners = mesh.triangles_of_vertex(vertex).flat_map(|triangle| mesh.corners(triangle));
    let lengths = corners.filter(|v| *v != vertex).map(|v| mesh.positions()[v as usize].distance(at));
    lengths.fold(f64::INFINITY, f64::min)
}

/// A root between 0 and 1 of a function with values of different signs there. Straight functions take one step.
fn root(value: impl Fn(f64) -> f64, [at_0, at_1]: [f64; 2]) -> f64 {
    let (mut low, mut high) = ((0.0, at_0), (1.0, at_1));
    let close = 1e-15 * (at_0.abs() + at_1.abs());
    let mut t = 0.0;
    for step in 0..64 {
        // Secants first; halves where they are slow.
        let secant = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
        t = if step < 8 { secant } else { 0.5 * (low.0 + high.0) };
        let here = value(t);
        if here.abs() <= close || t <= low.0 || t >= high.0 {
            break;
        }
        if (here < 0.0) == (low.1 < 0.0) { low = (t, here) } else { high = (t, here) }
    }
    t
}
