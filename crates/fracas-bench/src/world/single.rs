//! A world with one body against the structure used by hand: the same motion, the same questions.

use super::{Contestant, one_thread, play, require_equal, world};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::{DAffine3, DQuat, DVec3, Pose};
use fracas::kinetic::{KineticBody, Plans};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, shapes};
use fracas::world::{Ask, Body, BodyId, World};
use fracas::{BuildOptions, Finder, MeshTree, Pair, SkinOptions, SkinnedBody, TearingBody, View};
use fracas_plot::{Align, Table};
use std::io;

/// Seconds from frame to frame.
const FRAME: f64 = 0.01;

/// What the world and the structure take, in milliseconds per frame.
struct Times {
    name: &'static str,
    triangles: usize,
    pairs: usize,
    world: f64,
    by_hand: f64,
}

pub(super) fn run(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "One body",
        "A world with one body that is asked for its pairs with itself, against the structure and a finder used by hand.",
    );
    let (triangles, frames) = if quick { (4_000, 10) } else { (20_000, 30) };
    let race = Race { frames, rounds: if quick { 5 } else { 9 } };
    let all = [
        race.posed(triangles),
        race.deforming(triangles),
        race.torn(triangles),
        race.kinetic(triangles),
        race.skinned(triangles)?,
    ];
    let head = ["triangles", "pairs", "world (ms)", "by hand (ms)", "ratio"];
    let head = [("body", Align::Left)].into_iter().chain(head.map(|name| (name, Align::Right)));
    let mut table = Table::new("Milliseconds per frame, one thread.", head);
    let ratio = |times: &Times| times.world / times.by_hand;
    for times in &all {
        let Times { name, triangles, pairs, world, by_hand } = times;
        table.row([
            (*name).to_owned(),
            triangles.to_string(),
            pairs.to_string(),
            format!("{world:.4}"),
            format!("{by_hand:.4}"),
            format!("{:.3}", ratio(times)),
        ]);
    }
    folder.table(report, "single", &table)?;
    let worst = all.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b))).expect("five kinds");
    let note = format!("the worst of five kinds of bodies: {}", worst.name);
    report.metric("world.step.vs_best_single", ratio(worst), "x", Better::Lower, &note);
    Ok(())
}

/// The body of a world, and its world.
struct Alone(World, BodyId);

impl Alone {
    fn new(body: impl Into<Body>) -> Self {
        let mut world = world(Ask::NOTHING);
        let id = world.insert(body.into().asking_itself(Ask::PAIRS));
        Self(world, id)
    }

    fn pairs(&mut self) -> Vec<Pair> {
        let report = self.0.step(FRAME).expect("a step");
        report.meeting(self.1, self.1).map_or(vec![], |meeting| meeting.pairs.to_vec())
    }
}

fn self_pairs(finder: &mut Finder, view: View<'_>) -> Vec<Pair> {
    finder.find_self_pairs(view).to_vec()
}

/// A folded cloth in waves.
fn waves(cloth: &Mesh, frames: usize) -> Vec<Vec<DVec3>> {
    let at = |frame: usize| {
        let time = frame as f64 * FRAME;
        let wave = |p: &DVec3| *p + DVec3::Z * (0.02 * (5.0 * p.x + 7.0 * p.y + 9.0 * time).sin());
        cloth.positions().iter().map(wave).collect()
    };
    (0..frames).map(at).collect()
}

fn tree_of(mesh: &Mesh) -> MeshTree {
    let options = BuildOptions { self_queries: true, ..BuildOptions::default() };
    MeshTree::build_with(mesh.clone(), &options)
}

struct Race {
    frames: usize,
    rounds: usize,
}

impl Race {
    fn run<'a>(
        &self,
        name: &'static str,
        triangles: usize,
        contestants: [Contestant<'a, Vec<Pair>>; 2],
    ) -> Times {
        let played = play(&contestants, self.frames, self.rounds);
        require_equal(&played, name);
        let pairs = played[0].found.iter().map(Vec::len).sum::<usize>() / self.frames;
        Times { name, triangles, pairs, world: played[0].ms(), by_hand: played[1].ms() }
    }

    fn posed(&self, triangles: usize) -> Times {
        let cloth = shapes::folded_cloth(triangles);
        let tree = tree_of(&cloth);
        let pose = |frame: usize| {
            let turn = DQuat::from_rotation_x(0.01 * frame as f64);
            Pose::new(turn, DVec3::X * (0.1 * frame as f64)).expect("finite")
        };
        let world = Contestant::new("world", || {
            let mut alone = Alone::new(tree.clone());
            move |frame| {
                alone.0.set_pose(alone.1, &pose(frame)).expect("finite");
                alone.pairs()
            }
        });
        let by_hand = Contestant::new("by hand", || {
            let (tree, mut finder) = (tree.clone(), Finder::new(one_thread()));
            move |frame| self_pairs(&mut finder, tree.at(&pose(frame)))
        });
        self.run("a tree that is posed", cloth.triangle_count(), [world, by_hand])
    }

