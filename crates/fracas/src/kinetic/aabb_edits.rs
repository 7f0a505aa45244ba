//! Changes of the kinetic AABB tree while it runs: new plans, vertices and triangles that come and go.

use super::aabb_tree::{AabbTree, NodeId, centre, check_triangles};
use super::error::KineticError;
use super::options::Side;
use super::plan::Plan;
use super::topology::NONE;
use crate::geom::{Box3, DVec3};
use crate::mesh::TriangleId;
use std::ops::Range;

impl AabbTree {
    /// Gives new plans to some vertices, from now on: flight-plan-update events. They may move at once.
    ///
    /// # Errors
    /// As for [`Plans::change`](super::Plans::change).
    ///
    /// # Cost
    /// *O(log² n)* per vertex at worst, if its degree is bounded.
    pub fn change_plans(&mut self, changes: &[(u32, Plan)]) -> Result<(), KineticError> {
        self.plans.change(changes)?;
        self.follow_plans(changes.iter().map(|change| change.0));
        Ok(())
    }

    /// Gives some vertices new plans through the same keys.
    ///
    /// # Errors
    /// As for [`Plans::change_keyframes`](super::Plans::change_keyframes).
    pub fn change_keyframes(
        &mut self,
        vertices: &[u32],
        times: Vec<f64>,
        frames: Vec<Vec<DVec3>>,
    ) -> Result<(), KineticError> {
        self.plans.change_keyframes(vertices, times, frames)?;
        self.follow_plans(vertices.iter().copied());
        Ok(())
    }

    /// Adds vertices and returns their indices.
    ///
    /// # Errors
    /// As for [`Plans::insert_vertices`](super::Plans::insert_vertices).
    pub fn insert_vertices(&mut self, plans: &[Plan]) -> Result<Range<u32>, KineticError> {
        let added = self.plans.insert_vertices(plans)?;
        self.tree.add_vertices(self.plans.vertex_count());
        Ok(added)
    }

    /// Adds triangles and returns the first id; the others follow. Each goes beside the leaf whose path grows least.
    ///
    /// # Errors
    /// A triangle that names a vertex that is not there, or too many triangles.
    ///
    /// # Cost
    /// *O(log² n)* per triangle on average.
    pub fn insert_triangles(&mut self, triangles: &[[u32; 3]]) -> Result<TriangleId, KineticError> {
        check_triangles(&self.plans, triangles, self.tree.triangles.len())?;
        let first = TriangleId(self.tree.triangles.len() as u32);
        for &corners in triangles {
            self.insert_one(corners);
        }
        Ok(first)
    }

    /// Removes triangles. Their ids are not used again; their vertices stay.
    ///
    /// # Errors
    /// A triangle that is not there, or not any more, or is named twice.
    ///
    /// # Cost
    /// *O(log² n)* per triangle on average.
    pub fn remove_triangles(&mut self, triangles: &[TriangleId]) -> Result<(), KineticError> {
        self.tree.check_living(triangles)?;
        for &triangle in triangles {
            self.remove_one(triangle.0);
        }
        Ok(())
    }

    fn follow_plans(&mut self, vertices: impl ExactSizeIterator<Item = u32>) {
        self.stats.plan_updates += vertices.len() as u64;
        if self.plans.is_most(vertices.len()) {
            self.choose_below(self.tree.root);
            self.renew_all();
            return;
        }
        for vertex in vertices {
            let mut corner = self.tree.first_corner(vertex);
            while corner != NONE {
                let leaf = self.tree.leaf_of_corner(corner);
                (0..6).for_each(|side| self.reconsider(leaf, side, vertex));
                corner = self.tree.next_corner(corner);
            }
        }
    }

    /// Chooses the champion of a node again, and continues upward as long as champions change or are the given vertex.
    fn reconsider(&mut self, mut node: u32, side: Side, vertex: u32) {
        while node != NONE {
            let old = self.champions[node as usize][side];
            let best = self.best(node, side);
            self.champions[node as usize][side] = best;
            self.stats.updates += u64::from(best != old);
            self.certify(node, side);
            if best == old && best != vertex {
                return;
            }
            self.note(node);
            node = self.tree.parent(node);
        }
    }

