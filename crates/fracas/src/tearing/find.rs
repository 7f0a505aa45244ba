//! Finding pairs in trees that are edited.
//!
//! Two bodies meet in a walk of two binary trees, down to *bunches*: subtrees of height three or less, which hold up to
//! eight triangles, and never fewer than five unless the whole body is that small. A bunch becomes a row of the filter that
//! all structures share; what it leaves open is decided exactly. Rows are not stored, since any edit could change any of
//! them. They are gathered from the mesh when a walk first meets a bunch, and the last few are kept.
//!
//! A body against itself is looked at as a whole, so its trees are first written down in the form of [`crate::tree`]
//! (`snapshot`), and the walk is the one of that module.

use super::TearingBody;
use super::arena::{Arena, Slot};
use super::snapshot::Snapshot;
use crate::geom::Pose;
use crate::mesh::LiveMesh;
use crate::pairs::{
    Crew, Findings, Frame, LANES, Pair, PairOptions, PairStats, Row, RowFilter, RowIds, RowSide, Surface,
    Touch, Worker,
};
use crate::tree::bridge::{Bridge, BridgeEnd, mapped_row};
use crate::tree::traverse::{Meeting as TreeMeeting, TreeWorker};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// Height up to which a subtree is a bunch.
pub(super) const BUNCH: u8 = 3;

/// Open pairs are decided whenever this many have gathered.
const BATCH: usize = 4096;

/// Rows kept per side.
const CACHE: usize = 1 << CACHE_BITS;
const CACHE_BITS: u32 = 9;

/// Two slots whose contents may collide, one of each body.
type Task = (u32, u32);

/// Finds intersecting pairs among bodies that tear; keeps its memory from query to query.
///
/// ```
/// use fracas::geom::{DVec3, Pose};
/// use fracas::mesh::shapes;
/// use fracas::tearing::{TearingBody, TearingFinder};
/// let ball = TearingBody::build(shapes::icosphere(1.0, 3));
/// let mut finder = TearingFinder::default();
/// assert!(finder.find_self_pairs(&ball).is_empty());
/// let aside = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).unwrap();
/// assert!(!finder.find_pairs_posed(&ball, &Pose::IDENTITY, &ball, &aside).is_empty());
/// ```
#[derive(Default)]
pub struct TearingFinder {
    options: PairOptions,
    crew: Crew<TearingWorker>,
    /// For bodies against themselves.
    snapshot: Snapshot,
    itself: Crew<TreeWorker>,
    stats: PairStats,
}

impl TearingFinder {
    /// A finder with the given options.
    #[must_use]
    pub fn new(options: PairOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Work done by the last query.
    #[must_use]
    pub fn stats(&self) -> &PairStats {
        &self.stats
    }

    /// Every pair of triangles of a body, within and between its pieces, that meet in more than the vertices and edges
    /// they share; `a < b`, sorted, each once.
    ///
    /// # Cost
    /// A pass over the body, and about proportional to the number of pairs whose boxes overlap. Does not allocate once its
    /// buffers have grown.
    pub fn find_self_pairs(&mut self, body: &TearingBody) -> &[Pair] {
        self.snapshot.take(body, self.options.parallel);
        let Snapshot { tree, roots, .. } = &self.snapshot;
        self.itself.reset();
        for (k, (root, slot)) in roots.iter().enumerate() {
            self.itself.add((*root, *root));
            for (other, other_slot) in &roots[k + 1..] {
                if slot.overlaps(other_slot) {
                    self.itself.add((*root, *other));
                }
            }
        }
        let precision = body.tree.precision();
        let meeting = TreeMeeting::Itself { surface: (&body.mesh).into(), tree, precision };
        self.itself.find(&meeting, &self.options);
        self.stats = self.itself.stats;
        &self.itself.pairs
    }

    /// Every intersecting pair between two bodies as they stand; sorted, each once.
    pub fn find_pairs(&mut self, a: &TearingBody, b: &TearingBody) -> &[Pair] {
        self.find_pairs_posed(a, &Pose::IDENTITY, b, &Pose::IDENTITY)
    }

    /// Every intersecting pair between two posed bodies; sorted, each once. Exact for the positions that
    /// [`Pose::apply`] gives.
    pub fn find_pairs_posed(
        &mut self,
        a: &TearingBody,
        pose_a: &Pose,
        b: &TearingBody,
        pose_b: &Pose,
    ) -> &[Pair] {
        self.crew.reset();
        let (mut first, mut second) = (Posed { body: a, pose: pose_a }, Posed { body: b, pose: pose_b });
        // The larger of the two lends the frame, so that coordinates of the other stay small in it.
        let swapped = b.tree.frame.scale < a.tree.frame.scale;
        if swapped {
            std::mem::swap(&mut first, &mut second);
        }
        let ends = first.bridge_end().zip(second.bridge_end());
        if let Some(bridge) = ends.and_then(|(a, b)| Bridge::new(&a, &b)) {
            for piece in &first.body.tree.pieces {
                for other in &second.body.tree.pieces {
                    self.crew.add((piece.root, other.root));
                }
            }
            self.crew.find(&Meeting { a: first, b: second, bridge, swapped }, &self.options);
        }
        self.stats = self.crew.stats;
        &self.crew.pairs
    }
}

/// A body and its pose.
#[derive(Clone, Copy)]
struct Posed<'a> {
    body: &'a TearingBody,
    pose: &'a Pose,
}

