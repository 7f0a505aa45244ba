//! The world's choice of structures against every fixed choice, and the measurement from which it chooses.
//!
//! A cloth waves in contact with a plate whose width grows from nothing to that of the cloth. Work is what `Explanation::work` says, with a
//! tree; it is to tell which structure is faster.

use super::single::cut_in_steps;
use super::{Contestant, play, require_equal, world};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::kinetic::Plans;
use fracas::mesh::{Mesh, MeshEdit, shapes};
use fracas::world::{Ask, Body, BodyId, Keep, World};
use fracas::{MeshTree, Pair};
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::cell::RefCell;
use std::io;

/// The structures that can be kept for a mesh.
const KEEPS: [Keep; 4] = [Keep::Soup, Keep::Tree, Keep::Driven, Keep::Tearing];

/// What happens to the first body of a scene in a frame, and to the second.
type Act<'a> = dyn Fn(&mut World, [BodyId; 2], usize) + 'a;

/// A body for which something is to be kept, another one, and what happens.
struct Scene<'a> {
    name: &'static str,
    mesh: Mesh,
    own: Ask,
    other: MeshTree,
    act: Box<Act<'a>>,
}

impl Scene<'_> {
    fn contestant(&self, keep: Option<Keep>) -> Contestant<'_, Vec<Pair>> {
        let name = keep.map_or("the world chooses".to_owned(), |keep| keep.to_string());
        Contestant::new(name, move || {
            let mut world = world(Ask::PAIRS);
            let body = Body::from(self.mesh.clone()).asking_itself(self.own);
            let first = world.insert(if let Some(keep) = keep { body.keeping(keep) } else { body });
            let ids = [first, world.insert(self.other.clone())];
            move |frame| {
                (self.act)(&mut world, ids, frame);
                let report = world.step(0.01).expect("a step");
                report.meetings().flat_map(|meeting| meeting.pairs).copied().collect()
            }
        })
    }
}

pub(super) fn run(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    crossover(report, folder, quick)?;
    folder.section(
        "The world's choice",
        "Milliseconds per frame in which the world chooses, and in which it is told to keep one structure; in each scene the first frame builds it. \
         A choice is made once it would have paid, so it shows in long runs more than in short ones.",
    );
    // At 60 frames per second.
    for seconds in [1, 4] {
        choices(report, folder, quick, seconds)?;
    }
    Ok(())
}

fn choices(report: &mut Report, folder: &mut Folder, quick: bool, seconds: usize) -> io::Result<()> {
    let (triangles, frames, rounds) =
        if quick { (4_000, 24 * seconds, 2) } else { (20_000, 60 * seconds, 3) };
    let head = ["chosen", "soup", "tree", "driven", "tearing", "ratio"].map(|name| (name, Align::Right));
    let head = [("scene", Align::Left)].into_iter().chain(head);
    let mut table = Table::new(format!("Milliseconds per frame over {frames} frames, one thread."), head);
    let mut worst = (0.0, "");
    let (animal, edits) = cut_in_steps(triangles, frames / 2);
    for scene in scenes(triangles, frames, &animal, &edits) {
        let keeps = [None].into_iter().chain(KEEPS.map(Some));
        let contestants: Vec<_> = keeps.map(|keep| scene.contestant(keep)).collect();
        let played = play(&contestants, frames, rounds);
        require_equal(&played, scene.name);
        let ms: Vec<f64> = played.iter().map(|played| played.ms()).collect();
        let ratio = ms[0] / ms[1..].iter().copied().fold(f64::INFINITY, f64::min);
        if ratio > worst.0 {
            worst = (ratio, scene.name);
        }
        let cells = ms.iter().map(|ms| format!("{ms:.3}")).chain([format!("{ratio:.3}")]);
        table.row([scene.name.to_owned()].into_iter().chain(cells));
    }
    folder.table(report, &format!("choice_{frames}"), &table)?;
    let note = format!("{frames} frames; the worst scene: {}", worst.1);
    let name = if seconds == 1 { "world.auto.vs_oracle.one_second" } else { "world.auto.vs_oracle" };
    report.metric(name, worst.0, "x", Better::Lower, &note);
    Ok(())
}

/// A cloth of size 3 in the plane z = 0, with about `triangles` triangles.
fn cloth(triangles: usize) -> Mesh {
    let n = (triangles as f64 / 2.0).sqrt() as usize;
    shapes::cloth_grid(n, n, [3.0, 3.0])
}

