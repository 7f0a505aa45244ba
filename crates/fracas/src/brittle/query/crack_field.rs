//! What nodes know of cracks, and how it follows a fracture.
//!
//! # Idea
//!
//! ```text
//!     ·   ·   ·   ·          Each node of a cut tetrahedron looks how far the middle × of its new crack is, and hands
//!      ╲ ╱ ╲ ╱ ╲ ╱           it on to its neighbours. Those who find it nearer than what they know keep it and hand it
//!     ──×───×───×── crack    on in their turn.
//!      ╱ ╲ ╱ ╲ ╱ ╲
//!     ·   ·   ·   ·          Fronts end where nothing gets nearer: at old cracks, and halfway to the original surface.
//! ```
//!
//! Middles are cheap to compare, and the crack with the nearest middle is the nearest crack, or next to it. In the end every
//! node that was told of a crack measures its distance to it, exactly: so no remembered distance is too small. It may be a little
//! too large where another crack is nearer; queries look around for it.
//!
//! Nodes hand on in the order they were told. To go by distance instead would need a heap: few nodes are told twice, so it
//! would cost more than it saves.
//!
//! # Departures from the paper
//!
//! The paper averages distances and directions over the neighbours reached in the step before. Planes are thereby extended
//! beyond their polygons, which makes distances negative and directions wrong near the ends of cracks.

use crate::brittle::split::cut_tet::{FacetTriangle, PartSpan, polygons};
use crate::brittle::split::pattern::APART;
use crate::brittle::{BrittleBody, Solid};
use crate::geom::DVec3;

impl BrittleBody {
    /// Lets fronts spread from cuts that are new or changed, through the nodes of the fragment that broke. Returns
    /// how many nodes they passed.
    pub(crate) fn spread(&mut self, nodes: &[u32], fresh: &[u32]) -> usize {
        let mut front = std::mem::take(&mut self.scratch.front);
        self.forget_lost_cracks(nodes, &mut front);
        for &index in fresh {
            self.seed(index, &mut front);
        }
        let solid = self.solid.clone();
        let mut reached = 0;
        while let Some(&node) = front.queue.get(reached) {
            reached += 1;
            front.flags[node as usize] &= !Front::QUEUED;
            let tet = self.crack_of[node as usize];
            let own = self.fragment_of[node as usize];
            let middle = self.crack_middle[node as usize].0;
            for &other in solid.adjacency.neighbours(node) {
                let o = other as usize;
                let squared = solid.mesh.positions()[o].distance_squared(middle);
                // One branch, since either answer is hard to foretell.
                if (squared < self.crack_middle[o].1) & (self.fragment_of[o] == own) {
                    self.crack_middle[o] = (middle, squared);
                    self.crack_of[o] = tet;
                    // Beyond the original surface nobody asks.
                    let limit = solid.depths[o] + 1.5 * solid.edge;
                    front.add(other, squared < limit * limit);
                }
            }
        }
        for &node in &front.told {
            let n = node as usize;
            let squared = self.crack_squared(self.fragment_of[n], self.crack_of[n], self.position(node));
            self.crack_distance[n] = squared.sqrt();
        }
        front.clear();
        self.scratch.front = front;
        reached
    }

    /// The nodes of a fresh cut look how far it is.
    fn seed(&mut self, index: u32, front: &mut Front) {
        let cut = &self.cuts[index as usize];
        let nodes = self.solid.mesh.tets()[cut.tet as usize];
        let (positions, crack_of, known) =
            (self.solid.mesh.positions(), &mut self.crack_of, &mut self.crack_middle);
        let mut tell = |k: usize, (middle, squared): (DVec3, f64)| {
            let n = nodes[k] as usize;
            if squared < known[n].1 {
                known[n] = (middle, squared);
                crack_of[n] = cut.tet;
                front.add(nodes[k], true);
            }
        };
        let at = |k: usize| positions[nodes[k] as usize];
        if cut.part_count == 2 {
            // Both sides of one polygon are equally far from everything.
            let middle = middle(&self.facets[cut.parts[0].crack_range()]);
            (0..4).for_each(|k| tell(k, (middle, middle.distance_squared(at(k)))));
            return;
        }
        let news = cut.last_division();
        for span in cut.parts() {
            // Nodes of fragments that did not break have no new crack here.
            let is_told = |&k: &usize| span.nodes >> k & 1 == 1 && news[k] != APART;
            let facets = &self.facets[span.crack_range()];
            (0..4).filter(is_told).for_each(|k| tell(k, nearest_middle(facets, at(k))));
        }
    }

    /// The part of a fragment in a cut tetrahedron.
    #[inline]
    fn part(&self, fragment: u32, tet: u32) -> Option<&PartSpan> {
        let cut = &self.cuts[self.cut_of[tet as usize] as usize];
        cut.part_of(fragment).map(|part| &cut.parts[part])
    }

    /// Squared distance from a point to the crack that bounds a fragment in a cut tetrahedron; infinite if there is none.
    pub(crate) fn crack_squared(&self, fragment: u32, tet: u32, p: DVec3) -> f64 {
        let cut = &self.cuts[self.cut_of[tet as usize] as usize];
        let Some(part) = cut.part_of(fragment) else { return f64::INFINITY };
        let facets = &self.facets[cut.parts[part].crack_range()];
        if cut.part_count == 2 {
            return squared_to_polygon(facets, p);
        }
        let squared = polygons(facets).map(|polygon| squared_to_polygon(polygon, p));
        squared.fold(f64::INFINITY, f64::min)
    }

