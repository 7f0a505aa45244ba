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
//! Counting both lists by piece and level tells where each level of each piece begins. So one pass over the old points and one over the corners
//! write every point to its place. Parents come before their children, so their places are known by then.

use super::{Breaking, CrackCorner};
use crate::brittle::BrittleBody;
use crate::brittle::solid::sphere_tree::{Key, SphereTree};
use crate::geom::DVec3;

impl BrittleBody {
    /// The sphere tree of each piece.
    pub(super) fn divide_tree(&self, breaking: &mut Breaking, corners: &[CrackCorner]) -> Vec<SphereTree> {
        let Breaking { first, pieces, old, notes, .. } = breaking;
        let (old, point_of) = (&old.tree, &mut notes.point_of[..]);
        // One level more than the old tree has, unless they are used up. Bucket `piece * levels + level` is a level of a piece.
        let levels = old.levels.last().map_or(0, |&level| level.saturating_add(1) as usize) + 1;
        let mut next = vec![Places::default(); *pieces * levels];
        let mut piece_of_point = Vec::with_capacity(old.points.len());
        for (point, &owner) in old.owners.iter().enumerate() {
            let piece = (self.fragment_of[owner as usize] - *first) as usize;
            piece_of_point.push(piece as u32);
            next[piece * levels + old.levels[point] as usize].old += 1;
            if !old.is_crack[point] {
                point_of[owner as usize] = point as u32;
            }
        }
        let mut buckets = Vec::with_capacity(corners.len());
        for corner in corners {
            let point = point_of[corner.owner as usize] as usize;
            let level = old.levels[point].saturating_add(1) as usize;
            let bucket = piece_of_point[point] as usize * levels + level;
            next[bucket].new += 1;
            buckets.push(bucket as u32);
        }
        // From counts to the first place of each kind.
        let mut trees: Vec<SphereTree> = Vec::with_capacity(*pieces);
        for levels in next.chunks_exact_mut(levels) {
            let mut place = 0;
            for places in levels {
                let counts = *places;
                *places = Places { old: place, new: place + counts.old };
                place += counts.old + counts.new;
            }
            trees.push(blank(place as usize));
        }
        // Where each old point is in the tree of its piece.
        let mut places = vec![0_u32; old.points.len()];
        for point in 0..old.points.len() {
            let piece = piece_of_point[point];
            let level = old.levels[point];
            let place = &mut next[piece as usize * levels + level as usize].old;
            let at = *place as usize;
            *place += 1;
            places[point] = at as u32;
            // The closest ancestor in the same piece.
            let mut parent = old.parents[point];
            while parent != SphereTree::NONE && piece_of_point[parent as usize] != piece {
                parent = old.parents[parent as usize];
            }
            let tree = &mut trees[piece as usize];
            tree.points[at] = old.points[point];
            tree.owners[at] = old.owners[point];
            tree.is_crack[at] = old.is_crack[point];
            tree.keys[at] = old.keys[point];
            tree.levels[at] = level;
            tree.parents[at] = if parent == SphereTree::NONE { parent } else { places[parent as usize] };
        }
        for (corner, &bucket) in corners.iter().zip(&buckets) {
            let place = &mut next[bucket as usize].new;
            let at = *place as usize;
            *place += 1;
            let point = point_of[corner.owner as usize] as usize;
            let tree = &mut trees[piece_of_point[point] as usize];
            tree.points[at] = corner.point;
            tree.owners[at] = corner.owner;
            tree.is_crack[at] = true;
            tree.keys[at] = corner.key;
            tree.levels[at] = old.levels[point].saturating_add(1);
            tree.parents[at] = places[point];
        }
        trees.iter_mut().for_each(SphereTree::link);
        trees
    }
}

/// The next free places in one level of a piece: for points of the old tree, and for corners of the crack behind them.
#[derive(Clone, Copy, Default)]
struct Places {
    old: u32,
    new: u32,
}

/// A tree of so many points, of which nothing is known yet.
fn blank(points: usize) -> SphereTree {
    SphereTree {
        points: vec![DVec3::ZERO; points],
        owners: vec![0; points],
        is_crack: vec![false; points],
        keys: vec![Key::default(); points],
        levels: vec![0; points],
        parents: vec![0; points],
        ..SphereTree::default()
    }
}
