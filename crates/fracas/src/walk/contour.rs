//! Skipping patches that cannot meet themselves, exactly.
//!
//! Most of a self-query is spent proving that a smooth patch does not intersect itself. Often one look is enough:
//!
//! ```text
//!      every normal points up               …and seen from above the outline
//!        ↑  ↑   ↑  ↑  ↑                       does not cross itself:
//!      ──╲__╱──╲__╱──╲                           ┌────────╮
//!                                                 ╰─────────┘
//! ```
//!
//! then the patch is the graph of a function over that polygon and no two of its triangles meet, except in the
//! vertices and edges they share.
//!
//! # Why it is exact
//!
//! Project along the axis. All triangles keep their orientation, so a point is covered as many times as the
//! outline winds around it. Let no two edges of the outline meet except in a vertex of both (by index), let the
//! outline be connected, and let edges leaving and edges arriving alternate around every vertex it passes more than
//! once. Crossing an edge changes the winding by one, and around a vertex only two values alternate; so in the
//! whole plane only two neighbouring values occur. One of them is 0, far outside; none is negative. Hence every point
//! is covered at most once and no two projected triangles overlap.
//!
//! Could two of them still touch? At a point inside an edge, the far side of the edge is covered by the neighbour
//! or is outside; a third triangle there would overlap one of the two. At a vertex, a fan that does not close
//! leaves its two rims on the outline, and a second vertex at the same place would bring the outline there twice,
//! with different indices. Signs of normals are certain (with error bounds), all else uses exact predicates.
//!
//! The outline is the sum of the directed edges of the triangles, equal and opposite ones cancelled; it follows
//! from the topology alone and is gathered once, at build (`gather`). Signs of normals are found at each refit.
//!
//! # Reference
//! The idea of testing normals and contour goes back to Volino, Magnenat-Thalmann, "Efficient self-collision
//! detection on smoothly discretized surface animations using geometrical shape regularity", Eurographics 1994.

use crate::base::Lists;
use crate::exact::{Sign, orient2d};
use crate::geom::DVec3;
use crate::pairs::Row;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::DVec2;
use std::cmp::Ordering;

/// Outlines longer than this are not tested; their children's are.
pub(super) const LONGEST_OUTLINE: usize = 4096;

/// Outlines of the patches below the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Contours {
    /// By node, the last node first: a closed walk along its outline, each edge once; empty if it is not connected.
    pub(super) walks: Lists<u32>,
    /// Likewise: places in the walk where it passes a vertex it passes more than once, places of one vertex together.
    pub(super) pinches: Lists<u32>,
    pub(super) count: usize,
}

/// The outline of one patch.
#[derive(Clone, Copy)]
pub(super) struct Outline<'a> {
    walk: &'a [u32],
    pinches: &'a [u32],
}

impl Contours {
    /// The outline of a node, if it is connected.
    #[inline]
    pub(super) fn of(&self, node: usize) -> Option<Outline<'_>> {
        let place = self.count - 1 - node;
        let outline = Outline { walk: self.walks.list(place), pinches: self.pinches.list(place) };
        (!outline.walk.is_empty()).then_some(outline)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.walks.bytes() + self.pinches.bytes()
    }
}

/// Directions in which all normals of a row certainly point: bit 2·axis for up, bit 2·axis + 1 for down.
#[inline(always)]
pub(crate) fn signs_of_row<S: Simd>(simd: S, row: &Row, slack: f32) -> u8 {
    let mut e = [f32x8::splat(simd, 0.0); 3];
    let mut f = e;
    let mut size = e[0];
    for axis in 0..3 {
        let a = f32x8::load_array_ref(simd, &row.corners[0][axis]);
        e[axis] = f32x8::load_array_ref(simd, &row.corners[1][axis]) - a;
        f[axis] = f32x8::load_array_ref(simd, &row.corners[2][axis]) - a;
        size = size.max(e[axis].abs()).max(f[axis].abs());
    }
    // |n_axis| is off by at most 4 e ε + 2 ε² + 4 u e² with ε = 2 slack + u e; rounded up generously.
    let error = size * (2.0 * slack) + size * size * 1e-7;
    let bound = (error * 4.0 + 8.0 * slack * slack) * 1.25 + 1e-30;
    let mut signs = 0;
    for axis in 0..3 {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let n = e[j] * f[k] - e[k] * f[j];
        signs |= u8::from(n.simd_gt(bound).all_true()) << (2 * axis);
        signs |= u8::from(n.simd_lt(-bound).all_true()) << (2 * axis + 1);
    }
    signs
}

/// One edge of a projected outline.
#[derive(Clone, Copy, Debug)]
struct OutlineEdge {
    low: DVec2,
    high: DVec2,
    from: DVec2,
    to: DVec2,
    ids: [u32; 2],
}

