//! Gathering the outlines of all patches of a tree, from the leaves up.
//!
//! The outline of a node is the sum of the outlines of its children: directed edges, of which equal and opposite ones cancel. A closed walk
//! along the edges that are left is stored for the node (`contour` says what for), and the edges are handed to its parent.
//!
//! ```text
//!     ┌──→──┐ ┌──→──┐         ┌──→─────→──┐
//!     ↑     ↓ ↑     ↓   ──▶   ↑           ↓      ↓ and ↑ in the middle cancel
//!     └──←──┘ └──←──┘         └──←─────←──┘
//! ```
//!
//! Subtrees are gathered by different threads. Their outlines are then copied one behind the other, in the order of the nodes.

use super::Node;
use super::contour::{Contours, LONGEST_OUTLINE};
use crate::base::{Lists, parallel};
use crate::pairs::{LANES, RowIds};
use std::ops::Range;

impl Contours {
    /// Gathers the outlines of all nodes, children first.
    pub(crate) fn build(nodes: &[Node], ids: &[RowIds], parallel: bool) -> Self {
        if nodes.is_empty() {
            return Self::default();
        }
        let (runs, _) = Gathering { nodes, ids, parallel }.below(0);
        let (walks, pinches): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let (walks, pinches) = (Lists::joined(parallel, &walks), Lists::joined(parallel, &pinches));
        Self { walks, pinches, count: nodes.len() }
    }
}

/// Subtrees with fewer leaves are gathered by one thread.
const SMALLEST_TASK: u32 = 512;

/// Walks and pinches of consecutive nodes, the last node first.
type Run = (Lists<u32>, Lists<u32>);

/// The edges of a patch that no other of its triangles cancels; `None` where an edge is used twice in one direction.
type OpenEdges = Option<Vec<[u32; 2]>>;

/// Gathers outlines from the leaves up.
struct Gathering<'a> {
    nodes: &'a [Node],
    ids: &'a [RowIds],
    parallel: bool,
}

impl Gathering<'_> {
    /// The outlines of a node and of all below it, the last node first, and the node's open edges.
    fn below(&self, index: usize) -> (Vec<Run>, OpenEdges) {
        let node = &self.nodes[index];
        if node.leaves[1] - node.leaves[0] < SMALLEST_TASK {
            let (run, open) = self.run(index..node.nodes_end as usize);
            return (vec![run], open);
        }
        let children = node.used().map(|(_, child)| child).filter(|child| !child.is_leaf());
        let mut below = parallel::map(self.parallel, children, |child| self.below(child.index()));
        let mut edges = below.iter_mut().map(|part| part.1.take());
        let mut run = Run::default();
        let open = self.outline(node, |_| edges.next().flatten(), &mut Walker::default(), &mut run);
        let mut runs: Vec<Run> = below.into_iter().rev().flat_map(|(runs, _)| runs).collect();
        runs.push(run);
        (runs, open)
    }

    /// The outlines of the nodes of a subtree, and the open edges of its root.
    fn run(&self, range: Range<usize>) -> (Run, OpenEdges) {
        let mut run = Run::default();
        let mut walker = Walker::default();
        // Of the nodes whose parent is still to come.
        let mut open: Vec<OpenEdges> = vec![None; range.len()];
        for index in range.clone().rev() {
            let of_child = |child: usize| open[child - range.start].take();
            let edges = self.outline(&self.nodes[index], of_child, &mut walker, &mut run);
            open[index - range.start] = edges;
        }
        (run, open[0].take())
    }

    /// Appends the outline of a node, and returns its open edges. Those of its child nodes are asked for in their order.
    fn outline(
        &self,
        node: &Node,
        mut of_child: impl FnMut(usize) -> OpenEdges,
        walker: &mut Walker,
        (walks, pinches): &mut Run,
    ) -> OpenEdges {
        walker.table.clear();
        let mut is_sound = true;
        for (_, child) in node.used() {
            if child.is_leaf() {
                let edges = edges_of_row(&self.ids[child.index()]);
                edges.for_each(|edge| is_sound &= walker.table.add(edge));
            } else {
                match of_child(child.index()) {
                    Some(edges) => edges.iter().for_each(|&edge| is_sound &= walker.table.add(edge)),
                    None => is_sound = false,
                }
            }
        }
        let edges = if is_sound { walker.table.open_edges() } else { vec![] };
        walker.find_walk(&edges);
        walks.append(|all| all.extend_from_slice(&walker.walk));
        pinches.append(|all| walker.append_pinches(all));
        is_sound.then_some(edges)
    }
}

