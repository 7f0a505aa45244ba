//! Events and changes of the kinetic BoxTree.

use super::aabb_tree::{centre, check_triangles};
use super::box_tree::{BoxTree, NO_PLANE, Plane, plane_slot};
use super::error::KineticError;
use super::options::{Certificates, exceeds};
use super::plan::Plan;
use super::topology::NONE;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use std::ops::Range;

impl BoxTree {
    /// Gives new plans to some vertices, from now on: flight-plan-update events. They may move at once.
    ///
    /// # Errors
    /// As for [`Plans::change`](super::Plans::change).
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

    /// Adds triangles and returns the first id; the others follow. Each goes to the nearest side of each plane on its way down.
    ///
    /// # Errors
    /// A triangle that names a vertex that is not there, or too many triangles.
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
    pub fn remove_triangles(&mut self, triangles: &[TriangleId]) -> Result<(), KineticError> {
        self.tree.check_living(triangles)?;
        for &triangle in triangles {
            let (freed, above) = self.tree.take_out(triangle.0);
            freed.into_iter().filter(|&node| node != NONE).for_each(|node| self.silence(node));
            if self.tree.root == NONE {
                (0..6).for_each(|slot| self.forget(slot));
                continue;
            }
            self.mend_above(if above == NONE { self.tree.root } else { above });
        }
        Ok(())
    }

    /// Carries out everything up to a time. At one instant, events come before keys.
    pub(super) fn run_until(&mut self, time: f64) {
        loop {
            let key = self.plans.next_key().unwrap_or(f64::INFINITY);
            match self.queue.first() {
                Some(event) if event.time <= time && event.time <= key => {
                    self.plans.wait_until(event.time);
                    self.stats.tree_events += 1;
                    self.reconsider(event.slot, NONE);
                }
                _ if key <= time => self.pass_keys(),
                _ => break,
            }
        }
        self.plans.wait_until(time);
    }

    /// Chooses the champion of a slot again, and continues upward as long as champions change or are the given vertex.
    fn reconsider(&mut self, mut slot: u32, vertex: u32) {
        while let Some((_, side)) = self.meaning(slot) {
            let old = self.planes[slot as usize].champion;
            let best = self.best(slot);
            self.planes[slot as usize].champion = best;
            self.stats.updates += u64::from(best != old);
            self.certify(slot);
            if best == old && best != vertex {
                return;
            }
            let Some(over) = self.slot_over(slot, side) else { return };
            // Above, the new champion is a new candidate and the old one may be gone.
            let Plane { champion, challenger } = self.planes[over as usize];
            if champion != old && champion != best && !exceeds(&self.plans, best, champion, side) {
                if challenger == old || challenger == best {
                    self.certify(over);
                } else {
                    self.add_candidate(over, best);
                }
                return;
            }
            slot = over;
        }
    }

    /// Schedules the event of a slot from all its candidates.
    fn certify(&mut self, slot: u32) {
        let failure = self.next_failure(slot);
        self.planes[slot as usize].challenger = failure.map_or(NONE, |failure| failure.1);
        self.queue.set(slot, failure.map(|failure| failure.0));
        self.stats.certificates += 1;
    }

    /// Schedules an earlier event of a slot if a new candidate causes one.
    fn add_candidate(&mut self, slot: u32, vertex: u32) {
        let Some((_, side)) = self.meaning(slot) else { return };
        let champion = self.planes[slot as usize].champion;
        self.stats.certificates += 1;
        let Some(time) = self.options.certificates.overtakes(&self.plans, vertex, champion, side) else {
            return;
        };
        if self.queue.time_of(slot).is_none_or(|old| time < old) {
            self.queue.set(slot, Some(time));
            self.planes[slot as usize].challenger = vertex;
        }
    }

    /// When a candidate first exceeds the champion of a slot, and which.
    pub(super) fn next_failure(&self, slot: u32) -> Option<(f64, u32)> {
        let (top, side) = self.meaning(slot)?;
        let champion = self.planes[slot as usize].champion;
        let mut first: Option<(f64, u32)> = None;
        self.for_each_candidate(top, side, |vertex| {
            if vertex == champion {
                return;
            }
            let Some(time) = self.options.certificates.overtakes(&self.plans, vertex, champion, side) else {
                return;
            };
            if first.is_none_or(|first| time < first.0) {
                first = Some((time, vertex));
            }
        });
        first
    }

