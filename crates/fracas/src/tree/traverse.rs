//! Walking two trees at once, or one against itself, down to rows of triangles.
//!
//! A worker keeps a stack of pairs that may hold collisions: node–node, node–leaf, leaf–leaf, and a node or leaf
//! with itself. Opening a pair of nodes compares eight boxes with each child of the other in one instruction;
//! leaves meet in the row filter; what it cannot rule out is decided exactly, in batches.

use super::bridge::{Bridge, BridgeEnd, MappedBoxes, mapped_row};
use super::contour::OutlineScratch;
use super::query::lanes_overlapping;
use super::{Child, Node, Tree};
use crate::geom::Pose;
use crate::mesh::Mesh;
use crate::pairs::{
    Findings, Pair, PairStats, Precision, Row, RowFilter, RowIds, RowSide, Surface, Touch, Worker, bits,
};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// A posed tree and its mesh.
#[derive(Clone, Copy)]
pub(crate) struct Posed<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) tree: &'a Tree,
    pub(super) pose: &'a Pose,
}

impl<'a> Posed<'a> {
    /// What a bridge to another tree must know; `None` if there is nothing to meet.
    pub(super) fn bridge_end(&self) -> Option<BridgeEnd<'a>> {
        let (frame, precision) = (self.tree.frame, self.tree.precision());
        Some(BridgeEnd { frame, pose: self.pose, precision, bounds: self.tree.bounds()? })
    }
}

/// What is compared with what. `a` lends its frame; `b` is brought into it.
pub(crate) enum Meeting<'a> {
    /// A tree against itself.
    Itself { surface: Surface<'a>, tree: &'a Tree, precision: Precision },
    /// Two trees; `swapped` if `a` is the caller's second.
    Two { a: Posed<'a>, b: Posed<'a>, bridge: Bridge, swapped: bool },
}

/// Two things of which parts may collide; equal ones stand for one thing against itself.
pub(crate) type Task = (Child, Child);

/// Open pairs are decided whenever this many have gathered.
const BATCH: usize = 4096;

/// Pairs of leaves are compared whenever this many have gathered.
const LEAF_BATCH: usize = 32;

/// Prepared rows kept per side; a power of two.
const CACHE: usize = 16;

/// One thread's share of a query: its stack, its memory, its results.
pub(crate) struct TreeWorker {
    stack: Vec<Task>,
    /// Pairs of leaves that wait to be compared, a leaf with itself among them.
    leaf_pairs: Vec<(u32, u32)>,
    findings: Findings,
    outline: OutlineScratch,
    a_sides: SideCache,
    b_sides: SideCache,
    pairs: Vec<Pair>,
    stats: PairStats,
}

impl Default for TreeWorker {
    fn default() -> Self {
        Self {
            stack: Vec::new(),
            leaf_pairs: Vec::new(),
            findings: Findings::default(),
            outline: OutlineScratch::default(),
            a_sides: SideCache::new(),
            b_sides: SideCache::new(),
            pairs: Vec::new(),
            stats: PairStats::default(),
        }
    }
}

impl Worker for TreeWorker {
    type Task = Task;
    type Meeting<'a> = Meeting<'a>;

    fn reset(&mut self) {
        self.stack.clear();
        self.leaf_pairs.clear();
        self.findings.clear();
        self.pairs.clear();
        self.stats = PairStats::default();
        self.a_sides.forget();
        self.b_sides.forget();
    }

    fn run(&mut self, meeting: &Meeting, task: Task, touch: Touch) {
        self.stack.push(task);
        let level = Level::new();
        dispatch!(level, simd => self.run_vectorised(simd, meeting, touch));
        self.decide(meeting, touch);
    }

    fn open(&mut self, meeting: &Meeting, task: Task, touch: Touch, out: &mut Vec<Task>) {
        self.stack.push(task);
        let level = Level::new();
        dispatch!(level, simd => {
            match meeting {
                Meeting::Itself { surface, tree, precision } => {
                    let filter = RowFilter::new(simd, *precision);
                    self.step_itself(&filter, surface, tree);
                    self.compare_leaves::<_, true>(&filter, tree, tree, None);
                }
                Meeting::Two { a, b, bridge, .. } => {
                    let filter = RowFilter::new(simd, bridge.precision);
                    self.step_two(&filter, a.tree, b.tree, bridge);
                    self.compare_leaves::<_, false>(&filter, a.tree, b.tree, Some(bridge));
                }
            }
        });
        self.decide(meeting, touch);
        out.append(&mut self.stack);
    }

    fn results(&self) -> (&[Pair], PairStats) {
        (&self.pairs, self.stats)
    }
}