    fn insert_one(&mut self, corners: [u32; 3]) {
        let triangle = self.tree.add_triangle(corners);
        if self.tree.root == NONE {
            let leaf = self.tree.put_alone(triangle);
            self.make_room();
            self.begin(leaf);
            return;
        }
        let leaf = self.leaf_for(corners);
        let [inner, new] = self.tree.put_beside(leaf, triangle);
        self.make_room();
        self.begin(new);
        self.begin(inner);
        self.mend_above(inner);
    }

    fn remove_one(&mut self, triangle: u32) {
        let (freed, above) = self.tree.take_out(triangle);
        for node in freed.into_iter().filter(|&node| node != NONE) {
            self.silence(node);
        }
        if above != NONE {
            (0..6).for_each(|side| self.reconsider(above, side, NONE));
            self.rebalance(above);
        }
    }

    /// Chooses the champions of one node that has just been made.
    fn begin(&mut self, node: u32) {
        self.champions[node as usize] = [NONE; 6];
        for side in 0..6 {
            let best = self.best(node, side);
            self.champions[node as usize][side] = best;
            self.stats.updates += 1;
            self.certify(node, side);
        }
    }

    fn mend_above(&mut self, node: u32) {
        let parent = self.tree.parent(node);
        if parent != NONE {
            (0..6).for_each(|side| self.reconsider(parent, side, NONE));
        }
        self.rebalance(node);
    }

    /// Rebuilds the topmost subtree above a node that has lost its balance.
    fn rebalance(&mut self, node: u32) {
        let top = self.tree.unbalanced_above(node);
        if top == NONE {
            return;
        }
        let mut list = Vec::new();
        self.tree.list_below(top, &mut list);
        list.iter().for_each(|&node| self.silence(node));
        let plans = &self.plans;
        self.tree.rebuild(top, |corners| centre(plans, corners));
        self.make_room();
        self.tree.list_below(top, &mut list);
        list.iter().for_each(|&node| self.champions[node as usize] = [NONE; 6]);
        self.choose_below(top);
        for &node in &list {
            (0..6).for_each(|side| self.certify(node, side));
        }
        let parent = self.tree.parent(top);
        if parent != NONE {
            (0..6).for_each(|side| self.reconsider(parent, side, NONE));
        }
    }

    fn silence(&mut self, node: u32) {
        (6 * node..6 * node + 6).for_each(|slot| self.queue.set(slot, None));
    }

    fn make_room(&mut self) {
        let nodes = self.tree.nodes.len();
        self.champions.resize(nodes.max(self.champions.len()), [NONE; 6]);
        self.challengers.resize(nodes.max(self.challengers.len()), [0; 6]);
        self.queue.grow(6 * nodes);
    }

    /// The leaf beside which a triangle enlarges boxes least.
    fn leaf_for(&self, corners: [u32; 3]) -> u32 {
        let now = self.now();
        let new = Box3::from_points(corners.map(|vertex| self.plans.at(vertex, now)));
        let mut node = self.tree.root;
        while let Some(children) = self.tree.children(node) {
            let [left, right] = children.map(|child| {
                let old = self.bounds_of(NodeId(child));
                half_perimeter(&old.union(&new)) - half_perimeter(&old)
            });
            let [few, many] = children.map(|child| self.tree.nodes[child as usize].count);
            let goes_left = left < right || left == right && few <= many;
            node = children[if goes_left { 0 } else { 1 }];
        }
        node
    }
}

/// Grows with a box in every direction, and does not overflow as areas may.
fn half_perimeter(bounds: &Box3) -> f64 {
    let extent = bounds.max / 4.0 - bounds.min / 4.0;
    extent.x + extent.y + extent.z
}
