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
        let old = self.champions[node as usize][side];
        let candidates = self.candidates(node, side);
        let new = if self.tree.is_leaf(node) {
            self.stats.leaf_events += 1;
            let challenger = usize::from(self.challengers[node as usize][side]);
            let [new, third] =
                [candidates[challenger], candidates[3 - challenger - index_of(candidates, old)]];
            if third != new && exceeds(&self.plans, third, new, side) { third } else { new }
        } else {
            self.stats.tree_events += 1;
            candidates[usize::from(candidates[0] == old)]
        };
        debug_assert!(exceeds(&self.plans, new, old, side));
        self.crown(node, side, new);
        self.climb(node, side, old);
    }

    /// Follows a change of a node's champion, which exceeds the old one, up to the first ancestor whose champion stays.
    fn climb(&mut self, mut node: u32, side: Side, mut old: u32) {
        loop {
            let parent = self.tree.parent(node);
            if parent == NONE {
                return;
            }
            let new = self.champions[node as usize][side];
            let other = self.champions[self.tree.sibling(parent, node) as usize][side];
            let above = self.champions[parent as usize][side];
            let best = if other == old {
                new
            } else if above == other {
                if exceeds(&self.plans, new, other, side) { new } else { other }
            } else {
                // The other one does not exceed the old one yet, unless that is the next event of this instant.
                let is_pending =
                    self.queue.time_of(6 * parent + side as u32).is_some_and(|time| time <= self.plans.now());
                if is_pending && exceeds(&self.plans, other, new, side) { other } else { new }
            };
            if above == best {
                self.certify(parent, side);
                return;
            }
            self.crown(parent, side, best);
            (node, old) = (parent, above);
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
        let time = self.predict(node, side);
        self.queue.set(6 * node + side as u32, time);
    }

    /// When a candidate first exceeds the champion of a slot. Notes which, if the node is a leaf.
    #[inline]
    fn predict(&mut self, node: u32, side: Side) -> Option<f64> {
        if !self.tree.is_leaf(node) {
            self.stats.certificates += 1;
            return self.next_time(node, side);
        }
        self.stats.certificates += 2;
        let (time, challenger) = self.next_at_leaf(node, side)?;
        self.challengers[node as usize][side] = challenger as u8;
        Some(time)
    }

    /// When a candidate first exceeds the champion of a slot.
    #[inline]
    pub(super) fn next_time(&self, node: u32, side: Side) -> Option<f64> {
        let Some(children) = self.tree.children(node) else {
            return self.next_at_leaf(node, side).map(|(time, _)| time);
        };
        let champion = self.champions[node as usize][side];
        let [left, right] = children.map(|child| self.champions[child as usize][side]);
        let challenger = if left == champion { right } else { left };
        if challenger == champion {
            return None;
        }
        self.options.certificates.overtakes(&self.plans, challenger, champion, side)
    }

    /// When a corner first exceeds the champion of a leaf, and which.
    #[inline]
    fn next_at_leaf(&self, leaf: u32, side: Side) -> Option<(f64, usize)> {
        let champion = self.champions[leaf as usize][side];
        let mut first: Option<(f64, usize)> = None;
        for (k, challenger) in self.tree.corners(leaf).into_iter().enumerate() {
            if challenger == champion {
                continue;
            }
            let time = self.options.certificates.overtakes(&self.plans, challenger, champion, side);
            if let Some(time) = time
                && first.is_none_or(|(first, _)| time < first)
            {
                first = Some((time, k));
            }
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
            for side in 0..6 {
                if let Some(time) = self.predict(node, side) {
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

/// Where a vertex stands among candidates.
fn index_of(candidates: [u32; 3], vertex: u32) -> usize {
    candidates.iter().position(|&candidate| candidate == vertex).unwrap_or(0)
}
