//! A body that tears, from a tree that is there.
//!
//! A [`MeshTree`] has put the triangles in a good order already: those of a leaf, and those of every subtree, are next to each other. So nothing
//! has to be sorted again. The order is cut into rows of eight, which become bunches as they are, and the rows are divided from the top:
//!
//! ```text
//!    leaves of the tree    │ 8 │ 8 │ 8 │ 8 │ 8 │ 8 │ 8 │ 3 │
//!    rows                  └─8─┴─8─┴─8─┴─8─┴─8─┴─8─┴─6─┴─5─┘      each a bunch of height three
//!    cuts                              ▲       ▲                 where area times rows is least, of those that balance allows
//! ```
//!
//! All bunches have the same height, so a balanced tree of rows is a balanced tree of triangles. A level is one pass over the boxes of its rows, an
//! eighth of what a build looks at, and moves nothing.
//!
//! # When to use something else
//!
//! [`TearingBody::build`], if there is no tree: its boxes are a few per cent smaller.

use super::arena::{Arena, Bounds, Built, NONE};
use super::build::BuildScratch;
use super::connect::Clusters;
use super::heights::{Heights, roomy_height};
use super::{Slot, TearingBody, TearingOptions, Tree, frame_of};
use crate::mesh::LiveMesh;
use crate::pairs::{LANES, RowIds};
use crate::tree::MeshTree;
use crate::tree::partition::{Bin, Extent, Item, half_area};
use crate::walk::{Hierarchy, Stamp};
use glam::Vec4;

/// The fewest triangles of a bunch of full height.
const FEWEST: usize = LANES / 2 + 1;

impl TearingBody {
    /// The body of a tree, ready to be torn: its order is taken over. Triangles and vertices keep their ids.
    ///
    /// # Panics
    /// As [`TearingBody::build`].
    ///
    /// # Cost
    /// O(n), a third of [`TearingBody::build`].
    ///
    /// ```
    /// use fracas::{MeshTree, TearingBody, mesh::shapes};
    /// let body = TearingBody::from_tree(MeshTree::build(shapes::icosphere(1.0, 3)));
    /// assert_eq!(body.mesh().live_count(), 1280);
    /// body.validate().unwrap();
    /// ```
    #[must_use]
    pub fn from_tree(tree: MeshTree) -> Self {
        let rows = tree.ready().map_or(&[][..], |open| open.ids);
        let order: Vec<u32> =
            rows.iter().flat_map(|ids| ids.triangles).filter(|&triangle| triangle != RowIds::NONE).collect();
        let mesh = LiveMesh::new(tree.into_mesh());
        let mut tree = Tree { options: TearingOptions::default(), ..Tree::default() };
        tree.adopt(&mesh, &order);
        Self { mesh, tree, clusters: Clusters::default(), stamp: Stamp::new() }
    }
}

impl Tree {
    /// Builds the tree of one piece with all triangles, given in a good order.
    fn adopt(&mut self, mesh: &LiveMesh, order: &[u32]) {
        self.frame = frame_of(mesh);
        let count = order.len() + 1;
        self.arena = Arena {
            slots: Vec::with_capacity(2 * count),
            nodes: Vec::with_capacity(count),
            leaf_at: vec![NONE; mesh.slot_count()],
            in_order: true,
            ..Arena::default()
        };
        if order.is_empty() {
            return;
        }
        let items: Vec<Item> = order.iter().map(|&t| Slot::leaf(mesh, &self.frame, t).as_item()).collect();
        let root = self.new_piece();
        let rows = rows_of(&items);
        let above = vec![0.0; rows.len()];
        let height = roomy_height(rows.len());
        let mut build = RowBuild { arena: &mut self.arena, scratch: &mut self.scratch.build, above };
        build.build(root, &rows, height);
    }
}

/// Items that become a bunch, and the box around them.
struct Row<'a> {
    items: &'a [Item],
    low: Vec4,
    high: Vec4,
}

/// Cuts the order into rows of eight; the last two share what is left if that is too little for a bunch of full height.
fn rows_of(items: &[Item]) -> Vec<Row<'_>> {
    let row = |items| {
        let (low, high): Bounds = Extent::of(items).bounds();
        Row { items, low, high }
    };
    let left = items.len() % LANES;
    if items.len() < LANES || left == 0 || left >= FEWEST {
        return items.chunks(LANES).map(row).collect();
    }
    let (full, last) = items.split_at(items.len() - left - LANES);
    let (a, b) = last.split_at(last.len().div_ceil(2));
    full.chunks(LANES).chain([a, b]).map(row).collect()
}

struct RowBuild<'a> {
    arena: &'a mut Arena,
    scratch: &'a mut BuildScratch,
    /// By row: the cost of what is to the right of a cut before it.
    above: Vec<f32>,
}

impl RowBuild<'_> {
    /// Builds a tree over rows, `height` levels of them, in slot `at`.
    fn build(&mut self, at: u32, rows: &[Row], height: u8) -> Built {
        if let [row] = rows {
            return self.arena.build_small(at, row.items, &mut self.scratch.small);
        }
        let heights = Heights::new(rows.len(), height);
        let left = self.cheapest_cut(rows, &heights);
        let (left_height, right_height) = heights.of_sides(left);
        let node = self.arena.new_node();
        let a = self.build(2 * node, &rows[..left], left_height);
        let b = self.build(2 * node + 1, &rows[left..], right_height);
        self.arena.put_node(at, node, a, b)
    }

    fn cheapest_cut(&mut self, rows: &[Row], heights: &Heights) -> usize {
        let mut bin = Bin::EMPTY;
        for (k, row) in rows.iter().enumerate().rev() {
            bin.add(row.low, row.high, 1);
            self.above[k] = half_area(bin.low, bin.high) * bin.count as f32;
        }
        let mut best = (f32::INFINITY, heights.nearest(rows.len() / 2));
        bin = Bin::EMPTY;
        for (k, row) in rows[..rows.len() - 1].iter().enumerate() {
            bin.add(row.low, row.high, 1);
            let cost = half_area(bin.low, bin.high) * bin.count as f32 + self.above[k + 1];
            if heights.allow(k + 1) && cost < best.0 {
                best = (cost, k + 1);
            }
        }
        best.1
    }
}
