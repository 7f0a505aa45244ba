//! Breaking a fragment: labels of nodes become pieces, and everything known about them follows.
//!
//! # Steps
//!
//! 1. Nodes with one label that hang together are a piece; a label may make several.
//! 2. Tetrahedra whose nodes go to different pieces are cut, or cut once more (`cut`).
//! 3. Each piece gets its part of the sphere tree, and the corners of the crack; its cells; its mass.
//! 4. Fronts spread from the crack through the nodes (`field`).
//!
//! All of it costs time in proportion to the fragment that breaks, and nothing to the rest of the body.

use super::cut::CutTet;
use super::mass::{MassProperties, Moments};
use super::pattern::{APART, corner};
use super::presence::{Marker, Presence};
use super::spheres::{Key, SphereTree, Sprout};
use super::surface::key_of;
use super::{BrittleBody, BrittleError, Fragment, FragmentId, Solid};
use crate::geom::DVec3;
use std::time::{Duration, Instant};

/// Weights are kept between these parts of the mean edge, so that no crack comes closer to a node than a thirteenth of an edge.
const NEAREST_CRACK: [f64; 2] = [1.0 / 12.0, 1.0];

/// What a fracture did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitStats {
    /// Pieces made.
    pub pieces: usize,
    /// Tetrahedra cut, or cut once more.
    pub cut_tets: usize,
    /// Corners of cracks added to sphere trees.
    pub crack_points: usize,
    /// Nodes through which fronts passed.
    pub reached: usize,
    /// Time for finding pieces, cutting, and mass.
    pub cutting: Duration,
    /// Time for sphere trees, cells and distances.
    pub update: Duration,
}

impl BrittleBody {
    /// What the last fracture did.
    #[must_use]
    pub fn last_split(&self) -> &SplitStats {
        &self.last_split
    }

    /// Breaks a fragment into pieces.
    ///
    /// For each of its nodes, in order, `labels` names the piece it goes to and `weights` tells how far it is from the crack: the
    /// crack divides an edge between nodes of different labels in proportion. Very small and very large weights are
    /// brought to within 1/12 and 1 of the mean edge. A label whose nodes do not hang together makes several pieces. If there
    /// is only one piece in the end, nothing changes, and the fragment itself is returned; otherwise the pieces, by
    /// their lowest node, and the fragment is no more.
    ///
    /// # Errors
    /// No such fragment, a wrong number of labels or weights, a weight that is not positive and finite.
    ///
    /// # Cost
    /// Proportional to the nodes and tetrahedra of the fragment.
    pub fn split(
        &mut self,
        fragment: FragmentId,
        labels: &[u32],
        weights: &[f64],
    ) -> Result<Vec<FragmentId>, BrittleError> {
        let count = self.fragment(fragment)?.nodes.len();
        for (what, given) in [("labels", labels.len()), ("weights", weights.len())] {
            if given != count {
                return Err(BrittleError::WrongCount { what, given, expected: count });
            }
        }
        if let Some(at) = weights.iter().position(|&weight| !(weight > 0.0 && weight.is_finite())) {
            let node = self.fragment(fragment)?.nodes[at];
            return Err(BrittleError::BadWeight { node, weight: weights[at] });
        }
        let begin = Instant::now();
        let Some((pieces, piece_of)) = self.pieces(fragment, labels) else { return Ok(vec![fragment]) };
        let old = self.fragments[fragment.index()].take().expect("it was found above");
        self.fractures += 1;
        let first = self.fragments.len() as u32;
        let [least, most] = NEAREST_CRACK.map(|share| share * self.solid.edge);
        let mut weight_of = vec![0.0; self.fragment_of.len()];
        for ((&node, &piece), &weight) in old.nodes.iter().zip(&piece_of).zip(weights) {
            self.fragment_of[node as usize] = first + piece;
            weight_of[node as usize] = weight.clamp(least, most);
        }
        let broken = Broken { id: fragment.0, first, pieces, old, weight_of };
        let (tets, fresh) = self.cut(&broken);
        let masses: Vec<MassProperties> =
            tets.iter().enumerate().map(|(k, tets)| self.mass(first + k as u32, tets)).collect();
        let cutting = begin.elapsed();
        let trees = self.divide_tree(&broken, &fresh);
        let crack_points =
            trees.iter().map(SphereTree::point_count).sum::<usize>() - broken.old.tree.point_count();
        let mut nodes: Vec<Vec<u32>> = vec![vec![]; pieces];
        for (&node, &piece) in broken.old.nodes.iter().zip(&piece_of) {
            nodes[piece as usize].push(node);
        }
        let ids = (first..first + pieces as u32).map(FragmentId).collect();
        for (((nodes, tets), tree), mass) in nodes.into_iter().zip(tets).zip(trees).zip(masses) {
            let made = self.piece(nodes, tets, tree, mass);
            self.fragments.push(Some(made));
        }
        let reached = self.spread(&broken.old.nodes, &fresh);
        let update = begin.elapsed() - cutting;
        self.last_split =
            SplitStats { pieces, cut_tets: fresh.len(), crack_points, reached, cutting, update };
        self.compact();
        Ok(ids)
    }

