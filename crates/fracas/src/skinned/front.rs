//! The paper's own traversal of two skinned bodies: k-DOPs, rest boxes of both kinds, and the cached front.
//!
//! ```text
//!            ●            opened by the last query: bounds merged from below
//!          ╱ │ ╲
//!         ●  ○  ●         ○ the front: seen, but not opened. Bounds come from the nodes of the skin
//!        ╱│╲   ╱│╲
//!       ○ ○ ○ ○ ○ ○       below: bounds on demand, where the query goes further than the last one
//! ```
//!
//! Successive queries see almost the same part of both trees. A query first bounds the front of the last one, then merges bounds
//! above it, then walks, and bounds on demand what lies below.
//!
//! [`Finder`](crate::Finder) answers the same question with boxes alone, for any two bodies, and is faster. This traversal is there to
//! compare bounds, as the paper's Table 4 does. [`SkinOptions`](super::SkinOptions) of the bodies say which bounds.
//!
//! # Invariants
//!
//! A bound that is current holds all vertices below. Bounds are compared in one frame around both bodies; mapping them there rounds each
//! interval, and `MAPPED` allows for it. Leaves have the exact bounds of their vertices.

use super::body::SkinnedBody;
use super::bound::bound_child;
use crate::exact;
use crate::geom::{BLOCK, BLOCKS, DVec3, Directions, Kdop, LANES};
use crate::mesh::TriangleId;
use crate::pairs::{FindStats, Findings, Frame, Pair, Precision, Row, RowFilter, RowSide};
use crate::walk::{Child, Stamp};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// Mapping an interval rounds two products, two sums and a projection of the offset, each at most three times as large as coordinates:
/// fewer than 16 units in the last place of 12.
const MAPPED: f32 = 16.0 * 12.0 * 0.5 * f32::EPSILON;

/// Finds the pairs of two skinned bodies with the bounds that their options name, and keeps what it has seen for the next query.
///
/// ```
/// use fracas::geom::{DAffine3, DVec3, Directions};
/// use fracas::mesh::{Influence, Skin, shapes};
/// use fracas::skinned::{RestBoxes, SkinFront, SkinOptions, SkinnedBody};
/// let rest = shapes::icosphere(1.0, 3);
/// let weights = vec![[Influence { node: 0, weight: 1.0 }]; rest.vertex_count()];
/// let skin = Skin::new(rest, 1, weights).unwrap();
/// let options =
///     SkinOptions { rest_boxes: RestBoxes::Obb, directions: Directions::Fourteen, ..SkinOptions::default() };
/// let [a, mut b] = [(); 2].map(|()| SkinnedBody::new(skin.clone(), &options).unwrap());
/// b.set_transforms(&[DAffine3::from_translation(DVec3::X * 1.5)]).unwrap();
/// let mut front = SkinFront::default();
/// assert_eq!(front.find_pairs(&a, &b), fracas::Finder::default().find_pairs(&a, &b));
/// ```
#[derive(Default)]
pub struct SkinFront {
    sides: [Side; 2],
    pairs: Vec<Pair>,
    stack: Vec<(u32, u32)>,
    findings: Findings,
    rows: [RowSide; 2],
    stats: FrontStats,
}

/// Work done by one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontStats {
    /// Bounds computed at the front of the last query.
    pub at_front: u64,
    /// Bounds merged above it.
    pub merged: u64,
    /// Bounds computed where the query went further.
    pub on_demand: u64,
    /// Leaves among all of these, whose vertices were evaluated.
    pub leaves: u64,
    /// Pairs of bounds compared.
    pub compared: u64,
    /// Pairs of leaves whose triangles were compared.
    pub leaf_pairs: u64,
}

