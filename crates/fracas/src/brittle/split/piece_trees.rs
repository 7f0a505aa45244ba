//! The sphere trees of the pieces of a breaking fragment: each keeps its points of the old tree and gets the corners of the crack.
//!
//! # Idea
//!
//! ```text
//!    old tree, by level          corners of the crack           tree of one piece, by level
//!    a │ b c │ d e f g    and    next to b: s t,  to c: u   →   b │ f  s t │ …    those of the old tree first, each in
//!    0 │  1  │    2              (a level below b and c)        1 │    2   │      the order they had
//! ```
//!
//! A counting sort orders both lists by piece and level. Then the place of every point is known, and a tree is filled array
//! by array.

use super::{Breaking, CrackCorner};
use crate::base::Lists;
use crate::brittle::BrittleBody;
use crate::brittle::solid::sphere_tree::SphereTree;

/// Who goes where in the trees of the pieces.
struct TreePlan<'a> {
    old: &'a SphereTree,
    corners: &'a [CrackCorner],
    /// The point that each node is in the old tree.
    point_of: &'a [u32],
    /// How many levels there are. Bucket `piece * levels + level` is a level of a piece.
    levels: usize,
    old_points: Lists<u32>,
    new_points: Lists<u32>,
    /// The parent of each old point in its own piece, by its number in the old tree.
    parents: Vec<u32>,
    /// Where each old point is in the tree of its piece.
    places: Vec<u32>,
}

impl BrittleBody {
    /// The sphere tree of each piece.
    pub(super) fn divide_tree(&self, breaking: &mut Breaking, corners: &[CrackCorner]) -> Vec<SphereTree> {
        for (point, (&owner, &is_crack)) in
            breaking.old.tree.owners.iter().zip(&breaking.old.tree.is_crack).enumerate()
        {
            if !is_crack {
                breaking.notes.point_of[owner as usize] = point as u32;
            }
        }
        let plan = self.plan(breaking, corners);
        let linked = |piece: usize| {
            let mut tree = plan.tree(piece);
            tree.link();
            tree
        };
        (0..breaking.pieces).map(linked).collect()
    }

    fn plan<'a>(&self, breaking: &'a Breaking, corners: &'a [CrackCorner]) -> TreePlan<'a> {
        let old = &breaking.old.tree;
        let piece_of = |owner: u32| self.fragment_of[owner as usize] - breaking.first;
        let piece_of_point: Vec<u32> = old.owners.iter().map(|&owner| piece_of(owner)).collect();
        // One level more than the old tree has, unless they are used up.
        let levels = old.levels.last().map_or(0, |&level| level.saturating_add(1) as usize) + 1;
        let bucket = |piece: u32, level: u8| piece * levels as u32 + u32::from(level);
        let old_buckets = piece_of_point.iter().zip(&old.levels).map(|(&piece, &level)| bucket(piece, level));
        let new_bucket = |corner: &CrackCorner| {
            let point = breaking.notes.point_of[corner.owner as usize] as usize;
            bucket(piece_of_point[point], old.levels[point].saturating_add(1))
        };
        let buckets = breaking.pieces * levels;
        let old_points = Lists::from_pairs(buckets, old_buckets.zip(0..));
        let new_buckets: Vec<u32> = corners.iter().map(new_bucket).collect();
        let new_points = Lists::from_pairs(buckets, new_buckets.iter().copied().zip(0..));
        let mut places = vec![0; old.points.len()];
        for piece in 0..breaking.pieces {
            let mut place = 0;
            for bucket in piece * levels..(piece + 1) * levels {
                for &point in old_points.list(bucket) {
                    places[point as usize] = place;
                    place += 1;
                }
                place += new_points.range(bucket).len() as u32;
            }
        }
        let parents = (0..old.points.len()).map(|point| {
            let mut parent = old.parents[point];
            while parent != SphereTree::NONE && piece_of_point[parent as usize] != piece_of_point[point] {
                parent = old.parents[parent as usize];
            }
            if parent == SphereTree::NONE { parent } else { places[parent as usize] }
        });
        TreePlan {
            old,
            corners,
            point_of: &breaking.notes.point_of,
            levels,
            old_points,
            new_points,
            parents: parents.collect(),
            places,
        }
    }
}

impl TreePlan<'_> {
    /// The tree of a piece, yet to be linked.
    fn tree(&self, piece: usize) -> SphereTree {
        let levels = piece * self.levels..(piece + 1) * self.levels;
        let count = [&self.old_points, &self.new_points]
            .map(|sorted| sorted.range(levels.end - 1).end - sorted.range(levels.start).start);
        let mut tree = SphereTree::with_capacity(count[0] + count[1]);
        for (level, bucket) in levels.enumerate() {
            let old = || self.old_points.list(bucket).iter().map(|&point| point as usize);
            let new = || self.new_points.list(bucket).iter().map(|&corner| &self.corners[corner as usize]);
            tree.points.extend(old().map(|point| self.old.points[point]));
            tree.points.extend(new().map(|corner| corner.point));
            tree.owners.extend(old().map(|point| self.old.owners[point]));
            tree.owners.extend(new().map(|corner| corner.owner));
            tree.is_crack.extend(old().map(|point| self.old.is_crack[point]));
            tree.is_crack.extend(new().map(|_| true));
            tree.keys.extend(old().map(|point| self.old.keys[point]));
            tree.keys.extend(new().map(|corner| corner.key));
            tree.levels.resize(tree.points.len(), level as u8);
            tree.parents.extend(old().map(|point| self.parents[point]));
            let node_of = |corner: &CrackCorner| self.point_of[corner.owner as usize] as usize;
            tree.parents.extend(new().map(|corner| self.places[node_of(corner)]));
        }
        tree
    }
}
