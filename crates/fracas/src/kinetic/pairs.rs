//! The pairs of nodes that a separation list knows: a tree, with the pairs of each node in lists.

use super::crossing::{Meeting, compare_at};
use super::options::{Certificates, Mover};
use super::separation::SeparationList;
use super::topology::NONE;
use crate::mesh::TriangleId;
use std::cmp::Ordering;
use std::ops::{Index, IndexMut};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not in use.
    Free,
    /// The boxes do not overlap.
    Apart,
    /// The boxes overlap, and the children are there.
    Open,
    /// Both are leaves, and their boxes overlap.
    Leaves,
}

#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) nodes: [u32; 2],
    /// Pairs below an open one, [`NONE`] where there are fewer.
    pub(super) children: [u32; 4],
    /// Where overlapping leaves are in [`PairTree::lasting`].
    place: u32,
    pub(super) state: State,
    /// By node of the pair: the next and the previous link in its list. A link is named by twice its pair plus 0 or 1.
    links: [[u32; 2]; 2],
}

/// Leaves that overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lasting {
    pair: u32,
    pub(super) triangles: [TriangleId; 2],
    /// When they began to.
    pub(super) since: f64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PairTree {
    pairs: Vec<Pair>,
    /// The leaves that overlap now, side by side: a frame reads them all.
    pub(super) lasting: Vec<Lasting>,
    free: Vec<u32>,
    /// By body and node: the first link of its list. One body against itself has one list per node.
    first: Vec<Vec<u32>>,
}

impl Index<u32> for PairTree {
    type Output = Pair;

    #[inline]
    fn index(&self, pair: u32) -> &Pair {
        &self.pairs[pair as usize]
    }
}

impl IndexMut<u32> for PairTree {
    #[inline]
    fn index_mut(&mut self, pair: u32) -> &mut Pair {
        &mut self.pairs[pair as usize]
    }
}

impl PairTree {
    /// Removes all pairs, for bodies with these numbers of nodes.
    pub(super) fn reset(&mut self, nodes: &[usize]) {
        self.pairs.clear();
        self.lasting.clear();
        self.free.clear();
        self.first = nodes.iter().map(|&count| vec![NONE; count]).collect();
    }

    /// How many places for pairs there are.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn used(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.state != State::Free)
    }

    pub(super) fn add(&mut self, nodes: [u32; 2]) -> u32 {
        let new =
            Pair { nodes, children: [NONE; 4], place: NONE, state: State::Apart, links: [[NONE; 2]; 2] };
        let pair = self.free.pop().unwrap_or(self.pairs.len() as u32);
        if pair as usize == self.pairs.len() {
            self.pairs.push(new);
        } else {
            self[pair] = new;
        }
        for k in 0..2 {
            let list = k.min(self.first.len() - 1);
            let link = 2 * pair + k as u32;
            let next = std::mem::replace(&mut self.first[list][nodes[k] as usize], link);
            self[pair].links[k] = [next, NONE];
            if next != NONE {
                self.link(next)[1] = link;
            }
        }
        pair
    }

    pub(super) fn remove(&mut self, pair: u32) {
        for k in 0..2 {
            let [next, previous] = self[pair].links[k];
            if previous == NONE {
                let (list, node) = (k.min(self.first.len() - 1), self[pair].nodes[k]);
                self.first[list][node as usize] = next;
            } else {
                self.link(previous)[0] = next;
            }
            if next != NONE {
                self.link(next)[1] = previous;
            }
        }
        self[pair].state = State::Free;
        self.free.push(pair);
    }

    /// Two leaves begin to overlap.
    pub(super) fn begin_overlap(&mut self, pair: u32, triangles: [TriangleId; 2], since: f64) {
        self[pair].place = self.lasting.len() as u32;
        self[pair].state = State::Leaves;
        self.lasting.push(Lasting { pair, triangles, since });
    }

    /// Two leaves cease to overlap. The last in the list takes their place in it.
    pub(super) fn end_overlap(&mut self, pair: u32) -> Lasting {
        let place = self[pair].place as usize;
        let ended = self.lasting.swap_remove(place);
        if let Some(&Lasting { pair, .. }) = self.lasting.get(place) {
            self[pair].place = place as u32;
        }
        self[pair].state = State::Apart;
        ended
    }

    fn link(&mut self, link: u32) -> &mut [u32; 2] {
        &mut self.pairs[link as usize / 2].links[link as usize % 2]
    }

    /// Appends the pairs of a node.
    pub(super) fn list_of(&self, body: usize, node: u32, list: &mut Vec<u32>) {
        let mut link = self.first[body][node as usize];
        while link != NONE {
            list.push(link / 2);
            link = self.pairs[link as usize / 2].links[link as usize % 2][0];
        }
    }

    /// Checks that each pair is in the lists of its nodes.
    pub(super) fn validate(&self) -> Result<(), String> {
        let leaves = self.pairs.iter().filter(|pair| pair.state == State::Leaves).count();
        let is_right = |(place, lasting): (usize, &Lasting)| {
            self[lasting.pair].state == State::Leaves && self[lasting.pair].place as usize == place
        };
        if leaves != self.lasting.len() || !self.lasting.iter().enumerate().all(is_right) {
            return Err(format!("{leaves} pairs of leaves overlap, but {} are listed", self.lasting.len()));
        }
        let mut list = Vec::new();
        for (pair, known) in self.pairs.iter().enumerate().filter(|(_, known)| known.state != State::Free) {
            for k in 0..2 {
                list.clear();
                self.list_of(k.min(self.first.len() - 1), known.nodes[k], &mut list);
                if !list.contains(&(pair as u32)) {
                    return Err(format!("node {} does not know pair {pair}", known.nodes[k]));
                }
            }
        }
        Ok(())
    }
}

