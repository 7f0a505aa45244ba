//! Bounds of a pulled ball with folds: Figure 5 and Table 1 of the paper.

use super::spheres::SphereTree;
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::geom::{DAffine3, DVec3};
use fracas::internal::Random;
use fracas::mesh::{Mesh, Skin, shapes};
use fracas::skinned::{Bound, MeshlessNodes, SkinOptions, SkinnedBody, Tightness};
use fracas::{BuildOptions, MeshTree};
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::hint::black_box;
use std::io;
use std::time::Instant;

/// Frames of the pull.
const FRAMES: usize = 12;

/// The paper's brain: a closed surface with folds, simulation nodes in it, and one end that is pulled.
struct Pulled {
    nodes: MeshlessNodes,
    skin: Skin,
}

impl Pulled {
    fn new(vertices: usize, nodes: usize) -> Self {
        let mesh = shapes::noisy_sphere(2 * vertices, 0.15, 3);
        // Best candidates: of several random points inside, the one farthest from all others, as simulations space their nodes.
        let mut random = Random::new(9);
        let mut points: Vec<DVec3> = vec![];
        while points.len() < nodes {
            let mut best: Option<(f64, DVec3)> = None;
            for _ in 0..16 {
                let p = 0.9 * DVec3::new(random.signed(), random.signed(), random.signed());
                if p.length() > 0.9 {
                    continue;
                }
                let near = points.iter().map(|q| p.distance_squared(*q)).fold(f64::INFINITY, f64::min);
                if best.is_none_or(|(distance, _)| near > distance) {
                    best = Some((near, p));
                }
            }
            points.extend(best.map(|(_, p)| p));
        }
        let nodes = MeshlessNodes::new(points, 12).expect("finite nodes");
        let skin = nodes.skin(mesh, 8).expect("weights of a mesh");
        Self { nodes, skin }
    }

    /// One side is pulled, and bends, until the diagonal has grown by half.
    fn transforms(&self, frame: usize) -> Vec<DAffine3> {
        let share = frame as f64 / (FRAMES - 1) as f64;
        let pull = |x: &DVec3| {
            let along = ((x.x + 0.9) / 1.8).clamp(0.0, 1.0);
            share * along * along * DVec3::new(1.6, 0.5 * along, 0.0)
        };
        let displacements: Vec<DVec3> = self.nodes.rest().iter().map(pull).collect();
        self.nodes.transforms(&displacements).expect("finite displacements")
    }

    fn body(&self, bound: Bound) -> SkinnedBody {
        let options = SkinOptions { bound, ..SkinOptions::default() };
        SkinnedBody::new(self.skin.clone(), &options).expect("a skin of moderate size")
    }
}

/// Average over frames, and the largest of all, by level.
fn over_frames(pulled: &Pulled, bound: Bound) -> Vec<Tightness> {
    let mut body = pulled.body(bound);
    average_by_level((0..FRAMES).map(|frame| {
        body.set_transforms(&pulled.transforms(frame)).expect("finite transforms");
        body.tightness()
    }))
}

fn average_by_level(frames: impl Iterator<Item = Vec<Tightness>>) -> Vec<Tightness> {
    let mut all: Vec<Tightness> = vec![];
    for levels in frames {
        all.resize(levels.len(), Tightness { boxes: 0, average: 0.0, largest: 0.0 });
        for (all, level) in all.iter_mut().zip(levels) {
            all.boxes = level.boxes;
            all.average += level.average / FRAMES as f64;
            all.largest = all.largest.max(level.largest);
        }
    }
    all
}

/// The same for spheres that add up what nodes may do.
fn spheres_over_frames(pulled: &Pulled) -> Vec<Tightness> {
    let tree = SphereTree::new(&pulled.skin);
    let frames = (0..FRAMES).map(|frame| {
        let transforms = pulled.transforms(frame);
        tree.tightness(&pulled.skin.evaluate(&transforms), &transforms)
    });
    average_by_level(frames)
}

