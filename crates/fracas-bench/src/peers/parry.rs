//! parry3d's box tree: boxes in `f32`, pairs of leaves, then the plain triangle test.

use crate::naive;
use fracas::Mesh;
use fracas::exact::{self, Relation};
use fracas::geom::Triangle;
use fracas::mesh::TriangleId;
use parry3d::bounding_volume::Aabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace, TraversalAction};

/// A mesh with parry's tree over it.
pub struct Body<'a> {
    mesh: &'a Mesh,
    bvh: Bvh,
    workspace: BvhWorkspace,
}

/// The box of a triangle as parry keeps it.
fn aabb(mesh: &Mesh, triangle: usize) -> Aabb {
    box_of(&mesh.triangle(TriangleId(triangle as u32)))
}

/// parry's tree over a mesh.
pub fn build(mesh: &Mesh) -> Bvh {
    let boxes: Vec<Aabb> = (0..mesh.triangle_count()).map(|t| aabb(mesh, t)).collect();
    Bvh::from_leaves(BvhBuildStrategy::default(), &boxes)
}

/// The box of a triangle in space.
pub fn box_of(t: &Triangle) -> Aabb {
    let low = t.a.min(t.b).min(t.c).as_vec3();
    let high = t.a.max(t.b).max(t.c).as_vec3();
    Aabb::new(low.to_array().into(), high.to_array().into())
}

/// The paper's Q and the depth of a tree.
pub fn quality(bvh: &Bvh) -> [f64; 2] {
    let square = |size: [f32; 3]| size.map(f64::from).iter().product::<f64>().powi(2);
    let root = bvh.root_aabb();
    let whole = square((root.maxs - root.mins).to_array());
    let mut sum = whole;
    bvh.traverse(|node| {
        sum += square((node.maxs() - node.mins()).to_array());
        TraversalAction::Continue
    });
    // Its levels are counted from 1.
    [sum / whole, f64::from(bvh.subtree_depth(0)) - 1.0]
}

/// A tree over a mesh whose vertices all move: refitted and, as parry does it, optimised a slice in every frame.
pub struct Moving {
    bvh: Bvh,
    workspace: BvhWorkspace,
}

impl Moving {
    pub fn new(mesh: &Mesh) -> Self {
        Self { bvh: build(mesh), workspace: BvhWorkspace::default() }
    }

    pub fn follow(&mut self, mesh: &Mesh) {
        for triangle in 0..mesh.triangle_count() {
            self.bvh.insert_or_update_partially(aabb(mesh, triangle), triangle as u32, 0.0);
        }
        self.bvh.refit(&mut self.workspace);
        self.bvh.optimize_incremental(&mut self.workspace);
    }
}

impl<'a> Body<'a> {
    pub fn build(mesh: &'a Mesh, strategy: BvhBuildStrategy) -> Self {
        let boxes: Vec<Aabb> = (0..mesh.triangle_count()).map(|t| aabb(mesh, t)).collect();
        Self { mesh, bvh: Bvh::from_leaves(strategy, &boxes), workspace: BvhWorkspace::default() }
    }

    /// Brings all boxes up to date with the mesh, as documented: update the leaves, then refit once.
    pub fn refit(&mut self) {
        for triangle in 0..self.mesh.triangle_count() {
            self.bvh.insert_or_update_partially(aabb(self.mesh, triangle), triangle as u32, 0.0);
        }
        self.bvh.refit(&mut self.workspace);
    }

    /// Self-intersections: pairs of leaves, neighbours skipped, the rest tested.
    pub fn self_pairs(&mut self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let mesh = self.mesh;
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |i, j| {
            let (p, q) = (mesh.triangles()[i as usize], mesh.triangles()[j as usize]);
            let neighbours = p.iter().any(|v| q.contains(v));
            if !neighbours && naive::intersect(&mesh.triangle(TriangleId(i)), &mesh.triangle(TriangleId(j))) {
                out.push((i.min(j), i.max(j)));
            }
        });
        out.sort_unstable();
    }

    /// The same with the exact test, neighbours included: what Fracas answers.
    pub fn self_pairs_exactly(&mut self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let mesh = self.mesh;
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |i, j| {
            let (t, u) = (mesh.triangle(TriangleId(i)), mesh.triangle(TriangleId(j)));
            let (p, q) = (mesh.triangles()[i as usize], mesh.triangles()[j as usize]);
            if exact::tri_tri_shared(&t, p, &u, q) != Relation::Disjoint {
                out.push((i.min(j), i.max(j)));
            }
        });
        out.sort_unstable();
    }

    /// Intersections with another body.
    pub fn pairs(&self, other: &Self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        for (i, j) in self.bvh.leaf_pairs(&other.bvh, |a, b| a.intersects(b)) {
            let (t, u) = (self.mesh.triangle(TriangleId(i)), other.mesh.triangle(TriangleId(j)));
            if naive::intersect(&t, &u) {
                out.push((i, j));
            }
        }
        out.sort_unstable();
    }
}
