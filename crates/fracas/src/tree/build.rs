//! Building the tree: from the whole mesh down to rows of eight.
//!
//! A node starts with one part, its whole set, and divides the part with the largest box again and again until it
//! has eight parts or nothing is left to divide. Parts that fit into a full tree of lower height (8, 64, 512, …
//! triangles) are left whole, so that nodes near the leaves, which are most of the tree, come out well filled. If
//! self-queries are expected, small sets are first divided into their smooth pieces (`smooth_pieces`).
//!
//! Subtrees are built in parallel, each with node and leaf numbers of its own, and then shifted into place.

use super::MeshTree;
use super::partition::{Extent, Item, SplitRule, split};
use super::smooth_pieces::{LARGEST_SET, group_by_piece};
use crate::base::parallel;
use crate::mesh::Mesh;
use crate::pairs::{Frame, LANES, Row, RowIds};
use crate::walk::{Child, Contours, Node, Stamp};
use std::ops::Range;

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

/// In larger sets pieces are not divided further within the node that tells them apart.
const LARGEST_SHARED: usize = 8 * 512;

/// Subtrees with fewer triangles are not worth another thread.
const SMALLEST_TASK: usize = 4096;

impl MeshTree {
    /// Builds the tree over a mesh as the options say.
    #[must_use]
    pub fn build_with(mesh: Mesh, options: &BuildOptions) -> Self {
        let (low, high) = mesh.bounds().corners();
        let frame = Frame::around(low, high);
        let mut items = gather(&mesh, &frame);
        let mut subtree = Subtree::default();
        if !items.is_empty() {
            let extent = Extent::of(&items);
            subtree = Builder { mesh: &mesh, options }.subtree(&mut items, &extent);
        }
        let Subtree { nodes, leaves } = subtree;
        let mut rest = &items[..];
        let mut ids = Vec::with_capacity(leaves.len());
        for size in leaves {
            let (row, later) = rest.split_at(size as usize);
            ids.push(row_ids(&mesh, row));
            rest = later;
        }
        let contours = options.self_queries.then(|| Contours::build(&nodes, &ids));
        let rows = vec![Row::ZERO; ids.len()];
        let (stamp, topology) = (Stamp::new(), Stamp::new());
        let mut tree = Self { mesh, stamp, topology, frame, nodes, rows, ids, contours };
        tree.refit(options.parallel);
        tree
    }
}

fn gather(mesh: &Mesh, frame: &Frame) -> Vec<Item> {
    let positions = mesh.positions();
    let item = |(triangle, corners): (usize, &[u32; 3])| {
        Item::new(frame, corners.map(|v| positions[v as usize]), triangle as u32)
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

/// A part of the tree with node and leaf numbers counted from its own first.
#[derive(Default)]
struct Subtree {
    nodes: Vec<Node>,
    /// How many triangles each leaf holds, in the order of the items.
    leaves: Vec<u8>,
}

impl Subtree {
    /// Appends another part, its numbers shifted.
    fn append(&mut self, other: &Self) {
        let (node_shift, leaf_shift) = (self.nodes.len() as u32, self.leaves.len() as u32);
        self.leaves.extend_from_slice(&other.leaves);
        self.nodes.extend(other.nodes.iter().map(|node| {
            let mut node = *node;
            node.nodes_end += node_shift;
            node.leaves = [node.leaves[0] + leaf_shift, node.leaves[1] + leaf_shift];
            for child in &mut node.children[..node.count as usize] {
                *child = if child.is_leaf() {
                    Child::leaf(child.index() + leaf_shift as usize)
                } else {
                    Child::node(child.index() + node_shift as usize)
                };
            }
            node
        }));
    }
}

/// A run of items of a node under construction.
struct Span {
    items: Range<usize>,
    extent: Extent,
}

impl Span {
    fn new(all: &[Item], items: Range<usize>) -> Self {
        Self { extent: Extent::of(&all[items.clone()]), items }
    }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    options: &'a BuildOptions,
}

impl Builder<'_> {
    fn subtree(&self, items: &mut [Item], extent: &Extent) -> Subtree {
        let mut subtree = Subtree {
            nodes: Vec::with_capacity(items.len() / (4 * LANES) + 1),
            leaves: Vec::with_capacity(items.len() / LANES + 1),
        };
        self.append_node(items, extent, &mut subtree);
        subtree
    }

    /// Appends the node over `items` and everything below it.
    fn append_node(&self, items: &mut [Item], extent: &Extent, out: &mut Subtree) {
        let parts = self.divide(items, extent);
        let (index, first_leaf) = (out.nodes.len(), out.leaves.len() as u32);
        out.nodes.push(Node::EMPTY);
        let mut children = [Child::NONE; LANES];
        let large = parts.iter().filter(|part| part.items.len() >= SMALLEST_TASK).count();
        let side_by_side = self.options.parallel && large > 1;
        let built = if side_by_side { self.build_side_by_side(items, &parts) } else { Vec::new() };
        for (lane, part) in parts.iter().enumerate() {
            if part.items.len() <= LANES {
                children[lane] = Child::leaf(out.leaves.len());
                out.leaves.push(part.items.len() as u8);
                continue;
            }
            children[lane] = Child::node(out.nodes.len());
            match built.get(lane) {
                Some(subtree) => out.append(subtree),
                None => self.append_node(&mut items[part.items.clone()], &part.extent, out),
            }
        }
        let (end, leaves) = (out.nodes.len() as u32, [first_leaf, out.leaves.len() as u32]);
        let node = &mut out.nodes[index];
        node.children = children;
        node.count = parts.len() as u32;
        node.nodes_end = end;
        node.leaves = leaves;
    }

    /// Divides a set into at most eight parts: smooth pieces, then always the part with the largest box.
    fn divide(&self, items: &mut [Item], extent: &Extent) -> Vec<Span> {
        let mut parts = Vec::with_capacity(LANES);
        if self.options.self_queries && (2 * LANES..=LARGEST_SET).contains(&items.len()) {
            let mut start = 0;
            for size in group_by_piece(items, self.mesh) {
                parts.push(Span::new(items, start..start + size));
                start += size;
            }
        } else {
            parts.push(Span { items: 0..items.len(), extent: *extent });
        }
        // A large piece keeps a node of its own: its outline is worth more than a full node.
        if parts.len() > 1 && items.len() > LARGEST_SHARED {
            return parts;
        }
        let mut small = LANES;
        while small * LANES < items.len() {
            small *= LANES;
        }
        while parts.len() < LANES {
            let divisible = parts.iter().enumerate().filter(|(_, part)| part.items.len() > small);
            let largest = divisible.max_by(|p, q| p.1.extent.half_area().total_cmp(&q.1.extent.half_area()));
            let Some((at, part)) = largest else { break };
            let Range { start, end } = part.items;
            let middle = start + split(&mut items[start..end], &part.extent, self.options.split);
            parts[at] = Span::new(items, start..middle);
            parts.insert(at + 1, Span::new(items, middle..end));
        }
        parts
    }

    /// Builds the subtrees of all parts on all threads; those of leaves stay empty.
    fn build_side_by_side(&self, mut items: &mut [Item], parts: &[Span]) -> Vec<Subtree> {
        let mut sets = Vec::with_capacity(parts.len());
        for part in parts {
            let (set, others) = items.split_at_mut(part.items.len());
            sets.push((set, &part.extent));
            items = others;
        }
        parallel::map(true, sets.into_iter(), |(set, extent)| match set.len() {
            0..=LANES => Subtree::default(),
            _ => self.subtree(set, extent),
        })
    }
}
