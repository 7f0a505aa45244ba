//! The kinetic AABB tree: boxes that are right at every instant, without a refit.
//!
//! A node does not store its box. It stores the six *vertices* that realise it, which stay the same while the body moves, until
//! one vertex overtakes another. These instants are events, known in advance. Between two events nothing needs to be done.
//!
//! # Idea
//!
//! ```text
//!   x                                 The champion of a node is the better one of its children's champions. When the
//!   │     P ──────╲    ╱── Q          other one overtakes it, the node changes its vertex, and so do those ancestors
//!   │              ╲╱                 whose champion it was.
//!   │       Q ─────╱╲────── P
//!   └───────────────┴──────────▶ t    leaf event: among the corners of a triangle; tree event: between two children
//!                event
//! ```
//!
//! # Invariants (checked by [`AabbTree::validate`])
//!
//! Now, in exact arithmetic: the vertex stored for a side of a node is extreme among all vertices below the node, and it is the one of a
//! child. No certificate has failed: no challenger exceeds its champion, and the event of each slot is the first `f64` time at
//! which that will change.
//!
//! # Rounding
//!
//! Which vertex is stored is exact. A box is evaluated from the stored vertices with [`Plans::at`], whose rounding
//! [`Piece::rounding`](super::Piece::rounding) bounds. So each side equals the extreme of the `f64` positions below the node, except that it may
//! differ by the rounding of the two positions involved where they lie that close together.
//!
//! # Departures from the paper
//!
//! - A champion stays until it is *strictly* exceeded. Equal coordinates therefore cost no events, and every advance ends.
//! - By default certificates reach to the next key and are renewed there ([`Certificates`](super::Certificates)). The paper looks over all keys.
//! - The queue is an indexed heap, not an AVL tree.
//! - Triangles come and go: subtrees that lose their balance are rebuilt.
//!
//! # When to use something else
//!
//! A structure that refits its boxes costs less per frame unless there are many frames per key. This one is for exact
//! boxes at any instant, and for overlap intervals ([`SeparationList`](super::SeparationList)).
//!
//! # Reference
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006, §4, §5 and §8.

use super::course::Course;
use super::error::{KineticError, check_advance};
use super::options::{KineticOptions, KineticStats, Side, exceeds, leads};
use super::plan::Plans;
use super::queue::EventQueue;
use super::topology::{MOST_TRIANGLES, NONE, Topology};
use crate::geom::{Box3, DVec3};
use crate::mesh::TriangleId;

/// Names a node of a kinetic tree until triangles are inserted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

/// A tree of boxes over triangles whose vertices follow plans.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::kinetic::{AabbTree, KineticOptions, Plan, Plans};
/// // A triangle whose first corner overtakes the others.
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let plans = Plans::moving(0.0, &corners, &[DVec3::X, DVec3::ZERO, DVec3::ZERO]).unwrap();
/// let mut tree = AabbTree::build(plans, vec![[0, 1, 2]], KineticOptions::default()).unwrap();
/// tree.advance_to(1.0).unwrap();
/// assert_eq!((tree.bounds().max.x, tree.stats().events()), (1.0, 0));
/// tree.advance_to(3.0).unwrap();
/// assert_eq!((tree.bounds().max.x, tree.stats().events()), (3.0, 1)); // vertex 0 replaces vertex 1
/// tree.change_plans(&[(0, Plan::Velocity(-DVec3::X))]).unwrap();
/// tree.advance_to(7.0).unwrap();
/// assert_eq!(tree.bounds().min.x, -1.0);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct AabbTree {
    pub(super) plans: Course,
    pub(super) tree: Topology,
    /// By node and side: the vertex that realises it.
    pub(super) champions: Vec<[u32; 6]>,
    /// By leaf and side: which corner will exceed the champion first, if one will.
    pub(super) challengers: Vec<[u8; 6]>,
    /// One slot per node and side.
    pub(super) queue: EventQueue,
    pub(super) options: KineticOptions,
    pub(super) stats: KineticStats,
    /// Nodes whose champions or certificates changed, for who follows the tree; absent if nobody does.
    pub(super) log: Option<Vec<u32>>,
    pub(super) scratch: Vec<u32>,
}