    /// The number of pieces and the piece of each node; `None` if there is one alone.
    fn pieces(&self, fragment: FragmentId, labels: &[u32]) -> Option<(usize, Vec<u32>)> {
        let nodes = &self.fragments[fragment.index()].as_ref()?.nodes;
        let mut index_of = vec![Solid::NONE; self.fragment_of.len()];
        for (index, &node) in nodes.iter().enumerate() {
            index_of[node as usize] = index as u32;
        }
        let mut piece_of = vec![Solid::NONE; nodes.len()];
        let mut pieces = 0;
        let mut open = vec![];
        for start in 0..nodes.len() {
            if piece_of[start] != Solid::NONE {
                continue;
            }
            piece_of[start] = pieces;
            open.push(start);
            while let Some(at) = open.pop() {
                for &neighbour in self.solid.adjacency.neighbours(nodes[at]) {
                    let next = index_of[neighbour as usize];
                    if next != Solid::NONE
                        && piece_of[next as usize] == Solid::NONE
                        && labels[next as usize] == labels[at]
                    {
                        piece_of[next as usize] = pieces;
                        open.push(next as usize);
                    }
                }
            }
            pieces += 1;
        }
        (pieces > 1).then_some((pieces as usize, piece_of))
    }

    /// Cuts tetrahedra. Returns the tetrahedra of each piece, and the cuts that are new or changed.
    fn cut(&mut self, broken: &Broken) -> (Vec<Vec<u32>>, Vec<u32>) {
        let solid = self.solid.clone();
        let mut tets_of = vec![vec![]; broken.pieces];
        let mut fresh = vec![];
        let mut divisions = vec![];
        for &tet in &broken.old.tets {
            let nodes = solid.mesh.tets()[tet as usize];
            // Ranks of the pieces among the nodes of the breaking fragment.
            let mut present = [Solid::NONE; 4];
            let mut kinds = 0;
            let pieces = nodes.map(|node| broken.piece(self.fragment_of[node as usize]));
            for &piece in pieces.iter().flatten() {
                if !present[..kinds].contains(&piece) {
                    present[kinds] = piece;
                    kinds += 1;
                    tets_of[piece as usize].push(tet);
                }
            }
            if kinds < 2 {
                self.rename_parts(tet, broken.id, broken.first + present[0]);
                continue;
            }
            present[..kinds].sort_unstable();
            let rank = |piece: u32| present[..kinds].iter().position(|&p| p == piece).unwrap_or(0) as u8;
            let groups = pieces.map(|piece| piece.map_or(APART, rank));
            let weights = nodes.map(|node| broken.weight_of[node as usize]);
            divisions.push((tet, groups, weights));
        }
        // Two parts with a quad of crack each are the rule.
        self.facets.reserve(5 * divisions.len());
        for (tet, groups, weights) in divisions {
            fresh.push(self.cut_one(tet, groups, weights, &solid));
        }
        (tets_of, fresh)
    }

    /// The part of a fragment in a tetrahedron that was cut before goes to a piece as it is.
    fn rename_parts(&mut self, tet: u32, old: u32, piece: u32) {
        let index = self.cut_of[tet as usize];
        if index != Solid::NONE {
            let cut = &mut self.cuts[index as usize];
            if let Some(part) = cut.part_of(old) {
                cut.parts[part].fragment = piece;
            }
        }
    }

