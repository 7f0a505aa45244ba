//! Walking two hierarchies at once, or one against itself, down to rows of triangles.
//!
//! A worker keeps a stack of pairs that may hold collisions: node–node, node–leaf, leaf–leaf, and a node or leaf
//! with itself. Opening a pair of nodes compares eight boxes with each child of the other in one instruction;
//! leaves meet in the row filter; what it cannot rule out is decided exactly, in batches. A pair that leads to a closed place
//! ([`super::Unfolding`]) is parked for the next round.

use super::bridge::{Bridge, mapped_row};
use super::contour::OutlineScratch;
use super::patience::Patience;
use super::{Child, ExactRows, Hierarchy, Node, Opened, hidden_twin};
use crate::exact;
use crate::geom::{DVec3, Pose, Triangle};
use crate::mesh::have_same_vertices;
use crate::pairs::{
    FindStats, Findings, LANES, Pair, Precision, Row, RowFilter, RowIds, RowSide, Touch, Worker, bits,
    count_beyond,
};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// A body where its pose puts it, as far as it is open.
#[derive(Clone, Copy)]
pub(crate) struct Posed<'a> {
    pub(crate) body: &'a dyn Hierarchy,
    pub(crate) open: Opened<'a>,
    pub(crate) pose: &'a Pose,
}

/// What is compared with what.
pub(crate) enum Meeting<'a> {
    /// A body against itself.
    Itself {
        body: &'a dyn Hierarchy,
        open: Opened<'a>,
        precision: Precision,
        /// Twins of a crack that are still at one place count as one vertex.
        weld: bool,
        /// Of two twin faces only one is in a row.
        hidden: bool,
        touch: Touch,
        /// Pairs are kept up to this number, and only counted beyond.
        most: usize,
        patience: &'a Patience,
    },
    /// Two bodies. `a` lends its frame, and `b` is brought into it; `swapped` if `a` is the caller's second.
    Two {
        a: Posed<'a>,
        b: Posed<'a>,
        bridge: Bridge,
        swapped: bool,
        touch: Touch,
        most: usize,
        patience: &'a Patience,
    },
}

impl Meeting<'_> {
    /// Pairs that may be kept, and decisions that may be made in vain.
    fn limits(&self) -> (usize, &Patience) {
        let (Self::Itself { most, patience, .. } | Self::Two { most, patience, .. }) = self;
        (*most, patience)
    }
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
#[derive(Default)]
pub(crate) struct PairWalk {
    stack: Vec<Task>,
    /// Pairs of leaves that wait to be compared, a leaf with itself among them.
    leaf_pairs: Vec<(u32, u32)>,
    parked: Vec<Task>,
    findings: Findings,
    outline: OutlineScratch,
    a_sides: SideCache,
    b_sides: SideCache,
    pairs: Vec<Pair>,
    stats: FindStats,
}

impl Worker for PairWalk {
    type Task = Task;
    type Query<'a> = Meeting<'a>;

    fn reset(&mut self) {
        self.stack.clear();
        self.leaf_pairs.clear();
        self.parked.clear();
        self.findings.clear();
        self.pairs.clear();
        self.stats = FindStats::default();
        self.a_sides.forget();
        self.b_sides.forget();
    }

    fn run(&mut self, meeting: &Meeting, tasks: &[Task], steps: &mut u64) {
        let patience = meeting.limits().1;
        if !patience.is_lost() {
            self.stack.extend(tasks.iter().rev());
            let level = Level::new();
            dispatch!(level, simd => self.run_vectorised(simd, meeting, steps));
            self.decide(meeting);
        }
        if patience.is_lost() {
            self.stack.clear();
            self.parked.clear();
        }
    }

    fn take_rest(&mut self, out: &mut Vec<Task>) {
        out.append(&mut self.stack);
    }

    fn results(&self) -> (&[Pair], FindStats) {
        (&self.pairs, self.stats)
    }

    fn sort_pairs(&mut self) {
        self.pairs.sort_unstable();
    }
}

impl PairWalk {
    /// Moves the pairs that wait for closed places to `out`.
    pub(crate) fn take_parked(&mut self, out: &mut Vec<Task>) {
        out.append(&mut self.parked);
    }

