//! Finding all pairs, on one thread or on all, with the same answer.

use super::bridge::Bridge;
use super::traverse::{Meeting, Posed, TreeWorker};
use super::{Child, MeshTree};
use crate::geom::Pose;
use crate::pairs::{Crew, Pair, PairOptions, PairStats};

/// Finds intersecting pairs of triangles; keeps its memory from query to query.
///
/// ```
/// use fracas::{MeshTree, PairFinder, mesh::shapes, geom::{DVec3, Pose}};
/// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
/// let mut finder = PairFinder::default();
/// assert!(finder.find_self_pairs(&ball).is_empty());
/// let aside = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).unwrap();
/// assert!(!finder.find_pairs_posed(&ball, &Pose::IDENTITY, &ball, &aside).is_empty());
/// ```
#[derive(Default)]
pub struct PairFinder {
    options: PairOptions,
    crew: Crew<TreeWorker>,
}

impl PairFinder {
    /// A finder with the given options.
    #[must_use]
    pub fn new(options: PairOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// What the finder looks for.
    #[must_use]
    pub fn options(&self) -> &PairOptions {
        &self.options
    }

    /// Work done by the last query.
    #[must_use]
    pub fn stats(&self) -> &PairStats {
        &self.crew.stats
    }

    /// Every pair of triangles of one mesh that meet in more than the vertices and edges they share; `a < b`,
    /// sorted, each once.
    ///
    /// # Cost
    /// About proportional to the number of pairs whose boxes overlap. Does not allocate once its buffers have
    /// grown to the size of the answer (threads of rayon may, for their own queues).
    pub fn find_self_pairs(&mut self, body: &MeshTree) -> &[Pair] {
        self.crew.reset();
        let tree = body.tree();
        let meeting = Meeting::Itself { surface: body.mesh().into(), tree, precision: tree.precision() };
        if !tree.nodes.is_empty() {
            self.find(&meeting);
        }
        &self.crew.pairs
    }

    /// Every intersecting pair between two meshes as they stand; sorted, each once.
    pub fn find_pairs(&mut self, a: &MeshTree, b: &MeshTree) -> &[Pair] {
        self.find_pairs_posed(a, &Pose::IDENTITY, b, &Pose::IDENTITY)
    }

    /// Every intersecting pair between two posed meshes; sorted, each once. Exact for the positions that
    /// [`Pose::apply`] gives.
    pub fn find_pairs_posed(&mut self, a: &MeshTree, pose_a: &Pose, b: &MeshTree, pose_b: &Pose) -> &[Pair] {
        self.crew.reset();
        let mut first = Posed { mesh: a.mesh(), tree: a.tree(), pose: pose_a };
        let mut second = Posed { mesh: b.mesh(), tree: b.tree(), pose: pose_b };
        // The larger of the two lends the frame, so that coordinates of the other stay small in it.
        let swapped = b.tree().frame.scale < a.tree().frame.scale;
        if swapped {
            std::mem::swap(&mut first, &mut second);
        }
        let ends = first.bridge_end().zip(second.bridge_end());
        if let Some(bridge) = ends.and_then(|(a, b)| Bridge::new(&a, &b)) {
            self.find(&Meeting::Two { a: first, b: second, bridge, swapped });
        }
        &self.crew.pairs
    }

    fn find(&mut self, meeting: &Meeting) {
        self.crew.add((Child::node(0), Child::node(0)));
        self.crew.find(meeting, &self.options);
    }
}