impl SkinFront {
    /// Every pair of intersecting triangles, one of each body, in ascending order.
    ///
    /// Bounds have the directions of both bodies if these agree, else six.
    pub fn find_pairs(&mut self, a: &SkinnedBody, b: &SkinnedBody) -> &[Pair] {
        self.stats = FrontStats::default();
        self.pairs.clear();
        let same = a.options.directions == b.options.directions;
        let directions = if same { a.options.directions } else { Directions::Six };
        if a.ids.is_empty() || b.ids.is_empty() {
            return &self.pairs;
        }
        let (a_low, a_high) = a.corners();
        let (b_low, b_high) = b.corners();
        let frame = Frame::around(a_low.min(b_low), a_high.max(b_high));
        for (side, body) in self.sides.iter_mut().zip([a, b]) {
            side.begin(body, frame, directions, &mut self.stats);
        }
        let level = Level::new();
        dispatch!(level, simd => self.walk(simd, a, b));
        let Findings { crossing, open } = &mut self.findings;
        for &(i, j) in &*open {
            let (t, u) = (a.triangle(TriangleId(i)), b.triangle(TriangleId(j)));
            if exact::tri_tri(&t, &u) != exact::Relation::Disjoint {
                crossing.push((i, j));
            }
        }
        self.pairs.extend(crossing.iter().map(|&(i, j)| Pair::new(i, j)));
        self.pairs.sort_unstable();
        self.findings.clear();
        self.sides.iter_mut().for_each(Side::end);
        &self.pairs
    }

    /// Forgets the front: the next query begins at the roots.
    pub fn forget(&mut self) {
        self.sides.iter_mut().for_each(|side| side.of = None);
    }

    /// Work of the last query.
    #[must_use]
    pub fn stats(&self) -> FrontStats {
        self.stats
    }

    /// Sees the children of pairs whose bounds overlap, down to pairs of leaves.
    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, a: &SkinnedBody, b: &SkinnedBody) {
        let Self { sides: [first, second], stack, findings, rows, stats, .. } = self;
        let precision = Precision { slack: Frame::SLACK, reach: Frame::REACH };
        let filter = RowFilter::new(simd, precision);
        let mut counts = FindStats::default();
        let (one, other) = (first.see(simd, a, 0, stats), second.see(simd, b, 0, stats));
        stats.compared += 1;
        stack.clear();
        if one.overlaps(&other) {
            stack.push((0, 0));
        }
        while let Some((i, j)) = stack.pop() {
            let (leaf_i, leaf_j) = (first.leaf(i), second.leaf(j));
            if let (Some(leaf_i), Some(leaf_j)) = (leaf_i, leaf_j) {
                stats.leaf_pairs += 1;
                filter.prepare(&first.rows[leaf_i], &a.ids[leaf_i], &mut rows[0]);
                filter.prepare(&second.rows[leaf_j], &b.ids[leaf_j], &mut rows[1]);
                findings.compare_rows::<S, false>(
                    &filter,
                    (&rows[0], &a.ids[leaf_i].triangles),
                    (&rows[1], &b.ids[leaf_j].triangles),
                    &mut counts,
                );
                continue;
            }
            let mut below = [[0; LANES]; 2];
            let counts_below = [first.open(a, i, &mut below[0]), second.open(b, j, &mut below[1])];
            for &k in &below[0][..counts_below[0]] {
                let bound = first.see(simd, a, k, stats);
                for &l in &below[1][..counts_below[1]] {
                    stats.compared += 1;
                    if bound.overlaps(&second.see(simd, b, l, stats)) {
                        stack.push((k, l));
                    }
                }
            }
        }
    }
}

/// What the traversal knows of one body. Tree nodes come first in all lists, then leaves; the root is 0.
#[derive(Default)]
struct Side {
    of: Option<(Stamp, Directions)>,
    node_count: usize,
    /// The family and lane of each place.
    homes: Vec<(u32, u32)>,
    bounds: Vec<Kdop>,
    /// The query in which each bound was computed, was seen, and was opened.
    current: Vec<u64>,
    seen: Vec<u64>,
    opened: Vec<u64>,
    /// Corners of leaves whose bounds are current.
    rows: Vec<Row>,
    /// Places that this query has seen; those that the last one has seen and not opened, and those it has opened.
    places: Vec<u32>,
    front: Vec<u32>,
    above: Vec<u32>,
    query: u64,
    frame: Frame,
    directions: Directions,
}