    #[inline(always)]
    fn run_vectorised<S: Simd>(&mut self, simd: S, meeting: &Meeting, steps: &mut u64) {
        let patience = meeting.limits().1;
        match meeting {
            Meeting::Itself { body, open, precision, .. } => {
                let filter = RowFilter::new(simd, *precision);
                while let Some(task) = self.next_task(steps, patience) {
                    self.step_itself(&filter, *body, open, task);
                    if self.leaf_pairs.len() >= LEAF_BATCH {
                        self.compare_leaves::<S, true>(meeting, &filter, open, open, None);
                    }
                }
                self.compare_leaves::<S, true>(meeting, &filter, open, open, None);
            }
            Meeting::Two { a, b, bridge, .. } => {
                let filter = RowFilter::new(simd, bridge.precision);
                let (a, b) = (&a.open, &b.open);
                while let Some(task) = self.next_task(steps, patience) {
                    self.step_pair(&filter, a, b, Some(bridge), task);
                    if self.leaf_pairs.len() >= LEAF_BATCH {
                        self.compare_leaves::<S, false>(meeting, &filter, a, b, Some(bridge));
                    }
                }
                self.compare_leaves::<S, false>(meeting, &filter, a, b, Some(bridge));
            }
        }
    }

    /// The next pair, if there is a step left for it, and patience.
    #[inline(always)]
    fn next_task(&mut self, steps: &mut u64, patience: &Patience) -> Option<Task> {
        *steps = steps.checked_sub(1)?;
        if patience.is_lost() { None } else { self.stack.pop() }
    }

