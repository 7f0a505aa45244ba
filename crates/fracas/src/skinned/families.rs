//! What is prepared once for a skin: rest boxes and weight intervals of all subtrees.
//!
//! The eight children of a tree node are a *family*. Their rest boxes and intervals lie side by side, so that one vector instruction
//! bounds all eight. The last family has the whole body as its only child.
//!
//! ```text
//!   family:  centre, half   8 children × 3 axes
//!   members: node 3         l l l · l · · l     s s s · s · · s      l: least weight, s: largest less least
//!            node 8         · l l l · l · l     · s s s · s · s      ·: the node moves no vertex of the child
//! ```
//!
//! # Invariants
//!
//! - The rest box of a parent holds those of its children, and intervals of a parent hold those of its children, as stored `f32`
//!   numbers. So bounds of a parent hold those of its children up to rounding, which `pads` allows for.
//! - A node that misses one vertex of a subtree has least weight zero there.
//! - Members are in ascending order of nodes.
//!
//! # Nested boxes
//!
//! Both formulas grow with b and h and shrink with l: Equation 12 is the least, over all nodes j, of the maxima over
//! {w ≥ l, wⱼ ≤ hⱼ, Σ w = 1}, and the knapsack is the maximum over a set that grows. So the exact bound of a parent is at least that of
//! its child. If each is computed with an error of at most E, a parent that is padded by E(parent) + E(child) more than
//! its child still holds it. `pads` counts these errors from the leaves up, in the unit of `motion`.

use super::options::Bound;
use crate::base::Lists;
use crate::geom::{DVec3, LANES, round};
use crate::mesh::Skin;
use crate::pairs::{Frame, RowIds};
use crate::walk::{Child, Node};
use std::ops::Range;

/// Marks a node that moves no vertex of a child.
pub(super) const ABSENT: f32 = -1.0;

/// Rest boxes of eight siblings, in rest coordinates.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Family {
    pub(super) centre: [[f32; LANES]; 3],
    pub(super) half: [[f32; LANES]; 3],
    /// One less the sum of least weights: what is left to be handed out.
    pub(super) free: [f32; LANES],
    /// What to pad the bounds by, in units of rounding.
    pub(super) pads: [f32; LANES],
    pub(super) count: usize,
    pub(super) members: [u32; 2],
    /// Whether most members are absent from most children, so that one child at a time is faster.
    pub(super) sparse: bool,
}

/// The weights of one node in eight siblings.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Shares {
    /// Least weights; zero where the node is absent.
    pub(super) low: [f32; LANES],
    /// Largest weights less least; [`ABSENT`] where the node is absent.
    pub(super) spread: [f32; LANES],
}

/// Nodes that move a family, and their weights.
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    pub(super) nodes: &'a [u32],
    pub(super) shares: &'a [Shares],
}

/// All families, and the vertices of all leaves.
#[derive(Clone, Debug)]
pub(super) struct Families {
    families: Vec<Family>,
    nodes: Vec<u32>,
    shares: Vec<Shares>,
    /// The distinct vertices of each leaf, by their numbers in `evaluate`.
    pub(super) leaf_vertices: Lists<u32>,
    /// Where the corners of each leaf are among its vertices.
    pub(super) corners: Vec<[[u8; LANES]; 3]>,
}

/// The weights of one node in a subtree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) node: u32,
    pub(super) low: f32,
    pub(super) high: f32,
}

/// A box at rest, as centre and half edges.
#[derive(Clone, Copy, Debug)]
struct RestBox {
    centre: [f32; 3],
    half: [f32; 3],
}

/// What a parent needs to know of a subtree.
#[derive(Clone, Debug)]
struct Summary {
    rest: RestBox,
    intervals: Vec<Interval>,
    pad: f32,
    error: f32,
}