impl TreeWorker {
    #[inline(always)]
    fn run_vectorised<S: Simd>(&mut self, simd: S, meeting: &Meeting, touch: Touch) {
        match meeting {
            Meeting::Itself { surface, tree, precision } => {
                let filter = RowFilter::new(simd, *precision);
                while !self.stack.is_empty() || !self.leaf_pairs.is_empty() {
                    self.step_itself(&filter, surface, tree);
                    if self.leaf_pairs.len() >= LEAF_BATCH || self.stack.is_empty() {
                        self.compare_leaves::<S, true>(&filter, tree, tree, None);
                    }
                    if self.findings.len() >= BATCH {
                        self.decide(meeting, touch);
                    }
                }
            }
            Meeting::Two { a, b, bridge, .. } => {
                let filter = RowFilter::new(simd, bridge.precision);
                while !self.stack.is_empty() || !self.leaf_pairs.is_empty() {
                    self.step_two(&filter, a.tree, b.tree, bridge);
                    if self.leaf_pairs.len() >= LEAF_BATCH || self.stack.is_empty() {
                        self.compare_leaves::<S, false>(&filter, a.tree, b.tree, Some(bridge));
                    }
                    if self.findings.len() >= BATCH {
                        self.decide(meeting, touch);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn step_itself<S: Simd>(&mut self, filter: &RowFilter<S>, surface: &Surface, tree: &Tree) {
        let Some((a, b)) = self.stack.pop() else { return };
        if a != b {
            self.step_pair::<S, true>(filter, tree, tree, None, (a, b));
        } else if a.is_leaf() {
            self.leaf_pairs.push((a.index() as u32, a.index() as u32));
        } else {
            if self.cannot_meet_itself(surface, tree, a.index()) {
                self.stats.culled += 1;
                return;
            }
            self.open_with_itself(filter.simd(), &tree.nodes[a.index()]);
        }
    }

    /// Pushes every child with itself and every two children whose boxes overlap.
    #[inline(always)]
    fn open_with_itself<S: Simd>(&mut self, simd: S, node: &Node) {
        self.stats.node_pairs += 1;
        for (i, child) in node.used() {
            let (low, high) = node.lane_box(i);
            let others = lanes_overlapping(simd, &node.low, &node.high, low, high) & (!1_u32 << i);
            for j in bits(others) {
                self.stack.push((node.children[j], child));
            }
            self.stack.push((child, child));
        }
    }

    #[inline(always)]
    fn step_two<S: Simd>(&mut self, filter: &RowFilter<S>, a: &Tree, b: &Tree, bridge: &Bridge) {
        let Some(task) = self.stack.pop() else { return };
        self.step_pair::<S, false>(filter, a, b, Some(bridge), task);
    }

    /// Opens a pair of different things: `i` in tree `a`, `j` in tree `b` (which is the same tree in a self-query).
    #[inline(always)]
    fn step_pair<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        filter: &RowFilter<S>,
        a: &Tree,
        b: &Tree,
        bridge: Option<&Bridge>,
        (i, j): Task,
    ) {
        let simd = filter.simd();
        match (i.is_leaf(), j.is_leaf()) {
            (true, true) => self.leaf_pairs.push((i.index() as u32, j.index() as u32)),
            (false, false) => {
                self.stats.node_pairs += 1;
                let (node, other) = (&a.nodes[i.index()], &b.nodes[j.index()]);
                let mapped = bridge.map(|bridge| MappedBoxes::new(simd, other, bridge));
                for (lane, child) in other.used() {
                    let (low, high) = match &mapped {
                        Some(boxes) => boxes.lane(lane),
                        None => other.lane_box(lane),
                    };
                    for hit in bits(lanes_overlapping(simd, &node.low, &node.high, low, high)) {
                        self.stack.push((node.children[hit], child));
                    }
                }
            }
            (false, true) => {
                self.stats.node_pairs += 1;
                let node = &a.nodes[i.index()];
                let leaf = j.index();
                let side = self.b_sides.get(filter, leaf, &b.ids[leaf], &b.rows[leaf], bridge);
                let (low, high) = side.bounds();
                for hit in bits(lanes_overlapping(simd, &node.low, &node.high, low, high)) {
                    self.stack.push((node.children[hit], j));
                }
            }
            (true, false) => {
                self.stats.node_pairs += 1;
                let leaf = i.index();
                let side = self.a_sides.get(filter, leaf, &a.ids[leaf], &a.rows[leaf], None);
                let (low, high) = side.bounds();
                let node = &b.nodes[j.index()];
                let hits = match bridge {
                    Some(bridge) => {
                        let boxes = MappedBoxes::new(simd, node, bridge);
                        lanes_overlapping(simd, &boxes.low, &boxes.high, low, high) & node.used_lanes()
                    }
                    None => lanes_overlapping(simd, &node.low, &node.high, low, high),
                };
                for hit in bits(hits) {
                    self.stack.push((i, node.children[hit]));
                }
            }
        }
    }

    /// Compares the leaf pairs that have gathered. All their rows are read once before the first is used, so that the
    /// memory brings many at a time instead of one after the other.
    #[inline(always)]
    fn compare_leaves<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        filter: &RowFilter<S>,
        a: &Tree,
        b: &Tree,
        bridge: Option<&Bridge>,
    ) {
        let mut fetched = 0;
        for &(i, j) in &self.leaf_pairs {
            fetched ^= a.fetch_leaf(i as usize) ^ b.fetch_leaf(j as usize);
        }
        std::hint::black_box(fetched);
        for k in 0..self.leaf_pairs.len() {
            let (i, j) = self.leaf_pairs[k];
            if NEIGHBOURS && i == j {
                self.leaf_itself(filter, a, i as usize);
            } else {
                self.leaf_leaf::<S, NEIGHBOURS>(filter, a, b, bridge, (i as usize, j as usize));
            }
        }
        self.leaf_pairs.clear();
    }

    #[inline(always)]
    fn leaf_itself<S: Simd>(&mut self, filter: &RowFilter<S>, tree: &Tree, leaf: usize) {
        let ids = &tree.ids[leaf];
        let side = self.a_sides.get(filter, leaf, ids, &tree.rows[leaf], None);
        self.findings.compare_within(filter, (side, &ids.triangles), &mut self.stats);
    }

    #[inline(always)]
    fn leaf_leaf<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        filter: &RowFilter<S>,
        a: &Tree,
        b: &Tree,
        bridge: Option<&Bridge>,
        (i, j): (usize, usize),
    ) {
        let a_side = self.a_sides.get(filter, i, &a.ids[i], &a.rows[i], None);
        let b_side = self.b_sides.get(filter, j, &b.ids[j], &b.rows[j], bridge);
        self.findings.compare_rows::<S, NEIGHBOURS>(
            filter,
            (a_side, &a.ids[i].triangles),
            (b_side, &b.ids[j].triangles),
            &mut self.stats,
        );
    }

    fn cannot_meet_itself(&mut self, surface: &Surface, tree: &Tree, node: usize) -> bool {
        let Some(contours) = &tree.contours else { return false };
        let signs = tree.nodes[node].common_signs();
        if signs == 0 {
            return false;
        }
        let axis = signs.trailing_zeros() as usize / 2;
        let outline = contours.of(node);
        outline.is_some_and(|o| o.bounds_single_cover(surface.positions, axis, &mut self.outline))
    }

    /// Decides the open pairs exactly, and adds all that count.
    fn decide(&mut self, meeting: &Meeting, touch: Touch) {
        let (findings, pairs, stats) = (&mut self.findings, &mut self.pairs, &mut self.stats);
        match meeting {
            Meeting::Itself { surface, .. } => findings.decide_itself(*surface, touch, pairs, stats),
            Meeting::Two { a, b, swapped, .. } => {
                let (a, b) = ((a.mesh.into(), a.pose), (b.mesh.into(), b.pose));
                findings.decide_two(a, b, *swapped, touch, pairs, stats);
            }
        }
    }
}

impl<'a> From<&'a Mesh> for Surface<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        Self { positions: mesh.positions(), triangles: mesh.triangles() }
    }
}

