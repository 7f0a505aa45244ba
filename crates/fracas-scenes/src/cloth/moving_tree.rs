//! Which triangles come near each other while all of them move on straight lines.
//!
//! # Idea
//!
//! ```text
//!    ┌──┐ start      Every node has a box at the start of the step and one at its end. For linear motion the
//!    │  │╲           interpolated box holds the node's triangles at every instant. Two nodes are followed
//!    └──┘ ╲┌──┐      only while their boxes, widened by a reach, overlap at one and the same instant:
//!       ╲  │  │      six linear inequalities in time, so an interval in closed form. Layers that move
//!        ╲ └──┘ end  together, however far, give no more pairs than layers at rest.
//! ```
//!
//! The tree is built once for the shape at rest and refitted in every step. Leaves hold up to four triangles.
//!
//! Boxes are widened by a little more than rounding can cost, so no pair is lost.

use fracas::geom::{Box3, DVec3};

/// A tree over moving triangles.
#[derive(Clone, Debug)]
pub(crate) struct MovingTree {
    nodes: Vec<Node>,
    /// Triangles by leaf.
    order: Vec<u32>,
    /// The boxes of each triangle, by place in `order`.
    boxes: Vec<[Box3; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    start: Box3,
    end: Box3,
    /// A leaf holds `order[first..first + count]`; other nodes have children `first` and `first + 1`, and no count.
    first: u32,
    count: u32,
    /// Whether any of its triangles is marked.
    marked: bool,
}

const LEAF: usize = 4;

/// Positions of one body at the start and the end of a step, and its triangles.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub triangles: &'a [[u32; 3]],
    pub start: &'a [DVec3],
    pub end: &'a [DVec3],
}

impl Moving<'_> {
    fn boxes(&self, triangle: u32) -> [Box3; 2] {
        let corners = self.triangles[triangle as usize];
        [self.start, self.end].map(|at| Box3::from_points(corners.map(|v| at[v as usize])))
    }
}

impl MovingTree {
    /// The tree of a body as it is.
    pub fn build(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let middle = |t: u32| triangles[t as usize].map(|v| positions[v as usize]).iter().sum::<DVec3>();
        let mut tree = Self {
            nodes: Vec::new(),
            order: (0..triangles.len() as u32).collect(),
            boxes: vec![[Box3::default(); 2]; triangles.len()],
        };
        let empty = Node { start: Box3::default(), end: Box3::default(), first: 0, count: 0, marked: false };
        tree.nodes.push(empty);
        let mut stack = vec![(0, 0..triangles.len())];
        while let Some((node, range)) = stack.pop() {
            if range.len() <= LEAF {
                tree.nodes[node].first = range.start as u32;
                tree.nodes[node].count = range.len() as u32;
                continue;
            }
            let bounds = Box3::from_points(tree.order[range.clone()].iter().map(|&t| middle(t)));
            let extent = bounds.extent();
            let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
            let half = range.len() / 2;
            let by_place = |a: &u32, b: &u32| middle(*a)[axis].total_cmp(&middle(*b)[axis]).then(a.cmp(b));
            tree.order[range.clone()].select_nth_unstable_by(half, by_place);
            let children = tree.nodes.len();
            tree.nodes[node].first = children as u32;
            tree.nodes.extend([empty, empty]);
            stack.push((children, range.start..range.start + half));
            stack.push((children + 1, range.start + half..range.end));
        }
        tree
    }

    /// Takes the positions of a step. `is_marked` says which triangles [`MovingTree::pairs`] is asked about.
    pub fn refit(&mut self, body: Moving, is_marked: impl Fn(u32) -> bool) {
        for (boxes, &t) in self.boxes.iter_mut().zip(&self.order) {
            *boxes = body.boxes(t);
        }
        // Children come after their parents.
        for k in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[k];
            let (mut start, mut end, mut marked) = (Box3::default(), Box3::default(), false);
            if count > 0 {
                for place in first as usize..(first + count) as usize {
                    let [s, e] = &self.boxes[place];
                    (start, end) = (start.union(s), end.union(e));
                    marked |= is_marked(self.order[place]);
                }
            } else if !self.order.is_empty() {
                for child in [first, first + 1] {
                    let child = &self.nodes[child as usize];
                    (start, end) = (start.union(&child.start), end.union(&child.end));
                    marked |= child.marked;
                }
            }
            self.nodes[k] = Node { start, end, first, count, marked };
        }
    }

    /// Calls `found` for every two triangles of this tree and another whose boxes come within reach of each other at some
    /// instant, if at least one of them lies in a node with a mark.
    pub fn pairs(&self, other: &Self, reach: f64, mut found: impl FnMut(u32, u32)) {
        if self.order.is_empty() || other.order.is_empty() {
            return;
        }
        let widened = Reach::new(reach, [self, other]);
        let mut stack = vec![(0, 0)];
        while let Some((a, b)) = stack.pop() {
            let (x, y) = (&self.nodes[a as usize], &other.nodes[b as usize]);
            if !(x.marked || y.marked) || !widened.meet(&x.boxes(), &y.boxes()) {
                continue;
            }
            match (x.count > 0, y.count > 0) {
                (true, true) => {
                    for i in x.leaf() {
                        for j in y.leaf() {
                            if widened.meet(&self.boxes[i], &other.boxes[j]) {
                                found(self.order[i], other.order[j]);
                            }
                        }
                    }
                }
                (false, y_is_leaf) if y_is_leaf || volume(x) >= volume(y) => {
                    stack.extend([(x.first, b), (x.first + 1, b)]);
                }
                _ => stack.extend([(a, y.first), (a, y.first + 1)]),
            }
        }
    }

    /// The same for two triangles of this tree; each pair once.
    pub fn self_pairs(&self, reach: f64, mut found: impl FnMut(u32, u32)) {
        if self.order.is_empty() {
            return;
        }
        let widened = Reach::new(reach, [self, self]);
        let mut stack = vec![(0_u32, 0_u32)];
        while let Some((a, b)) = stack.pop() {
            let (x, y) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            if !(x.marked || y.marked) || (a != b && !widened.meet(&x.boxes(), &y.boxes())) {
                continue;
            }
            match (x.count > 0, y.count > 0) {
                (true, true) => {
                    for i in x.leaf() {
                        let from = if a == b { i + 1 } else { y.leaf().start };
                        for j in from..y.leaf().end {
                            if widened.meet(&self.boxes[i], &self.boxes[j]) {
                                found(self.order[i], self.order[j]);
                            }
                        }
                    }
                }
                (false, false) if a == b => {
                    let [c, d] = [x.first, x.first + 1];
                    stack.extend([(c, c), (d, d), (c, d)]);
                }
                (false, y_is_leaf) if y_is_leaf || volume(x) >= volume(y) => {
                    stack.extend([(x.first, b), (x.first + 1, b)]);
                }
                _ => stack.extend([(a, y.first), (a, y.first + 1)]),
            }
        }
    }
}

