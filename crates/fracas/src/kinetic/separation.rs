//! Kinetic incremental collision detection: which boxes overlap, at every instant, and from when to when.
//!
//! A traversal of two trees stops at pairs of boxes that do not overlap, and at pairs of leaves. These pairs are the *separation list*.
//! It changes only when two boxes begin or cease to overlap, which is known in advance.
//!
//! # Idea
//!
//! ```text
//!             (A, 1)                    open: overlaps, so its children are there; event: it ceases to overlap
//!        ┌──────┼──────┬──────┐
//!     (B, 2) (B, 3) (C, 2) (C, 3)       listed: does not overlap; event: it begins to overlap
//!                     │ …
//!                  (f, 6)               listed: overlapping leaves; event: they cease to overlap
//! ```
//!
//! | event | what happens |
//! |---|---|
//! | BV overlap | the pair is replaced in the list by its children, or begins to overlap if it is a pair of leaves |
//! | fathers do not overlap | an open pair replaces everything below it |
//! | leaves do not overlap | the pair of leaves stays in the list and ends its overlap |
//! | BV change | a box has another vertex, or a vertex another path: the events of all its pairs are computed again |
//!
//! # Invariants (checked by [`SeparationList::validate`])
//!
//! After all events of one instant the list is exactly that of Definition 2 of the paper: the pairs that do not overlap and whose fathers
//! do, and the overlapping leaves. Overlap is decided in exact arithmetic. Each pair's event is the first `f64` time at which its
//! certificate fails.
//!
//! # Departures from the paper
//!
//! - A pair with fathers is stored in a tree of pairs, so the event "fathers do not overlap" is stored once, with the father, and not
//!   with each of its four children.
//! - A pair that does not overlap is certified by the inequality that separates it longest; when that one fails, the others are looked at
//!   again. The paper takes the latest time of all, which may be too early as well.
//! - A leaf against an inner node has two children.
//! - One body against itself: the pair (A, A) has the children (L, L), (L, R) and (R, R).
//!
//! # Reference
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006, §7.

use super::aabb_tree::{AabbTree, NodeId};
use super::error::{KineticError, check_advance};
use super::pairs::{Lasting, PairTree, State};
use super::plan::Plan;
use super::queue::EventQueue;
use super::topology::NONE;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use std::collections::BTreeMap;
use std::ops::Range;

/// Two triangles whose boxes overlap, and when.
///
/// The times hold the true interval: boxes touch at no instant before `from` or after `to`, except that time is counted from where
/// the list began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// A triangle of the first body.
    pub a: TriangleId,
    /// A triangle of the second body. Within one body, the larger id.
    pub b: TriangleId,
    /// When the boxes begin to overlap: the last `f64` before they do, or when the list began.
    pub from: f64,
    /// When they cease to overlap: the first `f64` at which they do not.
    pub to: f64,
}

/// What a separation list has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeparationStats {
    /// Two boxes began to overlap.
    pub bv_overlap: u64,
    /// Two boxes with children ceased to overlap.
    pub fathers_apart: u64,
    /// Two leaves ceased to overlap.
    pub leaves_apart: u64,
    /// Pairs whose events were computed again because a box had changed its vertices or their paths.
    pub bv_change: u64,
    /// Pairs that were found to be separated by another inequality when the one that certified them failed.
    pub rechecks: u64,
}

/// The separation list of two kinetic trees, or of one against itself.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::kinetic::{AabbTree, KineticOptions, Plans, SeparationList};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let body = |x: f64, speed: f64| {
///     let plans = Plans::moving(0.0, &corners.map(|c| c + DVec3::X * x), &[DVec3::X * speed; 3]).unwrap();
///     AabbTree::build(plans, vec![[0, 1, 2]], KineticOptions::default()).unwrap()
/// };
/// // The second one comes from the right and passes.
/// let mut list = SeparationList::between(body(0.0, 0.0), body(3.0, -1.0)).unwrap();
/// list.advance_to(3.0).unwrap();
/// assert_eq!(list.overlapping().len(), 1);
/// list.advance_to(9.0).unwrap();
/// let passed: Vec<_> = list.drain_finished().collect();
/// assert!((passed[0].from - 2.0).abs() < 1e-12 && (passed[0].to - 4.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SeparationList {
    pub(super) trees: Vec<AabbTree>,
    pub(super) pairs: PairTree,
    /// One slot per pair.
    pub(super) queue: EventQueue,
    pub(super) stats: SeparationStats,
    pub(super) finished: Vec<Overlap>,
    began: f64,
    /// Scratch memory.
    touched: Vec<u32>,
    waiting: Vec<u32>,
    closing: Vec<u32>,
}

