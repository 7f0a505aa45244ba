//! Moving parts with parry: its tree of boxes as an incremental broad phase, then `intersection_test`.

use super::parts::Touching;
use fracas::Mesh;
use fracas::geom::{DQuat, DVec3};
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::shape::{Shape, TriMesh};

/// A part, and its poses in all frames.
pub(super) struct Part {
    mesh: TriMesh,
    poses: Vec<Vec<Pose>>,
}

impl Part {
    pub(super) fn new(mesh: &Mesh, motion: &[Vec<(DQuat, DVec3)>]) -> Self {
        let vector = |p: DVec3| Vector::new(p.x as f32, p.y as f32, p.z as f32);
        let pose = |&(turn, by): &(DQuat, DVec3)| {
            let [x, y, z, w] = turn.to_array().map(|x| x as f32);
            Pose::from_parts(vector(by), Rotation::from_xyzw(x, y, z, w).normalize())
        };
        let points = mesh.positions().iter().map(|p| vector(*p)).collect();
        let mesh = TriMesh::new(points, mesh.triangles().to_vec()).expect("a mesh");
        Self { mesh, poses: motion.iter().map(|frame| frame.iter().map(pose).collect()).collect() }
    }

    fn boxes(&self, frame: usize) -> Vec<Aabb> {
        self.poses[frame].iter().map(|pose| self.mesh.compute_aabb(pose)).collect()
    }

    /// As documented: leaves are updated, the tree is refitted and a slice of it optimised, then walked against itself.
    pub(super) fn play(&self) -> impl FnMut(usize) -> Touching + '_ {
        let mut tree = Bvh::from_leaves(BvhBuildStrategy::default(), &self.boxes(0));
        let mut workspace = BvhWorkspace::default();
        let mut near = vec![];
        move |frame| {
            let poses = &self.poses[frame];
            for (key, pose) in (0..).zip(poses) {
                tree.insert_or_update_partially(self.mesh.compute_aabb(pose), key, 0.0);
            }
            tree.refit(&mut workspace);
            tree.optimize_incremental(&mut workspace);
            near.clear();
            tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |i, j| {
                near.push([i.min(j), i.max(j)]);
            });
            let touch = |&&[i, j]: &&[u32; 2]| {
                let [one, other] = [poses[i as usize], poses[j as usize]];
                let found = parry3d::query::intersection_test(&one, &self.mesh, &other, &self.mesh);
                found.expect("meshes").intersecting
            };
            let mut touching: Touching = near.iter().filter(touch).copied().collect();
            touching.sort_unstable();
            touching
        }
    }

    /// How many pairs of boxes overlap.
    pub(super) fn candidates(&self, frame: usize) -> usize {
        let tree = Bvh::from_leaves(BvhBuildStrategy::default(), &self.boxes(frame));
        let mut count = 0;
        tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |_, _| count += 1);
        count
    }
}