impl SeparationList {
    /// One of the six inequalities that separate two boxes: the least of one against the greatest of the other, along one axis.
    #[inline]
    fn gap(&self, nodes: [u32; 2], which: usize) -> [Mover<'_>; 2] {
        let axis = which / 2;
        let (a, b) = (&self.trees[0], self.other());
        let mover = |first: bool, side: usize| {
            let (tree, node) = if first { (a, nodes[0]) } else { (b, nodes[1]) };
            // Coordinates are not reflected here.
            Mover { course: &tree.plans, vertex: tree.champions[node as usize][side], side: 2 * axis + 1 }
        };
        let least_of_first = which % 2 == 1;
        [mover(least_of_first, 2 * axis), mover(!least_of_first, 2 * axis + 1)]
    }

    fn separates(&self, [least, greatest]: [Mover<'_>; 2]) -> bool {
        compare_at(&least.path(), &greatest.path(), self.now()) == Ordering::Greater
    }

    /// Whether the boxes of two nodes overlap now, exactly.
    pub(super) fn overlaps(&self, nodes: [u32; 2]) -> bool {
        (0..6).all(|which| !self.separates(self.gap(nodes, which)))
    }

    fn certificates(&self) -> Certificates {
        self.trees[0].options.certificates
    }

    /// When the certificate of a pair fails.
    pub(super) fn next_time(&self, pair: u32) -> Option<f64> {
        let Pair { nodes, state, .. } = self.pairs[pair];
        let certificates = self.certificates();
        if self.trees.len() == 1 && nodes[0] == nodes[1] {
            return None;
        }
        let gaps = (0..6).map(|which| self.gap(nodes, which));
        if state != State::Apart {
            let ends =
                gaps.filter_map(|[least, greatest]| certificates.next_above(least, greatest, Meeting::Above));
            return ends.min_by(f64::total_cmp);
        }
        let mut last = Some(f64::NEG_INFINITY);
        for gap in gaps.filter(|&gap| self.separates(gap)) {
            let end = certificates.next_above(gap[1], gap[0], Meeting::Touch);
            last = last.and_then(|last| end.map(|end| last.max(end)));
        }
        last
    }

    /// Checks the invariants: the list is that of a traversal, and every event is scheduled. Costs as much as the traversal.
    ///
    /// # Errors
    /// The first violation as a sentence.
    pub fn validate(&self) -> Result<(), String> {
        self.queue.validate()?;
        self.pairs.validate()?;
        let mut truth = Vec::new();
        let (a, b) = (&self.trees[0].tree, &self.other().tree);
        let mut waiting = vec![[a.root, b.root]];
        waiting.retain(|nodes| !nodes.contains(&NONE));
        while let Some(nodes) = waiting.pop() {
            let is_self = self.trees.len() == 1 && nodes[0] == nodes[1];
            let (mine, others) = (a.children(nodes[0]), b.children(nodes[1]));
            if is_self {
                if let Some([left, right]) = mine {
                    waiting.extend([[left, left], [left, right], [right, right]]);
                }
            } else if !self.overlaps(nodes) || mine.is_none() && others.is_none() {
                truth.push(nodes);
            } else {
                for &first in mine.as_ref().map_or(&nodes[..1], |mine| mine) {
                    for &second in others.as_ref().map_or(&nodes[1..], |others| others) {
                        waiting.push([first, second]);
                    }
                }
            }
        }
        truth.sort_unstable();
        let listed: Vec<[u32; 2]> = self.listed().into_iter().map(|nodes| nodes.map(|node| node.0)).collect();
        if listed != truth {
            return Err(format!(
                "the list has {} pairs, or other ones, instead of {}",
                listed.len(),
                truth.len()
            ));
        }
        for pair in 0..self.pairs.len() as u32 {
            let (is, next) = (self.queue.time_of(pair), self.next_time(pair));
            let is_right = match self.pairs[pair].state {
                State::Free => is.is_none(),
                // The inequality that held longest when the event was scheduled still holds until then.
                State::Apart => next.is_none_or(|next| is.is_some_and(|is| self.now() < is && is <= next)),
                State::Open => is == next,
                State::Leaves => is == next && self.overlaps(self.pairs[pair].nodes),
            };
            if !is_right {
                return Err(format!("the event of pair {pair} is at {is:?}, not {next:?}"));
            }
        }
        Ok(())
    }
}
