//! When bodies first touch during a step.

use super::closest::tree_of_soup;
use super::{Finder, list_roots, opened};
use crate::exact::ccd::batch::ImpactStats;
use crate::geom::DVec3;
use crate::impact::{
    Impact, Impacts, Owners, Question, Sweep, SweepMeeting, SweepWalk, SweptBody, common_frame,
};
use crate::near::Near;
use crate::pairs::{Crew, Frame, Pair, Twins};
use crate::tree::MeshTree;
use crate::walk::{Hierarchy, RowTwins, Shape, overlap};

/// What questions about steps keep from one to the next.
#[derive(Default)]
pub(super) struct ImpactMemory {
    crew: Crew<SweepWalk>,
    bodies: [SweptBody; 2],
    owners: [Owners; 2],
    all: Vec<Impact>,
    pub(super) near: Vec<Near>,
    pub(super) near_triangles: Vec<Pair>,
    stats: ImpactStats,
    candidates: [usize; 2],
}

impl Finder {
    /// Every vertex–triangle pair and every edge–edge pair of two bodies that meet while both move: each once, earliest first.
    ///
    /// Exact for the positions at the start and the end, between which every vertex moves linearly.
    /// [`impact`](crate::impact) says what counts.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, geom::DVec3, mesh::shapes};
    /// let sheet = |z: f64| {
    ///     let raised = fracas::Pose::from_translation(DVec3::Z * z).unwrap();
    ///     MeshTree::build(shapes::cloth_grid(8, 8, [1.0, 1.0]).posed(&raised).unwrap())
    /// };
    /// let (lower, upper) = (sheet(0.0), sheet(1.0));
    /// // The upper sheet falls through the lower one within one step.
    /// let fallen: Vec<DVec3> = upper.mesh().positions().iter().map(|p| *p - 3.0 * DVec3::Z).collect();
    /// let mut finder = Finder::default();
    /// let impacts = finder.find_impacts(&lower, upper.view().to_positions(&fallen).unwrap());
    /// let first = impacts.first().unwrap();
    /// assert!(first.low <= 1.0 / 3.0 && 1.0 / 3.0 <= first.high);
    /// ```
    ///
    /// # Cost
    /// A pass over both bodies, then about proportional to the number of features whose swept boxes overlap. For a mesh
    /// without a structure, a tree is built first.
    #[doc(alias = "ccd")]
    #[doc(alias = "time_of_impact")]
    pub fn find_impacts<'a, 'b>(&mut self, a: impl Into<Sweep<'a>>, b: impl Into<Sweep<'b>>) -> Impacts<'_> {
        let (a, b) = (a.into(), b.into());
        self.sweep(&[a, b], Question::Impacts);
        let touching = self.options.look_at_start.then(|| {
            self.compare(a.view, b.view, false, 0);
            self.stats().found > 0
        });
        Impacts { all: &self.impacts.all, touching_at_start: touching }
    }

    /// Every vertex–triangle pair and every edge–edge pair of one body that share no vertex and meet while it moves: each once,
    /// earliest first. See [`Finder::find_impacts`].
    #[doc(alias = "self_collision")]
    pub fn find_self_impacts<'a>(&mut self, body: impl Into<Sweep<'a>>) -> Impacts<'_> {
        let body = body.into();
        self.sweep(&[body], Question::Impacts);
        let touching = self.options.look_at_start.then(|| {
            self.compare_with_itself(body.view, 0);
            self.stats().found > 0
        });
        Impacts { all: &self.impacts.all, touching_at_start: touching }
    }

    /// Lists the features of one or two bodies whose swept boxes overlap, vertex–triangle and edge–edge, and returns how many
    /// there are: for measuring.
    #[doc(hidden)]
    pub fn count_impact_candidates<'a>(&mut self, bodies: &[Sweep<'a>]) -> [usize; 2] {
        self.sweep(bodies, Question::Candidates);
        self.impacts.candidates
    }

    /// The candidates of [`Finder::count_impact_candidates`] for one body: the vertex and the corners, and the ends of both edges.
    #[doc(hidden)]
    pub fn list_impact_candidates<'a>(&mut self, bodies: &[Sweep<'a>]) -> [Vec<[u32; 4]>; 2] {
        self.sweep(bodies, Question::Candidates);
        let mut lists = [vec![], vec![]];
        self.impacts.crew.workers.iter().for_each(|worker| worker.list_candidates(&mut lists));
        lists
    }

    /// How the last question about a step was decided: for measuring.
    #[doc(hidden)]
    #[must_use]
    pub fn impact_stats(&self) -> ImpactStats {
        self.impacts.stats
    }

    /// Answers a question about the features of two bodies, or of one.
    pub(super) fn sweep(&mut self, sweeps: &[Sweep], question: Question) {
        let Self { options, unfoldings, roots, impacts, .. } = self;
        let ImpactMemory { crew, bodies, owners, all, near, near_triangles, stats, candidates } = impacts;
        let threads = options.threads;
        let use_threads = threads.count() > 1;
        let count = sweeps.len();
        let second = count - 1;
        let both = [&sweeps[0], &sweeps[second]];
        let trees: [Option<MeshTree>; 2] =
            std::array::from_fn(|k| (k < count).then(|| tree_of_soup(&both[k].view)).flatten());
        let parts: [(&dyn Hierarchy, Option<usize>); 2] = std::array::from_fn(|k| match both[k].view.shape {
            Shape::Hierarchy { body, tree } => (body, tree),
            Shape::Soup(_) => {
                let tree = trees[k.min(second)].as_ref().expect("every soup has a tree");
                (tree as &dyn Hierarchy, None)
            }
        });
        let mut extents = [(DVec3::ZERO, DVec3::ZERO); 2];
        for (k, swept) in bodies.iter_mut().enumerate().take(count) {
            extents[k] = swept.set_motion(parts[k].0, &both[k].view.pose, &both[k].course);
        }
        let frame = common_frame(extents[0], extents[second]);
        let itself = count == 1;
        let grow = growth(question, &frame);
        for (k, (body, tree)) in parts.iter().enumerate().take(count) {
            let weld = itself && options.twins == Twins::LeaveOut && body.has_twins();
            if body.ready().is_none() {
                unfoldings[k].begin(*body, RowTwins::Apart);
                unfoldings[k].open_all(*body, use_threads);
            }
            list_roots(*body, &unfoldings[k], *tree, &mut roots[k]);
            let open = opened(*body, &unfoldings[k]);
            // Within one body both boxes of a pair have grown, between two bodies only the first one.
            let grow = match (itself, k) {
                (true, _) => 0.5 * grow,
                (false, 0) => grow,
                (false, _) => 0.0,
            };
            bodies[k].fit(*body, (open, &roots[k]), (&frame, weld, use_threads), grow, &mut owners[k]);
        }

        crew.reset();
        let (a, b) = (&bodies[0], &bodies[if itself { 0 } else { 1 }]);
        for (k, (root, corners)) in a.roots().iter().enumerate() {
            if itself {
                crew.add((*root, *root));
            }
            for (other, box_b) in &b.roots()[if itself { k + 1 } else { 0 }..] {
                if overlap(corners, box_b) {
                    crew.add((*root, *other));
                }
            }
        }
        crew.run(&SweepMeeting { a, b, itself, question }, threads);
        all.clear();
        near.clear();
        near_triangles.clear();
        (*stats, *candidates) = (ImpactStats::default(), [0; 2]);
        for worker in &mut crew.workers {
            all.append(&mut worker.impacts);
            near.append(&mut worker.near);
            near_triangles.append(&mut worker.near_triangles);
            *stats += worker.take_stats();
            let counts = worker.candidate_counts();
            *candidates = [candidates[0] + counts[0], candidates[1] + counts[1]];
        }
        all.sort_unstable_by(Impact::order);
        near.sort_unstable_by_key(|near| near.features);
        near_triangles.sort_unstable();
    }
}

/// By how much boxes must grow so that none that is within reach is lost, in frame coordinates. Positions are off by the slack of the
/// frame on both sides, and the grown box is rounded once more.
fn growth(question: Question, frame: &Frame) -> f32 {
    match question {
        Question::Impacts | Question::Candidates => 0.0,
        Question::Near(reach) | Question::NearTriangles(reach) => {
            // Everything is within this of everything else; more would let boxes meet empty ones, which are infinite.
            let enough = 1e30;
            (reach * frame.scale * (1.0 + 1e-6)).min(enough) as f32 + 8.0 * Frame::SLACK
        }
    }
}
