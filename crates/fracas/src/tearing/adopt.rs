//! A body that tears, from a tree that is there.
//!
//! A [`MeshTree`] has put the triangles in a good order already: those of a leaf, and those of every subtree, are next to each other. So nothing
//! has to be sorted again. Its leaves become bunches; those with fewer than five triangles are divided anew with their neighbours:
//!
//! ```text
//!    leaves of the tree    │ 8 │ 8 │ 7 │ 2 │ 8 │ 3 │ 5 │ 8 │
//!    rows                  └─8─┴─8─┴─7─┴─5─┴─5─┴─8─────┴─8─┘      each a bunch of height three
//!    cuts                          ▲       ▲                     where area times rows is least, of those that balance allows
//! ```
//!
//! All bunches have the same height, so a balanced tree of rows is a balanced tree of triangles. A level is one pass over the boxes of its rows, an
//! eighth of what a build looks at, and moves nothing.
//!
//! # When to use something else
//!
//! [`TearingBody::build`], if there is no tree: its boxes are a few per cent smaller.

use super::arena::{Arena, Bounds, Built};
use super::build::BuildScratch;
use super::heights::{Heights, roomy_height};
use super::{Slot, TearingBody, TearingOptions, Tree, frame_of};
use crate::mesh::LiveMesh;
use crate::pairs::{LANES, RowIds};
use crate::tree::MeshTree;
use crate::tree::partition::{Bin, Extent, Item, half_area};
use crate::walk::{Hierarchy, Opened};
use glam::Vec4;

/// The fewest triangles of a bunch of full height.
const FEWEST: usize = LANES / 2 + 1;

/// Fewer triangles than this are built into a tree from nothing.
const FEW: usize = 3 * LANES;

impl TearingBody {
    /// The body of a tree, ready to be torn. Triangles and vertices keep their ids. The order of the tree is taken over, unless it was built for
    /// self-queries: then it follows the smooth pieces of the surface more than boxes, and the body is built from nothing.
    ///
    /// # Panics
    /// As [`TearingBody::build`].
    ///
    /// # Cost
    /// O(n), a fifth of [`TearingBody::build`], or as much as that if the tree was built for self-queries.
    ///
    /// ```
    /// use fracas::{BuildOptions, MeshTree, TearingBody, mesh::shapes};
    /// let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
    /// let body = TearingBody::from_tree(MeshTree::build_with(shapes::icosphere(1.0, 3), &options));
    /// assert_eq!(body.mesh().live_count(), 1280);
    /// body.validate().unwrap();
    /// ```
    #[must_use]
    pub fn from_tree(tree: MeshTree) -> Self {
        let open = tree.ready().filter(|open| open.contours.is_none());
        let Some(Opened { ids: leaves, .. }) = open else { return Self::build(tree.into_mesh()) };
        let order: Vec<u32> =
            leaves.iter().flat_map(RowIds::triangle_ids).map(|triangle| triangle.0).collect();
        let sizes: Vec<usize> = leaves.iter().map(|ids| ids.triangle_ids().count()).collect();
        let mesh = LiveMesh::new(tree.into_mesh());
        let mut tree = Tree { options: TearingOptions::default(), ..Tree::default() };
        tree.adopt(&mesh, &order, &sizes);
        Self::prepared(mesh, tree)
    }
}

impl Tree {
    /// Builds the tree of one piece with all triangles, given in a good order and in leaves of these sizes.
    fn adopt(&mut self, mesh: &LiveMesh, order: &[u32], leaves: &[usize]) {
        self.frame = frame_of(mesh);
        self.arena = Arena::with_room(mesh.slot_count(), order.len() + 1);
        if order.is_empty() {
            return;
        }
        let leaf = |&triangle: &u32| Slot::leaf(mesh, &self.frame, triangle).as_item();
        let mut items: Vec<Item> = order.iter().map(leaf).collect();
        let root = self.new_piece();
        if items.len() < FEW {
            self.arena.build(root, &mut items, self.options.build, &mut self.scratch.build);
            return;
        }
        let mut rest = &items[..];
        let row = |size: usize| {
            let (items, later) = rest.split_at(size);
            rest = later;
            let (low, high): Bounds = Extent::of(items).bounds();
            Row { items, low, high }
        };
        let rows: Vec<Row> = row_sizes(leaves).into_iter().map(row).collect();
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

/// The sizes of rows of five to eight triangles, along the leaves where these are full enough. There must be enough triangles for some rows.
fn row_sizes(leaves: &[usize]) -> Vec<usize> {
    let mut rows = Vec::with_capacity(leaves.len());
    let mut open = 0;
    for size in leaves {
        open += size;
        if divide(open, &mut rows) {
            open = 0;
        }
    }
    // What is left over is divided anew with the rows before it.
    while open > 0 {
        open += rows.pop().unwrap_or(0);
        if divide(open, &mut rows) {
            break;
        }
    }
    rows
}

/// Adds as few rows as can hold this many triangles, alike in size, unless they would have fewer than five.
fn divide(count: usize, rows: &mut Vec<usize>) -> bool {
    let parts = count.div_ceil(LANES);
    if count < FEWEST * parts {
        return false;
    }
    rows.extend((0..parts).map(|k| (count + k) / parts));
    true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    #[test]
    fn rows_have_five_to_eight_triangles_whatever_the_leaves_hold() {
        let mut random = Random::new(3);
        for _ in 0..2_000 {
            let most = 1 + random.below(LANES);
            let count = FEW + random.below(60);
            let leaves: Vec<usize> = (0..count).map(|_| 1 + random.below(most)).collect();
            let rows = row_sizes(&leaves);
            assert_eq!(rows.iter().sum::<usize>(), leaves.iter().sum());
            assert!(rows.iter().all(|size| (FEWEST..=LANES).contains(size)), "{leaves:?} {rows:?}");
        }
        assert_eq!(row_sizes(&[8, 8, 7, 2, 8, 3, 5, 8]), [8, 8, 7, 5, 5, 8, 8]);
    }
}