    fn deforming(&self, triangles: usize) -> Times {
        let cloth = shapes::folded_cloth(triangles);
        let frames = waves(&cloth, self.frames);
        let world = Contestant::new("world", || {
            let (mut alone, frames) = (Alone::new(tree_of(&cloth)), &frames);
            move |frame| {
                alone.0.set_positions(alone.1, &frames[frame]).expect("as many");
                alone.pairs()
            }
        });
        let by_hand = Contestant::new("by hand", || {
            let (mut tree, mut finder, frames) = (tree_of(&cloth), Finder::new(one_thread()), &frames);
            move |frame| {
                tree.set_positions(&frames[frame]).expect("as many");
                self_pairs(&mut finder, tree.view())
            }
        });
        self.run("a tree that deforms", cloth.triangle_count(), [world, by_hand])
    }

    fn torn(&self, triangles: usize) -> Times {
        let (mesh, edits) = cut_in_steps(triangles, self.frames);
        let body = TearingBody::build(mesh);
        let world = Contestant::new("world", || {
            let (mut alone, edits) = (Alone::new(body.clone()), &edits);
            move |frame| {
                alone.0.apply(alone.1, &edits[frame]).expect("recorded for this body");
                alone.pairs()
            }
        });
        let by_hand = Contestant::new("by hand", || {
            let (mut body, mut finder, edits) = (body.clone(), Finder::new(one_thread()), &edits);
            move |frame| {
                body.apply(&edits[frame]).expect("recorded for this body");
                self_pairs(&mut finder, body.view())
            }
        });
        self.run("a tearing body", body.mesh().live_count(), [world, by_hand])
    }

    fn kinetic(&self, triangles: usize) -> Times {
        let cloth = shapes::folded_cloth(triangles);
        // A key for every five frames.
        let keys = waves(&cloth, self.frames + 1).into_iter().step_by(5).collect::<Vec<_>>();
        let times = (0..keys.len()).map(|key| key as f64 * 5.0 * FRAME).collect();
        let plans = Plans::keyframes(times, keys).expect("good plans");
        let body = KineticBody::new(cloth.triangles().to_vec(), plans).expect("a body");
        let world = Contestant::new("world", || {
            let mut alone = Alone::new(body.clone());
            move |_| alone.pairs()
        });
        let by_hand = Contestant::new("by hand", || {
            let (mut body, mut finder, mut time) = (body.clone(), Finder::new(one_thread()), 0.0);
            move |_| {
                time += FRAME;
                body.advance_to(time).expect("later");
                self_pairs(&mut finder, body.view())
            }
        });
        self.run("a body on known paths", cloth.triangle_count(), [world, by_hand])
    }

    fn skinned(&self, triangles: usize) -> io::Result<Times> {
        let crowd = fracas_scenes::motion::crowd(1, triangles);
        let motion = crowd.map_err(|error| io::Error::other(error.to_string()))?.remove(0);
        let skin = motion.skin().as_ref().clone();
        let body = SkinnedBody::new(skin, &SkinOptions::default()).expect("a skin of moderate size");
        let frames: &[Vec<DAffine3>] = motion.frames();
        let world = Contestant::new("world", || {
            let mut alone = Alone::new(body.clone());
            move |frame| {
                alone.0.set_transforms(alone.1, &frames[frame]).expect("of this body");
                alone.pairs()
            }
        });
        let by_hand = Contestant::new("by hand", || {
            let (mut body, mut finder) = (body.clone(), Finder::new(one_thread()));
            move |frame| {
                body.set_transforms(&frames[frame]).expect("of this body");
                self_pairs(&mut finder, body.view())
            }
        });
        Ok(self.run("a skinned body", body.skin().rest().triangle_count(), [world, by_hand]))
    }
}

/// An animal, and the edits of a cut through it.
pub(super) fn cut_in_steps(triangles: usize, steps: usize) -> (Mesh, Vec<MeshEdit>) {
    let mesh = shapes::creature(triangles.max(5_000));
    let mut live = LiveMesh::new(mesh.clone());
    let plane = CutSurface::plane(DVec3::new(0.0, 0.0, 0.65), DVec3::new(1.0, 0.6, 0.6), DVec3::X);
    let mut cutter =
        Cutter::new(&live, &plane.expect("a plane"), &CutOptions::default()).expect("a closed body");
    let [from, to] = cutter.range().expect("the plane meets the body");
    let edits = (1..=steps).map(|step| {
        let front = if step == steps { to } else { from + (to - from) * step as f64 / steps as f64 };
        let edit = cutter.advance_to(&live, front).expect("a cut that nobody disturbs");
        live.apply(&edit).expect("the cutter's edits are good");
        edit
    });
    let edits = edits.collect();
    (mesh, edits)
}
