//! Breaking a fragment: labels of nodes become pieces, and all their data is updated.
//!
//! # Steps
//!
//! 1. Nodes that have one label and are connected make a piece; a label may make several.
//! 2. Tetrahedra whose nodes go to different pieces are cut, or cut once more (`cut_tet`). Each piece gets its mass.
//! 3. Each piece gets its part of the sphere tree with the corners of the crack (`piece_trees`), and its cells (`piece_cells`).
//!
//! The cost is proportional to the fragment that breaks; other fragments cost nothing. The fragment distance field
//! and the facet tree of a piece are built when a query needs them.

pub(crate) mod cut_tet;
pub(crate) mod pattern;
mod piece_cells;
mod piece_trees;

use crate::brittle::solid::sphere_tree::{Key, SphereTree};
use crate::brittle::surface::key_of;
use crate::brittle::{BrittleBody, BrittleError, Fracture, Fragment, FragmentId, Solid};
use crate::geom::DVec3;
use crate::mesh::mass::{MassProperties, Moments};
use crate::mesh::tets::TetAdjacency;
use cut_tet::{CutTet, Whole};
use pattern::{APART, PatternBook, corner, plane};
use web_time::{Duration, Instant};

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
    /// Time for finding pieces, cutting, and mass.
    pub cutting: Duration,
    /// Time for corners of cracks, sphere trees, and cells.
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
    /// brought to within 1/12 and 1 of the mean edge. A label whose nodes are not connected makes several pieces. If there
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
        let Some(pieces) = self.pieces(fragment, labels) else { return Ok(vec![fragment]) };
        let old = self.fragments[fragment.index()].take().expect("it was found above");
        let first = self.fragments.len() as u32;
        let [least, most] = NEAREST_CRACK.map(|share| share * self.solid.edge);
        let mut notes = std::mem::take(&mut self.notes);
        for (&node, &weight) in old.nodes.iter().zip(weights) {
            self.fragment_of[node as usize] = first + notes.piece_of(node);
            notes.weight_of[node as usize] = weight.clamp(least, most);
        }
        let mut breaking = Breaking { id: fragment.0, first, pieces, old, notes };
        let CutResult { tets, surface_tets, fresh, kept, masses } = self.cut(&breaking);
        let cutting = begin.elapsed();
        let corners = self.crack_corners(&mut breaking, &fresh);
        let trees = self.divide_tree(&mut breaking, &corners);
        let parts = trees.into_iter().zip(tets).zip(surface_tets).zip(masses);
        let mut made: Vec<Fragment> = parts
            .map(|(((tree, tets), surface_tets), mass)| {
                let nodes = Vec::with_capacity(tree.points.len() / 2);
                Fragment { nodes, tets, surface_tets, mass, ..Fragment::new(&self.solid, tree) }
            })
            .collect();
        for &node in &breaking.old.nodes {
            let nodes = &mut made[breaking.notes.piece_of(node) as usize].nodes;
            self.place_of[node as usize] = nodes.len() as u32;
            nodes.push(node);
        }
        self.divide_cells(&breaking, &mut made, [&fresh, &kept]);
        let ids = (first..first + pieces as u32).map(FragmentId).collect();
        self.fragments.extend(made.into_iter().map(Some));
        self.notes = breaking.notes;
        let update = begin.elapsed() - cutting;
        let (cut_tets, crack_points) = (fresh.len(), corners.len());
        self.last_split = SplitStats { pieces, cut_tets, crack_points, cutting, update };
        self.history.push(Fracture { fragment, labels: labels.to_vec(), weights: weights.to_vec() });
        Ok(ids)
    }

    /// The number of pieces, whose nodes are told apart in `notes`; `None` if there is one alone.
    fn pieces(&mut self, fragment: FragmentId, labels: &[u32]) -> Option<usize> {
        let nodes = &self.fragments[fragment.index()].as_ref()?.nodes;
        let state_of = &mut self.notes.state_of;
        for (&node, &label) in nodes.iter().zip(labels) {
            state_of[node as usize] = u64::from(label);
        }
        let mut pieces = 0;
        let mut open = vec![];
        for &start in nodes {
            let label = state_of[start as usize];
            if label >= NodeNotes::DONE {
                continue;
            }
            let done = NodeNotes::DONE + pieces as u64;
            state_of[start as usize] = done;
            open.push(start);
            while let Some(node) = open.pop() {
                for &next in self.solid.adjacency.neighbours(node) {
                    if state_of[next as usize] == label {
                        state_of[next as usize] = done;
                        open.push(next);
                    }
                }
            }
            pieces += 1;
        }
        (pieces > 1).then_some(pieces)
    }

    /// Cuts tetrahedra.
    fn cut(&mut self, breaking: &Breaking) -> CutResult {
        let solid = self.solid.clone();
        let room = breaking.old.tets.len() / breaking.pieces;
        let mut tets: Vec<Vec<u32>> = (0..breaking.pieces).map(|_| Vec::with_capacity(2 * room)).collect();
        let mut surface_tets: Vec<Vec<u32>> =
            (0..breaking.pieces).map(|_| Vec::with_capacity(room)).collect();
        let mut kept = vec![];
        let mut divisions = Vec::with_capacity(breaking.old.tets.len() / 4);
        for &tet in &breaking.old.tets {
            let nodes = solid.mesh.tets()[tet as usize];
            let fragments = nodes.map(|node| self.fragment_of[node as usize]);
            if fragments == [fragments[0]; 4] {
                let piece = (fragments[0] - breaking.first) as usize;
                tets[piece].push(tet);
                if solid.has_surface(tet) {
                    surface_tets[piece].push(tet);
                }
                continue;
            }
            // Ranks of the pieces among the nodes of the breaking fragment.
            let mut present = [Solid::NONE; 4];
            let mut kinds = 0;
            let pieces = fragments.map(|fragment| breaking.piece(fragment));
            for &piece in pieces.iter().flatten() {
                if !present[..kinds].contains(&piece) {
                    present[kinds] = piece;
                    kinds += 1;
                    tets[piece as usize].push(tet);
                    surface_tets[piece as usize].push(tet);
                }
            }
            if kinds < 2 {
                // Its part of a tetrahedron that was cut before goes to a piece as it is.
                let index = self.cut_of[tet as usize];
                let cut = &mut self.cuts[index as usize];
                if let Some(part) = cut.part_of(breaking.id) {
                    cut.parts[part].fragment = breaking.first + present[0];
                }
                kept.push(index);
                continue;
            }
            present[..kinds].sort_unstable();
            let rank = |piece: u32| present[..kinds].iter().position(|&p| p == piece).unwrap_or(0) as u8;
            let groups = pieces.map(|piece| piece.map_or(APART, rank));
            divisions.push((tet, groups, fragments));
        }
        self.make_room(divisions.len());
        // Pieces add up what is whole and their parts of what is cut, in the order of the tetrahedra.
        let mut moments = vec![Moments::default(); breaking.pieces];
        let mut fresh = Vec::with_capacity(divisions.len());
        let mut divisions = divisions.into_iter().peekable();
        for &tet in &breaking.old.tets {
            let nodes = solid.mesh.tets()[tet as usize];
            if let Some((_, groups, fragments)) = divisions.next_if(|division| division.0 == tet) {
                let weights = nodes.map(|node| breaking.notes.weight_of[node as usize]);
                fresh.push(self.cut_one(tet, (groups, weights), fragments, &solid));
            }
            let whole = &solid.moments[tet as usize];
            let index = self.cut_of[tet as usize];
            if index == Solid::NONE {
                moments[(self.fragment_of[nodes[0] as usize] - breaking.first) as usize].add(whole);
                continue;
            }
            let cut = &self.cuts[index as usize];
            let known = &self.part_moments[cut.moments_range()];
            for (number, part) in cut.parts().iter().enumerate() {
                if let Some(piece) = breaking.piece(part.fragment) {
                    moments[piece as usize].add(&cut.moments_of(number, whole, known));
                }
            }
        }
        let masses = moments.iter().map(|moments| moments.properties(solid.middle)).collect();
        CutResult { tets, surface_tets, fresh, kept, masses }
    }

    /// Makes room for cutting tetrahedra: at the first fracture for some more, so that later ones do not have to move everything.
    fn make_room(&mut self, cuts: usize) {
        let share = if self.cuts.is_empty() { 2 } else { 1 };
        // Two parts with a quad of crack each are the rule.
        self.facets.reserve(share * 5 * cuts);
        self.cuts.reserve(share * cuts);
        self.part_moments.reserve(share * (cuts + cuts / 4));
    }

    /// Divides a tetrahedron by groups and weights of its nodes.
    fn cut_one(
        &mut self,
        tet: u32,
        (groups, weights): ([u8; 4], [f64; 4]),
        fragments: [u32; 4],
        solid: &Solid,
    ) -> u32 {
        let slot = &mut self.cut_of[tet as usize];
        if *slot == Solid::NONE {
            *slot = self.cuts.len() as u32;
            self.cuts.push(CutTet::new(tet));
        }
        let index = *slot;
        let cut = &mut self.cuts[index as usize];
        cut.divide(groups, weights);
        let book = PatternBook::open();
        cut.pattern = book.find(&cut.groups);
        let whole = Whole {
            corners: solid.mesh.corners(tet as usize),
            middle: solid.middle,
            is_open: solid.adjacency.across(tet as usize).map(|other| other == TetAdjacency::NONE),
        };
        let room = (&mut self.facets, &mut self.part_moments);
        cut.rebuild(book.get(cut.pattern), &whole, fragments, room);
        index
    }

    /// The corners of the new crack, once for each piece.
    fn crack_corners(&self, breaking: &mut Breaking, fresh: &[u32]) -> Vec<CrackCorner> {
        let mut corners = Vec::with_capacity(3 * fresh.len());
        // Only nodes of tetrahedra that were cut have edges that were.
        let mut divided_often = vec![];
        for cut in fresh.iter().map(|&index| &self.cuts[index as usize]) {
            let nodes = self.solid.mesh.tets()[cut.tet as usize];
            nodes.into_iter().for_each(|node| breaking.notes.is_beside_crack[node as usize] = true);
            if cut.part_count > 2 {
                divided_often.push(cut);
            }
        }
        // The edges that the crack divides, once from either side. Which they are is hard to predict, so there is no branch: every edge is
        // written, and the next one overwrites it if it is whole.
        let mut edges: Vec<[u32; 2]> = vec![];
        let mut count = 0;
        for &node in &breaking.old.nodes {
            if !std::mem::take(&mut breaking.notes.is_beside_crack[node as usize]) {
                continue;
            }
            let own = self.fragment_of[node as usize];
            let neighbours = self.solid.adjacency.neighbours(node);
            if edges.len() < count + neighbours.len() {
                edges.resize(2 * (count + neighbours.len()), [0; 2]);
            }
            for &other in neighbours {
                edges[count] = [node, other];
                let theirs = self.fragment_of[other as usize];
                count += usize::from((theirs != own) & breaking.piece(theirs).is_some());
            }
        }
        corners.extend(edges[..count].iter().map(|&[node, other]| {
            let [w, v] = [node, other].map(|n| breaking.notes.weight_of[n as usize]);
            let [p, q] = [node, other].map(|n| self.position(n));
            let key = [node.min(other), node.max(other), SphereTree::NONE, SphereTree::NONE];
            let point = p * (v / (w + v)) + q * (w / (w + v));
            CrackCorner { point, owner: node, key }
        }));
        // The points where cracks meet on faces and inside tetrahedra, once for each part. Two parts have none.
        for cut in divided_often {
            let nodes = self.solid.mesh.tets()[cut.tet as usize];
            let across = self.solid.adjacency.across(cut.tet as usize);
            for part in &PatternBook::open().get(cut.pattern).parts {
                for &support in part.supports.iter().filter(|support| support.count_ones() > 2) {
                    let own = (support & part.nodes).trailing_zeros() as usize;
                    // A face belongs to two tetrahedra; the lower one speaks for it.
                    let opposite = (!support & 0b1111_u8).trailing_zeros() as usize;
                    let is_theirs = opposite < 4 && across[opposite] < cut.tet;
                    if is_theirs || !self.is_fresh_corner(cut, own, support) {
                        continue;
                    }
                    let b = corner(&cut.groups, &cut.weights(), part.nodes, support);
                    let point = (0..4).map(|k| self.position(nodes[k]) * b[k]).sum();
                    corners.push(CrackCorner { point, owner: nodes[own], key: key_of(&nodes, support) });
                }
            }
        }
        corners
    }

    /// Whether a corner of a part was not there before the last division.
    fn is_fresh_corner(&self, cut: &CutTet, own: usize, support: u8) -> bool {
        let last = cut.groups.iter().rposition(|groups| *groups != [APART; 4]).expect("it is cut");
        let others = (0..4).filter(|&j| j != own && support >> j & 1 == 1);
        // It is new if one of the cracks that meet in it is.
        let mut planes = others.filter_map(|j| plane(&cut.groups, own, j));
        planes.any(|(division, ..)| division == last)
    }
}

