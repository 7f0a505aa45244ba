//! How good a tree is.

use super::MeshTree;
use crate::geom::DVec3;
use crate::walk::Corners;

/// Measures of a tree, of the boxes it stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Levels of boxes: 1 for a tree of a single node.
    pub depth: usize,
    /// Nodes of eight boxes.
    pub nodes: usize,
    /// Rows of eight triangles.
    pub leaves: usize,
    /// Expected cost of a random query, in box or triangle tests: the sum over nodes of their area times eight,
    /// and over leaves of their area times the triangles they hold, over the area of the root. Smaller is better.
    pub sah: f64,
    /// Q of Otaduy et al. 2007: the sum of squared volumes of all boxes over the squared volume of the root; about 2
    /// for a perfect binary tree. `None` where the root has no volume.
    pub q: Option<f64>,
}

impl MeshTree {
    /// Measures the tree. O(n).
    #[must_use]
    pub fn quality(&self) -> Quality {
        let nodes = &self.nodes;
        let mut quality =
            Quality { depth: 0, nodes: nodes.len(), leaves: self.rows.len(), sah: 0.0, q: None };
        let Some(root) = nodes.first().map(|root| edges(root.bounds())) else { return quality };
        let mut depth = vec![1_usize; nodes.len()];
        let mut cost = area(root) * 8.0;
        let mut squares = volume(root).powi(2);
        for (index, node) in nodes.iter().enumerate() {
            quality.depth = quality.depth.max(depth[index]);
            for (lane, child) in node.used() {
                let e = edges(node.boxes.lane(lane));
                squares += volume(e).powi(2);
                if child.is_leaf() {
                    cost += area(e) * f64::from(self.ids[child.index()].used().count_ones());
                } else {
                    cost += area(e) * 8.0;
                    depth[child.index()] = depth[index] + 1;
                }
            }
        }
        quality.sah = if area(root) > 0.0 { cost / area(root) } else { 0.0 };
        quality.q = (volume(root) > 0.0).then(|| squares / volume(root).powi(2));
        quality
    }
}

fn edges((low, high): Corners) -> DVec3 {
    DVec3::from_array(high.map(f64::from)) - DVec3::from_array(low.map(f64::from))
}

fn area(e: DVec3) -> f64 {
    2.0 * (e.x * e.y + e.y * e.z + e.z * e.x)
}

fn volume(e: DVec3) -> f64 {
    e.x * e.y * e.z
}