/// Figure 5: radii of bounds over those of the smallest boxes, level by level.
pub fn tightness(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Tightness",
        "Radius of a bound over that of the smallest box, by level of the tree: 0 is the whole body. The paper's tree is binary with 15 \
         levels; ours has eight children to a node. The paper reports 1.5 on average and 2.5 at most for the root, and up to 68 times that for a \
         sphere tree whose radii add up what all nodes may do (Adams et al. 2005). Ours of that kind is over vertices, of the same width.",
    );
    let vertices = if quick { 8_000 } else { 29_966 };
    let mut lines = vec![];
    let (mut root, mut below) = ([0.0_f64; 2], [0.0_f64; 2]);
    for nodes in [65, 509] {
        let pulled = Pulled::new(vertices, nodes);
        let [simple, tight] = [Bound::Equation12, Bound::Knapsack].map(|bound| over_frames(&pulled, bound));
        let spheres = spheres_over_frames(&pulled);
        let head = [
            "level",
            "boxes",
            "Eq. 12 average",
            "largest",
            "knapsack average",
            "largest",
            "spheres average",
            "largest",
        ];
        let caption = format!("Tightness with {nodes} nodes and {vertices} vertices");
        let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
        for (level, (a, b)) in simple.iter().zip(&tight).enumerate() {
            let ratios = [a.average, a.largest, b.average, b.largest].map(|x| format!("{x:.2}"));
            let sphere = spheres.get(level).map(|s| [s.average, s.largest].map(|x| format!("{x:.2}")));
            let cells = [level.to_string(), a.boxes.to_string()].into_iter().chain(ratios);
            table.row(cells.chain(sphere.unwrap_or_default()));
        }
        folder.table(report, &format!("tightness_{nodes}"), &table)?;
        for (k, (name, levels)) in [("Eq. 12", &simple), ("knapsack", &tight)].into_iter().enumerate() {
            let points = levels.iter().enumerate().map(|(level, t)| [level as f64, t.average]).collect();
            lines.push(Line { name: format!("{name}, {nodes} nodes"), points, look: Look::default() });
            root[k] = root[k].max(levels[0].average);
            below[k] = levels[1..].iter().fold(below[k], |most, level| most.max(level.average));
        }
        let note =
            format!("root of a sphere tree over that by Equation 12, largest of all frames, {nodes} nodes");
        let name = format!("skinned.tightness.spheres_vs_eq12.{nodes}");
        report.metric(&name, spheres[0].largest / simple[0].largest, "×", Better::Higher, &note);
    }
    let chart = LineChart {
        title: "Tightness of bounds".to_owned(),
        description: "Average radius of bounds over the optimum, by level of the tree.".to_owned(),
        x: Axis::linear("level"),
        y: Axis::linear("radius over optimum"),
        lines,
    };
    folder.chart("tightness", &chart.svg(), "Figure 5 of the paper, left.")?;
    let note = "average over frames, the worse of 65 and 509 nodes";
    report.metric("skinned.tightness.root.eq12", root[0], "×", Better::Lower, note);
    report.metric("skinned.tightness.below.eq12", below[0], "×", Better::Lower, note);
    report.metric("skinned.tightness.root.knapsack", root[1], "×", Better::Lower, note);
    report.metric("skinned.tightness.below.knapsack", below[1], "×", Better::Lower, note);
    Ok(())
}

/// Best time of several runs in microseconds.
fn best(rounds: usize, mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let begin = Instant::now();
        run();
        least = least.min(begin.elapsed().as_secs_f64());
    }
    least * 1e6
}

/// Table 1: what it takes to bound the whole body, against the smallest box, and against evaluation and refit.
pub fn costs(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Cost of a bound",
        "Times in µs. The paper's: 15 to 18 for 65 nodes, 90 to 100 for 509, on a Pentium 4 with 3.4 GHz.",
    );
    let sizes = if quick { [3_500, 8_000, 20_000] } else { [3_500, 30_000, 145_000] };
    let head = ["vertices", "nodes", "set_transforms", "smallest box", "evaluate and refit"];
    let mut table = Table::new("Bounding the whole body", head.map(|name| (name, Align::Right)));
    let mut growth = 0.0_f64;
    for nodes in [65, 225, 509] {
        let bodies = sizes.map(|vertices| Pulled::new(vertices, nodes));
        let of_sizes = set_times(&bodies);
        for ((pulled, vertices), set) in bodies.iter().zip(sizes).zip(of_sizes) {
            let frames = [4, 5].map(|frame| pulled.transforms(frame));
            let smallest = best(5, || {
                let vertices = 0..pulled.skin.rest().vertex_count();
                let at = vertices.map(|v| pulled.skin.vertex(v, &frames[0]));
                black_box(at.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[l, h], p| [l.min(p), h.max(p)]));
            });
            let refit = refit_time(pulled.skin.rest(), &pulled.skin, &frames);
            let times = [set, smallest, refit].map(|time| format!("{time:.2}"));
            table.row([vertices.to_string(), nodes.to_string()].into_iter().chain(times));
        }
        growth = growth.max(of_sizes[2] / of_sizes[0]);
    }
    folder.table(report, "cost", &table)?;
    let note =
        "set_transforms with the most vertices over that with the fewest, the worst of three node counts";
    report.metric("skinned.bound.growth_vertices", growth, "×", Better::Lower, note);
    Ok(())
}

/// Best times of `set_transforms` in microseconds. The bodies take turns, so that a busy machine is busy for all of them.
fn set_times(all: &[Pulled; 3]) -> [f64; 3] {
    let mut bodies = all.each_ref().map(|pulled| pulled.body(Bound::Equation12));
    let frames = all.each_ref().map(|pulled| [4, 5].map(|frame| pulled.transforms(frame)));
    let mut least = [f64::INFINITY; 3];
    for _ in 0..60 {
        for k in 0..3 {
            let mut step = 0;
            let set = best(20, || {
                step += 1;
                bodies[k].set_transforms(&frames[k][step % 2]).expect("finite transforms");
            });
            least[k] = least[k].min(set);
        }
    }
    least
}

/// Evaluation of all vertices, and a refit.
fn refit_time(rest: &Mesh, skin: &Skin, frames: &[Vec<DAffine3>; 2]) -> f64 {
    let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
    let mut tree = MeshTree::build_with(rest.clone(), &options);
    let mut positions = rest.positions().to_vec();
    let mut step = 0;
    best(6, || {
        step += 1;
        for (v, p) in positions.iter_mut().enumerate() {
            *p = skin.vertex(v, &frames[step % 2]);
        }
        tree.set_positions(&positions).expect("finite positions");
    })
}