/// What cutting leaves: tetrahedra and cuts.
struct CutResult {
    /// The tetrahedra of each piece.
    tets: Vec<Vec<u32>>,
    /// Those of them that have surface.
    surface_tets: Vec<Vec<u32>>,
    /// The cuts that are new or changed.
    fresh: Vec<u32>,
    /// Older cuts whose part went to a piece as it was.
    kept: Vec<u32>,
    /// Mass properties of each piece.
    masses: Vec<MassProperties>,
}

/// A corner of a new crack.
pub(crate) struct CrackCorner {
    pub point: DVec3,
    /// The node it is next to.
    pub owner: u32,
    pub key: Key,
}

/// What a fracture notes about the nodes of the fragment that breaks. The memory is kept, so that the nodes of other fragments cost
/// nothing. Between fractures no node has a state below [`NodeNotes::DONE`].
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeNotes {
    /// The label of a node that has no piece yet; then its piece plus [`NodeNotes::DONE`].
    state_of: Vec<u64>,
    weight_of: Vec<f64>,
    /// Whether a node has a tetrahedron that is being cut. Nodes of other fragments keep what they have.
    is_beside_crack: Vec<bool>,
    /// The point that a node is in the tree of the fragment.
    pub point_of: Vec<u32>,
}

impl NodeNotes {
    /// More than any label.
    const DONE: u64 = 1 << 32;

    pub fn new(nodes: usize) -> Self {
        Self {
            state_of: vec![Self::DONE; nodes],
            weight_of: vec![0.0; nodes],
            is_beside_crack: vec![false; nodes],
            point_of: vec![SphereTree::NONE; nodes],
        }
    }

    #[inline]
    fn piece_of(&self, node: u32) -> u32 {
        (self.state_of[node as usize] - Self::DONE) as u32
    }
}

/// A fragment in the moment it breaks.
pub(crate) struct Breaking {
    /// Its id.
    id: u32,
    /// Id of the first piece; the others follow.
    pub first: u32,
    pub pieces: usize,
    pub old: Fragment,
    pub notes: NodeNotes,
}

impl Breaking {
    /// The piece that a fragment is, if it is one of ours.
    #[inline]
    pub fn piece(&self, fragment: u32) -> Option<u32> {
        let piece = fragment.wrapping_sub(self.first);
        ((piece as usize) < self.pieces).then_some(piece)
    }
}
