//! A mesh that is looked at: its triangles, and the pairs of them that intersect.

use crate::{AddedTriangle, Frame};
use fracas::mesh::{Mesh, TriangleId};
use fracas::pairs::{Pair, Touch};
use fracas::{FindOptions, Finder, MeshTree, Threads};

pub(super) struct Still {
    mesh: Mesh,
    pairs: Vec<Pair>,
}

impl Still {
    /// Finds the pairs that `fracas check` finds.
    pub fn new(mesh: &Mesh) -> Self {
        let tree = MeshTree::build(mesh.clone());
        let options = FindOptions { touch: Touch::Include, threads: Threads::One, ..FindOptions::default() };
        let pairs = Finder::new(options).find_self_pairs(&tree).to_vec();
        Self { mesh: mesh.clone(), pairs }
    }

    pub fn advance(&mut self, step: usize, frame: &mut Frame) {
        frame.positions = self.mesh.positions().to_vec();
        frame.fragments = vec![0; self.mesh.triangle_count()];
        frame.pairs.clone_from(&self.pairs);
        if step == 0 {
            let new = |(corners, id): (&[u32; 3], u32)| AddedTriangle {
                id: TriangleId(id),
                corners: *corners,
                is_crack: false,
                replaces: None,
            };
            frame.added = self.mesh.triangles().iter().zip(0..).map(new).collect();
        }
        frame.count("triangles", self.mesh.triangle_count() as f64);
        frame.count("vertices", self.mesh.vertex_count() as f64);
        frame.count("pairs", self.pairs.len() as f64);
    }
}
