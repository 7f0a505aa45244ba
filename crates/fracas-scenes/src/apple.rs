//! An apple is peeled: a cut climbs around it, and the freed peel retracts, hangs, and meets itself.
//!
//! # Idea
//!
//! The skin is a thin closed shell around a core. A front climbs along a helicoid and cuts it, so that the skin becomes
//! one long ribbon from below:
//!
//! ```text
//!      __--__                   The skin holds on to the core until the cut has passed above it. Then its
//!    /        \   uncut skin    vertices are free and move as an elastic body (`soft`): links along all
//!   |----------|  ← front       edges and through the thickness. The outer side wants to be
//!   | /‾‾‾‾‾‾\ |                shorter than it is and the inner side longer, as in a peel that dries: at rest it
//!    \| core  |/                would be bent less than the apple is, so it springs open as soon as it can.
//!   (( peel ))
//! ```
//!
//! The cut is made in the shape at rest; edits are carried over to the deformed mesh, and new vertices inherit position,
//! velocity and rest state from the triangle they divide. After every step, the tree follows, and the
//! exact pairs it finds push the peel apart in the next one (`contact`). Core and ground are solid.
//!
//! # Departures from the paper
//!
//! The paper peels its apple in several parts and does not say how its peel is simulated. Here there is one peel.
//!
//! | size | triangles at first | turns of the cut |
//! |---|---|---|
//! | small | about 1,500 | 3 |
//! | paper | about 6,100, and 11,000 at the end | 7 |
//! | large | about 24,000 | 7 |

mod contact;
mod peel;
mod shape;
mod soft;

use crate::edits::{Cracks, note_all, shifted};
use crate::run::count_body;
use crate::{Frame, Run, Scene, SceneError, SceneOptions};
use fracas::cut::{CutOptions, Cutter};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, TriangleId};
use fracas::pairs::{Pair, Touch};
use fracas::tearing::TearingOptions;
use fracas::{Finder, TearingBody};
use peel::Peel;
use shape::Apple;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "apple",
    about: "an apple is peeled along a helix; the elastic peel retracts and meets itself",
    steps: |_| 800,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// The cut ends at this step; then the peel is left to itself.
const LAST_CUT: usize = 700;
/// Nodes of the tree that are tightened in every step.
const OPTIMISED: usize = 1_000;
/// The tree is rebuilt when the areas of its boxes have grown by this factor since the last build: the peel ends far
/// from where it began, and permutations alone do not follow that far.
const GROWN: f64 = 1.25;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let mut peeling = Peeling::new(Apple::new(options.size), options)?;
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            note_all(frame, peeling.body.mesh());
        } else {
            peeling.step(step, frame)?;
        }
        peeling.look(frame);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, Some(Apple::GROUND), Box::new(advance)))
}

struct Peeling {
    /// Core and skin as they are now. The core comes first and never changes.
    body: TearingBody,
    core_triangles: u32,
    core_vertices: u32,
    /// The skin in its shape at rest; its ids are those of the body less those of the core.
    rest: LiveMesh,
    cutter: Cutter,
    range: [f64; 2],
    peel: Peel,
    cracks: Cracks,
    /// The expected cost of a query when the tree was last built.
    sah_when_built: f64,
    finder: Finder,
    pairs: Vec<Pair>,
    /// Up to how many boxes of the trees each frame shows.
    boxes: usize,
}

impl Peeling {
    fn new(apple: Apple, options: &SceneOptions) -> Result<Self, SceneError> {
        let (core, skin) = (apple.core(), apple.skin());
        let rest = LiveMesh::new(skin.clone());
        // No points inside the cut, whose depth is less than an edge; no slivers beside it, which would be hard to move.
        let cut = CutOptions { growth: f64::INFINITY, clearance: 0.25, ..CutOptions::default() };
        let cutter = Cutter::new(&rest, &apple.helicoid()?, &cut)?;
        let whole = Mesh::join([&core, &skin]).expect("few triangles");
        let mut body =
            TearingBody::build_with(whole, TearingOptions { separate: false, ..TearingOptions::default() });
        let is_skin = |slot: usize| u32::from(slot >= core.triangle_count());
        let labels: Vec<u32> = (0..body.mesh().slot_count()).map(is_skin).collect();
        body.split(&labels).expect("one label for each slot");
        body.reserve(4 * skin.triangle_count(), 2 * skin.vertex_count());
        Ok(Self {
            cracks: Cracks::none(body.mesh()),
            sah_when_built: body.quality().sah,
            body,
            core_triangles: core.triangle_count() as u32,
            core_vertices: core.vertex_count() as u32,
            range: cutter.range().unwrap_or([0.0; 2]),
            cutter,
            peel: Peel::new(apple, &rest),
            rest,
            finder: Finder::new(options.find(Touch::Proper)),
            pairs: Vec::new(),
            boxes: options.boxes,
        })
    }

    fn step(&mut self, step: usize, frame: &mut Frame) -> Result<(), SceneError> {
        let [from, to] = self.range;
        let front = from + (to - from) * (step as f64 / LAST_CUT as f64).min(1.0);
        let edit = frame.time("cut", || self.cutter.advance_to(&self.rest, front))?;
        let mut new_positions = Vec::new();
        frame.time("physics", || {
            let applied = self.rest.apply(&edit).expect("the cutter was given this very mesh");
            new_positions = self.peel.follow(&self.rest, &edit, &applied);
            self.peel.free_up_to(&self.rest, front);
            self.peel.step(STEP_SECONDS);
        });
        // As an edit of core and skin, with the new vertices where they are now.
        let edit = shifted(MeshEdit { new_positions, ..edit }, self.core_triangles, self.core_vertices);
        self.cracks.note_edit(frame, self.body.mesh(), &edit);
        frame.time("edit", || self.body.apply(&edit)).expect("the rest shape took the same edit");
        let mut positions = self.body.mesh().positions().to_vec();
        positions[self.core_vertices as usize..].copy_from_slice(self.peel.positions());
        frame.time("refit", || {
            self.body.move_vertices(&positions).expect("the peel keeps its positions finite");
            self.body.refit_and_optimise(OPTIMISED);
            if self.body.quality().sah > GROWN * self.sah_when_built {
                self.body.rebuild();
                self.sah_when_built = self.body.quality().sah;
            }
        });
        Ok(())
    }

    /// Finds all pairs, hands those of the skin to the peel, and takes everything down.
    fn look(&mut self, frame: &mut Frame) {
        frame.pairs = frame.time("query", || self.finder.find_self_pairs(&self.body).to_vec());
        let t = self.core_triangles;
        self.pairs.clear();
        let of_skin = frame.pairs.iter().filter(|pair| pair.a.0 >= t && pair.b.0 >= t);
        self.pairs.extend(of_skin.map(|pair| Pair::new(pair.a.0 - t, pair.b.0 - t)));
        self.peel.meet(&self.rest, &self.pairs);
        let mesh = self.body.mesh();
        frame.positions = mesh.positions().to_vec();
        let fragment = |slot: usize| match mesh.is_alive(TriangleId(slot as u32)) {
            true => u32::from(slot < t as usize),
            false => Frame::DEAD,
        };
        frame.fragments = (0..mesh.slot_count()).map(fragment).collect();
        frame.boxes = self.body.boxes(self.boxes);
        count_body(frame, &self.body);
        frame.count("free", self.peel.free_count() as f64);
        frame.count("energy", self.peel.energy());
    }
}
