//! How the tetrahedra of a mesh meet: across faces, along edges, at nodes.
//!
//! # Idea
//!
//! Faces are put into rows by their lowest node (a counting sort) and each short row is sorted; equal neighbours in a row
//! are the two uses of one face. Edges are found in the same way. No hash map takes part, so the structure depends
//! on the mesh alone.
//!
//! # Invariants
//!
//! Rows are sorted. The neighbour across a face is another tetrahedron with the same three nodes, on the other side.

use super::{EDGES, FACES, TetError, TetMesh};
use crate::base::Lists;

/// Face, edge and node neighbourhoods of a tetrahedral mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TetAdjacency {
    /// The tetrahedron across each face, or [`TetAdjacency::NONE`].
    across: Vec<[u32; 4]>,
    /// By node: nodes it is joined to by an edge.
    neighbours: Lists<u32>,
    /// By node: tetrahedra that have it.
    tets: Lists<u32>,
}

impl TetAdjacency {
    /// Where there is no tetrahedron across a face.
    pub const NONE: u32 = u32::MAX;

    /// The neighbourhoods of a mesh.
    ///
    /// # Errors
    /// [`TetError::CrowdedFace`] where three tetrahedra share a face, [`TetError::Folded`] where two lie on the same side of
    /// the face they share.
    ///
    /// # Cost
    /// Linear, but for the sorting of the faces at each node.
    ///
    /// ```
    /// use fracas::mesh::tets::{TetAdjacency, brick};
    /// use fracas::geom::DVec3;
    /// let block = brick(DVec3::ONE, [2, 2, 2]);
    /// let adjacency = TetAdjacency::build(&block).unwrap();
    /// let outside = (0..block.tet_count()).flat_map(|t| adjacency.across(t));
    /// assert_eq!(outside.filter(|&t| t == TetAdjacency::NONE).count(), 6 * 4 * 2);
    /// ```
    pub fn build(mesh: &TetMesh) -> Result<Self, TetError> {
        let corners = (0..).zip(mesh.tets()).flat_map(|(t, corners)| corners.map(|node| (node, t)));
        let tets = Lists::from_pairs(mesh.node_count(), corners);
        Ok(Self { across: match_faces(mesh)?, neighbours: neighbours_of_nodes(mesh), tets })
    }

    /// How many nodes the mesh had.
    #[inline]
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.tets.count()
    }

    /// The tetrahedra across the four faces; [`TetAdjacency::NONE`] where a face is on the boundary. Panics if there is no
    /// such tetrahedron.
    #[inline]
    #[must_use]
    pub fn across(&self, tet: usize) -> [u32; 4] {
        self.across[tet]
    }

    /// The nodes joined to a node by an edge, in order. Panics if there is no such node.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        self.neighbours.list(node as usize)
    }

    /// The tetrahedra that have a node, in order. Panics if there is no such node.
    #[inline]
    #[must_use]
    pub fn tets_of(&self, node: u32) -> &[u32] {
        self.tets.list(node as usize)
    }

    /// Every edge, the lower node first, sorted.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        (0..).zip(self.neighbours.iter()).flat_map(|(a, neighbours)| {
            neighbours.iter().copied().filter(move |&b| b > a).map(move |b| [a, b])
        })
    }
}

fn neighbours_of_nodes(mesh: &TetMesh) -> Lists<u32> {
    let both_ways = |corners: &[u32; 4]| {
        let corners = *corners;
        EDGES.into_iter().flat_map(move |[i, j]| [(corners[i], corners[j]), (corners[j], corners[i])])
    };
    let mut with_repeats = Lists::from_pairs(mesh.node_count(), mesh.tets().iter().flat_map(both_ways));
    let mut neighbours = Lists::default();
    for node in 0..mesh.node_count() {
        let row = with_repeats.list_mut(node);
        row.sort_unstable();
        neighbours.append(|all| all.extend(row.chunk_by(|a, b| a == b).map(|same| same[0])));
    }
    neighbours
}