impl Side {
    /// Bounds the front of the last query, and what lies above it.
    fn begin(&mut self, body: &SkinnedBody, frame: Frame, directions: Directions, stats: &mut FrontStats) {
        if self.of != Some((body.identity, directions)) {
            self.begin_anew(body, directions);
        }
        self.query += 1;
        self.frame = frame;
        self.places.clear();
        let level = Level::new();
        for k in 0..self.front.len() {
            dispatch!(level, simd => self.compute(simd, body, self.front[k], stats));
        }
        stats.at_front += self.front.len() as u64;
        for k in (0..self.above.len()).rev() {
            let place = self.above[k] as usize;
            let mut bound = Kdop::empty(directions);
            let mut below = [0; LANES];
            let count = places_below(body, place, self.node_count, &mut below);
            below[..count].iter().for_each(|&child| bound.merge(&self.bounds[child as usize]));
            (self.bounds[place], self.current[place]) = (bound, self.query);
        }
        stats.merged += self.above.len() as u64;
    }

    fn begin_anew(&mut self, body: &SkinnedBody, directions: Directions) {
        self.of = Some((body.identity, directions));
        self.directions = directions;
        self.node_count = body.tree.len();
        let places = self.node_count + body.ids.len();
        self.homes.clear();
        self.homes.resize(places, (self.node_count as u32, 0));
        for (family, node) in body.tree.iter().enumerate() {
            for (lane, child) in node.used() {
                let place = place_of(child, self.node_count);
                self.homes[place as usize] = (family as u32, lane as u32);
            }
        }
        self.bounds.clear();
        self.bounds.resize(places, Kdop::empty(directions));
        for list in [&mut self.current, &mut self.seen, &mut self.opened] {
            list.clear();
            list.resize(places, 0);
        }
        self.rows.clear();
        self.rows.resize(body.ids.len(), Row::ZERO);
        self.front.clear();
        self.above.clear();
    }

    /// Keeps what this query has seen as the front of the next.
    fn end(&mut self) {
        self.front.clear();
        self.above.clear();
        for &place in &self.places {
            let opened = self.opened[place as usize] == self.query;
            if opened { self.above.push(place) } else { self.front.push(place) }
        }
        // Parents come before their children in the tree.
        self.above.sort_unstable();
    }

    fn leaf(&self, place: u32) -> Option<usize> {
        (place as usize).checked_sub(self.node_count)
    }

    /// What is below a place; the place itself, if it is a leaf.
    #[inline(always)]
    fn open(&mut self, body: &SkinnedBody, place: u32, below: &mut [u32; LANES]) -> usize {
        if self.leaf(place).is_some() {
            below[0] = place;
            return 1;
        }
        self.opened[place as usize] = self.query;
        places_below(body, place as usize, self.node_count, below)
    }

    /// The bound of a place, computed if it is not current.
    #[inline(always)]
    fn see<S: Simd>(&mut self, simd: S, body: &SkinnedBody, place: u32, stats: &mut FrontStats) -> Kdop {
        let at = place as usize;
        if self.seen[at] != self.query {
            self.seen[at] = self.query;
            self.places.push(place);
        }
        if self.current[at] != self.query {
            stats.on_demand += 1;
            self.compute(simd, body, place, stats);
        }
        self.bounds[at]
    }

    #[inline(always)]
    fn compute<S: Simd>(&mut self, simd: S, body: &SkinnedBody, place: u32, stats: &mut FrontStats) {
        self.current[place as usize] = self.query;
        self.bounds[place as usize] = match self.leaf(place) {
            Some(leaf) => {
                stats.leaves += 1;
                self.leaf_bound(simd, body, leaf)
            }
            None => self.node_bound(simd, body, place),
        };
    }

