//! The shapes into which labels divide a tetrahedron.
//!
//! # Idea
//!
//! A fracture puts the nodes of a tetrahedron into groups; each group keeps the part of the tetrahedron in which it has the most
//! weight. A later fracture may divide a group again, within its part. Part F of the final groups is a convex polytope, and all
//! of its corners are known from the groups alone:
//!
//! ```text
//!        l                     ·  its nodes;
//!       ╱ ╲                    ×  on each edge from a node i of F to a node j outside, one point;
//!      ×───×  crack            *  on each face with one node i of F, where the cracks towards j and towards k
//!     ╱  F  ╲                     are different planes, one point;
//!    i───────j                 and inside, if F is one node and all three planes are different, one more.
//! ```
//!
//! Three facets meet in every corner, so the corners of a facet can be put in order without arithmetic on positions: whatever
//! the weights are, the shape is the same. A [`Pattern`] holds it, made once for each way to group the nodes.

use crate::base::sorted_set;
use crate::geom::DVec3;
use std::sync::LazyLock;

/// A set of corners of a tetrahedron, a bit for each.
pub(crate) type Corners = u8;

/// The group of a corner that does not take part in a division.
pub(crate) const APART: u8 = 7;

/// The divisions of a tetrahedron, first to last: for each the group of every corner.
///
/// At most three, since each makes one part more at least.
pub(crate) type Groups = [[u8; 4]; 3];

/// No division at all.
pub(crate) const WHOLE: Groups = [[APART; 4]; 3];

/// The parts of a tetrahedron under some divisions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern {
    pub parts: Vec<PartPattern>,
}

/// A convex part: what belongs to one final group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartPattern {
    /// The nodes of the group.
    pub nodes: Corners,
    /// The nodes between which each corner of the part lies.
    pub supports: Vec<Corners>,
    /// On faces of the tetrahedron first, then on cracks.
    pub facets: Vec<FacetPattern>,
    /// Where those on cracks begin.
    pub first_crack: usize,
}

/// A side of a part: its corners counter-clockwise, seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FacetPattern {
    pub side: FacetSide,
    pub ring: Vec<u8>,
}

/// What a facet lies on: a face of the tetrahedron, or the crack of a division towards a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FacetSide {
    Face(u8),
    Crack(usize, u8),
}

/// The plane between corners i and j: the division that parts them, and the groups on either side.
///
/// `None` if they are in one part.
#[inline]
pub(crate) fn plane(groups: &Groups, i: usize, j: usize) -> Option<(usize, u8, u8)> {
    (0..3).find_map(|s| {
        let (a, b) = (groups[s][i], groups[s][j]);
        (a != APART && b != APART && a != b).then_some((s, a, b))
    })
}

/// The nodes in the same part as a node.
pub(crate) fn part_of(groups: &Groups, node: usize) -> Corners {
    (0..4).filter(|&j| plane(groups, node, j).is_none()).map(|j| 1 << j).sum()
}

/// A number for each way to group the nodes.
pub(crate) fn key(groups: &Groups) -> u64 {
    groups.iter().flatten().fold(0, |key, &group| key << 3 | u64::from(group))
}

impl Pattern {
    pub fn of(groups: &Groups) -> Self {
        let mut parts: Vec<PartPattern> = vec![];
        for node in 0..4 {
            let nodes = part_of(groups, node);
            if nodes.trailing_zeros() as usize == node {
                parts.push(PartPattern::of(groups, nodes));
            }
        }
        Self { parts }
    }
}