/// For each face of each tetrahedron, the tetrahedron on its other side.
fn match_faces(mesh: &TetMesh) -> Result<Vec<[u32; 4]>, TetError> {
    let corners_of = |face: u32| FACES[face as usize % 4].map(|k| mesh.tets()[face as usize / 4][k]);
    let by_lowest_node = (0..4 * mesh.tet_count() as u32).map(|face| {
        let [a, b, c] = corners_of(face);
        (a.min(b).min(c), face)
    });
    let mut faces = Lists::from_pairs(mesh.node_count(), by_lowest_node);
    let mut across = vec![[TetAdjacency::NONE; 4]; mesh.tet_count()];
    let sorted = |face: u32| {
        let mut corners = corners_of(face);
        corners.sort_unstable();
        corners
    };
    for node in 0..mesh.node_count() {
        let row = faces.list_mut(node);
        row.sort_unstable_by_key(|&face| (sorted(face), face));
        for same in row.chunk_by(|&a, &b| sorted(a) == sorted(b)) {
            let tet = |face: u32| face as usize / 4;
            match *same {
                [a, b] if is_even(corners_of(a)) == is_even(corners_of(b)) => {
                    return Err(TetError::Folded { tets: [a, b].map(tet) });
                }
                [a, b] => {
                    across[a as usize / 4][a as usize % 4] = b / 4;
                    across[b as usize / 4][b as usize % 4] = a / 4;
                }
                [a, b, c, ..] => return Err(TetError::CrowdedFace { tets: [a, b, c].map(tet) }),
                _ => {}
            }
        }
    }
    Ok(across)
}

/// Whether three numbers are in order but for a rotation.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    [a < b, b < c, c < a].iter().filter(|&&ascends| ascends).count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::DVec3;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_agree_with_a_search_over_all_pairs() {
        let mesh = crate::mesh::tets::brick(DVec3::new(1.0, 2.0, 3.0), [2, 1, 3]);
        let adjacency = TetAdjacency::build(&mesh).unwrap();
        for (t, corners) in mesh.tets().iter().enumerate() {
            for (k, face) in FACES.iter().enumerate() {
                let nodes: BTreeSet<u32> = face.iter().map(|&i| corners[i]).collect();
                let shares = |u: &usize| {
                    *u != t && nodes.is_subset(&mesh.tets()[*u].iter().copied().collect::<BTreeSet<u32>>())
                };
                let expected = (0..mesh.tet_count()).find(shares).map_or(TetAdjacency::NONE, |u| u as u32);
                assert_eq!(adjacency.across(t)[k], expected);
            }
        }
        for node in 0..mesh.node_count() as u32 {
            let tets: Vec<u32> =
                (0..mesh.tet_count() as u32).filter(|&t| mesh.tets()[t as usize].contains(&node)).collect();
            assert_eq!(adjacency.tets_of(node), tets);
            let mut near: Vec<u32> =
                tets.iter().flat_map(|&t| mesh.tets()[t as usize]).filter(|&n| n != node).collect();
            near.sort_unstable();
            near.dedup();
            assert_eq!(adjacency.neighbours(node), near);
        }
        let ends: usize = (0..mesh.node_count() as u32).map(|node| adjacency.neighbours(node).len()).sum();
        assert_eq!(2 * adjacency.edges().count(), ends);
        assert!(adjacency.edges().is_sorted());
    }

    #[test]
    fn tetrahedra_that_cannot_lie_side_by_side_are_refused() {
        let corners =
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, 2.0 * DVec3::Z, DVec3::NEG_Z, 2.0 * DVec3::NEG_Z];
        let build = |tets: &[[u32; 4]]| {
            TetAdjacency::build(&TetMesh::new(corners.to_vec(), tets.to_vec()).unwrap()).unwrap_err()
        };
        assert_eq!(build(&[[0, 1, 2, 3], [0, 1, 2, 4]]), TetError::Folded { tets: [0, 1] });
        let crowded = build(&[[0, 1, 2, 3], [0, 2, 1, 5], [0, 2, 1, 6]]);
        assert_eq!(crowded, TetError::CrowdedFace { tets: [0, 1, 2] });
    }
}
