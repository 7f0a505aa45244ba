//! A body broken at once: an edit and the pieces it leads to, in one go.
//!
//! While a cut advances, new surface goes beside what it touches, since it is not yet known to which part it will
//! belong. When a body shatters, all pieces are known at once, and most of the new triangles are on the cracks:
//!
//! ```text
//!   1 drop      leaves of removed triangles
//!   2 divide    what is left, by labels; whole subtrees stay whole (`labels`)
//!   3 build     a tree over the new triangles of each label
//!   4 join      the trees of each label
//! ```
//!
//! So no new triangle is put into a tree only to be taken out again. The trees of cracks overlap those of the surface beside
//! them a little more than in a rebuilt tree; upkeep corrects that, as after any edit.

use super::arena::{NONE, Slot};
use super::build::Axes;
use super::heights::roomy_height;
use super::{SplitError, TearingBody, Tree};
use crate::base::Lists;
use crate::mesh::{EditError, LiveMesh, MeshEdit};
use crate::walk::Stamp;
use std::ops::Range;

/// Why a body cannot be broken like this.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShatterError {
    /// The edit is no good.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The labels do not fit the mesh as the edit will leave it.
    #[error(transparent)]
    Labels(#[from] SplitError),
}

impl TearingBody {
    /// Carries out an edit and divides the body by labels: afterwards there is one piece for each label, in the order of
    /// labels. `labels` has one for each triangle slot after the edit; those of dead ones mean nothing. Returns the
    /// number of pieces.
    ///
    /// # Errors
    /// As [`LiveMesh::apply`], or if there is not one label for each slot. Nothing has changed then.
    ///
    /// # Cost
    /// O(n) to look at the labels, with a small constant; O(m log m) for m new triangles; O(k log n) for k old ones along
    /// the cracks.
    ///
    /// ```
    /// use fracas::cut::{ShatterOptions, scatter_sites, shatter_at};
    /// use fracas::{mesh::shapes, tearing::TearingBody};
    /// let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
    /// let sites = scatter_sites(body.mesh(), 5, 1);
    /// let shattered = shatter_at(body.mesh(), &sites, &ShatterOptions::default()).unwrap();
    /// assert_eq!(body.shatter(&shattered.edit, &shattered.labels), Ok(shattered.pieces));
    /// ```
    pub fn shatter(&mut self, edit: &MeshEdit, labels: &[u32]) -> Result<usize, ShatterError> {
        let slots = self.mesh.slot_count() + edit.added.len();
        if labels.len() != slots {
            return Err(SplitError::WrongLabelCount { slots, given: labels.len() }.into());
        }
        let applied = self.mesh.apply(edit)?;
        self.stamp = Stamp::new();
        self.note_removed(edit);
        self.tree.arena.leaf_at.resize(slots, NONE);
        for triangle in &edit.removed {
            self.tree.arena.drop_leaf(*triangle);
        }
        self.tree.shatter(&self.mesh, applied.triangles, labels);
        if !edit.moved.is_empty() || self.tree.is_outside(edit) {
            self.tree.refit(&self.mesh, 0);
        }
        Ok(self.tree.roots.len())
    }
}

impl Tree {
    /// Makes the trees of the pieces from what is left of the old ones and from new triangles.
    fn shatter(&mut self, mesh: &LiveMesh, new: Range<u32>, labels: &[u32]) {
        let metric = self.metric();
        let hints = self.arena.judge_all(labels);
        let (mut parts, mut made) = (Vec::new(), Vec::new());
        for root in std::mem::take(&mut self.roots) {
            let (of_piece, joined) = self.parts(root, metric, &|slot| hints.of(slot, labels));
            self.arena.free_node(root / 2);
            parts.extend(of_piece);
            made.extend(joined);
        }
        self.build_new(mesh, new, labels, &mut parts);
        self.arena.join_equal(&mut parts, 0, &mut made, metric);
        for (_, tree) in parts {
            let root = self.new_piece();
            self.arena.put(root, tree);
        }
        self.arena.in_order = false;
        self.note_treelets(&made);
    }

    /// A tree for each label over the new triangles that have it.
    fn build_new(&mut self, mesh: &LiveMesh, new: Range<u32>, labels: &[u32], parts: &mut Vec<(u32, Slot)>) {
        self.arena.slots.reserve(2 * new.len());
        self.arena.nodes.reserve(new.len());
        let triangles = sorted_by_label(new, labels);
        let holder = self.arena.new_holder();
        let items = &mut self.scratch.items;
        for of_label in triangles.chunk_by(|&a, &b| labels[a as usize] == labels[b as usize]) {
            items.clear();
            items.extend(of_label.iter().map(|&t| Slot::leaf(mesh, &self.frame, t).as_item()));
            let height = roomy_height(items.len());
            self.arena.build_by_area(2 * holder, items, height, Axes::Halves, &mut self.scratch.build);
            parts.push((labels[of_label[0] as usize], *self.arena.slot(2 * holder)));
        }
        self.arena.free_node(holder);
    }
}

/// The triangles in the order of their labels, and of their numbers where those are equal.
fn sorted_by_label(triangles: Range<u32>, labels: &[u32]) -> Vec<u32> {
    let of_new = &labels[triangles.start as usize..triangles.end as usize];
    let most = of_new.iter().copied().max().unwrap_or(0) as usize;
    if most > 2 * of_new.len() {
        let mut sorted: Vec<u32> = triangles.collect();
        sorted.sort_by_key(|&t| labels[t as usize]);
        return sorted;
    }
    // Labels are numbers of pieces as a rule.
    Lists::from_pairs(most + 1, of_new.iter().copied().zip(triangles)).into_items()
}
