//! Which of many moving parts touch: the world against parry and coal.

use super::{Contestant, Played, coal, parry, play, world};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use fracas::world::{Ask, Body, BodyId};
use fracas_plot::{Align, Table};
use std::io;
use std::sync::Arc;

/// Triangles of a part.
pub(super) const PART_TRIANGLES: usize = 1_200;

/// Two parts that touch, the lower number first.
pub(super) type Touching = Vec<[u32; 2]>;

/// A part of size two, around the origin.
pub(super) fn part() -> Mesh {
    let mesh = shapes::noisy_sphere(PART_TRIANGLES, 0.15, 5);
    let bounds = mesh.bounds();
    let scale = 2.0 / (bounds.max - bounds.min).max_element();
    let positions = mesh.positions().iter().map(|p| (*p - bounds.centre()) * scale).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("a mesh")
}

/// Half the sides of a cube for `count` parts: one part per 8 units of volume.
pub(super) fn cube(count: usize) -> DVec3 {
    DVec3::splat((count as f64).cbrt())
}

/// Turns and places of all parts in a box, by frame; each flies straight on and spins.
pub(super) fn motion(half: DVec3, count: usize, frames: usize) -> Vec<Vec<(DQuat, DVec3)>> {
    let mut random = Random::new(23);
    let mut x = || random.unit() * 2.0 - 1.0;
    let begin: Vec<_> = (0..count)
        .map(|_| {
            let turn = DQuat::from_xyzw(x(), x(), x(), x()).normalize();
            let place = DVec3::new(x(), x(), x()) * half;
            (turn, place, DVec3::new(x(), x(), x()) * 0.03, DVec3::new(x(), x(), x()) * 0.05)
        })
        .collect();
    let at = |frame: usize| {
        let t = frame as f64;
        begin
            .iter()
            .map(|(turn, place, way, spin)| {
                ((DQuat::from_scaled_axis(*spin * t) * *turn).normalize(), *place + *way * t)
            })
            .collect()
    };
    (0..frames).map(at).collect()
}

/// The poses of a motion.
pub(super) fn poses(motion: &[Vec<(DQuat, DVec3)>]) -> Vec<Vec<Pose>> {
    let pose = |(turn, by): &(DQuat, DVec3)| Pose::new(*turn, *by).expect("a rigid motion");
    motion.iter().map(|frame| frame.iter().map(pose).collect()).collect()
}

/// The world plays: every part gets its pose, then there is a step.
pub(super) fn ours<'a>(
    part: &'a Arc<fracas::MeshTree>,
    poses: &'a [Vec<Pose>],
) -> impl FnMut(usize) -> Touching + 'a {
    let mut world = world(Ask::TOUCH);
    let ids: Vec<BodyId> =
        poses[0].iter().map(|pose| world.insert(Body::from(Arc::clone(part)).at(pose))).collect();
    move |frame| {
        for (id, pose) in ids.iter().zip(&poses[frame]) {
            world.set_pose(*id, pose).expect("a part of this world");
        }
        let report = world.step(0.01).expect("a step");
        report.touching().map(|pair| pair.map(|id| id.slot())).collect()
    }
}

pub(super) fn run(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Moving parts",
        "Which parts touch, yes or no, in every frame; all parts move in every frame, and share one geometry. parry: its tree of boxes, updated, \
         refitted and optimised, then `intersection_test` for each pair of boxes. coal: `DynamicAABBTreeCollisionManager`, then `collide`; the time \
         of setting transforms and of calls from Python is taken off.",
    );
    let head = ["parts", "frames", "boxes overlap", "touch", "ours (ms)", "parry (ms)", "coal (ms)"];
    let mut table = Table::new("Milliseconds per frame, one thread.", head.map(|name| (name, Align::Right)));
    let (frames, rounds, counts) = if quick { (6, 3, [200, 500]) } else { (20, 5, [500, 5_000]) };
    let mesh = part();
    let tree = Arc::new(fracas::MeshTree::build(mesh.clone()));
    let mut worst = [f64::INFINITY; 2];
    for count in counts {
        let motion = motion(cube(count), count, frames);
        let poses = poses(&motion);
        let their_part = parry::Part::new(&mesh, &motion);
        let contestants = [
            Contestant::new("world", || ours(&tree, &poses)),
            Contestant::new("parry", || their_part.play()),
        ];
        let played = play(&contestants, frames, rounds);
        let [ours, parry] = &played[..] else { unreachable!("two contestants") };
        let candidates = their_part.candidates(frames - 1);
        say_differences(report, count, ours, parry);
        worst[0] = worst[0].min(parry.ms() / ours.ms());
        let mut coal_ms = "–".to_owned();
        match coal::play(&mesh, &motion, rounds) {
            Err(error) => report.say(&format!("coal is left out ({error})")),
            Ok(coal) => {
                say_differences(report, count, ours, &coal);
                worst[1] = worst[1].min(coal.ms() / ours.ms());
                coal_ms = format!("{:.3}", coal.ms());
            }
        }
        let touch = ours.found[frames - 1].len();
        let [ours, parry] = [ours, parry].map(|played| format!("{:.3}", played.ms()));
        table.row(
            [count, frames, candidates, touch]
                .map(|n| n.to_string())
                .into_iter()
                .chain([ours, parry, coal_ms]),
        );
    }
    folder.table(report, "parts", &table)?;
    let [few, many] = counts;
    let note =
        format!("worse of {few} and {many} parts of {PART_TRIANGLES} triangles, all move in every frame");
    for (name, ratio) in ["parry", "coal"].into_iter().zip(worst).filter(|(_, ratio)| ratio.is_finite()) {
        report.metric(&format!("world.parts.vs_{name}"), ratio, "x", Better::Higher, &note);
    }
    Ok(())
}

/// Says in how many pairs two contestants differ, over all frames.
fn say_differences(report: &Report, count: usize, a: &Played<Touching>, b: &Played<Touching>) {
    let missing = |from: &Touching, of: &Touching| of.iter().filter(|&pair| !from.contains(pair)).count();
    let differ = a.found.iter().zip(&b.found).map(|(x, y)| missing(x, y) + missing(y, x)).sum::<usize>();
    let all = a.found.iter().map(Vec::len).sum::<usize>();
    report.say(&format!(
        "{count} parts: {} {:.3} ms, {} {:.3} ms per frame; {differ} of {all} touching pairs differ",
        a.name,
        a.ms(),
        b.name,
        b.ms()
    ));
}
