//! The fragment distance field: each node stores which crack of its fragment is nearest.
//!
//! # Idea
//!
//! ```text
//!     ·   ·   ·   ·          Each node of a cut tetrahedron measures the distance to the middle × of its crack, and passes
//!      ╲ ╱ ╲ ╱ ╲ ╱           the crack on to its neighbours. A neighbour that finds it nearer than the one it knows keeps
//!     ──×───×───×── crack    it and passes it on in turn.
//!      ╱ ╲ ╱ ╲ ╱ ╲
//!     ·   ·   ·   ·          A front ends where nothing gets nearer: halfway to another crack or to the original surface.
//! ```
//!
//! Middles are cheap to compare, and the crack with the nearest middle is the nearest crack or next to it. A node stores which
//! crack it is, and no distance: a query measures its own. Where another crack is nearer, the query finds it.
//!
//! Nodes pass cracks on in the order in which they receive them. A heap ordered by distance costs more than it saves: few
//! nodes receive a nearer crack later.
//!
//! # Where it lives
//!
//! A field lives in its fragment, behind a `OnceLock`. The first question about a point inside the fragment builds it, so a
//! fracture pays nothing for fields. A field depends on the shape of its fragment alone: answers are the same whoever asks
//! first, and on every thread. Building uses no other threads, so a thread that waits for a field cannot block it.
//!
//! # Departures from the paper
//!
//! - The paper updates all fields at every fracture. Here a piece gets a new field from its old and new cracks, when asked.
//! - The paper averages distances and directions over the neighbours reached in the step before. Averaging extends planes
//!   beyond their polygons, which makes distances negative and directions wrong near the ends of cracks.

use crate::brittle::split::cut_tet::{FacetTriangle, polygons};
use crate::brittle::split::pattern::Corners;
use crate::brittle::{BrittleBody, Fragment, Solid};
use crate::geom::DVec3;

/// The field of one fragment; see the module.
#[derive(Clone, Debug)]
pub(crate) struct CrackField {
    /// The cut tetrahedron with the nearest crack, or [`Solid::NONE`], for each node of the fragment in order; empty if the
    /// fragment has no crack.
    nearest: Vec<u32>,
}

impl CrackField {
    /// Lets fronts spread from all cracks of a fragment.
    pub fn build(body: &BrittleBody, fragment: u32, known: &Fragment) -> Self {
        let mut fronts =
            Fronts { body, fragment, middles: vec![], seeds: vec![], nearest: vec![], queue: vec![] };
        fronts.middles.reserve(known.surface_tets.len() / 2);
        fronts.seeds.reserve(known.surface_tets.len() / 2);
        fronts.find_cracks(&known.surface_tets);
        if fronts.seeds.is_empty() {
            return Self { nearest: vec![] };
        }
        let untold = NearestMiddle { squared: f64::INFINITY, middle: 0, tet: Solid::NONE };
        fronts.nearest.resize(known.nodes.len(), untold);
        fronts.seed();
        fronts.spread();
        Self { nearest: fronts.nearest.iter().map(|node| node.tet).collect() }
    }

    /// The cut tetrahedron whose crack a node knows, by the node's place among the nodes of the fragment.
    #[inline]
    pub fn get(&self, place: u32) -> Option<u32> {
        self.nearest.get(place as usize).copied().filter(|&tet| tet != Solid::NONE)
    }
}

/// Fronts that spread from cracks, in three passes: middles, seeds, spreading.
struct Fronts<'a> {
    body: &'a BrittleBody,
    fragment: u32,
    /// The middle of each polygon of a crack.
    middles: Vec<DVec3>,
    seeds: Vec<Seed>,
    /// By place among the nodes of the fragment.
    nearest: Vec<NearestMiddle>,
    /// Nodes in the order in which they pass on what they know.
    queue: Vec<u32>,
}

/// The crack of the fragment in one tetrahedron.
struct Seed {
    tet: u32,
    /// The nodes of the fragment there.
    nodes: Corners,
    /// Where its middles end; they begin where those of the seed before end.
    end: u32,
}

/// What a node knows while fronts spread.
#[derive(Clone, Copy)]
struct NearestMiddle {
    /// Squared distance from the node to the middle.
    squared: f64,
    middle: u32,
    tet: u32,
}