    #[inline(always)]
    fn step_itself<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        body: &dyn Hierarchy,
        open: &Opened,
        (a, b): Task,
    ) {
        if a != b {
            self.step_pair(filter, open, open, None, (a, b));
        } else if a.is_closed() {
            self.parked.push((a, b));
        } else if a.is_leaf() {
            self.leaf_pairs.push((a.index() as u32, a.index() as u32));
        } else if self.cannot_meet_itself(body, open, a.index()) {
            self.stats.culled += 1;
        } else {
            self.open_with_itself(filter.simd(), &open.nodes[a.index()]);
        }
    }

    /// Pushes every child with itself and every two children whose boxes overlap.
    #[inline(always)]
    fn open_with_itself<S: Simd>(&mut self, simd: S, node: &Node) {
        self.stats.node_pairs += 1;
        for (i, child) in node.used() {
            let (low, high) = node.boxes.lane(i);
            let others = node.boxes.overlapping(simd, low, high) & (!1_u32 << i);
            for j in bits(others) {
                self.stack.push((node.children[j], child));
            }
            self.stack.push((child, child));
        }
    }

    /// Opens a pair of different things: `i` in `a`, `j` in `b` (which is the same body in a self-query).
    #[inline(always)]
    fn step_pair<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        a: &Opened,
        b: &Opened,
        bridge: Option<&Bridge>,
        (i, j): Task,
    ) {
        let simd = filter.simd();
        if i.is_closed() | j.is_closed() {
            self.parked.push((i, j));
            return;
        }
        if i.is_leaf() && j.is_leaf() {
            self.leaf_pairs.push((i.index() as u32, j.index() as u32));
            return;
        }
        self.stats.node_pairs += 1;
        if j.is_leaf() {
            let node = &a.nodes[i.index()];
            let (low, high) = self.b_sides.get(filter, b, j.index(), bridge).bounds();
            for hit in bits(node.boxes.overlapping(simd, low, high)) {
                self.stack.push((node.children[hit], j));
            }
            return;
        }
        let other = &b.nodes[j.index()];
        let mapped = bridge.map(|bridge| bridge.map_boxes(simd, &other.boxes));
        let boxes = mapped.as_ref().unwrap_or(&other.boxes);
        if i.is_leaf() {
            let (low, high) = self.a_sides.get(filter, a, i.index(), None).bounds();
            for hit in bits(boxes.overlapping(simd, low, high) & other.used_lanes()) {
                self.stack.push((i, other.children[hit]));
            }
            return;
        }
        let node = &a.nodes[i.index()];
        for (lane, child) in other.used() {
            let (low, high) = boxes.lane(lane);
            for hit in bits(node.boxes.overlapping(simd, low, high)) {
                self.stack.push((node.children[hit], child));
            }
        }
    }

    /// Compares the leaf pairs that have gathered. All their rows are read once before the first is used, so that the
    /// memory brings many at a time instead of one after the other.
    #[inline(always)]
    fn compare_leaves<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        meeting: &Meeting,
        filter: &RowFilter<S>,
        a: &Opened,
        b: &Opened,
        bridge: Option<&Bridge>,
    ) {
        let mut fetched = 0;
        for &(i, j) in &self.leaf_pairs {
            fetched ^= a.fetch_leaf(i as usize) ^ b.fetch_leaf(j as usize);
        }
        std::hint::black_box(fetched);
        for k in 0..self.leaf_pairs.len() {
            let (i, j) = self.leaf_pairs[k];
            let (i, j) = (i as usize, j as usize);
            let a_side = self.a_sides.get(filter, a, i, None);
            let a_names = a.names(i);
            if NEIGHBOURS && i == j {
                self.findings.compare_within(filter, (a_side, &a_names), &mut self.stats);
                continue;
            }
            let b_side = self.b_sides.get(filter, b, j, bridge);
            self.findings.compare_rows::<S, NEIGHBOURS>(
                filter,
                (a_side, &a_names),
                (b_side, &b.names(j)),
                &mut self.stats,
            );
        }
        self.leaf_pairs.clear();
        if self.findings.len() >= BATCH {
            self.decide(meeting);
        }
    }

    fn cannot_meet_itself(&mut self, body: &dyn Hierarchy, open: &Opened, node: usize) -> bool {
        let (Some(contours), Some(positions)) = (open.contours, body.positions()) else { return false };
        let signs = open.nodes[node].common_signs();
        if signs == 0 {
            return false;
        }
        let axis = signs.trailing_zeros() as usize / 2;
        contours.of(node).is_some_and(|o| o.bounds_single_cover(positions, axis, &mut self.outline))
    }

    /// Decides the open pairs exactly, and adds all that count.
    fn decide(&mut self, meeting: &Meeting) {
        let Findings { crossing, open } = &mut self.findings;
        self.stats.decided += open.len() as u64;
        let (most, patience) = meeting.limits();
        let mut in_vain = 0;
        match *meeting {
            Meeting::Itself { body, open: opened, weld, hidden, touch, .. } => {
                let side = Exact::of(body, opened, &Pose::IDENTITY);
                for pair in &mut *crossing {
                    *pair = (side.id(pair.0), side.id(pair.1));
                }
                for_each_exact(open, &side, &side, |(i, j), t, u| {
                    let (i, j) = (side.id(i), side.id(j));
                    let (v, w) = (body.vertices(i, weld), body.vertices(j, weld));
                    if !touch.accepts(exact::tri_tri_shared(t, v, u, w)) {
                        in_vain += 1;
                        return;
                    }
                    if weld && have_same_vertices(v, w) {
                        // Faces at one place: those of one crack are left out, duplicates are not.
                        add_pairs(body, hidden, (i, j), |i, j| is_duplicate(body, i, j), &mut self.pairs);
                    } else {
                        crossing.push((i, j));
                    }
                });
                for pair in crossing.drain(..) {
                    add_pairs(body, hidden, pair, |_, _| true, &mut self.pairs);
                }
            }
            Meeting::Two { ref a, ref b, swapped, touch, .. } => {
                let (a, b) = (Exact::of(a.body, a.open, a.pose), Exact::of(b.body, b.open, b.pose));
                for_each_exact(open, &a, &b, |pair, t, u| {
                    if touch.accepts(exact::tri_tri(t, u)) {
                        crossing.push(pair);
                    } else {
                        in_vain += 1;
                    }
                });
                let in_order = |(i, j)| if swapped { Pair::new(j, i) } else { Pair::new(i, j) };
                let ids = |(i, j)| (a.id(i), b.id(j));
                self.pairs.extend(crossing.drain(..).map(ids).map(in_order));
            }
        }
        open.clear();
        patience.spend(in_vain);
        self.stats.found += count_beyond(most, &mut self.pairs);
    }
}

/// Calls `decide` with the exact triangles of every pair. Those of several pairs are read before the first is decided, so that
/// the memory brings many at a time.
#[inline(always)]
fn for_each_exact(
    pairs: &[(u32, u32)],
    a: &Exact,
    b: &Exact,
    mut decide: impl FnMut((u32, u32), &Triangle, &Triangle),
) {
    let nothing = Triangle::new(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    let mut read = [(nothing, nothing); 16];
    for pairs in pairs.chunks(read.len()) {
        for (to, &(i, j)) in read.iter_mut().zip(pairs) {
            *to = (a.triangle(i), b.triangle(j));
        }
        for ((t, u), &pair) in read.iter().zip(pairs) {
            decide(pair, t, u);
        }
    }
}

/// Exact triangles of a body where its pose puts it. They have the names that [`Opened::names`] gives. Slices that the body keeps are
/// read directly: asking the body for each triangle costs a tenth of a query in which most pairs are decided exactly.
struct Exact<'a> {
    body: &'a dyn Hierarchy,
    from: Source<'a>,
    pose: Option<&'a Pose>,
}