impl Families {
    /// Prepares a skin over the nodes and leaves of a tree; children come after their parents.
    pub(super) fn build(skin: &Skin, tree: &[Node], ids: &[RowIds], frame: Frame, bound: Bound) -> Self {
        let mut families = Self {
            families: Vec::with_capacity(tree.len() + 1),
            nodes: vec![],
            shares: vec![],
            leaf_vertices: Lists::default(),
            corners: Vec::with_capacity(ids.len()),
        };
        ids.iter().for_each(|ids| families.add_leaf(ids));
        let mut union = Union::new(skin.node_count());
        let mut summaries: Vec<Option<Summary>> = vec![None; tree.len()];
        // Families of nodes are made from the last to the first, and turned round at the end.
        for index in (0..tree.len()).rev() {
            let children: Vec<Summary> = tree[index]
                .used()
                .map(|(_, child): (usize, Child)| {
                    if child.is_leaf() {
                        families.leaf_summary(skin, child.index(), frame, bound, &mut union)
                    } else {
                        summaries[child.index()].take().expect("children come after their parents")
                    }
                })
                .collect();
            families.push(&children, &mut union);
            summaries[index] = Some(Summary::above(&children, bound, &mut union));
        }
        families.families.reverse();
        if let Some(root) = summaries.first_mut().and_then(Option::take) {
            families.push(&[root], &mut union);
        }
        families
    }

    /// The family of a tree node.
    #[inline(always)]
    pub(super) fn get(&self, node: usize) -> (&Family, Members<'_>) {
        let family = &self.families[node];
        let range = family.range();
        (family, Members { nodes: &self.nodes[range.clone()], shares: &self.shares[range] })
    }

    /// The family whose only child is the whole body, if there are triangles.
    pub(super) fn whole(&self) -> Option<(&Family, Members<'_>)> {
        let last = self.families.len().checked_sub(1)?;
        Some(self.get(last))
    }

    /// Bytes of all lists.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.families[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.shares[..])
            + size_of_val(&self.corners[..])
            + self.leaf_vertices.bytes()
    }

    fn add_leaf(&mut self, ids: &RowIds) {
        let mut corners = [[0; LANES]; 3];
        let mut distinct: Vec<u32> = Vec::with_capacity(3 * LANES);
        for lane in 0..LANES {
            for corner in 0..3 {
                let vertex = ids.vertices[corner][lane];
                let known = distinct.iter().position(|&v| v == vertex);
                corners[corner][lane] = known.unwrap_or(distinct.len()) as u8;
                if known.is_none() {
                    distinct.push(vertex);
                }
            }
        }
        self.leaf_vertices.append(|items| items.extend(distinct));
        self.corners.push(corners);
    }

    fn leaf_summary(
        &self,
        skin: &Skin,
        leaf: usize,
        frame: Frame,
        bound: Bound,
        union: &mut Union,
    ) -> Summary {
        let vertices = self.leaf_vertices.list(leaf);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &v in vertices {
            let x = frame.map_exact(skin.rest().positions()[v as usize]);
            (low, high) = (low.min(x), high.max(x));
            let list = skin.influences(v as usize).iter();
            union.add(list.map(|i| Interval {
                node: i.node,
                low: round::down(i.weight),
                high: round::up(i.weight),
            }));
        }
        let intervals = union.take();
        let error = units(&intervals, bound);
        Summary { rest: RestBox::around(low, high), intervals, pad: error, error }
    }

    fn push(&mut self, children: &[Summary], union: &mut Union) {
        let mut family = Family {
            centre: [[0.0; LANES]; 3],
            half: [[0.0; LANES]; 3],
            free: [0.0; LANES],
            pads: [0.0; LANES],
            count: children.len(),
            members: [self.nodes.len() as u32, 0],
            sparse: false,
        };
        children.iter().for_each(|child| union.add(child.intervals.iter().copied()));
        let first = self.nodes.len();
        self.nodes.extend(union.take().iter().map(|interval| interval.node));
        let absent = Shares { low: [0.0; LANES], spread: [ABSENT; LANES] };
        self.shares.resize(self.nodes.len(), absent);
        family.members[1] = self.nodes.len() as u32;
        let members = &self.nodes[first..];
        for (lane, child) in children.iter().enumerate() {
            for axis in 0..3 {
                family.centre[axis][lane] = child.rest.centre[axis];
                family.half[axis][lane] = child.rest.half[axis];
            }
            family.pads[lane] = child.pad;
            let least: f64 = child.intervals.iter().map(|i| f64::from(i.low)).sum();
            let free = round::up((1.0 - least).max(0.0));
            family.free[lane] = free;
            for interval in &child.intervals {
                let place = members.binary_search(&interval.node).expect("a member of the union");
                let shares = &mut self.shares[first + place];
                shares.low[lane] = interval.low;
                // No weight can take more than what is free. A node alone takes all of it.
                let spread = round::up(f64::from(interval.high) - f64::from(interval.low));
                shares.spread[lane] = if child.intervals.len() == 1 { free } else { spread.min(free) };
            }
        }
        let present: usize = children.iter().map(|child| child.intervals.len()).sum();
        family.sparse = 3 * present < LANES * members.len();
        self.families.push(family);
    }
}