    /// Passes the keys of one instant and renews the certificates that ended there.
    fn pass_keys(&mut self) {
        let mut vertices = std::mem::take(&mut self.scratch);
        let few = self.plans.pass_keys(&mut vertices);
        if self.options.certificates == Certificates::RenewAtKeys {
            self.stats.renewals += 1;
            if few {
                vertices.iter().for_each(|&vertex| self.follow_vertex(vertex));
            } else {
                self.renew_all();
            }
        }
        self.scratch = vertices;
    }

    fn follow_plans(&mut self, vertices: impl ExactSizeIterator<Item = u32>) {
        self.stats.plan_updates += vertices.len() as u64;
        if self.plans.is_most(vertices.len()) {
            self.choose_all();
            self.renew_all();
            return;
        }
        vertices.for_each(|vertex| self.follow_vertex(vertex));
    }

    /// The path of a vertex has changed: so may planes above it, and their events.
    fn follow_vertex(&mut self, vertex: u32) {
        let mut corner = self.tree.first_corner(vertex);
        while corner != NONE {
            let leaf = self.tree.leaf_of_corner(corner);
            (0..6).for_each(|side| self.reconsider(self.slot_above(leaf, side), vertex));
            corner = self.tree.next_corner(corner);
        }
    }

    /// Chooses the champions of all slots, the lowest first.
    pub(super) fn choose_all(&mut self) {
        self.choose_below(self.tree.root);
        for slot in 0..6 {
            self.planes[slot as usize].champion = self.best(slot);
        }
    }

    fn choose_below(&mut self, node: u32) {
        let mut list = std::mem::take(&mut self.scratch);
        self.tree.list_below(node, &mut list);
        for &node in list.iter().rev().filter(|&&node| !self.tree.is_leaf(node)) {
            for slot in [plane_slot(node, 0), plane_slot(node, 1)] {
                self.planes[slot as usize].champion = self.best(slot);
            }
        }
        self.scratch = list;
    }

    /// Renews all certificates in one pass. Champions are right already.
    pub(super) fn renew_all(&mut self) {
        self.queue.clear();
        for slot in 0..self.planes.len() as u32 {
            let failure = self.next_failure(slot);
            self.planes[slot as usize].challenger = failure.map_or(NONE, |failure| failure.1);
            self.stats.certificates += 1;
            if let Some((time, _)) = failure {
                self.queue.push_unordered(slot, time);
            }
        }
        self.queue.restore();
    }

    fn insert_one(&mut self, corners: [u32; 3]) {
        let triangle = self.tree.add_triangle(corners);
        if self.tree.root == NONE {
            self.tree.put_alone(triangle);
            self.make_room();
            (0..6).for_each(|slot| self.reconsider(slot, NONE));
            return;
        }
        let here = centre(&self.plans, corners);
        let leaf = self.leaf_for(here);
        let there = centre(&self.plans, self.tree.corners(leaf));
        let [inner, _] = self.tree.put_beside(leaf, triangle);
        self.tree.divide(inner, here - there);
        self.make_room();
        self.choose_below(inner);
        [0, 1].into_iter().for_each(|k| self.certify(plane_slot(inner, k)));
        self.mend_above(inner);
    }

    /// The leaf on the nearest side of all planes on the way down.
    fn leaf_for(&self, here: DVec3) -> u32 {
        let (mut node, now) = (self.tree.root, self.now());
        while let Some(children) = self.tree.children(node) {
            let axis = usize::from(self.tree.nodes[node as usize].axis);
            // Centres come as three quarters of a point.
            let [left, right] = [0, 1]
                .map(|k| 0.75 * self.plans.at(self.planes[plane_slot(node, k) as usize].champion, now)[axis]);
            node = children[usize::from(here[axis] - left > right - here[axis])];
        }
        node
    }

    /// What lies below a node has changed: mends the planes above it, and the balance.
    fn mend_above(&mut self, node: u32) {
        for k in 0..2 {
            self.reconsider(plane_slot(node, k), NONE);
        }
        (0..6).for_each(|side| self.reconsider(self.slot_above(node, side), NONE));
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
        self.choose_below(top);
        self.tree.list_below(top, &mut list);
        list.retain(|&node| !self.tree.is_leaf(node));
        for node in list {
            [0, 1].into_iter().for_each(|k| self.certify(plane_slot(node, k)));
        }
        (0..6).for_each(|side| self.reconsider(self.slot_above(top, side), NONE));
    }

    /// Deletes what is stored for a node.
    fn silence(&mut self, node: u32) {
        [0, 1].into_iter().for_each(|k| self.forget(plane_slot(node, k)));
    }

    fn forget(&mut self, slot: u32) {
        self.queue.set(slot, None);
        self.planes[slot as usize] = NO_PLANE;
    }
}
