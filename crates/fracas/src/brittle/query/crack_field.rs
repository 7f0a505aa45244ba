//! The fragment distance field: what the nodes of a fragment know of its cracks.
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
//! Middles are cheap to compare, and the crack with the nearest middle is the nearest crack or next to it. At the end every
//! node that knows a crack measures its exact distance, so no stored distance is too small. It may be a little too large
//! where another crack is nearer; queries search for that one.
//!
//! Nodes pass cracks on in the order in which they learn of them. A heap ordered by distance costs more than it saves: few
//! nodes learn of a crack twice.
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

use crate::brittle::split::cut_tet::{CutTet, FacetTriangle, polygons};
use crate::brittle::{BrittleBody, Fragment, Solid};
use crate::geom::DVec3;

/// The field of one fragment; see the module.
#[derive(Clone, Debug)]
pub(crate) struct CrackField {
    /// For each node of the fragment, in order; empty if the fragment has no crack.
    nearest: Vec<NearestCrack>,
}

/// The crack nearest to a node, as far as it knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestCrack {
    /// The cut tetrahedron it lies in, or [`Solid::NONE`].
    pub tet: u32,
    /// Exact distance from the node to this crack.
    pub distance: f64,
}

impl CrackField {
    /// Lets fronts spread from all cracks of a fragment.
    pub fn build(body: &BrittleBody, fragment: u32, known: &Fragment) -> Self {
        let mut cuts = known.tets.iter().filter_map(|&tet| body.cut_tet(tet)).peekable();
        if cuts.peek().is_none() {
            return Self { nearest: vec![] };
        }
        let mut fronts = Fronts {
            body,
            fragment,
            tets: vec![Solid::NONE; known.nodes.len()],
            middles: vec![(DVec3::ZERO, f64::INFINITY); known.nodes.len()],
            queue: Vec::with_capacity(known.nodes.len()),
            is_queued: vec![false; known.nodes.len()],
        };
        cuts.for_each(|cut| fronts.seed(cut));
        fronts.spread();
        let measured = |(&node, &tet): (&u32, &u32)| {
            let is_told = tet != Solid::NONE;
            let distance = || body.crack_distance(fragment, tet, body.position(node));
            NearestCrack { tet, distance: if is_told { distance() } else { f64::INFINITY } }
        };
        Self { nearest: known.nodes.iter().zip(&fronts.tets).map(measured).collect() }
    }

    /// What a node knows, by its place among the nodes of the fragment.
    #[inline]
    pub fn get(&self, place: u32) -> Option<NearestCrack> {
        self.nearest.get(place as usize).copied().filter(|crack| crack.tet != Solid::NONE)
    }
}

/// Fronts that spread from cracks. Arrays are by place among the nodes of the fragment.
struct Fronts<'a> {
    body: &'a BrittleBody,
    fragment: u32,
    tets: Vec<u32>,
    /// The middle of each node's crack, and its squared distance from the node.
    middles: Vec<(DVec3, f64)>,
    /// Nodes in the order in which they pass on what they know.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
}

impl Fronts<'_> {
    /// The nodes of a cut tetrahedron learn of its crack.
    fn seed(&mut self, cut: &CutTet) {
        let facets = self.body.cracks_in(self.fragment, cut.tet);
        for node in self.body.solid.mesh.tets()[cut.tet as usize] {
            if self.body.fragment_of[node as usize] == self.fragment {
                let (middle, squared) = nearest_middle(facets, self.body.position(node));
                self.tell(node, cut.tet, middle, squared, f64::INFINITY);
            }
        }
    }

    fn spread(&mut self) {
        let (body, solid) = (self.body, &*self.body.solid);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let place = body.place_of[node as usize] as usize;
            self.is_queued[place] = false;
            let (tet, middle) = (self.tets[place], self.middles[place].0);
            for &other in solid.adjacency.neighbours(node) {
                if body.fragment_of[other as usize] == self.fragment {
                    let squared = body.position(other).distance_squared(middle);
                    // Beyond the original surface nobody asks.
                    let limit = solid.depths[other as usize] + 1.5 * solid.edge;
                    self.tell(other, tet, middle, squared, limit * limit);
                }
            }
        }
    }

    /// A node learns of a crack, and passes it on if its squared distance is below a limit.
    #[inline]
    fn tell(&mut self, node: u32, tet: u32, middle: DVec3, squared: f64, limit: f64) {
        let place = self.body.place_of[node as usize] as usize;
        if squared < self.middles[place].1 {
            self.middles[place] = (middle, squared);
            self.tets[place] = tet;
            if squared < limit && !self.is_queued[place] {
                self.queue.push(node);
                self.is_queued[place] = true;
            }
        }
    }
}

impl BrittleBody {
    /// Distance from a point to the crack that bounds a fragment in a tetrahedron; infinite if there is none.
    pub(crate) fn crack_distance(&self, fragment: u32, tet: u32, p: DVec3) -> f64 {
        let squared = self.cracks_in(fragment, tet).iter().fold(f64::INFINITY, |least, facet| {
            facet.closest_within(p, least).map_or(least, |(_, squared)| squared)
        });
        squared.sqrt()
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