impl AabbTree {
    /// Builds a tree over triangles by median splits of their present centres.
    ///
    /// # Errors
    /// A triangle that names a vertex without a plan, or too many triangles.
    ///
    /// # Cost
    /// *O(n log n)*. A node needs 76 bytes, a vertex 64 besides its plan, an event 16.
    pub fn build(
        plans: Plans,
        triangles: Vec<[u32; 3]>,
        options: KineticOptions,
    ) -> Result<Self, KineticError> {
        check_triangles(&plans, &triangles, 0)?;
        let tree = Topology::build(triangles, plans.vertex_count(), |corners| centre(&plans, corners));
        let mut made = Self {
            champions: vec![[NONE; 6]; tree.nodes.len()],
            challengers: vec![[0; 6]; tree.nodes.len()],
            plans: Course::new(plans),
            tree,
            queue: EventQueue::default(),
            options,
            stats: KineticStats::default(),
            log: None,
            scratch: Vec::new(),
        };
        made.queue.grow(6 * made.champions.len());
        made.choose_below(made.tree.root);
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
    ///
    /// # Cost
    /// *O(log² n)* per event at worst, and *O(n)* at a key of the body if certificates are renewed there. Allocates nothing.
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

    /// The box of a node now: six coordinates are evaluated, nothing is stored.
    pub fn bounds_of(&self, node: NodeId) -> Box3 {
        let now = self.now();
        let value = |side: Side| self.plans.at(self.champions[node.0 as usize][side], now)[side >> 1];
        Box3 { min: DVec3::new(value(0), value(2), value(4)), max: DVec3::new(value(1), value(3), value(5)) }
    }

    /// The vertices that realise a node's box: least and greatest x, then y, then z.
    #[must_use]
    pub fn realised_by(&self, node: NodeId) -> [u32; 6] {
        self.champions[node.0 as usize]
    }

    /// Checks the invariants against all vertices below each node; the first violation as a sentence. Costs *O(n log n)*.
    ///
    /// # Errors
    /// The first violation as a sentence.
    pub fn validate(&self) -> Result<(), String> {
        self.plans.validate()?;
        self.tree.validate()?;
        self.queue.validate()?;
        let mut leaves_below = Vec::new();
        for node in self.nodes() {
            self.tree.list_below(node.0, &mut leaves_below);
            leaves_below.retain(|&below| self.tree.is_leaf(below));
            for side in 0..6 {
                let champion = self.champions[node.0 as usize][side];
                let mut vertices = leaves_below.iter().flat_map(|&leaf| self.tree.corners(leaf));
                if let Some(vertex) = vertices.find(|&vertex| exceeds(&self.plans, vertex, champion, side)) {
                    return Err(format!(
                        "vertex {vertex} exceeds {champion} at side {side} of node {}",
                        node.0
                    ));
                }
                if !self.candidates(node.0, side).contains(&champion) {
                    return Err(format!(
                        "side {side} of node {} is realised by {champion} from nowhere",
                        node.0
                    ));
                }
                let slot = 6 * node.0 + side as u32;
                if self.queue.time_of(slot) != self.next_time(node.0, side) {
                    let (is, ought) = (self.queue.time_of(slot), self.next_time(node.0, side));
                    return Err(format!(
                        "the event of side {side} of node {} is at {is:?}, not {ought:?}",
                        node.0
                    ));
                }
            }
        }
        let free =
            (0..self.tree.nodes.len() as u32).filter(|&node| self.tree.nodes[node as usize].count == 0);
        for node in free {
            if (6 * node..6 * node + 6).any(|slot| self.queue.time_of(slot).is_some()) {
                return Err(format!("node {node} is free but has an event"));
            }
        }
        Ok(())
    }

    /// The vertices that may realise a side of a node: the corners of a leaf, or the champions of its children.
    #[inline]
    pub(super) fn candidates(&self, node: u32, side: Side) -> [u32; 3] {
        match self.tree.children(node) {
            Some([left, right]) => {
                let [left, right] = [left, right].map(|child| self.champions[child as usize][side]);
                [left, right, right]
            }
            None => self.tree.corners(node),
        }
    }

    /// The best candidate for a side of a node; of equal ones the present champion, or else the one that will lead.
    pub(super) fn best(&self, node: u32, side: Side) -> u32 {
        let candidates = self.candidates(node, side);
        let present = self.champions[node as usize][side];
        let keeps = candidates.contains(&present);
        let mut best = if keeps { present } else { candidates[0] };
        for vertex in candidates {
            let better = if keeps { exceeds } else { leads };
            if vertex != best && better(&self.plans, vertex, best, side) {
                best = vertex;
            }
        }
        best
    }

    /// Chooses the champions of a whole subtree from its leaves on.
    pub(super) fn choose_below(&mut self, node: u32) {
        let mut list = std::mem::take(&mut self.scratch);
        self.tree.list_below(node, &mut list);
        for &node in list.iter().rev() {
            for side in 0..6 {
                self.champions[node as usize][side] = self.best(node, side);
            }
        }
        self.scratch = list;
    }
}

/// Three times the centre of a triangle, scaled so that nothing overflows.
pub(super) fn centre(plans: &Plans, corners: [u32; 3]) -> DVec3 {
    corners.map(|vertex| plans.at(vertex, plans.now()) / 4.0).into_iter().sum()
}

pub(super) fn check_triangles(
    plans: &Plans,
    triangles: &[[u32; 3]],
    already: usize,
) -> Result<(), KineticError> {
    let count = already + triangles.len();
    if count > MOST_TRIANGLES {
        return Err(KineticError::TooMany { what: "triangles", count });
    }
    let vertices = plans.vertex_count();
    match triangles.iter().flatten().find(|&&vertex| vertex as usize >= vertices) {
        Some(&vertex) => Err(KineticError::NoSuchVertex { vertex, vertices }),
        None => Ok(()),
    }
}
