//! Building the tree: from the whole mesh down to rows of eight.
//!
//! A node starts with one part, its whole set, and divides the part with the largest box again and again until it
//! has eight parts or nothing is left to divide. Parts that fit into a full tree of lower height (8, 64, 512, …
//! triangles) are left whole, so that nodes near the leaves, which are most of the tree, come out well filled. Since
//! every cut falls on a multiple of eight, the place of a leaf is known from the place of its first triangle, and
//! subtrees can be built side by side.

use super::split::{Extent, Item, SplitRule, split};
use super::{Child, Contours, Node, Tree};
use crate::mesh::Mesh;
use crate::pairs::{Frame, LANES, Row, RowIds};

/// How to build a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// How sets of triangles are divided. Default: by surface area.
    pub split: SplitRule,
    /// Whether the tree will be asked for self-intersections. If so, the outlines of its patches are gathered,
    /// which lets a query skip patches that cannot meet themselves; it costs a part of the build time. Without
    /// it self-queries are as right, but slower. Default: true.
    pub self_queries: bool,
    /// Use all threads of the current rayon pool. The tree is the same either way. Default: true.
    pub parallel: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { split: SplitRule::SurfaceArea, self_queries: true, parallel: true }
    }
}

/// Subtrees with fewer triangles are not worth another thread.
const SMALLEST_TASK: usize = 4096;

impl Tree {
    pub(super) fn build(mesh: &Mesh, options: &BuildOptions) -> Self {
        let (low, high) = mesh.bounds();
        let frame = Frame::around(low, high);
        let mut items = gather(mesh, &frame);
        let leaves = items.len().div_ceil(LANES);
        let mut nodes = Vec::new();
        if !items.is_empty() {
            nodes.reserve(leaves / 4 + 1);
            let extent = Extent::of(&items);
            append_subtree(&mut items, &extent, 0, options, &mut nodes);
        }
        let ids = (0..leaves).map(|leaf| row_ids(mesh, &items[leaf * LANES..])).collect();
        let mut tree = Self { frame, nodes, rows: vec![Row::ZERO; leaves], ids, contours: None };
        if options.self_queries {
            tree.contours = Some(Contours::build(&tree));
        }
        tree.refit_with(mesh, options.parallel);
        tree
    }
}

fn gather(mesh: &Mesh, frame: &Frame) -> Vec<Item> {
    let positions = mesh.positions();
    let item = |(triangle, corners): (usize, &[u32; 3])| {
        let [a, b, c] = corners.map(|v| frame.map(positions[v as usize]));
        let low = [0, 1, 2].map(|axis| a[axis].min(b[axis]).min(c[axis]));
        let high = [0, 1, 2].map(|axis| a[axis].max(b[axis]).max(c[axis]));
        Item::new(low, high, triangle as u32)
    };
    mesh.triangles().iter().enumerate().map(item).collect()
}

fn row_ids(mesh: &Mesh, items: &[Item]) -> RowIds {
    let mut ids = RowIds::EMPTY;
    for lane in 0..LANES {
        // Unused lanes repeat the first triangle, so that their coordinates are finite.
        let triangle = items.get(lane).unwrap_or(&items[0]).triangle();
        for corner in 0..3 {
            ids.vertices[corner][lane] = mesh.triangles()[triangle as usize][corner];
        }
        if lane < items.len() {
            ids.triangles[lane] = triangle;
        }
    }
    ids
}

/// One part of a node under construction: items `start..end` of the node's set.
struct Part {
    start: usize,
    end: usize,
    extent: Extent,
}

impl Part {
    fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Appends the subtree over `items`, the first of which will be the first triangle of leaf `first_leaf`.
fn append_subtree(
    items: &mut [Item],
    extent: &Extent,
    first_leaf: usize,
    options: &BuildOptions,
    nodes: &mut Vec<Node>,
) {
    let parts = divide(items, extent, options.split);
    let index = nodes.len();
    nodes.push(Node::EMPTY);
    let mut children = [Child::NONE; LANES];
    let mut sets: Vec<(usize, &mut [Item], Extent)> = Vec::with_capacity(LANES);
    let mut rest = &mut *items;
    let mut leaf = first_leaf;
    for (lane, part) in parts.iter().enumerate() {
        let (set, others) = rest.split_at_mut(part.len());
        rest = others;
        if set.len() <= LANES {
            children[lane] = Child::leaf(leaf);
        } else {
            sets.push((lane, set, part.extent));
        }
        leaf += part.len().div_ceil(LANES);
    }
    let leaf_of = |lane: usize| first_leaf + parts[lane].start / LANES;
    if options.parallel && sets.iter().filter(|s| s.1.len() >= SMALLEST_TASK).count() > 1 {
        for (lane, subtree) in build_side_by_side(sets, &leaf_of, options) {
            children[lane] = Child::node(nodes.len());
            append_shifted(nodes, &subtree);
        }
    } else {
        for (lane, set, extent) in sets {
            children[lane] = Child::node(nodes.len());
            append_subtree(set, &extent, leaf_of(lane), options, nodes);
        }
    }
    let end = nodes.len() as u32;
    let node = &mut nodes[index];
    node.children = children;
    node.count = parts.len() as u32;
    node.nodes_end = end;
    node.leaves = [first_leaf as u32, leaf as u32];
}

/// Divides a set into at most eight parts, largest box first; parts come out in the order of the items.
fn divide(items: &mut [Item], extent: &Extent, rule: SplitRule) -> Vec<Part> {
    let mut parts = Vec::with_capacity(LANES);
    parts.push(Part { start: 0, end: items.len(), extent: *extent });
    let mut small = LANES;
    while small * LANES < items.len() {
        small *= LANES;
    }
    while parts.len() < LANES {
        let divisible = parts.iter().enumerate().filter(|(_, part)| part.len() > small);
        let largest = divisible.max_by(|p, q| p.1.extent.half_area().total_cmp(&q.1.extent.half_area()));
        let Some((at, part)) = largest else { break };
        let (start, end) = (part.start, part.end);
        let middle = start + split(&mut items[start..end], &part.extent, rule);
        parts[at] = Part { start, end: middle, extent: Extent::of(&items[start..middle]) };
        parts.insert(at + 1, Part { start: middle, end, extent: Extent::of(&items[middle..end]) });
    }
    parts
}

/// Subtrees by the lane they belong to, each with node indices counted from its own root.
type Subtrees = Vec<(usize, Vec<Node>)>;

fn build_side_by_side(
    sets: Vec<(usize, &mut [Item], Extent)>,
    leaf_of: &(impl Fn(usize) -> usize + Sync),
    options: &BuildOptions,
) -> Subtrees {
    let build = |(lane, set, extent): (usize, &mut [Item], Extent)| {
        let mut subtree = Vec::with_capacity(set.len() / (4 * LANES) + 1);
        append_subtree(set, &extent, leaf_of(lane), options, &mut subtree);
        (lane, subtree)
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        sets.into_par_iter().map(build).collect()
    }
    #[cfg(not(feature = "parallel"))]
    sets.into_iter().map(build).collect()
}

fn append_shifted(nodes: &mut Vec<Node>, subtree: &[Node]) {
    let shift = nodes.len() as u32;
    nodes.extend(subtree.iter().map(|node| {
        let mut node = *node;
        node.nodes_end += shift;
        for child in &mut node.children {
            if !child.is_none() && !child.is_leaf() {
                *child = Child::node(child.index() + shift as usize);
            }
        }
        node
    }));
}
