//! Whether a surface is closed, so that it has an inside.
//!
//! A surface is closed if every edge has an even number of triangles. Then all paths from a point to far outside cross it an even
//! number of times, or all cross it an odd number of times. Edges are identified by index first. Edges with an odd number of triangles are then
//! compared by the positions of their ends, so a soup of loose triangles that fit together is closed as well.
//!
//! # Cost
//!
//! Edges are sorted once per body. Each thread remembers the last few bodies it has queried, by stamp: a body that
//! is closed by index stays so while only its vertices move.

use super::{Hierarchy, Shape, Stamp, View};
use crate::base::parallel;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use std::cell::RefCell;

/// A surface has no inside, because it is open.
///
/// ```
/// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
/// let cloth = MeshTree::build(shapes::cloth_grid(2, 2, [1.0, 1.0]));
/// let error = cloth.view().side_of(DVec3::ZERO).unwrap_err();
/// assert_eq!(error.open_edges, 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the surface is open at {open_edges} edges, the first between vertices {} and {}; an inside needs an even number of triangles at every \
     edge (winding numbers do without)", first[0], first[1]
)]
pub struct OpenSurface {
    /// Edges with an odd number of triangles.
    pub open_edges: usize,
    /// The vertices of one of them.
    pub first: [u32; 2],
}

/// Whether a body is closed, and how it is known.
#[derive(Clone, Copy)]
struct Finding {
    /// Of the topology if it is closed by index, else of the positions.
    of: (Stamp, Option<usize>),
    open: Option<OpenSurface>,
    /// Whether triangles that share an edge pass it in opposite directions, as often in either.
    is_oriented: bool,
}

/// Bodies that each thread remembers.
const KEPT: usize = 8;

thread_local! {
    static FINDINGS: RefCell<Vec<Finding>> = const { RefCell::new(Vec::new()) };
}

impl View<'_> {
    /// Checks that the surface is closed: every edge has an even number of triangles.
    ///
    /// # Errors
    /// The number of edges where it is open.
    ///
    /// # Cost
    /// Sorts all edges when a thread first asks about a body, and again after an edit. If the surface is closed only by the
    /// positions of its vertices, also after they have moved. A mesh without a structure is sorted every time.
    pub fn require_closed(&self) -> Result<(), OpenSurface> {
        self.closure().0.map_or(Ok(()), Err)
    }

    /// Whether the surface is closed, and every edge is passed as often in one direction as in the other. Then winding numbers are whole.
    pub(crate) fn is_closed_and_oriented(&self) -> bool {
        matches!(self.closure(), (None, true))
    }

    fn closure(&self) -> (Option<OpenSurface>, bool) {
        let Shape::Hierarchy { body, tree } = self.shape else {
            let (open, is_oriented, _) = examine(self);
            return (open, is_oriented);
        };
        let keys = [(body.topology(), tree), (body.stamp(), tree)];
        let known = FINDINGS.with_borrow(|list| list.iter().find(|found| keys.contains(&found.of)).copied());
        if let Some(found) = known {
            return (found.open, found.is_oriented);
        }
        let (open, is_oriented, by_index) = examine(self);
        let of = keys[usize::from(!by_index)];
        FINDINGS.with_borrow_mut(|list| {
            if list.len() == KEPT {
                list.remove(0);
            }
            list.push(Finding { of, open, is_oriented });
        });
        (open, is_oriented)
    }
}

/// An edge of a triangle: its vertices in ascending order as one number, where it is from, and whether it was turned.
type Edge = (u64, u32);

/// Where a surface is open, whether it is oriented, and whether indices alone tell.
fn examine(view: &View) -> (Option<OpenSurface>, bool, bool) {
    let (mut ids, mut corners) = (vec![], vec![]);
    match view.shape {
        Shape::Hierarchy { body, tree } => gather(body, tree, &mut ids, &mut corners),
        Shape::Soup(mesh) => {
            ids.extend((0..mesh.triangles().len() as u32).map(TriangleId));
            corners.extend_from_slice(mesh.triangles());
        }
    }
    let mut edges: Vec<Edge> = Vec::with_capacity(3 * corners.len());
    for (t, corner) in corners.iter().enumerate() {
        for k in 0..3 {
            let (v, w) = (corner[k], corner[(k + 1) % 3]);
            if v != w {
                edges.push((u64::from(v.min(w)) << 32 | u64::from(v.max(w)), (3 * t + k) as u32));
            }
        }
    }
    parallel::sort_unstable(edges.len() > 100_000, &mut edges);
    let is_upward = |edge: &Edge| {
        let (t, k) = (edge.1 as usize / 3, edge.1 as usize % 3);
        corners[t][k] < corners[t][(k + 1) % 3]
    };
    let balance = |same: &[Edge]| same.iter().map(|e| if is_upward(e) { 1_i64 } else { -1 }).sum::<i64>();
    let mut left: Vec<Edge> = vec![];
    for same in edges.chunk_by(|x, y| x.0 == y.0) {
        if balance(same) != 0 {
            left.extend_from_slice(same);
        }
    }
    if left.is_empty() {
        return (None, true, true);
    }
    let is_even = left.chunk_by(|x, y| x.0 == y.0).all(|same| same.len() % 2 == 0);
    if is_even {
        return (None, false, true);
    }
    // By position: ends in the order of their coordinates, and whether that turned the edge.
    let mut placed: Vec<([[u64; 3]; 2], bool, u64)> = vec![];
    for &(key, from) in &left {
        let (t, k) = (from as usize / 3, from as usize % 3);
        let triangle = view.triangle(ids[t]).corners();
        let [p, q] = [triangle[k], triangle[(k + 1) % 3]].map(ordered_bits);
        if p != q {
            placed.push(([p.min(q), p.max(q)], p < q, key));
        }
    }
    placed.sort_unstable();
    let (mut open_edges, mut first, mut is_oriented) = (0, None, true);
    for same in placed.chunk_by(|x, y| x.0 == y.0) {
        let ahead = same.iter().filter(|edge| edge.1).count();
        is_oriented &= 2 * ahead == same.len();
        if same.len() % 2 == 1 {
            open_edges += 1;
            let key = same[0].2;
            first = first.or(Some([(key >> 32) as u32, key as u32]));
        }
    }
    (first.map(|first| OpenSurface { open_edges, first }), is_oriented, false)
}

fn gather(body: &dyn Hierarchy, tree: Option<usize>, ids: &mut Vec<TriangleId>, corners: &mut Vec<[u32; 3]>) {
    let mut add = |id: TriangleId| {
        ids.push(id);
        // Twins of a crack at one place are one vertex.
        corners.push(body.vertices(id.0, true));
    };
    body.roots(tree).for_each(|(root, _)| body.for_each_triangle(root, &mut add));
}

/// Coordinates as numbers; zeros of both signs are equal.
fn ordered_bits(p: DVec3) -> [u64; 3] {
    p.to_array().map(|x| (x + 0.0).to_bits())
}
