//! A scene recorded once, so that trees kept in different ways can be given the same motion and the same cuts.

use super::ms;
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, MeshEdit, NewTriangle, Origin};
use fracas::pairs::{Pair, Touch};
use fracas::tearing::TearingOptions;
use fracas::{FindOptions, Finder, Mesh, TearingBody, Threads};
use fracas_scenes::{Frame, SceneOptions};
use std::time::{Duration, Instant};

/// A scene: a mesh, and what happens to it.
pub struct Recording {
    pub(super) mesh: Mesh,
    /// The fragment of each triangle at the beginning.
    labels: Vec<u32>,
    pub frames: Vec<Recorded>,
}

/// What happens in one frame.
pub struct Recorded {
    pub(super) edit: MeshEdit,
    /// Fragments of all triangle slots, if the edit has broken the body.
    labels: Option<Vec<u32>>,
    pub(super) positions: Vec<DVec3>,
}

/// How a tree is kept through a recording.
#[derive(Clone, Copy)]
pub enum Keeping {
    /// It follows edits and is refitted, with this many nodes optimised on the way. When the areas of its boxes have grown
    /// by the factor since it was last built, it is rebuilt.
    Edited { options: TearingOptions, optimised: usize, grown: f64 },
    /// It is rebuilt after every edit, by the options, and refitted otherwise.
    Rebuilt(TearingOptions),
}

/// What a frame has cost, and how good the tree was then.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    /// Milliseconds to bring the tree up to date, the edit of the mesh included; its new positions are there already.
    pub update: f64,
    /// Milliseconds to find all pairs.
    pub query: f64,
    /// Pairs found.
    pub pairs: usize,
    pub q: f64,
    pub sah: f64,
    pub triangles: usize,
    /// Whether the whole tree was rebuilt.
    pub rebuilt: bool,
    /// Whether triangles came or went.
    pub edited: bool,
}

impl Recording {
    /// Runs a scene and takes everything down.
    pub fn of(scene: &str, options: &SceneOptions) -> Self {
        let run = fracas_scenes::start(scene, options).expect("a scene that is there");
        let mut frames = run.map(|frame| frame.expect("a scene that works"));
        let first = frames.next().expect("the state before the first step");
        let triangles = first.added.iter().map(|new| new.corners).collect();
        let mesh = Mesh::new(first.positions.clone(), triangles).expect("positions are finite");
        let mut vertices = first.positions.len();
        let mut recorded = Vec::new();
        for frame in frames {
            let edit = edit_of(&frame, vertices);
            vertices = frame.positions.len();
            let labels = (!edit.is_empty()).then_some(frame.fragments);
            recorded.push(Recorded { edit, labels, positions: frame.positions });
        }
        Self { mesh, labels: first.fragments, frames: recorded }
    }

    pub fn triangles(&self) -> usize {
        self.mesh.triangle_count()
    }

    /// Plays the scene to trees that are kept in different ways, several times in turn; the best time of each frame
    /// counts. All must find the same pairs.
    pub fn play(&self, ways: &[Keeping], runs: usize) -> Vec<Vec<Cost>> {
        let mut best: Vec<Vec<Cost>> = Vec::new();
        let mut pairs: Option<Vec<usize>> = None;
        for run in 0..runs {
            for (way, keeping) in ways.iter().enumerate() {
                let (costs, found) = self.play_once(*keeping);
                assert!(pairs.get_or_insert_with(|| found.clone()) == &found, "all find the same pairs");
                if run == 0 {
                    best.push(costs);
                    continue;
                }
                for (best, cost) in best[way].iter_mut().zip(costs) {
                    best.update = best.update.min(cost.update);
                    best.query = best.query.min(cost.query);
                }
            }
        }
        best
    }