    /// Nodes whose nearest crack now belongs to another piece, or was cut again, look anew or forget it. Their
    /// neighbours will tell them of others.
    fn forget_lost_cracks(&mut self, nodes: &[u32], front: &mut Front) {
        let mut asks = vec![];
        for &node in nodes {
            let n = node as usize;
            let tet = self.crack_of[n];
            if tet == Solid::NONE {
                continue;
            }
            let is_changed = self.cuts[self.cut_of[tet as usize] as usize].changed == self.fractures;
            let part = self.part(self.fragment_of[n], tet);
            if !is_changed && part.is_some() {
                continue;
            }
            let before = self.crack_middle[n].1;
            if let Some(part) = part {
                self.crack_middle[n] = nearest_middle(&self.facets[part.crack_range()], self.position(node));
                front.add(node, true);
            } else {
                self.crack_middle[n].1 = f64::INFINITY;
                (self.crack_of[n], self.crack_distance[n]) = (Solid::NONE, f64::INFINITY);
            }
            if self.crack_middle[n].1 > before {
                asks.push(node);
            }
        }
        for node in asks {
            for &other in self.solid.adjacency.neighbours(node) {
                let is_own = self.fragment_of[other as usize] == self.fragment_of[node as usize];
                if is_own && self.crack_of[other as usize] != Solid::NONE {
                    front.ask(other);
                }
            }
        }
    }
}

/// Fronts under way. Their memory is kept from fracture to fracture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    /// Nodes that were told of a crack, each once.
    told: Vec<u32>,
    /// Nodes in the order in which they hand on what they know.
    queue: Vec<u32>,
    /// For each node, whether it was told and whether it is yet to hand on; nothing between fractures.
    flags: Vec<u8>,
}

impl Front {
    const TOLD: u8 = 1;
    const QUEUED: u8 = 2;

    pub fn new(nodes: usize) -> Self {
        Self { told: Vec::with_capacity(nodes), queue: Vec::with_capacity(nodes), flags: vec![0; nodes] }
    }

    /// A node was told, and hands it on if others may want to know.
    #[inline]
    fn add(&mut self, node: u32, is_handed_on: bool) {
        let flags = &mut self.flags[node as usize];
        if *flags & Self::TOLD == 0 {
            self.told.push(node);
        }
        if is_handed_on && *flags & Self::QUEUED == 0 {
            self.queue.push(node);
            *flags |= Self::QUEUED;
        }
        *flags |= Self::TOLD;
    }

    /// A node hands on what it knows, whether it was told anything or not.
    fn ask(&mut self, node: u32) {
        let flags = &mut self.flags[node as usize];
        if *flags & Self::QUEUED == 0 {
            self.queue.push(node);
            *flags |= Self::QUEUED;
        }
    }

    fn clear(&mut self) {
        self.told.iter().chain(&self.queue).for_each(|&node| self.flags[node as usize] = 0);
        self.told.clear();
        self.queue.clear();
    }
}

/// Of the middles of some polygons, the one nearest to a point, and its squared distance.
#[inline]
fn nearest_middle(facets: &[FacetTriangle], p: DVec3) -> (DVec3, f64) {
    let middles = polygons(facets).map(|polygon| {
        let middle = middle(polygon);
        (middle, middle.distance_squared(p))
    });
    middles.fold((p, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
}

/// The mean of the corners of a polygon that is given as a fan of triangles.
#[inline]
fn middle(fan: &[FacetTriangle]) -> DVec3 {
    let first = fan[0].triangle;
    let sum = fan.iter().fold(first.a + first.b, |sum, facet| sum + facet.triangle.c);
    sum / (fan.len() + 2) as f64
}

/// The squared distance from a point to a convex polygon that is given as a fan of triangles.
fn squared_to_polygon(fan: &[FacetTriangle], p: DVec3) -> f64 {
    let normal = fan[0].normal;
    if normal == DVec3::ZERO {
        let squared = fan.iter().map(|facet| facet.triangle.closest_point(p).distance_squared(p));
        return squared.fold(f64::INFINITY, f64::min);
    }
    let first = fan[0].triangle.a;
    let (mut squared, mut is_beside) = (f64::INFINITY, false);
    // Where the foot of the point is outside of an edge, the nearest point may be on that edge.
    let mut pass = |from: DVec3, to: DVec3| {
        let (along, way) = (to - from, p - from);
        if normal.dot(along.cross(way)) < 0.0 {
            is_beside = true;
            let share = (along.dot(way) / along.length_squared()).clamp(0.0, 1.0);
            squared = squared.min((way - along * share).length_squared());
        }
    };
    pass(first, fan[0].triangle.b);
    fan.iter().for_each(|facet| pass(facet.triangle.b, facet.triangle.c));
    pass(fan[fan.len() - 1].triangle.c, first);
    let height = normal.dot(p - first);
    if is_beside { squared } else { height * height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Triangle;

    #[test]
    fn the_distance_to_a_polygon_is_that_to_the_nearest_of_its_triangles() {
        let ring =
            [DVec3::ZERO, DVec3::new(2.0, 0.1, 0.0), DVec3::new(1.5, 1.2, 0.0), DVec3::new(0.2, 0.9, 0.0)];
        let facet = |k: usize| FacetTriangle {
            triangle: Triangle::new(ring[0], ring[k], ring[k + 1]),
            normal: DVec3::Z,
            is_crack: true,
        };
        let fan = [facet(1), facet(2)];
        for k in 0..8000 {
            let p = DVec3::new(f64::from(k % 20), f64::from(k / 20 % 20), f64::from(k / 400)) * 0.2 - 1.0;
            let nearest = fan.iter().map(|facet| facet.triangle.closest_point(p).distance(p));
            let expected = nearest.fold(f64::INFINITY, f64::min);
            assert!((squared_to_polygon(&fan, p).sqrt() - expected).abs() < 1e-12);
        }
    }
}