/// The cloth in waves.
fn waved(cloth: &Mesh, time: f64) -> Vec<DVec3> {
    let wave = |p: &DVec3| *p + DVec3::Z * (0.1 * (4.0 * p.x + 3.0 * time).sin() * (3.0 * p.y - time).cos());
    cloth.positions().iter().map(wave).collect()
}

/// A plate beside the cloth's left rim that covers a share of it, in small waves through which those of the cloth go.
fn plate(triangles: usize, share: f64) -> MeshTree {
    let n = (triangles as f64 / 2.0).sqrt();
    let columns = ((n * share) as usize).max(1);
    let mesh = shapes::cloth_grid(columns, n as usize, [3.0 * share, 3.0]);
    let left = mesh.bounds().min.x;
    let bent = |p: &DVec3| {
        let moved = *p + DVec3::new(-1.5 - left, 0.0, 0.0);
        moved + DVec3::Z * (0.05 * (9.0 * p.y + 5.0 * p.x).sin())
    };
    let positions = mesh.positions().iter().map(bent).collect();
    MeshTree::build(Mesh::new(positions, mesh.triangles().to_vec()).expect("a mesh"))
}

/// Everything that happens to bodies, one scene each.
fn scenes<'a>(triangles: usize, frames: usize, animal: &'a Mesh, edits: &'a [MeshEdit]) -> Vec<Scene<'a>> {
    let time = |frame: usize| 0.05 * frame as f64;
    let place = move |world: &mut World, id: BodyId, frame: usize| {
        let turn = DQuat::from_rotation_z(0.02 * frame as f64);
        world
            .set_pose(id, &Pose::new(turn, DVec3::Z * (0.002 * frame as f64)).expect("finite"))
            .expect("finite");
    };
    let waving = |name, share: f64, own| {
        let flat = cloth(triangles);
        let mesh = flat.clone();
        let act = move |world: &mut World, [body, _]: [BodyId; 2], frame: usize| {
            world.set_positions(body, &waved(&flat, time(frame))).expect("as many");
        };
        Scene { name, mesh, own, other: plate(triangles, share), act: Box::new(act) }
    };
    let mut all = vec![
        waving("cloth, 1 % in contact", 0.01, Ask::NOTHING),
        waving("cloth, 10 % in contact", 0.1, Ask::NOTHING),
        waving("cloth, 30 % in contact", 0.3, Ask::NOTHING),
        waving("cloth, all in contact", 1.0, Ask::NOTHING),
        waving("cloth, asked about itself too", 0.1, Ask::PAIRS),
    ];
    let flat = cloth(triangles);
    let part_of = |act: Box<Act<'a>>, name, mesh: &Mesh, share| Scene {
        name,
        mesh: mesh.clone(),
        own: Ask::NOTHING,
        other: plate(triangles, share),
        act,
    };
    let mesh = flat.clone();
    let act = move |world: &mut World, [body, other]: [BodyId; 2], frame: usize| {
        if frame < frames / 2 {
            world.set_positions(body, &waved(&mesh, time(frame))).expect("as many");
        }
        place(world, other, frame);
    };
    all.push(part_of(Box::new(act), "cloth that stops", &flat, 0.1));
    let mesh = flat.clone();
    let act = move |world: &mut World, [body, other]: [BodyId; 2], frame: usize| {
        // The plate comes down from above.
        let height = DVec3::Z * (0.6 * (1.0 - 2.0 * frame as f64 / frames as f64)).max(0.0);
        world.set_pose(other, &Pose::from_translation(height).expect("finite")).expect("finite");
        world.set_positions(body, &waved(&mesh, time(frame))).expect("as many");
    };
    all.push(part_of(Box::new(act), "plate that comes down on a cloth", &flat, 1.0));
    let mesh = flat.clone();
    let act = move |world: &mut World, [body, _]: [BodyId; 2], frame: usize| {
        let positions = waved(&mesh, time(frame));
        let new = Mesh::new(positions, mesh.triangles().to_vec()).expect("a mesh");
        world.set_mesh(body, new).expect("a mesh body");
    };
    all.push(part_of(Box::new(act), "cloth replaced in every step", &flat, 0.3));
    let act = move |world: &mut World, [_, other]: [BodyId; 2], frame: usize| place(world, other, frame);
    all.push(part_of(Box::new(act), "two bodies that only move", &flat, 0.3));
    let act = move |world: &mut World, [body, other]: [BodyId; 2], frame: usize| {
        if let Some(edit) = frame.checked_sub(frames / 2).and_then(|step| edits.get(step)) {
            world.apply(body, edit).expect("recorded for this body");
        }
        place(world, other, frame);
    };
    all.push(part_of(Box::new(act), "animal that is cut", animal, 0.3));
    let mesh = flat.clone();
    let act = move |world: &mut World, [body, other]: [BodyId; 2], frame: usize| {
        if frame == 0 {
            let keys: Vec<Vec<DVec3>> = (0..=frames / 8).map(|key| waved(&mesh, time(4 * key))).collect();
            let times = (0..keys.len()).map(|key| 0.04 * key as f64).collect();
            world.set_plans(body, Plans::keyframes(times, keys).expect("good plans")).expect("fits");
        } else if frame >= frames / 2 {
            world.set_positions(body, &waved(&mesh, time(frame))).expect("as many");
        }
        place(world, other, frame);
    };
    all.push(part_of(Box::new(act), "cloth on known paths that leaves them", &flat, 0.1));
    all
}

