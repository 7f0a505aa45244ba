//! obvhs: builds and refits of its binary tree.

use fracas::Mesh;
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

fn aabb(mesh: &Mesh, triangle: u32) -> Aabb {
    let b = mesh.triangle(TriangleId(triangle)).aabb();
    Aabb::new(b.min.to_array().into(), b.max.to_array().into())
}

/// Builds the tree over a mesh, boxes of the triangles included.
pub fn build(mesh: &Mesh, parameters: BvhBuildParams) -> Bvh2 {
    let leaves: Vec<Leaf> = (0..mesh.triangle_count() as u32).map(|t| Leaf(aabb(mesh, t))).collect();
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