/// Where exact triangles come from.
enum Source<'a> {
    /// Lists of the body.
    Lists(&'a [DVec3], &'a [[u32; 3]]),
    /// Points that were computed with the rows.
    Rows(ExactRows<'a>, &'a [RowIds]),
    /// The body is asked.
    Body,
}

impl<'a> Exact<'a> {
    fn of(body: &'a dyn Hierarchy, open: Opened<'a>, pose: &'a Pose) -> Self {
        let from = match (open.exact, body.positions().zip(body.triangles())) {
            (Some(exact), _) => Source::Rows(exact, open.ids),
            (None, Some((positions, triangles))) => Source::Lists(positions, triangles),
            (None, None) => Source::Body,
        };
        Self { body, from, pose: (!pose.is_identity()).then_some(pose) }
    }

    #[inline(always)]
    fn triangle(&self, name: u32) -> Triangle {
        let triangle = match self.from {
            Source::Lists(positions, triangles) => {
                let [a, b, c] = triangles[name as usize];
                Triangle::new(positions[a as usize], positions[b as usize], positions[c as usize])
            }
            Source::Rows(ExactRows { rows, points }, _) => {
                let (row, lane) = (&rows[name as usize / LANES], name as usize % LANES);
                let corner = |k: usize| points[row.first as usize + row.corners[k][lane] as usize];
                Triangle::new(corner(0), corner(1), corner(2))
            }
            Source::Body => self.body.triangle(name),
        };
        self.pose.map_or(triangle, |pose| pose.apply_to_triangle(&triangle))
    }

    /// The id of a triangle, given by its name.
    #[inline(always)]
    fn id(&self, name: u32) -> u32 {
        match self.from {
            Source::Rows(_, ids) => ids[name as usize / LANES].triangles[name as usize % LANES],
            _ => name,
        }
    }
}

/// Whether two triangles name the same vertices. Then they are a collision; faces of one crack at one place name twins instead.
fn is_duplicate(body: &dyn Hierarchy, i: u32, j: u32) -> bool {
    have_same_vertices(body.vertices(i, false), body.vertices(j, false))
}

/// Adds a pair of triangles of one body, and those of the hidden faces for which they speak.
#[inline]
fn add_pairs(
    body: &dyn Hierarchy,
    hidden: bool,
    (i, j): (u32, u32),
    counts: impl Fn(u32, u32) -> bool,
    pairs: &mut Vec<Pair>,
) {
    let mut add = |i: u32, j: u32| {
        if counts(i, j) {
            pairs.push(Pair::new(i.min(j), i.max(j)));
        }
    };
    add(i, j);
    if hidden {
        let (other_i, other_j) = (hidden_twin(body, i), hidden_twin(body, j));
        let also = [other_i.map(|x| (x, j)), other_j.map(|y| (i, y)), other_i.zip(other_j)];
        also.into_iter().flatten().for_each(|(x, y)| add(x, y));
    }
}

impl Opened<'_> {
    /// What the triangles of a row are called until they are decided: by their ids, or by row and lane where exact corners were computed
    /// with the rows.
    #[inline(always)]
    fn names(&self, row: usize) -> [u32; LANES] {
        if self.exact.is_some() {
            std::array::from_fn(|lane| (row * LANES + lane) as u32)
        } else {
            self.ids[row].triangles
        }
    }

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

impl Default for SideCache {
    fn default() -> Self {
        Self { leaves: [u32::MAX; CACHE], sides: Box::new([RowSide::default(); CACHE]) }
    }
}

impl SideCache {
    fn forget(&mut self) {
        self.leaves = [u32::MAX; CACHE];
    }

    #[inline(always)]
    fn get<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        open: &Opened,
        leaf: usize,
        bridge: Option<&Bridge>,
    ) -> &RowSide {
        let slot = leaf % CACHE;
        if self.leaves[slot] != leaf as u32 {
            self.leaves[slot] = leaf as u32;
            let (row, ids): (&Row, &RowIds) = (&open.rows[leaf], &open.ids[leaf]);
            match bridge {
                Some(bridge) => {
                    filter.prepare(&mapped_row(filter.simd(), row, bridge), ids, &mut self.sides[slot]);
                }
                None => filter.prepare(row, ids, &mut self.sides[slot]),
            }
        }
        &self.sides[slot]
    }
}