    fn cut_one(&mut self, tet: u32, groups: [u8; 4], weights: [f64; 4], solid: &Solid) -> u32 {
        let slot = &mut self.cut_of[tet as usize];
        if *slot == Solid::NONE {
            *slot = self.cuts.len() as u32;
            self.cuts.push(CutTet::new(tet));
            self.part_moments.push([Moments::default(); 4]);
        }
        let index = *slot;
        let cut = &mut self.cuts[index as usize];
        self.wasted += cut.parts().iter().map(|part| (part.to - part.from) as usize).sum::<usize>();
        cut.divide(groups, weights);
        cut.changed = self.fractures;
        cut.pattern = self.book.find(&cut.groups);
        let is_open = solid.triangles_of_tet[tet as usize].map(|triangle| triangle != Solid::NONE);
        let corners = solid.mesh.corners(tet as usize);
        let fragments = solid.mesh.tets()[tet as usize].map(|node| self.fragment_of[node as usize]);
        self.part_moments[index as usize] = cut.rebuild(
            self.book.get(cut.pattern),
            &corners,
            solid.middle,
            is_open,
            fragments,
            &mut self.facets,
        );
        index
    }

    /// The sphere trees of the pieces: each keeps its points of the old one, and gets the corners of the crack.
    fn divide_tree(&self, broken: &Broken, fresh: &[u32]) -> Vec<SphereTree> {
        let old = &broken.old.tree;
        let piece_of = |point: usize| (self.fragment_of[old.owners[point] as usize] - broken.first) as usize;
        let mut counts = vec![0; broken.pieces];
        (0..old.points.len()).for_each(|point| counts[piece_of(point)] += 1);
        // Crack corners are about as many as old points; growing by copies is what would cost.
        let mut sprouts: Vec<Vec<Sprout>> =
            counts.iter().map(|&count| Vec::with_capacity(3 * count + 16)).collect();
        // Where each old point is among the sprouts of its piece, and where each node is.
        let mut place_of = vec![SphereTree::NONE; old.points.len()];
        let mut place_of_node = vec![SphereTree::NONE; self.fragment_of.len()];
        for point in 0..old.points.len() {
            let piece = piece_of(point);
            let mut parent = old.parents[point];
            while parent != SphereTree::NONE && piece_of(parent as usize) != piece {
                parent = old.parents[parent as usize];
            }
            let list = &mut sprouts[piece];
            place_of[point] = list.len() as u32;
            if !old.is_crack[point] {
                place_of_node[old.owners[point] as usize] = list.len() as u32;
            }
            list.push(Sprout {
                point: old.points[point],
                owner: old.owners[point],
                is_crack: old.is_crack[point],
                key: old.keys[point],
                level: old.levels[point],
                parent: if parent == SphereTree::NONE { parent } else { place_of[parent as usize] },
            });
        }
        let mut add = |owner: u32, key: Key, point: DVec3| {
            let list = &mut sprouts[(self.fragment_of[owner as usize] - broken.first) as usize];
            let parent = place_of_node[owner as usize];
            let level = list[parent as usize].level.saturating_add(1);
            list.push(Sprout { point, owner, is_crack: true, key, level, parent });
        };
        self.crack_corners_on_edges(broken, &mut add);
        self.crack_corners_in_tets(fresh, &mut add);
        sprouts.iter().map(|list| SphereTree::assemble(list)).collect()
    }

    /// The point where the crack divides each edge, once for either side.
    fn crack_corners_on_edges(&self, broken: &Broken, add: &mut impl FnMut(u32, Key, DVec3)) {
        for &node in &broken.old.nodes {
            let own = self.fragment_of[node as usize];
            for &other in self.solid.adjacency.neighbours(node) {
                let theirs = self.fragment_of[other as usize];
                if theirs != own && broken.piece(theirs).is_some() {
                    let [w, v] = [node, other].map(|n| broken.weight_of[n as usize]);
                    let [p, q] = [node, other].map(|n| self.position(n));
                    let key = [node.min(other), node.max(other), SphereTree::NONE, SphereTree::NONE];
                    add(node, key, p * (v / (w + v)) + q * (w / (w + v)));
                }
            }
        }
    }