/// Time per step with a tree and with a driven body, for a growing share of contact.
fn crossover(report: &Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Tree or driven body",
        "A cloth waves on a plate that covers a growing share of it. Work is rows and nodes looked at for each leaf of eight triangles.",
    );
    let (frames, rounds) = if quick { (10, 3) } else { (20, 5) };
    let sizes: &[usize] = if quick { &[4_000] } else { &[1_000, 5_000, 20_000, 80_000] };
    let head = [
        "triangles",
        "share",
        "pairs",
        "work, tree",
        "work, driven",
        "tree (ms)",
        "driven (ms)",
        "driven over tree",
    ];
    let mut table = Table::new("Milliseconds per frame, one thread.", head.map(|name| (name, Align::Right)));
    let mut lines = vec![];
    for &triangles in sizes {
        let flat = cloth(triangles);
        let shapes: Vec<Vec<DVec3>> = (0..frames).map(|frame| waved(&flat, 0.05 * frame as f64)).collect();
        let mut points = vec![];
        for share in [0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0] {
            let other = plate(triangles, share);
            let work = [Keep::Tree, Keep::Driven].map(|keep| (keep, RefCell::new(0.0)));
            let contestants = work.each_ref().map(|(keep, work)| {
                let (flat, other, shapes) = (&flat, &other, &shapes);
                Contestant::new(keep.to_string(), move || {
                    let mut world = world(Ask::PAIRS);
                    let cloth = world.insert(Body::from(flat.clone()).keeping(*keep));
                    world.insert(other.clone());
                    move |frame| {
                        world.set_positions(cloth, &shapes[frame]).expect("as many");
                        let pairs: Vec<Pair> = world
                            .step(0.01)
                            .expect("a step")
                            .meetings()
                            .flat_map(|meeting| meeting.pairs)
                            .copied()
                            .collect();
                        *work.borrow_mut() = world.explain(cloth).expect("in this world").work;
                        pairs
                    }
                })
            });
            let played = play(&contestants, frames, rounds);
            require_equal(&played, "waving cloth");
            // The first two frames build and change structures.
            let ms = |k: usize| played[k].seconds[2..].iter().sum::<f64>() * 1e3 / (frames - 2) as f64;
            let works = work.each_ref().map(|(_, work)| *work.borrow());
            points.push([works[0], ms(1) / ms(0)]);
            table.row([
                flat.triangle_count().to_string(),
                format!("{share}"),
                played[0].found[frames - 1].len().to_string(),
                format!("{:.3}", works[0]),
                format!("{:.3}", works[1]),
                format!("{:.4}", ms(0)),
                format!("{:.4}", ms(1)),
                format!("{:.3}", ms(1) / ms(0)),
            ]);
        }
        let name = format!("{} triangles", flat.triangle_count());
        lines.push(Line { name, points, look: Look::Marked });
    }
    folder.table(report, "crossover", &table)?;
    let chart = LineChart {
        title: "Driven body over tree".to_owned(),
        description: "Time per step with a driven body over that with a tree, by work.".to_owned(),
        x: Axis::log("work per leaf, with a tree"),
        y: Axis::linear("driven over tree").from_zero(),
        lines,
    };
    folder.chart("crossover", &chart.svg(), "Below 1 the driven body is faster.")
}