impl PartPattern {
    fn of(groups: &Groups, nodes: Corners) -> Self {
        let mut supports = vec![];
        let mut facets_of: Vec<Vec<FacetSide>> = vec![];
        let planes_of = |support: Corners| {
            let mut found: Vec<FacetSide> =
                (0..4).filter(|k| support >> k & 1 == 0).map(|k| FacetSide::Face(k as u8)).collect();
            let own = (support & nodes).trailing_zeros() as usize;
            for j in (0..4).filter(|j| (support & !nodes) >> j & 1 == 1) {
                let (s, _, other) = plane(groups, own, j).expect("the node is in another part");
                let facet = FacetSide::Crack(s, other);
                if !found.contains(&facet) {
                    found.push(facet);
                }
            }
            found
        };
        for support in 1..16_u8 {
            let inside = (support & nodes).count_ones();
            if inside != 1 {
                continue;
            }
            // A corner is where three facets meet: faces it lies on and different planes.
            let facets = planes_of(support);
            if facets.len() == 3 {
                supports.push(support);
                facets_of.push(facets);
            }
        }
        let all: Vec<FacetSide> = sorted_set(facets_of.iter().flatten().copied());
        let places: Vec<DVec3> = supports.iter().map(|&s| place(groups, nodes, s)).collect();
        let centre = places.iter().sum::<DVec3>() / places.len() as f64;
        let facets: Vec<FacetPattern> = all
            .into_iter()
            .map(|side| FacetPattern { side, ring: ring_of(side, &facets_of, &places, centre) })
            .collect();
        let first_crack = facets.partition_point(|facet| matches!(facet.side, FacetSide::Face(_)));
        Self { nodes, supports, facets, first_crack }
    }
}

/// The corners of a facet in order: each shares one more facet with the next.
fn ring_of(facet: FacetSide, facets_of: &[Vec<FacetSide>], places: &[DVec3], centre: DVec3) -> Vec<u8> {
    let on: Vec<usize> = (0..facets_of.len()).filter(|&v| facets_of[v].contains(&facet)).collect();
    let shares =
        |a: usize, b: usize| facets_of[a].iter().any(|other| *other != facet && facets_of[b].contains(other));
    let mut ring = vec![on[0]];
    while ring.len() < on.len() {
        let last = ring[ring.len() - 1];
        let next = on.iter().copied().find(|&v| !ring.contains(&v) && shares(last, v));
        ring.push(next.expect("the corners of a facet make one ring"));
    }
    // The shape for equal weights tells which way round is outward; it is never thin.
    let turn: DVec3 =
        (0..ring.len()).map(|k| places[ring[k]].cross(places[ring[(k + 1) % ring.len()]])).sum();
    if turn.dot(places[ring[0]] - centre) < 0.0 {
        ring.reverse();
    }
    ring.iter().map(|&v| v as u8).collect()
}

/// A corner of a part for equal weights, in the tetrahedron 0 X Y Z.
fn place(groups: &Groups, nodes: Corners, support: Corners) -> DVec3 {
    let b = corner(groups, &[[1.0; 4]; 3], nodes, support);
    DVec3::new(b[1], b[2], b[3])
}