    /// The cost of every frame, and a number for the pairs of each.
    fn play_once(&self, keeping: Keeping) -> (Vec<Cost>, Vec<usize>) {
        let (Keeping::Edited { options, .. } | Keeping::Rebuilt(options)) = keeping;
        let mut body = TearingBody::build_with(self.mesh.clone(), options);
        body.split(&self.labels).expect("a label for each");
        let mut sah_when_built = body.quality().sah;
        let mut mesh = LiveMesh::new(self.mesh.clone());
        let mut finder = Finder::new(FindOptions {
            touch: Touch::Proper,
            threads: Threads::One,
            ..FindOptions::default()
        });
        let (mut costs, mut found) = (Vec::new(), Vec::new());
        for frame in &self.frames {
            // A body that is rebuilt has a tree that follows the edit as well, which must not count.
            let of_mesh = match keeping {
                Keeping::Edited { .. } => Duration::ZERO,
                Keeping::Rebuilt(_) => {
                    time_of(|| mesh.apply(&frame.edit).expect("the scene's edits are good"))
                }
            };
            let (update, rebuilt) = bring_up_to_date(&mut body, frame, keeping, of_mesh, sah_when_built);
            if rebuilt {
                sah_when_built = body.quality().sah;
            }
            let begin = Instant::now();
            let pairs = finder.find_self_pairs(&body);
            let query = begin.elapsed();
            found.push(digest(pairs));
            let pairs = pairs.len();
            let quality = body.quality();
            costs.push(Cost {
                update: ms(update),
                query: ms(query),
                pairs,
                q: quality.q.unwrap_or(f64::NAN),
                sah: quality.sah,
                triangles: quality.triangles,
                rebuilt,
                edited: !frame.edit.is_empty(),
            });
        }
        (costs, found)
    }
}

fn time_of<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    std::hint::black_box(work());
    begin.elapsed()
}

/// Returns the time of mesh and tree, and whether all of the tree was rebuilt. `of_mesh` is the time of the mesh where the body's own
/// edit does not count.
fn bring_up_to_date(
    body: &mut TearingBody,
    frame: &Recorded,
    keeping: Keeping,
    of_mesh: Duration,
    sah_when_built: f64,
) -> (Duration, bool) {
    let begin = Instant::now();
    let stats = body.apply(&frame.edit).expect("the scene's edits are good");
    if let Some(labels) = &frame.labels {
        body.split(labels).expect("a label for each slot");
    }
    let following = begin.elapsed();
    body.move_vertices(&frame.positions).expect("positions are finite");
    let begin = Instant::now();
    match keeping {
        Keeping::Edited { optimised, grown, .. } => {
            body.refit_and_optimise(optimised);
            let outgrown = body.quality().sah > grown * sah_when_built;
            if outgrown {
                body.rebuild();
            }
            let all = stats.rebuilt >= body.mesh().live_count() as u64;
            (following + begin.elapsed(), outgrown || all)
        }
        Keeping::Rebuilt(_) if frame.edit.is_empty() => {
            body.refit();
            (of_mesh + begin.elapsed(), false)
        }
        Keeping::Rebuilt(_) => {
            body.rebuild();
            (of_mesh + begin.elapsed(), true)
        }
    }
}

/// The edit that a frame shows; vertices beyond those before it are new.
fn edit_of(frame: &Frame, vertices: usize) -> MeshEdit {
    let added = frame.added.iter().map(|new| NewTriangle {
        corners: new.corners,
        origin: new.replaces.map_or(Origin::Crack, Origin::Replaces),
    });
    MeshEdit {
        removed: frame.removed.clone(),
        new_positions: frame.positions[vertices..].to_vec(),
        moved: Vec::new(),
        added: added.collect(),
        twins: Vec::new(),
        twin_faces: Vec::new(),
    }
}

/// A number that depends on every pair and on their order.
fn digest(pairs: &[Pair]) -> usize {
    pairs.iter().fold(pairs.len(), |sum, pair| {
        sum.wrapping_mul(0x9E37_79B9).wrapping_add((pair.a.index() << 20) ^ pair.b.index())
    })
}
