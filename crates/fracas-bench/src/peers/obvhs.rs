//! obvhs: builds and refits of its binary tree.

use fracas::Mesh;
use fracas::geom::Triangle;
use fracas::mesh::TriangleId;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::{Boundable, BvhBuildParams};
use std::time::Duration;

/// A box that obvhs can build over.
pub struct Leaf(Aabb);

impl Boundable for Leaf {
    fn aabb(&self) -> Aabb {
        self.0
    }
}

/// The box of a triangle, its corners rounded to nearest.
#[inline]
fn aabb(mesh: &Mesh, triangle: u32) -> Aabb {
    box_of(&mesh.triangle(TriangleId(triangle)))
}

/// The box of a triangle in space.
#[inline]
pub fn box_of(t: &Triangle) -> Aabb {
    let (a, b, c) = (t.a.as_vec3a(), t.b.as_vec3a(), t.c.as_vec3a());
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

/// Builds the tree over a mesh, boxes of the triangles included.
pub fn build(mesh: &Mesh, parameters: BvhBuildParams) -> Bvh2 {
    let leaves: Vec<Leaf> = (0..mesh.triangle_count() as u32).map(|t| Leaf(aabb(mesh, t))).collect();
    build_bvh2(&leaves, parameters, &mut Duration::default())
}

/// Whether builds use all threads of the current pool. Its code for threads is up to a tenth slower on one thread, so it is
/// compiled only where threads are compared.
pub const THREADED: bool = cfg!(feature = "threaded-peers");

/// Builds the tree over any triangles.
pub fn build_over(triangles: impl Iterator<Item = Triangle>, parameters: BvhBuildParams) -> Bvh2 {
    let leaves: Vec<Leaf> = triangles.map(|t| Leaf(box_of(&t))).collect();
    build_bvh2(&leaves, parameters, &mut Duration::default())
}

/// Brings the tree up to date with the mesh: leaf boxes from its positions, then all boxes above.
pub fn refit(bvh: &mut Bvh2, mesh: &Mesh) {
    for index in 0..bvh.nodes.len() {
        let node = bvh.nodes[index];
        if node.is_leaf() {
            let first = node.first_index as usize;
            let of_leaf = &bvh.primitive_indices[first..first + node.prim_count as usize];
            let whole = of_leaf.iter().map(|&t| aabb(mesh, t)).reduce(|a, b| a.union(&b));
            bvh.nodes[index].set_aabb(whole.expect("a leaf holds a triangle"));
        }
    }
    bvh.refit_all();
}

/// The paper's Q and the depth of a tree that is in order from its root on.
pub fn quality(bvh: &Bvh2) -> [f64; 2] {
    let square = |node: &obvhs::bvh2::node::Bvh2Node| {
        let size = (node.aabb().max - node.aabb().min).to_array();
        size.map(f64::from).iter().product::<f64>().powi(2)
    };
    let (mut sum, mut deepest) = (0.0, 0);
    let mut open = vec![(0_usize, 0_usize)];
    while let Some((index, depth)) = open.pop() {
        let node = &bvh.nodes[index];
        sum += square(node);
        deepest = deepest.max(depth);
        if !node.is_leaf() {
            let first = node.first_index as usize;
            open.extend([(first, depth + 1), (first + 1, depth + 1)]);
        }
    }
    [sum / square(&bvh.nodes[0]), deepest as f64]
}
