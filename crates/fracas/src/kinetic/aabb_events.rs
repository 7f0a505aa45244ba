//! Events of the kinetic AABB tree: leaf and tree events, keys, and the certificates that predict them.

use super::aabb_tree::AabbTree;
use super::options::{Certificates, Side, exceeds};
use super::topology::NONE;

impl AabbTree {
    /// When something happens next: an event, or a key.
    pub(super) fn next_instant(&self) -> Option<f64> {
        let event = self.queue.first().map(|event| event.time);
        [event, self.plans.next_key()].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// Carries out everything up to a time. At one instant, events come before keys: pieces then end with the right champions.
    pub(super) fn run_until(&mut self, time: f64) {
        loop {
            let key = self.plans.next_key().unwrap_or(f64::INFINITY);
            match self.queue.first() {
                Some(event) if event.time <= time && event.time <= key => {
                    self.plans.wait_until(event.time);
                    self.replace((event.slot / 6, event.slot as usize % 6));
                }
                _ if key <= time => self.pass_keys(),
                _ => break,
            }
        }
        self.plans.wait_until(time);
    }

    /// A certificate has failed: another vertex realises a side of a node, and perhaps of nodes above.
    fn replace(&mut self, (node, side): (u32, Side)) {
        let is_leaf = self.tree.is_leaf(node);
        *(if is_leaf { &mut self.stats.leaf_events } else { &mut self.stats.tree_events }) += 1;
        let best = self.best(node, side);
        debug_assert_ne!(best, self.champions[node as usize][side]);
        self.crown(node, side, best);
        self.climb(node, side);
    }

    /// Follows a change of a node's champion upward, to the first ancestor whose champion stays.
    fn climb(&mut self, mut node: u32, side: Side) {
        loop {
            let parent = self.tree.parent(node);
            if parent == NONE {
                return;
            }
            let new = self.champions[node as usize][side];
            let other = self.champions[self.tree.sibling(parent, node) as usize][side];
            let stays = if self.champions[parent as usize][side] == other {
                !exceeds(&self.plans, new, other, side)
            } else {
                exceeds(&self.plans, other, new, side)
            };
            let best = if stays { other } else { new };
            if self.champions[parent as usize][side] == best {
                self.certify(parent, side);
                return;
            }
            self.crown(parent, side, best);
            node = parent;
        }
    }

    fn crown(&mut self, node: u32, side: Side, vertex: u32) {
        self.champions[node as usize][side] = vertex;
        self.stats.updates += 1;
        self.certify(node, side);
        self.note(node);
    }

    /// Tells who follows the tree that a node's box changed its vertices or their paths.
    pub(super) fn note(&mut self, node: u32) {
        if let Some(log) = &mut self.log {
            log.push(node);
        }
    }

    /// Schedules the event of a slot.
    pub(super) fn certify(&mut self, node: u32, side: Side) {
        self.stats.certificates += if self.tree.is_leaf(node) { 2 } else { 1 };
        let time = self.next_time(node, side);
        self.queue.set(6 * node + side as u32, time);
    }

    /// When a candidate first exceeds the champion.
    #[inline]
    pub(super) fn next_time(&self, node: u32, side: Side) -> Option<f64> {
        let champion = self.champions[node as usize][side];
        let overtakes = |challenger: u32| {
            if challenger == champion {
                return None;
            }
            self.options.certificates.overtakes(&self.plans, challenger, champion, side)
        };
        let candidates = self.candidates(node, side);
        if !self.tree.is_leaf(node) {
            return overtakes(candidates[if candidates[0] == champion { 1 } else { 0 }]);
        }
        let mut first: Option<f64> = None;
        for time in candidates.into_iter().filter_map(overtakes) {
            first = Some(first.map_or(time, |first| first.min(time)));
        }
        first
    }

    /// Passes the keys of one instant and renews the certificates that ended there.
    fn pass_keys(&mut self) {
        let mut vertices = std::mem::take(&mut self.scratch);
        let few = self.plans.pass_keys(&mut vertices);
        if self.options.certificates == Certificates::RenewAtKeys {
            self.stats.renewals += 1;
            if few {
                vertices.iter().for_each(|&vertex| self.renew_vertex(vertex));
            } else {
                self.renew_all();
            }
        }
        self.scratch = vertices;
    }

    /// Renews all certificates in one pass. Champions are right already.
    pub(super) fn renew_all(&mut self) {
        self.queue.clear();
        for node in 0..self.tree.nodes.len() as u32 {
            if self.tree.nodes[node as usize].count == 0 {
                continue;
            }
            self.stats.certificates += if self.tree.is_leaf(node) { 12 } else { 6 };
            for side in 0..6 {
                if let Some(time) = self.next_time(node, side) {
                    self.queue.push_unordered(6 * node + side as u32, time);
                }
            }
            self.note(node);
        }
        self.queue.restore();
    }

    /// Renews the certificates in which a vertex takes part. Champions are right already.
    fn renew_vertex(&mut self, vertex: u32) {
        let mut corner = self.tree.first_corner(vertex);
        while corner != NONE {
            let leaf = self.tree.leaf_of_corner(corner);
            for side in 0..6 {
                let mut node = leaf;
                loop {
                    self.certify(node, side);
                    if self.champions[node as usize][side] != vertex {
                        break;
                    }
                    self.note(node);
                    node = self.tree.parent(node);
                    if node == NONE {
                        break;
                    }
                }
            }
            corner = self.tree.next_corner(corner);
        }
    }
}