/// The barycentric coordinates of a corner of part `nodes` between the nodes of `support`, of which one is its own.
pub(crate) fn corner(groups: &Groups, weights: &[[f64; 4]; 3], nodes: Corners, support: Corners) -> [f64; 4] {
    let own = (support & nodes).trailing_zeros() as usize;
    let mut b = [0.0; 4];
    if support.count_ones() == 1 {
        b[own] = 1.0;
        return b;
    }
    if support.count_ones() == 2 {
        // By far the most frequent: the point that divides an edge.
        let j = (support & !nodes).trailing_zeros() as usize;
        let (s, ..) = plane(groups, own, j).expect("the node is in another part");
        let total = weights[s][own] + weights[s][j];
        (b[own], b[j]) = (weights[s][j] / total, weights[s][own] / total);
        return b;
    }
    let others: [usize; 3] = {
        let mut found = [usize::MAX; 3];
        for (slot, j) in found.iter_mut().zip((0..4).filter(|j| (support & !nodes) >> j & 1 == 1)) {
            *slot = j;
        }
        found
    };
    // The plane towards j: weights of our group against those of the group of j, both within the support.
    let row = |j: usize| {
        let (s, mine, theirs) = plane(groups, own, j).expect("the node is in another part");
        [0, 1, 2, 3].map(|m| {
            if support >> m & 1 == 0 {
                0.0
            } else if groups[s][m] == mine {
                weights[s][m]
            } else if groups[s][m] == theirs {
                -weights[s][m]
            } else {
                0.0
            }
        })
    };
    match others {
        [_, usize::MAX, _] => unreachable!("supports of one and two nodes were answered above"),
        [j, k, usize::MAX] => {
            let (r, q) = (row(j), row(k));
            let r = DVec3::new(r[own], r[j], r[k]);
            let q = DVec3::new(q[own], q[j], q[k]);
            let x = r.cross(q);
            (b[own], b[j], b[k]) = (x.x, x.y, x.z);
        }
        [j, k, l] => {
            let rows = [row(j), row(k), row(l)];
            for m in 0..4 {
                let [x, y, z] = match m {
                    0 => [1, 2, 3],
                    1 => [0, 3, 2],
                    2 => [0, 1, 3],
                    _ => [0, 2, 1],
                };
                let column = |c: usize| DVec3::new(rows[0][c], rows[1][c], rows[2][c]);
                b[m] = column(x).cross(column(y)).dot(column(z));
            }
        }
    }
    let total: f64 = b.iter().sum();
    b.map(|x| x / total)
}

/// Every pattern there is, a few hundred of them, found by their groups.
#[derive(Debug)]
pub(crate) struct PatternBook {
    known: Vec<(u64, u32)>,
    patterns: Vec<Pattern>,
    /// The numbers of patterns with one division of all four nodes, by its groups, two bits for each.
    undivided: [u32; 256],
}

static BOOK: LazyLock<PatternBook> = LazyLock::new(PatternBook::build);

impl PatternBook {
    /// The book, made when it is first asked for: [`Solid::build`](super::Solid::build) asks, so that no fracture waits for it.
    pub fn open() -> &'static Self {
        &BOOK
    }

    fn build() -> Self {
        let all = all_groups();
        let mut known: Vec<(u64, u32)> = all.iter().zip(0..).map(|(groups, n)| (key(groups), n)).collect();
        known.sort_unstable();
        let mut undivided = [u32::MAX; 256];
        for (groups, number) in all.iter().zip(0..) {
            if !groups[0].contains(&APART) && groups[1] == [APART; 4] {
                undivided[first_division(groups)] = number;
            }
        }
        Self { known, patterns: all.iter().map(Pattern::of).collect(), undivided }
    }

    /// The number of a pattern.
    #[inline]
    pub fn find(&self, groups: &Groups) -> u32 {
        if !groups[0].contains(&APART) && groups[1] == [APART; 4] {
            return self.undivided[first_division(groups)];
        }
        let found = self.known.binary_search_by_key(&key(groups), |known| known.0);
        self.known[found.expect("every way to group the nodes is in the book")].1
    }

    #[inline]
    pub fn get(&self, number: u32) -> &Pattern {
        &self.patterns[number as usize]
    }
}

/// The groups of the first division in one number.
#[inline]
fn first_division(groups: &Groups) -> usize {
    groups[0].iter().fold(0, |code, &group| code << 2 | (group & 3) as usize)
}

/// Every way to divide the four corners, and to divide the parts again. Groups are numbered in any order.
fn all_groups() -> Vec<Groups> {
    let mut found = vec![WHOLE];
    let mut done = 0;
    while done < found.len() {
        let groups = found[done];
        done += 1;
        let Some(s) = (0..3).find(|&s| groups[s] == [APART; 4]) else { continue };
        for node in 0..4 {
            let nodes = part_of(&groups, node);
            if nodes.trailing_zeros() as usize != node {
                continue;
            }
            for code in 0..256_u32 {
                let label = |k: usize| (code >> (2 * k) & 3) as u8;
                let mut next = groups;
                for k in (0..4).filter(|k| nodes >> k & 1 == 1) {
                    next[s][k] = label(k);
                }
                // Nodes outside the part must not make the same division many times.
                let is_first = (0..4).all(|k| nodes >> k & 1 == 1 || label(k) == 0);
                let count = (0..4).filter(|group| next[s].contains(group)).count();
                let is_without_gap = (0..count as u8).all(|group| next[s].contains(&group));
                if is_first && count > 1 && is_without_gap {
                    found.push(next);
                }
            }
        }
    }
    found
}

