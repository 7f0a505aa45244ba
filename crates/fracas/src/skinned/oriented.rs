//! Rest boxes along the principal axes of the vertices they hold.
//!
//! Boxes are stored in `f32`, as centre and half-axes. Half-axes are longer than needed by 16 units in the last place of the largest
//! coordinate: rounding tilts the axes and moves the centre by at most six, so every vertex stays inside.
//!
//! These boxes are not nested, so only [`SkinFront`](super::SkinFront) uses them, which does not need that.

use super::bound::OrientedBox;
use super::families::Families;
use crate::geom::{DMat3, DVec3, LANES, symmetric_eigen};
use crate::mesh::Skin;
use crate::pairs::Frame;
use crate::walk::Node;

/// The boxes of all children of all tree nodes and, at the end, of the whole body.
pub(super) fn oriented_boxes(
    skin: &Skin,
    tree: &[Node],
    families: &Families,
    frame: Frame,
) -> Vec<[OrientedBox; LANES]> {
    let mut points = vec![];
    let mut around = |leaves: [u32; 2]| {
        points.clear();
        for leaf in leaves[0]..leaves[1] {
            let vertices = families.leaf_vertices.list(leaf as usize);
            points.extend(vertices.iter().map(|&v| frame.map_exact(skin.rest().positions()[v as usize])));
        }
        oriented_box(&points)
    };
    let mut boxes = Vec::with_capacity(tree.len() + 1);
    for node in tree {
        let mut family = [[[0.0; 3]; 4]; LANES];
        for (lane, child) in node.used() {
            let leaf = child.index() as u32;
            let leaves = if child.is_leaf() { [leaf, leaf + 1] } else { tree[child.index()].leaves };
            family[lane] = around(leaves);
        }
        boxes.push(family);
    }
    boxes.extend(tree.first().map(|root| [around(root.leaves); LANES]));
    boxes
}

/// The box of some points along their principal axes.
fn oriented_box(points: &[DVec3]) -> OrientedBox {
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let mut covariance = DMat3::ZERO;
    for p in points {
        let d = *p - mean;
        covariance += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let (_, axes) = symmetric_eigen(&covariance);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in points {
        let x = axes.transpose() * (*p - mean);
        (low, high) = (low.min(x), high.max(x));
    }
    let centre = mean + axes * (0.5 * (low + high));
    let half = 0.5 * (high - low);
    let largest = half.max_element() + centre.abs().max_element();
    let half = half + DVec3::splat(16.0 * 0.5 * f64::from(f32::EPSILON) * largest);
    let to_f32 = |v: DVec3| v.to_array().map(|x| x as f32);
    [centre, axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z].map(to_f32)
}

/// Half edges of a box around the origin that holds all boxes.
pub(super) fn reach_of_all(boxes: &[[OrientedBox; LANES]]) -> [f64; 3] {
    let mut reach = [0.0_f64; 3];
    for oriented in boxes.iter().flatten() {
        for (k, reach) in reach.iter_mut().enumerate() {
            *reach = reach.max(oriented.iter().map(|v| f64::from(v[k].abs())).sum());
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    #[test]
    fn boxes_hold_their_points_also_flat_ones_far_from_the_origin() {
        let mut random = Random::new(2);
        for round in 0..500 {
            let mut vector = || DVec3::new(random.signed(), random.signed(), random.signed());
            let axes = [vector(), vector() * [0.0, 1e-6, 1.0][round % 3], vector() * [0.0, 1.0][round % 2]];
            let shift = vector() * [0.0, 0.9][round % 2];
            let points: Vec<DVec3> = (0..1 + round % 20)
                .map(|_| shift + axes.iter().map(|axis| *axis * vector().x).sum::<DVec3>() * 0.3)
                .collect();
            let oriented = oriented_box(&points);
            let [centre, x, y, z] = oriented.map(|v| DVec3::from(v.map(f64::from)));
            let inverse = DMat3::from_cols(x, y, z).inverse();
            for p in &points {
                // A box of no size has half-axes of a few units in the last place, if it is not at the origin.
                if inverse.is_finite() {
                    let inside = (inverse * (*p - centre)).abs().max_element();
                    assert!(inside <= 1.0, "{inside} in round {round}");
                } else {
                    assert_eq!(*p, centre);
                }
            }
        }
    }
}
