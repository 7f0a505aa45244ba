//! The kinetic BoxTree: two planes per node instead of six sides, and so fewer events.
//!
//! A node divides its triangles along one axis. It stores the vertex that is greatest along it in the left subtree, and the one that
//! is least in the right subtree. The box of a node is that of its parent with one side moved to such a plane.
//!
//! # Idea
//!
//! ```text
//!   ┌───────────────┬────┬─────────┐
//!   │ left child    │    │  right  │      The plane left_max is realised by the greatest of its *candidates*. Below a node of
//!   │            P2 •    • P3      │      the same axis these are its own left_max, which certifies everything to its left, and
//!   └───────────────┴────┴─────────┘      the candidates of its right subtree; below other nodes, those of both subtrees.
//!           left_max      right_min
//! ```
//!
//! # Invariants (checked by [`BoxTree::validate`])
//!
//! Now, in exact arithmetic: the vertex of each plane is extreme in its subtree, the six vertices of the root in the whole tree. The
//! event of each plane is the first `f64` time at which a candidate will exceed its vertex. Rounding is as for
//! [`AabbTree`](super::AabbTree).
//!
//! # Departures from the paper
//!
//! - The box of the root is kinetic too, with the same candidates; the paper does not say where it comes from.
//! - A plane remembers which candidate causes its event, so a change below seldom makes it look at all candidates again.
//! - Those of the AABB tree: champions stay until strictly exceeded, renewal at keys, an indexed heap, triangles that come and go.
//!
//! # When to use something else
//!
//! A plane of a node with *n* triangles below has up to *O(n^⅔)* candidates if axes take turns, and all of them if they do not: the
//! structure is not responsive, as the paper says. Its boxes are looser. [`AabbTree`](super::AabbTree) has neither problem.
//!
//! # Reference
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006, §6; G. Zachmann, *The BoxTree: exact and fast collision detection of arbitrary
//! polyhedra*, SIVE Workshop, 1995.

use super::aabb_tree::{NodeId, centre, check_triangles};
use super::course::Course;
use super::error::{KineticError, check_advance};
use super::options::{KineticOptions, KineticStats, Side, exceeds, leads};
use super::plan::Plans;
use super::queue::EventQueue;
use super::topology::{NONE, Topology};
use crate::geom::{Box3, DVec3};
use crate::mesh::TriangleId;

/// Slots of the root's sides come first, then two planes per node.
const ROOT_SLOTS: u32 = 6;
/// No tree is higher: see [`Topology`].
const HIGHEST: usize = 96;

/// A plane, or a side of the root: the vertex that realises it, and the candidate that will exceed it first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    pub(super) champion: u32,
    pub(super) challenger: u32,
}

pub(super) const NO_PLANE: Plane = Plane { champion: NONE, challenger: NONE };

/// A tree with two planes per node over triangles whose vertices follow plans.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::kinetic::{BoxTree, KineticOptions, Plans};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(3.0, 0.0, 0.0)];
/// let velocities = [DVec3::ZERO, DVec3::X, DVec3::ZERO, DVec3::ZERO];
/// let plans = Plans::moving(0.0, &corners, &velocities).unwrap();
/// let mut tree = BoxTree::build(plans, vec![[0, 1, 2], [1, 2, 3]], KineticOptions::default()).unwrap();
/// assert_eq!(tree.bounds().max.x, 3.0);
/// tree.advance_to(4.0).unwrap();
/// assert_eq!((tree.bounds().max.x, tree.stats().events()), (5.0, 1));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct BoxTree {
    pub(super) plans: Course,
    pub(super) tree: Topology,
    /// By slot.
    pub(super) planes: Vec<Plane>,
    pub(super) queue: EventQueue,
    pub(super) options: KineticOptions,
    pub(super) stats: KineticStats,
    pub(super) scratch: Vec<u32>,
}

impl BoxTree {
    /// Builds a tree over triangles by median splits of their present centres along the longest axis.
    ///
    /// # Errors
    /// A triangle that names a vertex without a plan, or too many triangles.
    pub fn build(
        plans: Plans,
        triangles: Vec<[u32; 3]>,
        options: KineticOptions,
    ) -> Result<Self, KineticError> {
        check_triangles(&plans, &triangles, 0)?;
        let tree = Topology::build(triangles, plans.vertex_count(), |corners| centre(&plans, corners));
        let mut made = Self {
            plans: Course::new(plans),
            tree,
            planes: Vec::new(),
            queue: EventQueue::default(),
            options,
            stats: KineticStats::default(),
            scratch: Vec::new(),
        };
        made.make_room();
        made.choose_all();
        made.renew_all();
        Ok(made)
    }