fn edges_of_row(ids: &RowIds) -> impl Iterator<Item = [u32; 2]> + '_ {
    let lanes = (0..LANES).filter(|&lane| ids.triangles[lane] != RowIds::NONE);
    lanes.flat_map(|lane| {
        let v = ids.vertices.map(|corner| corner[lane]);
        [[v[0], v[1]], [v[1], v[2]], [v[2], v[0]]]
    })
}

/// A sum of directed edges in which equal and opposite ones cancel. Keeps its memory.
#[derive(Default)]
struct EdgeTable {
    /// In the order in which they came first; a cancelled one runs from a vertex to itself.
    edges: Vec<[u32; 2]>,
    /// Open addressing, a power of two of slots: the turn in which a slot was used, and the place of its edge.
    slots: Vec<(u32, u32)>,
    /// The ends of the edges that have a slot, the lower one first.
    ends: Vec<[u32; 2]>,
    turn: u32,
}

impl EdgeTable {
    const FEWEST_SLOTS: usize = 512;

    fn clear(&mut self) {
        self.edges.clear();
        self.ends.clear();
        if self.slots.is_empty() || self.turn == u32::MAX {
            self.turn = 0;
            self.slots.clear();
            self.slots.resize(Self::FEWEST_SLOTS, (0, 0));
        }
        self.turn += 1;
    }

    /// Adds an edge. False if it was there in the same direction, if it and its opposite were there, or if it runs from a vertex to itself.
    #[inline]
    fn add(&mut self, edge: [u32; 2]) -> bool {
        let ends = [edge[0].min(edge[1]), edge[0].max(edge[1])];
        if ends[0] == ends[1] {
            return false;
        }
        if 2 * self.ends.len() >= self.slots.len() {
            self.grow();
        }
        match self.find(ends) {
            Ok(place) => {
                let first = &mut self.edges[place];
                if *first != [edge[1], edge[0]] {
                    return false;
                }
                *first = [edge[0]; 2];
                true
            }
            Err(slot) => {
                self.slots[slot] = (self.turn, self.edges.len() as u32);
                self.edges.push(edge);
                self.ends.push(ends);
                true
            }
        }
    }

    /// The place of an edge with these ends, or the free slot for it.
    #[inline]
    fn find(&self, ends: [u32; 2]) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let key = u64::from(ends[0]) << 32 | u64::from(ends[1]);
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        loop {
            let (turn, place) = self.slots[slot];
            if turn != self.turn {
                return Err(slot);
            }
            if self.ends[place as usize] == ends {
                return Ok(place as usize);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let slots = 2 * self.slots.len();
        self.slots.clear();
        self.slots.resize(slots, (0, 0));
        self.turn = 1;
        for place in 0..self.ends.len() {
            let (Ok(slot) | Err(slot)) = self.find(self.ends[place]);
            self.slots[slot] = (1, place as u32);
        }
    }

    /// The edges that are left.
    fn open_edges(&self) -> Vec<[u32; 2]> {
        self.edges.iter().copied().filter(|edge| edge[0] != edge[1]).collect()
    }
}

/// Finds a closed walk through all edges (Hierholzer's method); keeps its memory.
#[derive(Default)]
struct Walker {
    table: EdgeTable,
    /// Edges by start, unused ones of a vertex in `next..` of its run.
    sorted: Vec<[u32; 2]>,
    next: Vec<u32>,
    trail: Vec<u32>,
    walk: Vec<u32>,
    /// Whether the walk passes no vertex twice.
    is_simple: bool,
    heads: Heads,
    places: Vec<(u32, u32)>,
}

/// The edge that leaves each vertex. Keeps its memory.
#[derive(Default)]
struct Heads {
    /// Open addressing, a power of two of slots, at most half of them used: the turn in which a slot was used, and its edge.
    slots: Vec<(u32, [u32; 2])>,
    turn: u32,
}

impl Heads {
    /// Forgets all edges and makes room for a number of them.
    fn clear(&mut self, edges: usize) {
        let slots = (2 * edges).next_power_of_two();
        if self.slots.len() < slots || self.turn == u32::MAX {
            self.slots.clear();
            self.slots.resize(slots, (0, [0; 2]));
            self.turn = 0;
        }
        self.turn += 1;
    }