impl Family {
    fn range(&self) -> Range<usize> {
        self.members[0] as usize..self.members[1] as usize
    }
}

impl Summary {
    fn above(children: &[Self], bound: Bound, union: &mut Union) -> Self {
        children.iter().for_each(|child| union.add(child.intervals.iter().copied()));
        let intervals = union.take();
        let error = units(&intervals, bound);
        let below = children.iter().fold(0.0_f32, |most, child| most.max(child.pad + child.error));
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for RestBox { centre, half } in children.iter().map(|child| child.rest) {
            let [centre, half] = [centre, half].map(|v| DVec3::from(v.map(f64::from)));
            (low, high) = (low.min(centre - half), high.max(centre + half));
        }
        Self { rest: RestBox::around(low, high), intervals, pad: error + below, error }
    }
}

/// Error of a computed bound, in units of rounding; `motion` derives it.
fn units(intervals: &[Interval], bound: Bound) -> f32 {
    let members = intervals.len() as f32;
    match bound {
        Bound::Equation12 => members + 20.0,
        Bound::Knapsack => 5.0 * members + 60.0,
    }
}

impl RestBox {
    /// A box in `f32` that holds the one from `low` to `high`.
    fn around(low: DVec3, high: DVec3) -> Self {
        let centre = (0.5 * low + 0.5 * high).to_array().map(|x| x as f32);
        let half = [0, 1, 2].map(|axis| {
            let middle = f64::from(centre[axis]);
            // The differences round by half a unit in the last place of `f64`.
            round::up((high[axis] - middle).max(middle - low[axis]) * (1.0 + 2.0 * f64::EPSILON))
        });
        Self { centre, half }
    }
}

/// Adds up weight intervals of parts of a subtree.
struct Union {
    /// By node: the interval so far, and in how many parts the node was.
    intervals: Vec<(f32, f32, u32)>,
    touched: Vec<u32>,
    parts: u32,
}

impl Union {
    fn new(nodes: usize) -> Self {
        Self { intervals: vec![(1.0, 0.0, 0); nodes], touched: vec![], parts: 0 }
    }

    fn add(&mut self, part: impl Iterator<Item = Interval>) {
        self.parts += 1;
        for Interval { node, low, high } in part {
            let (l, h, count) = &mut self.intervals[node as usize];
            if *count == 0 {
                self.touched.push(node);
            }
            (*l, *h, *count) = (l.min(low), h.max(high), *count + 1);
        }
    }

    /// The union of all parts, in ascending order of nodes; begins again.
    fn take(&mut self) -> Vec<Interval> {
        let Self { intervals, touched, parts } = self;
        touched.sort_unstable();
        let union = touched.drain(..).map(|node| {
            let (low, high, count) = std::mem::replace(&mut intervals[node as usize], (1.0, 0.0, 0));
            Interval { node, low: if count == *parts { low } else { 0.0 }, high }
        });
        let union = union.collect();
        *parts = 0;
        union
    }
}