impl Node {
    /// The places of a leaf's triangles.
    fn leaf(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    fn boxes(&self) -> [Box3; 2] {
        [self.start, self.end]
    }
}

fn volume(node: &Node) -> f64 {
    let extent = node.start.extent();
    extent.x * extent.y + extent.y * extent.z + extent.z * extent.x
}

/// How near boxes have to come, with room for rounding.
struct Reach(f64);

impl Reach {
    fn new(reach: f64, trees: [&MovingTree; 2]) -> Self {
        let largest = |node: &Node| {
            let corners = [node.start.min, node.start.max, node.end.min, node.end.max];
            corners.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
        };
        let scale = trees.iter().map(|tree| largest(&tree.nodes[0])).fold(0.0, f64::max);
        Self(reach + 1e-12 * scale)
    }

    /// Whether two moving boxes, each given at the start and at the end, are within reach at one instant of the step.
    #[inline(always)]
    fn meet(&self, x: &[Box3; 2], y: &[Box3; 2]) -> bool {
        // The gaps between the boxes, one way and the other, at both ends of the step.
        let reach = DVec3::splat(self.0);
        let [g, h] = [0, 1].map(|end| y[end].min - x[end].max - reach);
        let [k, l] = [0, 1].map(|end| x[end].min - y[end].max - reach);
        if g.min(h).max_element() > 0.0 || k.min(l).max_element() > 0.0 {
            return false;
        }
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            for (g, h) in [(g[axis], h[axis]), (k[axis], l[axis])] {
                if g > 0.0 {
                    from = from.max(g / (g - h));
                } else if h > 0.0 {
                    to = to.min(g / (g - h));
                }
            }
        }
        from <= to + 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::internal::Random;
    use std::collections::BTreeSet;

    fn cloud(random: &mut Random, count: usize) -> (Vec<DVec3>, Vec<DVec3>, Vec<[u32; 3]>) {
        let mut point = |size: f64| DVec3::new(random.unit(), random.unit(), random.unit()) * size;
        let (mut start, mut end) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (middle, way) = (point(1.0), point(0.4));
            for _ in 0..3 {
                start.push(middle + point(0.1));
                end.push(*start.last().unwrap() + way + point(0.05));
            }
        }
        (start, end, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    #[test]
    fn no_pair_that_meets_at_an_instant_is_lost() {
        let mut random = Random::linear(7);
        for reach in [0.0, 0.03] {
            let (a, b) = (cloud(&mut random, 150), cloud(&mut random, 90));
            let mut trees = [&a, &b].map(|(start, _, triangles)| MovingTree::build(start, triangles));
            for (tree, (start, end, triangles)) in trees.iter_mut().zip([&a, &b]) {
                tree.refit(Moving { triangles, start, end }, |_| true);
            }
            let box_at =
                |(start, end, triangles): &(Vec<DVec3>, Vec<DVec3>, Vec<[u32; 3]>), t: usize, time: f64| {
                    let at = |v: u32| start[v as usize].lerp(end[v as usize], time);
                    Box3::from_points(triangles[t].map(at)).expanded(0.5 * reach)
                };
            let [mut across, mut within] = [BTreeSet::new(), BTreeSet::new()];
            trees[0].pairs(&trees[1], reach, |t, u| assert!(across.insert((t as usize, u as usize))));
            trees[0].self_pairs(reach, |t, u| assert!(within.insert((t.min(u) as usize, t.max(u) as usize))));
            let mut met = 0;
            for k in 0..=20 {
                let time = f64::from(k) / 20.0;
                for t in 0..150 {
                    for u in 0..90 {
                        if box_at(&a, t, time).overlaps(&box_at(&b, u, time)) {
                            assert!(across.contains(&(t, u)));
                            met += 1;
                        }
                    }
                    for u in t + 1..150 {
                        assert!(
                            !box_at(&a, t, time).overlaps(&box_at(&a, u, time)) || within.contains(&(t, u))
                        );
                    }
                }
            }
            assert!(met > 200 && across.len() < 150 * 90 / 2, "{met} of {}", across.len());
        }
    }
}