/// Reused memory of [`Outline::bounds_single_cover`].
#[derive(Clone, Debug, Default)]
pub(super) struct OutlineScratch {
    edges: Vec<OutlineEdge>,
    /// Of the edges at a vertex where several meet: their other ends, and whether they leave the vertex.
    spokes: Vec<(DVec2, bool)>,
}

impl Outline<'_> {
    /// Whether a patch with this outline, all of whose normals point one way along the axis, certainly covers no
    /// point twice when seen along that axis: see the head of the module.
    pub(super) fn bounds_single_cover(
        &self,
        positions: &[DVec3],
        axis: usize,
        scratch: &mut OutlineScratch,
    ) -> bool {
        let project = |v: u32| {
            let p = positions[v as usize];
            DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3])
        };
        self.alternates_at_pinches(&project, &mut scratch.spokes)
            && self.edges_are_apart(&project, &mut scratch.edges)
    }

    /// Whether edges meet only in vertices of both, and do not overlap there.
    fn edges_are_apart(&self, project: &impl Fn(u32) -> DVec2, edges: &mut Vec<OutlineEdge>) -> bool {
        edges.clear();
        let last = self.walk[self.walk.len() - 1];
        let mut tail = (last, project(last));
        for &v in self.walk {
            let head = (v, project(v));
            let (from, to, ids) = (tail.1, head.1, [tail.0, head.0]);
            edges.push(OutlineEdge { low: from.min(to), high: from.max(to), from, to, ids });
            tail = head;
        }
        // Sweep along x: only edges whose x ranges overlap are compared.
        edges.sort_unstable_by(|p, q| p.low.x.total_cmp(&q.low.x).then(p.ids.cmp(&q.ids)));
        edges.iter().enumerate().all(|(k, p)| {
            let in_reach = edges[k + 1..].iter().take_while(|q| q.low.x <= p.high.x);
            in_reach.filter(|q| p.low.y <= q.high.y && q.low.y <= p.high.y).all(|q| are_apart(p, q))
        })
    }

    /// Whether around every vertex that the walk passes more than once, edges leaving and arriving alternate.
    fn alternates_at_pinches(
        &self,
        project: &impl Fn(u32) -> DVec2,
        spokes: &mut Vec<(DVec2, bool)>,
    ) -> bool {
        let count = self.walk.len();
        let vertex = |place: &u32| self.walk[*place as usize];
        self.pinches.chunk_by(|a, b| vertex(a) == vertex(b)).all(|places| {
            let hub = project(vertex(&places[0]));
            spokes.clear();
            for &place in places {
                let (before, after) = ((place as usize + count - 1) % count, (place as usize + 1) % count);
                spokes.extend([(project(self.walk[before]), false), (project(self.walk[after]), true)]);
            }
            spokes.sort_unstable_by(|p, q| by_angle(hub, p.0, q.0));
            spokes.iter().zip(spokes.iter().cycle().skip(1)).all(|(p, q)| p.1 != q.1)
        })
    }
}

/// Order of two points by the direction in which they are seen from the hub, counter-clockwise from −x.
fn by_angle(hub: DVec2, p: DVec2, q: DVec2) -> Ordering {
    let upper = |p: DVec2| (p.y, p.x) > (hub.y, hub.x);
    upper(p).cmp(&upper(q)).then(Sign::Zero.cmp(&orient2d(hub, p, q)))
}

/// Whether two edges certainly share no point, or only a vertex of both.
fn are_apart(p: &OutlineEdge, q: &OutlineEdge) -> bool {
    let one_side = |a: Sign, b: Sign| a == b && a != Sign::Zero;
    match (p.ids, q.ids) {
        (a, b) if a[1] == b[0] => !turns_back(p.from, p.to, q.to),
        (a, b) if a[0] == b[1] => !turns_back(q.from, q.to, p.to),
        (a, b) if a[0] == b[0] => !turns_back(p.to, p.from, q.to),
        (a, b) if a[1] == b[1] => !turns_back(p.from, p.to, q.from),
        _ => {
            one_side(orient2d(p.from, p.to, q.from), orient2d(p.from, p.to, q.to))
                || one_side(orient2d(q.from, q.to, p.from), orient2d(q.from, q.to, p.to))
        }
    }
}

/// Whether b→c leaves b exactly towards a.
fn turns_back(a: DVec2, b: DVec2, c: DVec2) -> bool {
    if orient2d(a, b, c) != Sign::Zero {
        return false;
    }
    let between = |a: f64, b: f64, c: f64| (a < b && b < c) || (a > b && b > c);
    !(between(a.x, b.x, c.x) || between(a.y, b.y, c.y))
}