impl SeparationList {
    /// Two bodies against each other.
    ///
    /// # Errors
    /// If the present times of the bodies differ.
    pub fn between(a: AabbTree, b: AabbTree) -> Result<Self, KineticError> {
        if a.now() != b.now() {
            return Err(KineticError::DifferentTimes { a: a.now(), b: b.now() });
        }
        Ok(Self::new(vec![a, b]))
    }

    /// One body against itself. Triangles that share vertices count like any others; a triangle is not paired with itself.
    pub fn within(a: AabbTree) -> Self {
        Self::new(vec![a])
    }

    fn new(mut trees: Vec<AabbTree>) -> Self {
        trees.iter_mut().for_each(|tree| tree.log = Some(Vec::new()));
        let began = trees[0].now();
        let mut list = Self {
            trees,
            pairs: PairTree::default(),
            queue: EventQueue::default(),
            stats: SeparationStats::default(),
            finished: Vec::new(),
            began,
            touched: Vec::new(),
            waiting: Vec::new(),
            closing: Vec::new(),
        };
        list.begin();
        list
    }

    /// A body's tree: 0 for the first, 1 for the second. Panics if there is no such body.
    pub fn tree(&self, body: usize) -> &AabbTree {
        &self.trees[body]
    }

    /// The present time.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.trees[0].now()
    }

    /// What has been done since the list was made.
    #[must_use]
    pub fn stats(&self) -> SeparationStats {
        self.stats
    }

    /// Lets time pass for the bodies and the list.
    ///
    /// # Errors
    /// A time before the present one, NaN, or beyond the limit.
    pub fn advance_to(&mut self, time: f64) -> Result<(), KineticError> {
        check_advance(self.now(), time)?;
        loop {
            let own = self.queue.first().map(|event| event.time);
            let instants = self.trees.iter().filter_map(AabbTree::next_instant).chain(own);
            let Some(next) = instants.min_by(f64::total_cmp).filter(|&next| next <= time) else { break };
            self.trees.iter_mut().for_each(|tree| tree.run_until(next));
            self.follow_boxes();
            while let Some(event) = self.queue.first().filter(|event| event.time <= next) {
                self.carry_out(event.slot);
            }
        }
        self.trees.iter_mut().for_each(|tree| tree.run_until(time));
        Ok(())
    }

    /// The triangles whose boxes overlap now, sorted.
    #[must_use]
    pub fn overlapping(&self) -> Vec<[TriangleId; 2]> {
        let mut found: Vec<_> = self.ongoing().map(|overlap| [overlap.a, overlap.b]).collect();
        found.sort_unstable();
        found
    }

    /// The overlaps that last, each as from its beginning to now, in no order.
    pub fn ongoing(&self) -> impl Iterator<Item = Overlap> + '_ {
        self.pairs.lasting.iter().map(|lasting| overlap_of(lasting, self.now()))
    }

    /// Takes out the overlaps that have ended since the last call, in the order of their ends.
    pub fn drain_finished(&mut self) -> impl Iterator<Item = Overlap> + '_ {
        self.finished.drain(..)
    }

    /// The list: pairs of nodes that do not overlap while their fathers do, and overlapping leaves. Sorted.
    #[must_use]
    pub fn listed(&self) -> Vec<[NodeId; 2]> {
        let listed = self.pairs.used().filter(|pair| pair.state != State::Open);
        let mut listed: Vec<_> = listed.map(|pair| pair.nodes.map(NodeId)).collect();
        listed.sort_unstable();
        listed
    }

    /// Gives new plans to some vertices of a body, from now on. Panics if there is no such body.
    ///
    /// # Errors
    /// As for [`AabbTree::change_plans`].
    pub fn change_plans(&mut self, body: usize, changes: &[(u32, Plan)]) -> Result<(), KineticError> {
        self.trees[body].change_plans(changes)?;
        self.follow_boxes();
        Ok(())
    }

    /// Gives some vertices of a body new plans through the same keys. Panics if there is no such body.
    ///
    /// # Errors
    /// As for [`AabbTree::change_keyframes`].
    pub fn change_keyframes(
        &mut self,
        body: usize,
        vertices: &[u32],
        times: Vec<f64>,
        frames: Vec<Vec<DVec3>>,
    ) -> Result<(), KineticError> {
        self.trees[body].change_keyframes(vertices, times, frames)?;
        self.follow_boxes();
        Ok(())
    }

    /// Adds vertices to a body. Panics if there is no such body.
    ///
    /// # Errors
    /// As for [`AabbTree::insert_vertices`].
    pub fn insert_vertices(&mut self, body: usize, plans: &[Plan]) -> Result<Range<u32>, KineticError> {
        self.trees[body].insert_vertices(plans)
    }

    /// Adds triangles to a body and returns the first id. Panics if there is no such body.
    ///
    /// # Errors
    /// As for [`AabbTree::insert_triangles`].
    ///
    /// # Cost
    /// The list is made again, which costs a traversal. Overlaps that last keep their beginnings.
    pub fn insert_triangles(
        &mut self,
        body: usize,
        triangles: &[[u32; 3]],
    ) -> Result<TriangleId, KineticError> {
        let first = self.trees[body].insert_triangles(triangles)?;
        self.begin_again();
        Ok(first)
    }

    /// Removes triangles from a body. Panics if there is no such body.
    ///
    /// # Errors
    /// As for [`AabbTree::remove_triangles`].
    ///
    /// # Cost
    /// The list is made again, which costs a traversal. Overlaps that last keep their beginnings.
    pub fn remove_triangles(&mut self, body: usize, triangles: &[TriangleId]) -> Result<(), KineticError> {
        self.trees[body].remove_triangles(triangles)?;
        self.begin_again();
        Ok(())
    }

    /// Makes the list from the roots.
    fn begin(&mut self) {
        self.trees.iter_mut().filter_map(|tree| tree.log.as_mut()).for_each(Vec::clear);
        let nodes: Vec<usize> = self.trees.iter().map(|tree| tree.champions.len()).collect();
        self.pairs.reset(&nodes);
        self.queue.clear();
        let (a, b) = (&self.trees[0].tree, &self.other().tree);
        let is_alone = self.trees.len() == 1 && a.root != NONE && a.is_leaf(a.root);
        if a.root != NONE && b.root != NONE && !is_alone {
            let root = self.pairs.add([a.root, b.root]);
            self.queue.grow(self.pairs.len());
            let stats = self.stats;
            self.settle(root);
            self.stats = stats;
        }
    }

    /// Makes the list from the roots and keeps the beginnings of overlaps that last.
    fn begin_again(&mut self) {
        let before: BTreeMap<[TriangleId; 2], Overlap> =
            self.ongoing().map(|overlap| ([overlap.a, overlap.b], overlap)).collect();
        self.begin();
        let mut lasting = Vec::new();
        for now in &mut self.pairs.lasting {
            if let Some(overlap) = before.get(&now.triangles) {
                now.since = overlap.from;
                lasting.push(now.triangles);
            }
        }
        lasting.sort_unstable();
        let ended = before.into_iter().filter(|(pair, _)| lasting.binary_search(pair).is_err());
        self.finished.extend(ended.map(|(_, overlap)| overlap));
    }

    /// The second body, or the first again.
    pub(super) fn other(&self) -> &AabbTree {
        self.trees.last().unwrap_or(&self.trees[0])
    }

    /// Boxes have changed their vertices or paths: BV-change events for all their pairs.
    fn follow_boxes(&mut self) {
        for body in 0..self.trees.len() {
            let Some(log) = &mut self.trees[body].log else { continue };
            if log.is_empty() {
                continue;
            }
            log.sort_unstable();
            log.dedup();
            self.touched.clear();
            for node in log.drain(..) {
                self.pairs.list_of(body, node, &mut self.touched);
            }
            self.touched.sort_unstable();
            self.touched.dedup();
            let touched = std::mem::take(&mut self.touched);
            for &pair in &touched {
                // An earlier one may have closed the pairs below it.
                if self.pairs[pair].state != State::Free {
                    self.stats.bv_change += 1;
                    self.settle(pair);
                }
            }
            self.touched = touched;
        }
    }

    /// The certificate of a pair has failed.
    fn carry_out(&mut self, pair: u32) {
        let state = self.pairs[pair].state;
        self.settle(pair);
        if state == State::Apart && self.pairs[pair].state == State::Apart {
            self.stats.rechecks += 1;
        }
    }

    /// Opens or closes a pair as its boxes overlap now or not, and everything that was opened below; schedules their events.
    fn settle(&mut self, pair: u32) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.push(pair);
        while let Some(pair) = waiting.pop() {
            let overlaps = self.overlaps(self.pairs[pair].nodes);
            match (self.pairs[pair].state, overlaps) {
                (State::Apart, true) => {
                    self.stats.bv_overlap += 1;
                    self.open(pair, &mut waiting);
                }
                (State::Open, false) => {
                    self.stats.fathers_apart += 1;
                    self.close_below(pair);
                    self.pairs[pair].state = State::Apart;
                }
                (State::Leaves, false) => {
                    self.stats.leaves_apart += 1;
                    self.end(pair);
                }
                _ => {}
            }
            let time = self.next_time(pair);
            self.queue.set(pair, time);
        }
        self.waiting = waiting;
    }

    /// A pair begins to overlap.
    fn open(&mut self, pair: u32, waiting: &mut Vec<u32>) {
        let nodes = self.pairs[pair].nodes;
        let (a, b) = (&self.trees[0].tree, &self.other().tree);
        if a.is_leaf(nodes[0]) && b.is_leaf(nodes[1]) {
            let now = self.now();
            let since = if now > self.began { now.next_down() } else { now };
            self.pairs.begin_overlap(pair, self.triangles_of(nodes), since);
            return;
        }
        let (mine, others) = (a.children(nodes[0]), b.children(nodes[1]));
        let is_self = self.trees.len() == 1 && nodes[0] == nodes[1];
        let mut children = [NONE; 4];
        for k in 0..4 {
            let (i, j) = (k / 2, k % 2);
            let missing = mine.is_none() && i == 1 || others.is_none() && j == 1 || is_self && i > j;
            let child = [mine.map_or(nodes[0], |mine| mine[i]), others.map_or(nodes[1], |others| others[j])];
            if missing || is_self && i == j && self.trees[0].tree.is_leaf(child[0]) {
                continue;
            }
            children[k] = self.pairs.add(child);
        }
        self.queue.grow(self.pairs.len());
        self.pairs[pair].children = children;
        self.pairs[pair].state = State::Open;
        waiting.extend(children.into_iter().filter(|&child| child != NONE));
    }

    /// Removes everything below a pair.
    fn close_below(&mut self, pair: u32) {
        let mut waiting = std::mem::take(&mut self.closing);
        waiting.push(pair);
        while let Some(above) = waiting.pop() {
            let children = std::mem::replace(&mut self.pairs[above].children, [NONE; 4]);
            for child in children.into_iter().filter(|&child| child != NONE) {
                if self.pairs[child].state == State::Leaves {
                    self.stats.leaves_apart += 1;
                    self.end(child);
                }
                waiting.push(child);
            }
            if above != pair {
                self.queue.set(above, None);
                self.pairs.remove(above);
            }
        }
        self.closing = waiting;
    }

    /// Two leaves cease to overlap.
    fn end(&mut self, pair: u32) {
        let ended = self.pairs.end_overlap(pair);
        self.finished.push(overlap_of(&ended, self.now()));
    }

    /// The triangles of two leaves; of one body, the lower id first.
    fn triangles_of(&self, nodes: [u32; 2]) -> [TriangleId; 2] {
        let [a, b] = [(&self.trees[0], nodes[0]), (self.other(), nodes[1])]
            .map(|(tree, node)| TriangleId(tree.tree.nodes[node as usize].children[0]));
        if self.trees.len() == 1 { [a.min(b), a.max(b)] } else { [a, b] }
    }
}

fn overlap_of(lasting: &Lasting, now: f64) -> Overlap {
    let [a, b] = lasting.triangles;
    Overlap { a, b, from: lasting.since, to: now }
}