impl<'a> Posed<'a> {
    fn bridge_end(&self) -> Option<BridgeEnd<'a>> {
        let tree = &self.body.tree;
        let (frame, precision) = (tree.frame, tree.precision());
        Some(BridgeEnd { frame, pose: self.pose, precision, bounds: tree.bounds()? })
    }

    fn corners(&self) -> Surface<'a> {
        (&self.body.mesh).into()
    }
}

impl<'a> From<&'a LiveMesh> for Surface<'a> {
    fn from(mesh: &'a LiveMesh) -> Self {
        Self { positions: mesh.positions(), triangles: mesh.triangles() }
    }
}

/// What is compared with what. `a` lends its frame; `b` is brought into it.
struct Meeting<'a> {
    a: Posed<'a>,
    b: Posed<'a>,
    bridge: Bridge,
    /// Whether `a` is the caller's second.
    swapped: bool,
}

/// One thread's share of a query.
#[derive(Default)]
struct TearingWorker {
    stack: Vec<Task>,
    findings: Findings,
    a_rows: RowCache,
    b_rows: RowCache,
    pairs: Vec<Pair>,
    stats: PairStats,
}

impl Worker for TearingWorker {
    type Task = Task;
    type Meeting<'a> = Meeting<'a>;

    fn reset(&mut self) {
        self.stack.clear();
        self.findings.clear();
        self.pairs.clear();
        self.stats = PairStats::default();
        self.a_rows.forget();
        self.b_rows.forget();
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
        dispatch!(level, simd => self.step(simd, meeting));
        self.decide(meeting, touch);
        out.append(&mut self.stack);
    }

    fn results(&self) -> (&[Pair], PairStats) {
        (&self.pairs, self.stats)
    }
}

impl TearingWorker {
    #[inline(always)]
    fn run_vectorised<S: Simd>(&mut self, simd: S, meeting: &Meeting, touch: Touch) {
        while !self.stack.is_empty() {
            self.step(simd, meeting);
            if self.findings.len() >= BATCH {
                self.decide(meeting, touch);
            }
        }
    }

    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, meeting: &Meeting) {
        let Some((i, j)) = self.stack.pop() else { return };
        let bridge = &meeting.bridge;
        let filter = &RowFilter::new(simd, bridge.precision);
        let (a, b) = (&meeting.a.body, &meeting.b.body);
        let (p, q) = (a.tree.arena.slot(i), b.tree.arena.slot(j));
        if p.height() <= BUNCH && q.height() <= BUNCH {
            let (a_row, b_row) =
                (self.a_rows.get(filter, a, i, None), self.b_rows.get(filter, b, j, Some(bridge)));
            self.findings.compare_rows::<S, false>(
                filter,
                (&a_row.side, &a_row.ids.triangles),
                (&b_row.side, &b_row.ids.triangles),
                &mut self.stats,
            );
            return;
        }
        self.stats.node_pairs += 1;
        // Both are opened, unless one is a bunch. Which of the parts overlap cannot be foreseen: all are written, and those that
        // do not are written over.
        let of_a = parts(i, p);
        let mut end = self.stack.len();
        self.stack.extend([(0, 0); 4]);
        for j in parts(j, q) {
            let other = mapped(b.tree.arena.slot(j), bridge);
            for i in of_a.clone() {
                self.stack[end] = (i, j);
                end += usize::from(a.tree.arena.slot(i).overlaps(&other));
            }
        }
        self.stack.truncate(end);
    }

    /// Decides the open pairs exactly, and adds all that count.
    fn decide(&mut self, meeting: &Meeting, touch: Touch) {
        let (findings, pairs, stats) = (&mut self.findings, &mut self.pairs, &mut self.stats);
        let (a, b) = ((meeting.a.corners(), meeting.a.pose), (meeting.b.corners(), meeting.b.pose));
        findings.decide_two(a, b, meeting.swapped, touch, pairs, stats);
    }
}

