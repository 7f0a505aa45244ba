//! What nodes know of cracks, and how it follows a fracture.
//!
//! # Idea
//!
//! ```text
//!     ·   ·   ·   ·          Each node of a cut tetrahedron measures its distance to the new crack. The one with the
//!      ╲ ╱ ╲ ╱ ╲ ╱           smallest distance hands the place of its crack on to its neighbours, which measure
//!     ──×───×───×── crack    their own distance to it and keep it if it is smaller than what they know, and so on.
//!      ╱ ╲ ╱ ╲ ╱ ╲
//!     ·   ·   ·   ·          Fronts end where nothing gets nearer: at old cracks, and halfway to the original surface.
//! ```
//!
//! Distances are exact for the place that is handed on, so they are never too small. They may be a little too large where
//! the nearest place is one that no neighbour knows; queries look around for it.
//!
//! # Departures from the paper
//!
//! The paper averages distances and directions over the neighbours reached in the step before. Planes are thereby extended
//! beyond their polygons, which makes distances negative and directions wrong near the ends of cracks.

use super::pattern::APART;
use super::{BrittleBody, Solid};
use crate::geom::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl BrittleBody {
    /// Lets fronts spread from cuts that are new or changed, through the nodes of the fragment that broke. Returns
    /// how many nodes they passed.
    pub(super) fn spread(&mut self, nodes: &[u32], fresh: &[u32]) -> usize {
        let mut heap = BinaryHeap::new();
        self.forget_lost_cracks(nodes, &mut heap);
        for &index in fresh {
            self.seed(index, &mut heap);
        }
        let solid = self.solid.clone();
        let mut reached = 0;
        while let Some(Reverse((bits, node))) = heap.pop() {
            let distance = f64::from_bits(bits);
            if distance > self.crack_distance[node as usize] {
                continue;
            }
            reached += 1;
            let tet = self.crack_of[node as usize];
            let own = self.fragment_of[node as usize];
            let (centre, radius) = solid.spheres[tet as usize];
            for &other in solid.adjacency.neighbours(node) {
                let o = other as usize;
                if self.fragment_of[o] != own || self.crack_of[o] == tet {
                    continue;
                }
                // The sphere of the tetrahedron is nearer than its crack. Beyond the original surface nobody asks.
                let limit = radius + self.crack_distance[o].min(solid.depths[o] + solid.edge);
                if solid.mesh.positions()[o].distance_squared(centre) < limit * limit {
                    self.offer(other, tet, &mut heap);
                }
            }
        }
        reached
    }

    /// The nodes of a fresh cut measure their distance to it.
    fn seed(&mut self, index: u32, heap: &mut BinaryHeap<Reverse<(u64, u32)>>) {
        let cut = &self.cuts[index as usize];
        let nodes = self.solid.mesh.tets()[cut.tet as usize];
        let news = cut.last_division();
        for span in cut.parts() {
            let facets = &self.facets[span.from as usize..span.to as usize];
            // Nodes of fragments that did not break have no new crack here.
            for k in (0..4).filter(|&k| span.nodes >> k & 1 == 1 && news[k] != APART) {
                let n = nodes[k] as usize;
                let p = self.solid.mesh.positions()[n];
                let mut squared = self.crack_distance[n] * self.crack_distance[n];
                let mut is_nearer = false;
                for facet in facets.iter().take_while(|facet| facet.is_crack) {
                    if let Some((_, found)) = facet.closest_within(p, squared)
                        && found < squared
                    {
                        (squared, is_nearer) = (found, true);
                    }
                }
                if is_nearer {
                    self.crack_distance[n] = squared.sqrt();
                    self.crack_of[n] = cut.tet;
                    heap.push(Reverse((self.crack_distance[n].to_bits(), nodes[k])));
                }
            }
        }
    }

    /// Tells a node of a crack; it takes part in the front if that is nearer than what it knows.
    #[inline]
    fn offer(&mut self, node: u32, tet: u32, heap: &mut BinaryHeap<Reverse<(u64, u32)>>) {
        let n = node as usize;
        let limit = self.crack_distance[n] * self.crack_distance[n];
        let distance = self.crack_squared(self.fragment_of[n], tet, self.position(node), limit).sqrt();
        if distance < self.crack_distance[n] {
            self.crack_distance[n] = distance;
            self.crack_of[n] = tet;
            // Beyond the original surface nobody asks.
            if distance < self.solid.depths[n] + self.solid.edge {
                heap.push(Reverse((distance.to_bits(), node)));
            }
        }
    }

    /// Squared distance from a point to the crack that bounds a fragment in a cut tetrahedron; infinite if there is none
    /// below `limit`.
    #[inline]
    pub(super) fn crack_squared(&self, fragment: u32, tet: u32, p: DVec3, limit: f64) -> f64 {
        let cut = &self.cuts[self.cut_of[tet as usize] as usize];
        let Some(part) = cut.part_of(fragment) else { return f64::INFINITY };
        let span = &cut.parts[part];
        let mut best = (limit, f64::INFINITY);
        for facet in
            self.facets[span.from as usize..span.to as usize].iter().take_while(|facet| facet.is_crack)
        {
            if let Some((_, squared)) = facet.closest_within(p, best.0) {
                best = (squared, squared);
            }
        }
        best.1
    }

    /// Nodes whose nearest crack now belongs to another piece, or was cut again, measure anew or forget it. Their
    /// neighbours will tell them of others.
    fn forget_lost_cracks(&mut self, nodes: &[u32], heap: &mut BinaryHeap<Reverse<(u64, u32)>>) {
        let mut asks = vec![];
        for &node in nodes {
            let n = node as usize;
            let tet = self.crack_of[n];
            if tet == Solid::NONE {
                continue;
            }
            let cut = &self.cuts[self.cut_of[tet as usize] as usize];
            let is_lost = cut.part_of(self.fragment_of[n]).is_none();
            if cut.changed != self.fractures && !is_lost {
                continue;
            }
            let before = self.crack_distance[n];
            let squared = self.crack_squared(self.fragment_of[n], tet, self.position(node), f64::INFINITY);
            self.crack_distance[n] = squared.sqrt();
            if is_lost {
                self.crack_of[n] = Solid::NONE;
            }
            if self.crack_distance[n] > before {
                asks.push(node);
            }
        }
        let solid = self.solid.clone();
        for node in asks {
            for &other in solid.adjacency.neighbours(node) {
                let distance = self.crack_distance[other as usize];
                if self.fragment_of[other as usize] == self.fragment_of[node as usize] && distance.is_finite()
                {
                    heap.push(Reverse((distance.to_bits(), other)));
                }
            }
        }
    }
}