/// Corners of a face of a tetrahedron as a set.
#[cfg(test)]
fn face_corners(face: usize) -> Corners {
    crate::mesh::tets::FACES[face].iter().map(|&k| 1 << k).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn weights(seed: u64) -> [[f64; 4]; 3] {
        let mut state = seed;
        [[0; 4]; 3].map(|row| {
            row.map(|_: i32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                0.1 + (state >> 40) as f64 / (1 << 20) as f64
            })
        })
    }

    #[test]
    fn the_book_has_every_pattern_once() {
        let all = all_groups();
        // 74 divisions of four nodes; then of the parts that are left with two nodes and more.
        assert_eq!(all.len(), 1 + 74 + (8 * 12 + 6 * 2 * 2 + 36 * 2) + (8 * 6 * 2 + 6 * 2 * 2 * 2));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        for groups in &all {
            let book = PatternBook::open();
            assert_eq!(book.get(book.find(groups)), &Pattern::of(groups));
        }
    }

    #[test]
    fn parts_fill_the_tetrahedron_and_are_closed_for_all_groups_and_weights() {
        let all = all_groups();
        assert!(all.len() > 100, "{}", all.len());
        for (number, groups) in all.iter().enumerate() {
            let pattern = Pattern::of(groups);
            for seed in 0..4 {
                let weights = weights(seed + 7 * number as u64);
                let mut total = 0.0;
                for part in &pattern.parts {
                    let places: Vec<DVec3> = part
                        .supports
                        .iter()
                        .map(|&support| {
                            let b = corner(groups, &weights, part.nodes, support);
                            assert!(b.iter().all(|&x| x >= 0.0), "{groups:?} {b:?}");
                            DVec3::new(b[1], b[2], b[3])
                        })
                        .collect();
                    let mut volume = 0.0;
                    let mut edges = BTreeSet::new();
                    for facet in &part.facets {
                        assert!(facet.ring.len() >= 3);
                        let ring: Vec<DVec3> = facet.ring.iter().map(|&v| places[v as usize]).collect();
                        for k in 1..ring.len() - 1 {
                            volume += ring[0].cross(ring[k]).dot(ring[k + 1]) / 6.0;
                        }
                        for k in 0..facet.ring.len() {
                            let edge = (facet.ring[k], facet.ring[(k + 1) % facet.ring.len()]);
                            assert!(edges.insert(edge), "an edge is used twice in one direction");
                        }
                    }
                    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "{groups:?}");
                    assert!(volume > 0.0);
                    total += volume;
                }
                assert!((total - 1.0 / 6.0).abs() < 1e-14, "{groups:?} {total}");
            }
        }
    }

    #[test]
    fn neighbours_agree_on_their_common_face() {
        // What a part has of a face depends on the groups of that face's corners alone.
        for groups in all_groups() {
            let pattern = Pattern::of(&groups);
            let weights = weights(key(&groups));
            for face in 0..4 {
                let corners = face_corners(face);
                for part in pattern.parts.iter().filter(|part| part.nodes & corners != 0) {
                    let on_face = part.supports.iter().filter(|&&s| s & !corners == 0);
                    for &support in on_face {
                        let b = corner(&groups, &weights, part.nodes, support);
                        // The same without the fourth corner's say.
                        let mut other = weights;
                        other.iter_mut().for_each(|row| row[face] = 3.7);
                        assert_eq!(b, corner(&groups, &other, part.nodes, support));
                    }
                }
            }
        }
    }
}