/// The two slots of what a slot leads to, or the slot itself if that is a bunch.
#[inline(always)]
fn parts(at: u32, slot: &Slot) -> std::ops::Range<u32> {
    match slot.child().as_node() {
        Some(node) if slot.height() > BUNCH => 2 * node..2 * node + 2,
        _ => at..at + 1,
    }
}

#[inline(always)]
fn mapped(slot: &Slot, bridge: &Bridge) -> Slot {
    let (low, high) = slot.corners();
    let (low, high) = bridge.map_box(low, high);
    Slot::leaf(0, low, high)
}

/// A bunch, gathered for the filter.
struct BunchRow {
    slot: u32,
    side: RowSide,
    ids: RowIds,
}

/// The last few rows gathered, found by slot.
struct RowCache {
    rows: Vec<BunchRow>,
}

impl Default for RowCache {
    fn default() -> Self {
        let empty = || BunchRow { slot: u32::MAX, side: RowSide::EMPTY, ids: RowIds::EMPTY };
        Self { rows: std::iter::repeat_with(empty).take(CACHE).collect() }
    }
}

impl RowCache {
    fn forget(&mut self) {
        for row in &mut self.rows {
            row.slot = u32::MAX;
        }
    }

    #[inline(always)]
    fn get<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        body: &TearingBody,
        at: u32,
        bridge: Option<&Bridge>,
    ) -> &BunchRow {
        let kept = &mut self.rows[place(at)];
        if kept.slot != at {
            kept.slot = at;
            let row = gather(&body.mesh, &body.tree.frame, &body.tree.arena, at, &mut kept.ids);
            match bridge {
                Some(bridge) => {
                    let row = mapped_row(filter.simd(), &row, bridge);
                    filter.prepare(&row, &kept.ids, &mut kept.side);
                }
                None => filter.prepare(&row, &kept.ids, &mut kept.side),
            }
        }
        kept
    }
}

/// Where the row of a bunch is kept. Neighbours are about twelve slots apart, so the last bits of a slot alone would
/// leave most places empty.
#[inline(always)]
fn place(at: u32) -> usize {
    (at.wrapping_mul(0x9E37_79B1) >> (u32::BITS - CACHE_BITS)) as usize
}

/// The corners of the triangles of a bunch in frame coordinates, and who they are.
pub(super) fn gather(mesh: &LiveMesh, frame: &Frame, arena: &Arena, at: u32, ids: &mut RowIds) -> Row {
    let mut row = Row::ZERO;
    *ids = RowIds::EMPTY;
    let mut count = 0;
    collect(arena, at, ids, &mut count);
    for lane in 0..LANES {
        // Unused lanes repeat the first triangle, so that their coordinates are finite.
        let triangle = ids.triangles[if lane < count { lane } else { 0 }];
        let corners = mesh.triangles()[triangle as usize];
        for k in 0..3 {
            ids.vertices[k][lane] = corners[k];
            let p = frame.map(mesh.positions()[corners[k] as usize]);
            for axis in 0..3 {
                row.corners[k][axis][lane] = p[axis];
            }
        }
    }
    row
}

fn collect(arena: &Arena, at: u32, ids: &mut RowIds, count: &mut usize) {
    let child = arena.slot(at).child();
    if let Some(triangle) = child.as_leaf() {
        ids.triangles[*count] = triangle;
        *count += 1;
    } else if let Some(node) = child.as_node() {
        collect(arena, 2 * node, ids, count);
        collect(arena, 2 * node + 1, ids, count);
    }
}