    /// The exact bound of the vertices of a leaf; its row is filled as well.
    #[inline(always)]
    fn leaf_bound<S: Simd>(&mut self, simd: S, body: &SkinnedBody, leaf: usize) -> Kdop {
        let mut at = [DVec3::ZERO; 3 * LANES];
        let vertices = body.families.leaf_vertices.list(leaf);
        let mut bound = Kdop::empty(self.directions);
        for (to, &number) in at.iter_mut().zip(vertices) {
            *to = self.frame.map_exact(body.evaluate(simd, number));
            bound.include(*to);
        }
        let corners = &body.families.corners[leaf];
        for corner in 0..3 {
            for lane in 0..LANES {
                let x = at[corners[corner][lane] as usize];
                (0..3).for_each(|axis| self.rows[leaf].corners[corner][axis][lane] = x[axis] as f32);
            }
        }
        // The frame rounds twice in f64.
        bound.map_intervals(|_, low, high| [low - MAPPED, high + MAPPED])
    }

    /// The bound of a subtree from the nodes of the skin.
    #[inline(always)]
    fn node_bound<S: Simd>(&self, simd: S, body: &SkinnedBody, place: u32) -> Kdop {
        let (family, lane) = self.homes[place as usize];
        let (family_index, lane) = (family as usize, lane as usize);
        let (family, members) = body.families.get(family_index);
        let motion = &body.motion;
        let oriented = body.oriented.as_ref().map(|boxes| &boxes[family_index][lane]);
        let how = (body.options.bound, motion.tolerance());
        let (mut plus, mut minus) = ([[0.0; BLOCK]; BLOCKS], [[0.0; BLOCK]; BLOCKS]);
        // Projections on diagonals are up to three times as large as coordinates, and so are their errors.
        let pad = 3.0 * (family.pads[lane] * motion.unit + motion.base_pad);
        let blocks = self.directions.blocks();
        for block in 0..blocks {
            let columns = (&motion.columns[..], block, motion.blocks);
            let sides = if motion.is_tame() {
                bound_child(simd, (family, members), (lane, oriented), columns, how)
            } else {
                [f32::INFINITY; LANES]
            };
            for k in 0..BLOCK {
                (plus[block][k], minus[block][k]) = (sides[k] + pad, sides[BLOCK + k] + pad);
            }
        }
        let bound = Kdop::from_blocks(self.directions, plus, minus);
        // From the frame of the body to that of both.
        let ratio = self.frame.scale / motion.frame.scale;
        let offset = (motion.frame.centre - self.frame.centre) * self.frame.scale;
        let axes = self.directions.axes();
        let root = motion.root;
        bound.map_intervals(|k, low, high| {
            let axis = DVec3::from(axes[k].map(f64::from));
            let shift = axis.dot(offset);
            // Never beyond the box of the body.
            let (mut least, mut most) = (0.0, 0.0);
            for i in 0..3 {
                let ends = [f64::from(root.0[i]) * axis[i], f64::from(root.1[i]) * axis[i]];
                (least, most) = (least + ends[0].min(ends[1]), most + ends[0].max(ends[1]));
            }
            let low = (f64::from(low).max(least) * ratio + shift) as f32;
            let high = (f64::from(high).min(most) * ratio + shift) as f32;
            [low - MAPPED, high + MAPPED]
        })
    }
}

fn place_of(child: Child, node_count: usize) -> u32 {
    (child.index() + if child.is_leaf() { node_count } else { 0 }) as u32
}

fn places_below(body: &SkinnedBody, node: usize, node_count: usize, below: &mut [u32; LANES]) -> usize {
    let node = &body.tree[node];
    node.used().for_each(|(lane, child)| below[lane] = place_of(child, node_count));
    node.count()
}
