//! All meshes of a scene as one, and every pair among them, found from scratch in each frame.

use crate::{Frame, SceneOptions};
use fracas::Finder;
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, Mesh, TriangleId};
use fracas::pairs::{Pair, Touch};

/// Everything in a scene: nothing is kept between frames but memory.
pub(crate) struct Soup {
    mesh: Mesh,
    /// The id in frames of every triangle of the mesh, ascending.
    ids: Vec<u32>,
    /// The fragment of every triangle slot.
    fragments: Vec<u32>,
    finder: Finder,
}

impl Soup {
    /// Meshes as one, each a fragment of its own.
    pub fn of(parts: &[&Mesh], options: &SceneOptions) -> Self {
        let mesh = Mesh::join(parts.iter().copied()).expect("few enough triangles for ids");
        let fragments: Vec<u32> = parts
            .iter()
            .zip(0..)
            .flat_map(|(part, fragment)| std::iter::repeat_n(fragment, part.triangle_count()))
            .collect();
        Self {
            ids: (0..mesh.triangle_count() as u32).collect(),
            mesh,
            fragments,
            finder: Finder::new(options.find(Touch::Proper)),
        }
    }

    /// Takes the triangles that a mesh has now in place of those before.
    pub fn replace(&mut self, mesh: &LiveMesh, fragments: Vec<u32>) {
        self.ids = mesh.live_triangles().map(|id| id.0).collect();
        let triangles = mesh.live_triangles().map(|id| mesh.corners(id)).collect();
        self.mesh = Mesh::new(mesh.positions().to_vec(), triangles).expect("the mesh was checked before");
        self.fragments = fragments;
    }

    /// Notes all triangles as new.
    pub fn note_all(&self, frame: &mut Frame) {
        let added = |(k, corners): (usize, &[u32; 3])| crate::AddedTriangle {
            id: TriangleId(self.ids[k]),
            corners: *corners,
            is_crack: false,
            replaces: None,
        };
        frame.added = self.mesh.triangles().iter().enumerate().map(added).collect();
    }

    /// Moves everything, finds all pairs, and takes them down.
    pub fn look(&mut self, positions: &[DVec3], frame: &mut Frame) {
        self.mesh.set_positions(positions).expect("motion keeps positions finite");
        let Self { mesh, ids, finder, .. } = self;
        let named = |pair: &Pair| Pair::new(ids[pair.a.index()], ids[pair.b.index()]);
        frame.pairs = frame.time("query", || finder.find_self_pairs(&*mesh).iter().map(named).collect());
        frame.positions = positions.to_vec();
        frame.fragments = self.fragments.clone();
        let mut seen = vec![false; self.fragments.len()];
        let living = self.fragments.iter().filter(|&&fragment| fragment != Frame::DEAD);
        living.for_each(|&fragment| seen[fragment as usize] = true);
        let stats = self.finder.soup_stats();
        frame.count("triangles", self.mesh.triangle_count() as f64);
        frame.count("removed", frame.removed.len() as f64);
        frame.count("added", frame.added.len() as f64);
        frame.count("pairs", frame.pairs.len() as f64);
        frame.count("pieces", seen.iter().filter(|seen| **seen).count() as f64);
        frame.count("levels", stats.levels as f64);
        frame.count("cells", stats.cells as f64);
    }

    /// The pairs of a frame as pairs of fragments, each once.
    pub fn touching(&self, pairs: &[Pair]) -> Vec<[u32; 2]> {
        let fragment = |id: TriangleId| self.fragments[id.index()];
        let mut touching: Vec<[u32; 2]> =
            pairs.iter().map(|pair| [fragment(pair.a), fragment(pair.b)]).collect();
        touching.iter_mut().for_each(|pair| pair.sort_unstable());
        touching.retain(|[a, b]| a != b);
        touching.sort_unstable();
        touching.dedup();
        touching
    }
}
