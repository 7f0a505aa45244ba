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
//! Middles are cheap to compare, and the crack with the nearest middle is the nearest crack or next to it. A node stores which
//! crack it is, and no distance: a query measures its own. Where another crack is nearer, the query finds it.
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
    /// The cut tetrahedron with the nearest crack, or [`Solid::NONE`], for each node of the fragment in order; empty if the
    /// fragment has no crack.
    nearest: Vec<u32>,
}

impl CrackField {
    /// Lets fronts spread from all cracks of a fragment.
    pub fn build(body: &BrittleBody, fragment: u32, known: &Fragment) -> Self {
        let mut cuts = known.tets.iter().filter_map(|&tet| body.cut_tet(tet)).peekable();
        if cuts.peek().is_none() {
            return Self { nearest: vec![] };
        }
        let untold = NearestMiddle { squared: f64::INFINITY, crack: Solid::NONE, is_queued: false };
        let mut fronts = Fronts {
            body,
            fragment,
            cracks: Vec::with_capacity(known.nodes.len()),
            nearest: vec![untold; known.nodes.len()],
            queue: Vec::with_capacity(known.nodes.len()),
        };
        cuts.for_each(|cut| fronts.seed(cut));
        fronts.spread();
        let tet_of = |node: &NearestMiddle| {
            fronts.cracks.get(node.crack as usize).map_or(Solid::NONE, |crack| crack.1)
        };
        Self { nearest: fronts.nearest.iter().map(tet_of).collect() }
    }

    /// The cut tetrahedron whose crack a node knows, by the node's place among the nodes of the fragment.
    #[inline]
    pub fn get(&self, place: u32) -> Option<u32> {
        self.nearest.get(place as usize).copied().filter(|&tet| tet != Solid::NONE)
    }
}

/// Fronts that spread from cracks.
struct Fronts<'a> {
    body: &'a BrittleBody,
    fragment: u32,
    /// The middle of each polygon of a crack, and its tetrahedron.
    cracks: Vec<(DVec3, u32)>,
    /// By place among the nodes of the fragment.
    nearest: Vec<NearestMiddle>,
    /// Nodes in the order in which they pass on what they know.
    queue: Vec<u32>,
}

/// What a node knows while fronts spread.
#[derive(Clone, Copy)]
struct NearestMiddle {
    /// Squared distance from the node to the middle of its crack.
    squared: f64,
    crack: u32,
    is_queued: bool,
}

impl Fronts<'_> {
    /// The nodes of a cut tetrahedron learn of its crack.
    fn seed(&mut self, cut: &CutTet) {
        let Some(part) = cut.part_of(self.fragment).map(|part| &cut.parts[part]) else { return };
        let first = self.cracks.len();
        let facets = &self.body.facets[part.crack_range()];
        self.cracks.extend(polygons(facets).map(|polygon| (middle(polygon), cut.tet)));
        let nodes = self.body.solid.mesh.tets()[cut.tet as usize];
        for k in (0..4).filter(|k| part.nodes >> k & 1 == 1) {
            let p = self.body.position(nodes[k]);
            let mut nearest = (f64::INFINITY, Solid::NONE);
            for (crack, &(middle, _)) in self.cracks.iter().enumerate().skip(first) {
                let squared = p.distance_squared(middle);
                if squared < nearest.0 {
                    nearest = (squared, crack as u32);
                }
            }
            self.tell(nodes[k], nearest.1, nearest.0, f64::INFINITY);
        }
    }

    fn spread(&mut self) {
        let (body, solid) = (self.body, &*self.body.solid);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let known = &mut self.nearest[body.place_of[node as usize] as usize];
            known.is_queued = false;
            let crack = known.crack;
            let middle = self.cracks[crack as usize].0;
            for &other in solid.adjacency.neighbours(node) {
                if body.fragment_of[other as usize] == self.fragment {
                    let squared = body.position(other).distance_squared(middle);
                    // Beyond the original surface nobody asks.
                    self.tell(other, crack, squared, solid.depths[other as usize] + 1.5 * solid.edge);
                }
            }
        }
    }

    /// A node learns of a crack, and passes it on if it is nearer than a limit.
    #[inline]
    fn tell(&mut self, node: u32, crack: u32, squared: f64, limit: f64) {
        let known = &mut self.nearest[self.body.place_of[node as usize] as usize];
        if squared < known.squared {
            (known.squared, known.crack) = (squared, crack);
            if squared < limit * limit && !known.is_queued {
                known.is_queued = true;
                self.queue.push(node);
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