    fn slot(&self, tail: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (tail.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        while self.slots[slot].0 == self.turn && self.slots[slot].1[0] != tail {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Notes an edge; false if another one leaves the same vertex.
    fn insert(&mut self, tail: u32, head: u32) -> bool {
        let slot = self.slot(tail);
        let is_free = self.slots[slot].0 != self.turn;
        self.slots[slot] = (self.turn, [tail, head]);
        is_free
    }

    fn get(&self, tail: u32) -> Option<u32> {
        let (turn, edge) = self.slots[self.slot(tail)];
        (turn == self.turn).then_some(edge[1])
    }
}

impl Walker {
    /// Makes `walk` the vertices of a closed walk along each edge once; empty if the edges are not connected.
    ///
    /// As a sum of triangle outlines, the edges leave every vertex as often as they arrive there.
    fn find_walk(&mut self, edges: &[[u32; 2]]) {
        self.walk.clear();
        self.is_simple = false;
        if edges.len() < 3 || edges.len() > LONGEST_OUTLINE {
            return;
        }
        if self.follow(edges) {
            return;
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(edges);
        self.sorted.sort_unstable();
        let sorted = &self.sorted;
        let run_start = |vertex: u32| sorted.partition_point(|edge| edge[0] < vertex);
        self.next.clear();
        self.next.extend(0..edges.len() as u32);
        self.trail.clear();
        self.trail.push(sorted[0][0]);
        while let Some(&vertex) = self.trail.last() {
            let run = run_start(vertex);
            let unused = self.next[run] as usize;
            if unused < sorted.len() && sorted[unused][0] == vertex {
                self.next[run] += 1;
                self.trail.push(sorted[unused][1]);
            } else {
                self.walk.push(vertex);
                self.trail.pop();
            }
        }
        // The walk ends where it began; it comes out backwards.
        self.walk.pop();
        self.walk.reverse();
        if self.walk.len() != edges.len() {
            self.walk.clear();
        }
    }

    /// Makes `walk` the vertices of the outline if at most one edge leaves each; false if more do. Most outlines are of this kind, and there is
    /// but one way around them.
    fn follow(&mut self, edges: &[[u32; 2]]) -> bool {
        let Some(first) = edges.iter().map(|edge| edge[0]).min() else { return true };
        self.heads.clear(edges.len());
        for edge in edges {
            if !self.heads.insert(edge[0], edge[1]) {
                return false;
            }
        }
        let mut vertex = first;
        while let Some(head) = self.heads.get(vertex) {
            self.walk.push(head);
            vertex = head;
            if vertex == first {
                break;
            }
        }
        if self.walk.len() != edges.len() {
            self.walk.clear();
        }
        self.is_simple = true;
        true
    }

    /// Appends the places of the walk at which its vertex occurs more than once.
    fn append_pinches(&mut self, out: &mut Vec<u32>) {
        if self.is_simple {
            return;
        }
        self.places.clear();
        self.places.extend(self.walk.iter().zip(0..).map(|(&vertex, place)| (vertex, place)));
        self.places.sort_unstable();
        for group in self.places.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            out.extend(group.iter().map(|place| place.1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is left of directed edges, by counting; `None` if one is used twice or runs from a vertex to itself.
    fn by_counting(edges: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
        let count = |edge: &[u32; 2]| edges.iter().filter(|other| *other == edge).count();
        if edges.iter().any(|edge| edge[0] == edge[1] || count(edge) > 1) {
            return None;
        }
        let mut left: Vec<_> = edges.iter().copied().filter(|e| count(&[e[1], e[0]]) == 0).collect();
        left.sort_unstable();
        Some(left)
    }

    fn by_table(table: &mut EdgeTable, edges: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
        table.clear();
        let is_sound = edges.iter().map(|&edge| table.add(edge)).filter(|sound| !sound).count() == 0;
        let mut left = table.open_edges();
        left.sort_unstable();
        is_sound.then_some(left)
    }

    proptest! {
        #[test]
        fn opposite_edges_cancel(
            many in prop::collection::vec(prop::collection::vec([0..12_u32, 0..12_u32], 0..30), 1..4),
        ) {
            // One table for all, so that what an earlier turn left behind must not count.
            let mut table = EdgeTable::default();
            for edges in &many {
                prop_assert_eq!(by_table(&mut table, edges), by_counting(edges));
            }
        }

        /// Closed walks through few vertices, some of them several times: each edge is walked along once, or the edges are not connected.
        #[test]
        fn walks_use_each_edge_once(
            loops in prop::collection::vec(prop::collection::vec(0..9_u32, 2..7), 1..4),
        ) {
            let mut edges: Vec<[u32; 2]> = vec![];
            for vertices in &loops {
                let next = vertices.iter().cycle().skip(1);
                edges.extend(vertices.iter().zip(next).map(|(&a, &b)| [a, b]).filter(|e| e[0] != e[1]));
            }
            edges.sort_unstable();
            edges.dedup();
            let degree = |v: u32, end: usize| edges.iter().filter(|edge| edge[end] == v).count();
            prop_assume!(edges.len() >= 3 && (0..9).all(|v| degree(v, 0) == degree(v, 1)));
            let mut walker = Walker::default();
            walker.find_walk(&edges);
            if !walker.walk.is_empty() {
                let tails = walker.walk.iter();
                let mut walked: Vec<[u32; 2]> =
                    tails.clone().zip(tails.cycle().skip(1)).map(|(&a, &b)| [a, b]).collect();
                walked.sort_unstable();
                prop_assert_eq!(&walked, &edges);
            } else {
                // Not connected: some vertex cannot be reached from the first edge.
                let mut reached = vec![edges[0][0]];
                let mut k = 0;
                while k < reached.len() {
                    let from = edges.iter().filter(|edge| edge[0] == reached[k]).map(|edge| edge[1]);
                    let new: Vec<u32> = from.filter(|v| !reached.contains(v)).collect();
                    reached.extend(new);
                    k += 1;
                }
                prop_assert!(edges.iter().any(|edge| !reached.contains(&edge[0])));
            }
            let mut pinches = vec![];
            walker.append_pinches(&mut pinches);
            let passes = |place: &u32| {
                let vertex = walker.walk[*place as usize];
                walker.walk.iter().filter(|&&other| other == vertex).count()
            };
            let several = (0..walker.walk.len() as u32).filter(|place| passes(place) > 1);
            prop_assert_eq!(pinches.len(), several.count());
            prop_assert!(pinches.iter().all(|place| passes(place) > 1));
        }
    }

    #[test]
    fn a_table_grows_with_its_edges() {
        let edges: Vec<[u32; 2]> = (0..5000).map(|k| [k, k + 1]).collect();
        let mut table = EdgeTable::default();
        assert_eq!(by_table(&mut table, &edges).as_ref(), Some(&edges));
        let both: Vec<[u32; 2]> = edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        assert_eq!(by_table(&mut table, &both), Some(vec![]));
        assert_eq!(by_table(&mut table, &[[1, 2], [2, 1], [1, 2]]), None);
    }
}