impl Tree {
    /// Reads every cache line of a leaf, and returns something that depends on all of them.
    #[inline(always)]
    fn fetch_leaf(&self, leaf: usize) -> u32 {
        let (row, ids) = (&self.rows[leaf].corners, &self.ids[leaf]);
        let corners = row[0][0][0].to_bits() ^ row[0][2][0].to_bits() ^ row[1][1][0].to_bits();
        let corners = corners ^ row[2][0][0].to_bits() ^ row[2][2][0].to_bits();
        corners ^ ids.vertices[0][0] ^ ids.vertices[2][0]
    }
}

/// The last few rows prepared for the filter, found by leaf number.
struct SideCache {
    leaves: [u32; CACHE],
    sides: Box<[RowSide; CACHE]>,
}

impl SideCache {
    fn new() -> Self {
        Self { leaves: [u32::MAX; CACHE], sides: Box::new([RowSide::EMPTY; CACHE]) }
    }

    fn forget(&mut self) {
        self.leaves = [u32::MAX; CACHE];
    }

    #[inline(always)]
    fn get<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        leaf: usize,
        ids: &RowIds,
        row: &Row,
        bridge: Option<&Bridge>,
    ) -> &RowSide {
        let slot = leaf % CACHE;
        if self.leaves[slot] != leaf as u32 {
            self.leaves[slot] = leaf as u32;
            match bridge {
                Some(bridge) => {
                    filter.prepare(&mapped_row(filter.simd(), row, bridge), ids, &mut self.sides[slot])
                }
                None => filter.prepare(row, ids, &mut self.sides[slot]),
            }
        }
        &self.sides[slot]
    }
}
