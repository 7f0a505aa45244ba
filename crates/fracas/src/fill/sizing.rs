//! The sizing field of a surface: small cells where it bends or the body is thin, large ones elsewhere.
//!
//! # Idea
//!
//! Two triangles that meet in an edge turn by an angle over the distance between their middles: that is the curvature across the
//! edge, and its inverse a radius. A smooth edge asks for a number of cells per radius, a sharp one for the smallest cells. A
//! triangle asks for two cells across the body below it, so that thin parts are not lost. Edges and triangles are put into
//! classes, a factor of two apart, with a tree over each. The size at a point is the smallest that any of them asks for, plus
//! a share of the distance to it, so sizes change slowly.

use crate::geom::DVec3;
use crate::mesh::{Adjacency, Mesh, TriangleId};
use crate::tree::MeshTree;

/// How fast sizes grow with distance.
const SLOPE: f64 = 0.5;

/// Normals farther apart than this make an edge sharp: about 40°. Smooth surfaces made of triangles turn less.
const SHARP: f64 = 0.7;

/// How many cells a body wants across where it is thin.
const ACROSS: f64 = 2.0;

/// The sizes that the edges and triangles of a surface ask for.
pub(super) struct SurfaceSizes {
    /// Sizes, smallest first, with the triangles that ask for them. Edges are triangles without width.
    classes: Vec<(f64, MeshTree)>,
    largest: f64,
}

impl SurfaceSizes {
    /// The sizes of a closed surface, from `cell` to 2 to the power of `levels` times that.
    pub fn of(surface: &MeshTree, cells_per_radius: f64, cell: f64, levels: u32) -> Self {
        let mesh = surface.mesh();
        let mut asking: Vec<Vec<[u32; 3]>> = vec![vec![]; levels as usize];
        let mut ask = |what: [u32; 3], wanted: f64| {
            if let Some(class) = (0..levels).find(|&k| wanted < cell * f64::from(2_u32 << k)) {
                asking[class as usize].push(what);
            }
        };
        for edge in Adjacency::build(mesh).edges() {
            if let &[first, second] = edge.uses
                && let Some(radius) = radius_across(mesh, edge.ends, [first.triangle(), second.triangle()])
            {
                ask([edge.ends[0], edge.ends[1], edge.ends[1]], radius / cells_per_radius);
            }
        }
        let (low, high) = mesh.bounds().corners();
        let far = (high - low).length();
        for (corners, id) in mesh.triangles().iter().zip(0..) {
            ask(*corners, thickness_below(surface, TriangleId(id), far) / ACROSS);
        }
        let tree = |(k, triangles): (usize, Vec<[u32; 3]>)| {
            let part = Mesh::new(mesh.positions().to_vec(), triangles).expect("vertices of the surface");
            (cell * f64::from(1_u32 << k), MeshTree::build(part))
        };
        let classes =
            asking.into_iter().enumerate().filter(|(_, asking)| !asking.is_empty()).map(tree).collect();
        Self { classes, largest: cell * f64::from(1_u32 << levels) }
    }

    /// The largest cells wanted at a point.
    pub fn at(&self, p: DVec3) -> f64 {
        let mut size = self.largest;
        for (least, edges) in &self.classes {
            // Beyond this reach the class cannot lower the size.
            let reach = (size - least) / SLOPE;
            if reach > 0.0
                && let Some(near) = edges.view().nearest(p, reach)
            {
                size = size.min(least + SLOPE * near.distance);
            }
        }
        size
    }
}

/// The radius of curvature across an edge; 0 for a sharp one. `None` if it is flat, or has no length.
fn radius_across(mesh: &Mesh, ends: [u32; 2], triangles: [TriangleId; 2]) -> Option<f64> {
    let [a, b] = ends.map(|v| mesh.positions()[v as usize]);
    let [n, m] = triangles.map(|triangle| mesh.triangle(triangle).area_vector());
    let turn = n.normalize_or_zero().distance(m.normalize_or_zero());
    // A third of the heights over the edge, on either side.
    let radius = if turn > SHARP { 0.0 } else { (n.length() + m.length()) / (3.0 * a.distance(b) * turn) };
    (radius < f64::INFINITY).then_some(radius)
}

/// How far the other side of the body is below a triangle, at the nearest of four places within `far`; infinite if it is nowhere,
/// or the triangle has no area.
fn thickness_below(surface: &MeshTree, triangle: TriangleId, far: f64) -> f64 {
    let triangle = surface.mesh().triangle(triangle);
    let Some(inward) = (-triangle.area_vector()).try_normalize() else { return f64::INFINITY };
    let [a, b, c] = triangle.corners();
    let middle = (a + b + c) / 3.0;
    let places = [middle].into_iter().chain([a, b, c].map(|corner| 0.75 * corner + 0.25 * middle));
    let below = places.filter_map(|place| {
        // From a little below, so that the triangle itself does not count.
        let start = place + inward * (1e-9 * far);
        surface.view().cast_ray(start, start + inward * far).map(|hit| hit.t * far)
    });
    below.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_ball_asks_for_its_radius_everywhere_and_a_box_for_its_edges() {
        let tree = |mesh| MeshTree::build(mesh);
        let ball = SurfaceSizes::of(&tree(shapes::icosphere(1.0, 4)), 4.0, 0.03, 4);
        // A quarter of the radius is between 0.24 and 0.48; some edges turn more than others.
        for p in [DVec3::X, DVec3::NEG_Y, DVec3::ONE.normalize()] {
            assert!((0.12..0.49).contains(&ball.at(p)), "{}", ball.at(p));
        }
        let cube = SurfaceSizes::of(&tree(shapes::cuboid(DVec3::splat(2.0))), 4.0, 0.01, 5);
        assert!((cube.at(DVec3::new(1.0, 1.0, 0.3)) - 0.01).abs() < 1e-12);
        assert!((cube.at(DVec3::new(1.0, 0.9, 0.3)) - 0.06).abs() < 1e-12);
        assert!(
            (cube.at(DVec3::new(1.0, 0.1, 0.0)) - 0.32).abs() < 1e-12,
            "the diagonals of its sides do not turn"
        );
        // Two cells across, down to the next power of two.
        let plate = SurfaceSizes::of(&tree(shapes::cuboid(DVec3::new(2.0, 2.0, 0.1))), 4.0, 0.01, 5);
        assert!((plate.at(DVec3::new(0.1, 0.2, 0.05)) - 0.04).abs() < 1e-12);
    }
}