    /// The flight plans, and with them the present time.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// The present time.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.plans.now()
    }

    /// What has been done since the tree was built.
    #[must_use]
    pub fn stats(&self) -> KineticStats {
        self.stats
    }

    /// How many events are scheduled.
    #[must_use]
    pub fn scheduled(&self) -> usize {
        self.queue.len()
    }

    /// Number of triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.root().map_or(0, |root| self.tree.nodes[root.0 as usize].count as usize)
    }

    /// The corners of a triangle, whether it has been removed or not. Panics if there never was such a triangle.
    #[must_use]
    pub fn corners(&self, triangle: TriangleId) -> [u32; 3] {
        self.tree.triangles[triangle.index()]
    }

    /// Lets time pass: carries out all events up to the given time.
    ///
    /// # Errors
    /// A time before the present one, NaN, or beyond the limit.
    pub fn advance_to(&mut self, time: f64) -> Result<(), KineticError> {
        check_advance(self.now(), time)?;
        self.run_until(time);
        Ok(())
    }

    /// The box around everything; empty if there are no triangles.
    pub fn bounds(&self) -> Box3 {
        self.root().map_or(Box3::EMPTY, |root| self.bounds_of(root))
    }

    /// The topmost node, if there is one.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        (self.tree.root != NONE).then_some(NodeId(self.tree.root))
    }

    /// All nodes, parents before children.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut list = Vec::new();
        self.tree.list_below(self.tree.root, &mut list);
        list.into_iter().map(NodeId).collect()
    }

    /// The children of a node; none if it is a leaf.
    #[must_use]
    pub fn children(&self, node: NodeId) -> Option<[NodeId; 2]> {
        self.tree.children(node.0).map(|children| children.map(NodeId))
    }

    /// The triangle of a leaf.
    #[must_use]
    pub fn triangle_of(&self, node: NodeId) -> Option<TriangleId> {
        self.tree.is_leaf(node.0).then(|| TriangleId(self.tree.nodes[node.0 as usize].children[0]))
    }

    /// The axis that divides a node's children, and the vertices of its planes: the greatest of the left child, the least of
    /// the right one. None for a leaf.
    #[must_use]
    pub fn planes_of(&self, node: NodeId) -> Option<(usize, [u32; 2])> {
        self.tree.children(node.0)?;
        let axis = usize::from(self.tree.nodes[node.0 as usize].axis);
        Some((axis, [0, 1].map(|k| self.planes[plane_slot(node.0, k) as usize].champion)))
    }

    /// The box of a node now: each side is the lowest plane above the node, or that of the root.
    pub fn bounds_of(&self, node: NodeId) -> Box3 {
        let now = self.now();
        let value = |side: Side| {
            let plane = self.planes[self.slot_above(node.0, side) as usize];
            self.plans.at(plane.champion, now)[side >> 1]
        };
        Box3 { min: DVec3::new(value(0), value(2), value(4)), max: DVec3::new(value(1), value(3), value(5)) }
    }

    /// Checks the invariants against all vertices below each plane. Costs *O(n log n)*.
    ///
    /// # Errors
    /// The first violation as a sentence.
    pub fn validate(&self) -> Result<(), String> {
        self.plans.validate()?;
        self.tree.validate()?;
        self.queue.validate()?;
        let mut below = Vec::new();
        for slot in 0..self.planes.len() as u32 {
            let Some((top, side)) = self.meaning(slot) else {
                if self.queue.time_of(slot).is_some() {
                    return Err(format!("slot {slot} is not in use but has an event"));
                }
                continue;
            };
            let Plane { champion, challenger } = self.planes[slot as usize];
            self.tree.list_below(top, &mut below);
            let leaves = below.iter().filter(|&&node| self.tree.is_leaf(node));
            let mut vertices: Vec<u32> = leaves.flat_map(|&leaf| self.tree.corners(leaf)).collect();
            vertices.sort_unstable();
            if vertices.binary_search(&champion).is_err() {
                return Err(format!("slot {slot} is realised by {champion}, which is not below it"));
            }
            if let Some(vertex) =
                vertices.iter().find(|&&vertex| exceeds(&self.plans, vertex, champion, side))
            {
                return Err(format!("vertex {vertex} exceeds {champion} at slot {slot}"));
            }
            let ought = self.next_failure(slot);
            let is = self.queue.time_of(slot).map(|time| (time, challenger));
            if is.map(|is| is.0) != ought.map(|ought| ought.0) {
                return Err(format!("the event of slot {slot} is {is:?}, not {ought:?}"));
            }
        }
        Ok(())
    }

    /// The subtree and side that a slot is about, if it is in use.
    #[inline]
    pub(super) fn meaning(&self, slot: u32) -> Option<(u32, Side)> {
        if slot < ROOT_SLOTS {
            return (self.tree.root != NONE).then_some((self.tree.root, slot as usize));
        }
        let (node, k) = ((slot - ROOT_SLOTS) / 2, (slot - ROOT_SLOTS) % 2);
        let links = &self.tree.nodes[node as usize];
        let in_use = links.count > 0 && links.children[1] != NONE;
        in_use.then(|| (links.children[k as usize], 2 * usize::from(links.axis) + 1 - k as usize))
    }

    /// The lowest plane above a node that bounds it at a side.
    #[inline]
    pub(super) fn slot_above(&self, mut node: u32, side: Side) -> u32 {
        loop {
            let parent = self.tree.parent(node);
            if parent == NONE {
                return side as u32;
            }
            let links = &self.tree.nodes[parent as usize];
            // The maximum of a left child, or the minimum of a right one.
            let k = 1 - (side & 1);
            if usize::from(links.axis) == side >> 1 && links.children[k] == node {
                return plane_slot(parent, k);
            }
            node = parent;
        }
    }

    /// The plane that may have to change when a plane has changed.
    pub(super) fn slot_over(&self, slot: u32, side: Side) -> Option<u32> {
        (slot >= ROOT_SLOTS).then(|| self.slot_above((slot - ROOT_SLOTS) / 2, side))
    }

    /// Calls a function for each candidate of a slot.
    #[inline]
    pub(super) fn for_each_candidate(&self, top: u32, side: Side, mut f: impl FnMut(u32)) {
        let (axis, k) = (side >> 1, 1 - (side & 1));
        let mut stack = [NONE; HIGHEST];
        let (mut height, mut node) = (0, top);
        loop {
            match self.tree.children(node) {
                Some(children) => {
                    if usize::from(self.tree.nodes[node as usize].axis) == axis {
                        f(self.planes[plane_slot(node, k) as usize].champion);
                    } else {
                        stack[height] = children[k];
                        height += 1;
                    }
                    node = children[1 - k];
                    continue;
                }
                None => self.tree.corners(node).into_iter().for_each(&mut f),
            }
            if height == 0 {
                return;
            }
            height -= 1;
            node = stack[height];
        }
    }

    /// The best candidate of a slot; of equal ones the present champion, or the one that will lead if there is none.
    pub(super) fn best(&self, slot: u32) -> u32 {
        let Some((top, side)) = self.meaning(slot) else { return NONE };
        let present = self.planes[slot as usize].champion;
        let better = if present == NONE { leads } else { exceeds };
        let mut best = NONE;
        self.for_each_candidate(top, side, |vertex| {
            let is_better = best == NONE
                || vertex != best
                    && if vertex == present {
                        !exceeds(&self.plans, best, vertex, side)
                    } else {
                        better(&self.plans, vertex, best, side)
                    };
            if is_better {
                best = vertex;
            }
        });
        best
    }

    pub(super) fn make_room(&mut self) {
        let slots = ROOT_SLOTS as usize + 2 * self.tree.nodes.len();
        self.planes.resize(slots.max(self.planes.len()), NO_PLANE);
        self.queue.grow(slots);
    }
}

/// The slot of a node's plane: 0 for the greatest of the left child, 1 for the least of the right one.
#[inline]
pub(super) fn plane_slot(node: u32, k: usize) -> u32 {
    ROOT_SLOTS + 2 * node + k as u32
}