    /// The points where cracks meet on faces and inside tetrahedra, once for each part.
    fn crack_corners_in_tets(&self, fresh: &[u32], add: &mut impl FnMut(u32, Key, DVec3)) {
        for &index in fresh {
            let cut = &self.cuts[index as usize];
            let nodes = self.solid.mesh.tets()[cut.tet as usize];
            let across = self.solid.adjacency.across(cut.tet as usize);
            for part in &self.book.get(cut.pattern).parts {
                for &support in part.supports.iter().filter(|support| support.count_ones() > 2) {
                    let own = (support & part.nodes).trailing_zeros() as usize;
                    if !self.is_fresh_corner(cut, own, support) {
                        continue;
                    }
                    // A face belongs to two tetrahedra; the lower one speaks for it.
                    let opposite = (!support & 0b1111_u8).trailing_zeros() as usize;
                    if opposite < 4 && across[opposite] < cut.tet {
                        continue;
                    }
                    let b = corner(&cut.groups, &cut.weights, part.nodes, support);
                    let point = (0..4).map(|k| self.position(nodes[k]) * b[k]).sum();
                    add(nodes[own], key_of(&nodes, support), point);
                }
            }
        }
    }

    /// Whether a corner of a part was not there before the last division.
    fn is_fresh_corner(&self, cut: &CutTet, own: usize, support: u8) -> bool {
        let last = cut.groups.iter().rposition(|groups| *groups != [APART; 4]).expect("it is cut");
        let others = (0..4).filter(|&j| j != own && support >> j & 1 == 1);
        // It is new if one of the cracks that meet in it is.
        let mut planes = others.filter_map(|j| super::pattern::plane(&cut.groups, own, j));
        planes.any(|(division, ..)| division == last)
    }

    /// Mass properties of a piece: what is whole, and its parts of what is cut.
    fn mass(&self, piece: u32, tets: &[u32]) -> MassProperties {
        let mut moments = Moments::default();
        for &tet in tets {
            let index = self.cut_of[tet as usize];
            if index == Solid::NONE {
                moments.add(&self.solid.moments[tet as usize]);
                continue;
            }
            let cut = &self.cuts[index as usize];
            let number = cut.part_of(piece).expect("the tetrahedron has a part of the piece");
            moments.add(&self.part_moments[index as usize][number]);
        }
        moments.properties(self.solid.middle)
    }

    fn piece(&self, nodes: Vec<u32>, tets: Vec<u32>, tree: SphereTree, mass: MassProperties) -> Fragment {
        let low = tree.points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = tree.points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        let own = self.fragment_of[nodes[0] as usize];
        let [presence, skin] = Presence::of(&self.solid.cells, &tets, [low, high], |tet, marker| {
            self.mark_skin(own, tet, marker);
        });
        let is_inside = self.solid.points_inside(&tree);
        Fragment { nodes, tets, tree, is_inside, presence, skin, mass, low, high }
    }

    /// Marks the cells that the surface of a fragment passes through in a tetrahedron.
    fn mark_skin(&self, fragment: u32, tet: u32, marker: &mut Marker) {
        let index = self.cut_of[tet as usize];
        if index == Solid::NONE {
            self.solid.mark_skin(tet, marker);
            return;
        }
        let cut = &self.cuts[index as usize];
        if let Some(part) = cut.part_of(fragment) {
            let span = &cut.parts[part];
            for facet in &self.facets[span.from as usize..span.to as usize] {
                self.solid.cells.visit_triangle(&facet.triangle, facet.normal, &mut |cell| marker.mark(cell));
            }
        }
    }

    /// Gives back the memory of facets that are no longer used, when they are the most.
    fn compact(&mut self) {
        if 2 * self.wasted <= self.facets.len() {
            return;
        }
        let mut kept = Vec::with_capacity(self.facets.len() - self.wasted);
        for cut in &mut self.cuts {
            for part in &mut cut.parts[..cut.part_count as usize] {
                let from = kept.len() as u32;
                kept.extend_from_slice(&self.facets[part.from as usize..part.to as usize]);
                (part.from, part.to) = (from, kept.len() as u32);
            }
        }
        self.facets = kept;
        self.wasted = 0;
    }
}

/// A fragment in the moment it breaks.
struct Broken {
    /// Its id.
    id: u32,
    /// Id of the first piece; the others follow.
    first: u32,
    pieces: usize,
    old: Fragment,
    weight_of: Vec<f64>,
}

impl Broken {
    /// The piece that a fragment is, if it is one of ours.
    #[inline]
    fn piece(&self, fragment: u32) -> Option<u32> {
        let piece = fragment.wrapping_sub(self.first);
        ((piece as usize) < self.pieces).then_some(piece)
    }
}