impl NearestMiddle {
    /// Set in `middle` while the node is in the queue.
    const QUEUED: u32 = 1 << 31;
}

impl Fronts<'_> {
    /// Computes the middles of all cracks.
    fn find_cracks(&mut self, tets: &[u32]) {
        let body = self.body;
        for &tet in tets {
            let Some(cut) = body.cut_tet(tet) else { continue };
            let own = if cut.part_count == 2 {
                self.middles.push(middle_between_two(&body.facets[cut.parts[0].crack_range()]));
                usize::from(cut.parts[0].fragment != self.fragment)
            } else {
                let own = cut.part_of(self.fragment).expect("the fragment has a part of the tetrahedron");
                self.middles.extend(polygons(&body.facets[cut.parts[own].crack_range()]).map(middle));
                own
            };
            let end = self.middles.len() as u32;
            self.seeds.push(Seed { tet, nodes: cut.parts[own].nodes, end });
        }
    }

    /// The nodes of cut tetrahedra learn of the cracks there.
    fn seed(&mut self) {
        let (body, positions) = (self.body, self.body.solid.mesh.positions());
        let (middles, nearest) = (&self.middles[..], &mut self.nearest[..]);
        self.queue.reserve(nearest.len());
        let mut begin = 0;
        for seed in &self.seeds {
            let corners = &body.solid.mesh.tets()[seed.tet as usize];
            let mut nodes = seed.nodes;
            while nodes != 0 {
                let node = corners[nodes.trailing_zeros() as usize & 3];
                nodes &= nodes - 1;
                let known = &mut nearest[body.place_of[node as usize] as usize];
                let before = known.squared;
                for middle in begin..seed.end {
                    let squared = positions[node as usize].distance_squared(middles[middle as usize]);
                    if squared < known.squared {
                        *known =
                            NearestMiddle { squared, middle: middle | NearestMiddle::QUEUED, tet: seed.tet };
                    }
                }
                if before == f64::INFINITY && known.squared < before {
                    self.queue.push(node);
                }
            }
            begin = seed.end;
        }
    }

    /// Nodes pass on what they know, until nobody gets nearer.
    fn spread(&mut self) {
        let (body, solid) = (self.body, &*self.body.solid);
        let (positions, fragment_of, place_of) =
            (solid.mesh.positions(), &body.fragment_of[..], &body.place_of[..]);
        let (middles, nearest) = (&self.middles[..], &mut self.nearest[..]);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let known = &mut nearest[place_of[node as usize] as usize];
            known.middle &= !NearestMiddle::QUEUED;
            let NearestMiddle { middle, tet, .. } = *known;
            let at = middles[middle as usize];
            for &other in solid.adjacency.neighbours(node) {
                let o = other as usize;
                let is_own = fragment_of[o] == self.fragment;
                let place = if is_own { place_of[o] } else { 0 };
                let known = &mut nearest[place as usize];
                let squared = positions[o].distance_squared(at);
                // One branch: neither condition is easy to predict.
                if (squared < known.squared) & is_own {
                    let was_queued = known.middle & NearestMiddle::QUEUED;
                    // Beyond the original surface nobody asks.
                    let limit = solid.depths[o] + 1.5 * solid.edge;
                    let is_queued = if squared < limit * limit { NearestMiddle::QUEUED } else { was_queued };
                    *known = NearestMiddle { squared, middle: middle | is_queued, tet };
                    if is_queued != was_queued {
                        self.queue.push(other);
                    }
                }
            }
        }
    }
}

/// The mean of the corners of a polygon that is given as a fan of triangles.
#[inline]
fn middle(fan: &[FacetTriangle]) -> DVec3 {
    let first = fan[0].triangle;
    let sum = fan.iter().fold(first.a + first.b, |sum, facet| sum + facet.triangle.c);
    sum / (fan.len() + 2) as f64
}

/// The same for the crack between two parts, without a branch: one polygon with three or four corners. Both sides use the polygon
/// of the first part, so that they agree to the last bit.
#[inline]
fn middle_between_two(fan: &[FacetTriangle]) -> DVec3 {
    let (first, last) = (fan[0].triangle, fan[fan.len() - 1].triangle);
    let more = (fan.len() - 1) as f64;
    (first.a + first.b + first.c + last.c * more) / (3.0 + more)
}
