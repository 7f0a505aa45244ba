//! Questions that solvers and robots ask: how far apart, do they touch at all, what is near, where is the nearest point, winding numbers; against
//! parry, coal, FCL, IPC Toolkit and libigl.
//!
//! Both sides answer about the same meshes at the same poses, one after the other, on one thread. parry works in `f32`. Its answers
//! are compared with ours within that precision; where they disagree by more, the report says how often.

mod near;
mod python;
mod sheet;
mod winding;

use crate::folder::Folder;
use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::shapes;
use fracas::{FindOptions, Finder, Mesh, MeshTree, Threads};
use parry3d::math::{Pose as ParryPose, Vector};
use parry3d::query::PointQuery;
use parry3d::shape::TriMesh;
use sheet::Sheet;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Poses of one comparison.
const POSES: usize = 40;

/// Parts of the assembly, and triangles of each.
const PARTS: usize = 500;
const PART_TRIANGLES: usize = 1_200;

pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let mut folder = Folder::create(out, "questions", "Questions that solvers and robots ask")?;
    let mut sheet = Sheet::default();
    let budget = Duration::from_millis(if quick { 500 } else { 3000 });
    let bodies = bodies(report, quick);
    let mut random = Random::new(17);
    let mut ratios = vec![];
    let mut others = [vec![], vec![]];
    for (k, one) in bodies.iter().enumerate() {
        for other in &bodies[k + 1..] {
            let [parry, coal, fcl] = closest(report, &mut sheet, (one, other), &mut random, budget);
            ratios.extend(parry);
            others[0].extend(coal);
            others[1].extend(fcl);
        }
    }
    let mean = |list: &[f64]| (list.iter().map(|x| x.ln()).sum::<f64>() / list.len() as f64).exp();
    for (name, ratios) in ["coal", "fcl"].into_iter().zip(&others).filter(|(_, ratios)| !ratios.is_empty()) {
        let note = "the same bodies, all poses; through its Python package, f64";
        report.metric(&format!("questions.closest.vs_{name}"), mean(ratios), "x", Better::Higher, note);
    }
    let note = "geometric mean over pairs of bodies, far, near and touching, random poses; parry 0.31.1, f32";
    report.metric("questions.closest.vs_parry", mean(&ratios), "x", Better::Higher, note);
    coherent(report, &mut sheet, (&bodies[0], &bodies[1]), budget);
    first(report, &mut sheet, budget);
    nearest(report, &mut sheet, &bodies, budget);
    near::run(report, &mut sheet, &bodies, quick);
    winding::run(report, &mut sheet, &bodies, quick);
    sheet.write(report, &mut folder)?;
    folder.finish(report)
}

/// A mesh with the trees of both sides.
struct Body {
    name: String,
    tree: MeshTree,
    parry: TriMesh,
    radius: f64,
}

impl Body {
    fn new(name: impl Into<String>, mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        let (centre, size) = (bounds.centre(), (bounds.max - bounds.min).max_element());
        // Of size two, around the origin: poses then mean the same for all.
        let positions: Vec<DVec3> = mesh.positions().iter().map(|p| (*p - centre) * (2.0 / size)).collect();
        let radius = positions.iter().map(|p| p.length()).fold(0.0, f64::max);
        let points = positions.iter().map(|p| vector(*p)).collect();
        let parry = TriMesh::new(points, mesh.triangles().to_vec()).expect("a mesh");
        let mesh = Mesh::new(positions, mesh.triangles().to_vec()).expect("a mesh");
        Self { name: name.into(), tree: MeshTree::build(mesh), parry, radius }
    }
}

fn vector(p: DVec3) -> Vector {
    Vector::new(p.x as f32, p.y as f32, p.z as f32)
}

/// The same pose for parry.
fn parry_pose(turn: DQuat, by: DVec3) -> ParryPose {
    let [x, y, z, w] = turn.to_array().map(|x| x as f32);
    ParryPose::from_parts(vector(by), parry3d::math::Rotation::from_xyzw(x, y, z, w).normalize())
}

/// Scans where they are there, else shapes made by formula.
fn bodies(report: &mut Report, quick: bool) -> Vec<Body> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from).join("meshes");
    let names = ["buddha.obj", "stanford-bunny.obj", "dragon-48k.ply"];
    let scans: Vec<Body> = names
        .iter()
        .filter_map(|name| Some(Body::new(*name, &fracas_io::read(data.join(name)).ok()?)))
        .collect();
    if !quick && scans.len() == names.len() {
        return scans;
    }
    report.say("scans are not there or not asked for: shapes made by formula take their place");
    let count = if quick { 8_000 } else { 60_000 };
    vec![
        Body::new("creature", &shapes::creature(count)),
        Body::new("noisy sphere", &shapes::noisy_sphere(count, 0.2, 3)),
        Body::new("pumpkin", &shapes::pumpkin(9, count)),
    ]
}

fn one_thread() -> Finder {
    Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() })
}

type Poses = Vec<(Pose, ParryPose)>;

/// A turn, and the way after it.
type Placing = (DQuat, DVec3);

/// Random turns at a distance of the centres.
fn random_placings(random: &mut Random, distance: impl Fn(&mut Random) -> f64) -> Vec<Placing> {
    let placing = |_| {
        let mut x = || random.unit() * 2.0 - 1.0;
        let turn = DQuat::from_xyzw(x(), x(), x(), x()).normalize();
        let way = DVec3::new(x(), x(), x()).normalize();
        (turn, way * distance(random))
    };
    (0..POSES).map(placing).collect()
}

fn posed((turn, by): Placing) -> (Pose, ParryPose) {
    (Pose::new(turn, by).expect("a rigid motion"), parry_pose(turn, by))
}

/// Least distances at random poses.
fn closest(
    report: &mut Report,
    sheet: &mut Sheet,
    (a, b): (&Body, &Body),
    random: &mut Random,
    budget: Duration,
) -> [Vec<f64>; 3] {
    let reach = a.radius + b.radius;
    let settings: [(&str, [f64; 2]); 3] =
        [("far", [2.0, 4.0]), ("near", [0.8, 1.05]), ("touching", [0.2, 0.5])];
    let mut ratios = [vec![], vec![], vec![]];
    for (name, [from, to]) in settings {
        let placings = random_placings(random, |random| reach * (from + (to - from) * random.unit()));
        let poses: Poses = placings.iter().map(|&placing| posed(placing)).collect();
        let ours = |finder: &mut Finder, pose: &Pose| {
            finder.find_closest(&a.tree, b.tree.at(pose), f64::INFINITY).map_or(f64::INFINITY, |c| c.distance)
        };
        let theirs = |pose: &ParryPose| {
            let found = parry3d::query::distance(&ParryPose::IDENTITY, &a.parry, pose, &b.parry);
            f64::from(found.expect("meshes are supported").distance)
        };
        // parry takes seconds for some poses: it answers as many of them as the budget allows, once. Ours answers the same ones, best of five.
        let (mut answers, mut their_seconds) = (vec![], 0.0);
        for (_, pose) in &poses {
            let begin = Instant::now();
            answers.push(theirs(pose));
            their_seconds += begin.elapsed().as_secs_f64();
            if answers.len() >= 3 && their_seconds > budget.as_secs_f64() {
                break;
            }
        }
        let asked = answers.len();
        let (mut our_seconds, mut differ, mut finder) = (f64::INFINITY, 0, one_thread());
        for _ in 0..5 {
            let begin = Instant::now();
            // Memory is reused, as parry's allocator does; what is known from the last pose is not.
            let ask = |(pose, _): &(Pose, ParryPose)| {
                finder.forget();
                ours(&mut finder, pose)
            };
            let found: Vec<f64> = poses[..asked].iter().map(ask).collect();
            our_seconds = our_seconds.min(begin.elapsed().as_secs_f64());
            differ = found.iter().zip(&answers).filter(|(a, b)| (*a - *b).abs() > 1e-4).count();
        }
        let [ours_us, theirs_us] = [our_seconds, their_seconds].map(|seconds| seconds * 1e6 / asked as f64);
        let about = format!("{} and {}, {name}", a.name, b.name);
        let remark = format!("{differ} of {asked} differ");
        sheet.compare(report, ("closest", about.clone()), ours_us, ("parry", theirs_us), remark);
        ratios[0].push(theirs_us / ours_us);
        match python::closest(a.tree.mesh(), b.tree.mesh(), &placings) {
            Err(error) => report.say(&format!("closest: coal and FCL are left out ({error})")),
            Ok(peers) => {
                let (found, ours_us) = time_ours(&poses, ours);
                for (k, (peer, theirs)) in ["coal", "FCL"].into_iter().zip(peers).enumerate() {
                    let Some(theirs) = theirs else { continue };
                    let differ = found.iter().zip(&theirs.distances).filter(|(a, b)| (*a - *b).abs() > 1e-9);
                    let remark = format!("{} of {} differ", differ.count(), poses.len());
                    sheet.compare(report, ("closest", about.clone()), ours_us, (peer, theirs.us), remark);
                    ratios[k + 1].push(theirs.us / ours_us);
                }
            }
        }
    }
    ratios
}

/// Distances at all poses, and microseconds for each; best of three rounds, as the others.
fn time_ours(poses: &Poses, ask: impl Fn(&mut Finder, &Pose) -> f64) -> (Vec<f64>, f64) {
    let (mut finder, mut seconds, mut found) = (one_thread(), f64::INFINITY, vec![]);
    for _ in 0..3 {
        let begin = Instant::now();
        found.clear();
        for (pose, _) in poses {
            finder.forget();
            found.push(ask(&mut finder, pose));
        }
        seconds = seconds.min(begin.elapsed().as_secs_f64());
    }
    (found, seconds * 1e6 / poses.len() as f64)
}

/// One body turns slowly beside another: what was nearest is nearly nearest in the next frame.
fn coherent(report: &mut Report, sheet: &mut Sheet, (a, b): (&Body, &Body), budget: Duration) {
    let reach = a.radius + b.radius;
    let poses: Poses = (0..40)
        .map(|k| {
            let angle = f64::from(k) * 0.01;
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, angle, 0.7 * angle, 0.0);
            let by = DVec3::new(angle.cos(), angle.sin(), 0.2) * (0.95 * reach);
            (Pose::new(turn, by).expect("a rigid motion"), parry_pose(turn, by))
        })
        .collect();
    let begin = Instant::now();
    let mut asked = 0;
    for (_, pose) in &poses {
        black_box(parry3d::query::distance(&ParryPose::IDENTITY, &a.parry, pose, &b.parry).expect("meshes"));
        asked += 1;
        if asked >= 5 && begin.elapsed() > budget {
            break;
        }
    }
    let theirs = begin.elapsed().as_secs_f64() * 1e6 / f64::from(asked);
    let mut finder = one_thread();
    let mut ours = f64::INFINITY;
    for _ in 0..5 {
        let begin = Instant::now();
        for (pose, _) in &poses {
            let _ = black_box(finder.find_closest(&a.tree, b.tree.at(pose), f64::INFINITY));
        }
        ours = ours.min(begin.elapsed().as_secs_f64() * 1e6 / poses.len() as f64);
    }
    let about = "40 frames of a slow turn".to_owned();
    sheet.compare(report, ("closest, coherent", about), ours, ("parry", theirs), "per frame".to_owned());
    let note = format!("{} and {}, 0.01 rad per frame", a.name, b.name);
    report.metric("questions.closest_coherent.vs_parry", theirs / ours, "x", Better::Higher, &note);
}

/// Which parts of an assembly touch.
fn first(report: &mut Report, sheet: &mut Sheet, budget: Duration) {
    let part = Body::new("part", &shapes::noisy_sphere(PART_TRIANGLES, 0.15, 5));
    let mut random = Random::new(23);
    let side = (PARTS as f64).cbrt();
    let places: Poses = (0..PARTS)
        .map(|_| {
            let mut x = || random.unit() * 2.0 - 1.0;
            let turn = DQuat::from_xyzw(x(), x(), x(), x()).normalize();
            let by = DVec3::new(x(), x(), x()) * side;
            (Pose::new(turn, by).expect("a rigid motion"), parry_pose(turn, by))
        })
        .collect();
    let mut near = vec![];
    for i in 0..PARTS {
        for j in i + 1..PARTS {
            let apart = places[i].0.translation().distance(places[j].0.translation());
            if apart < 2.0 * part.radius {
                near.push((i, j));
            }
        }
    }
    let mut finder = one_thread();
    let timed = race(
        &mut [
            Candidate::new("ours", || {
                let meets = |&&(i, j): &&(usize, usize)| {
                    finder.find_first(part.tree.at(&places[i].0), part.tree.at(&places[j].0)).is_some()
                };
                near.iter().filter(meets).count()
            }),
            Candidate::new("parry", || {
                let meets = |&&(i, j): &&(usize, usize)| {
                    parry3d::query::intersection_test(&places[i].1, &part.parry, &places[j].1, &part.parry)
                        .expect("meshes")
                        .intersecting
                };
                near.iter().filter(meets).count()
            }),
        ],
        budget,
    );
    let about = format!("which of {PARTS} parts touch, {} pairs within reach", near.len());
    let remark = format!("{} touch, {} by parry", timed[0].result, timed[1].result);
    let [ours, theirs] = [&timed[0], &timed[1]].map(|timed| timed.ms() * 1e3);
    sheet.compare(report, ("first pair", about), ours, ("parry", theirs), remark);
    let note =
        format!("{PARTS} parts of {PART_TRIANGLES} triangles, {} pairs with overlapping spheres", near.len());
    report.metric("questions.first.vs_parry", timed[1].ms() / timed[0].ms(), "x", Better::Higher, &note);
}

/// The nearest point of a surface.
fn nearest(report: &mut Report, sheet: &mut Sheet, bodies: &[Body], budget: Duration) {
    let (mut ratios, mut ratios_at_once) = (vec![], vec![]);
    for body in bodies {
        let mut random = Random::new(29);
        let mut x = || random.unit() * 3.0 - 1.5;
        let points: Vec<DVec3> = (0..2_000).map(|_| DVec3::new(x(), x(), x())).collect();
        let view = body.tree.view();
        let timed = race(
            &mut [
                Candidate::new("ours", || {
                    let near = |p: &DVec3| view.nearest(*p, f64::INFINITY).map_or(0.0, |near| near.distance);
                    points.iter().map(near).sum::<f64>() as usize
                }),
                Candidate::new("ours, all at once", || {
                    let near = one_thread().nearest_each(view, &points, f64::INFINITY);
                    near.iter().map(|near| near.map_or(0.0, |near| near.distance)).sum::<f64>() as usize
                }),
                Candidate::new("parry", || {
                    let near = |p: &DVec3| {
                        let q = vector(*p);
                        f64::from((body.parry.project_local_point(q, false).point - q).length())
                    };
                    points.iter().map(near).sum::<f64>() as usize
                }),
            ],
            budget / 3,
        );
        let [ours, each, theirs] =
            [&timed[0], &timed[1], &timed[2]].map(|t| t.ms() * 1e3 / points.len() as f64);
        let remark = || "per point".to_owned();
        sheet.compare(report, ("nearest", body.name.clone()), ours, ("parry", theirs), remark());
        sheet.compare(report, ("nearest, many", body.name.clone()), each, ("parry", theirs), remark());
        ratios.push(theirs / ours);
        ratios_at_once.push(theirs / each);
    }
    let mean = |list: &[f64]| (list.iter().map(|x| x.ln()).sum::<f64>() / list.len() as f64).exp();
    let note = "2,000 points in a box 1.5 times as large, geometric mean over bodies";
    report.metric("questions.nearest.vs_parry", mean(&ratios), "x", Better::Higher, note);
    let note = "the same points in one call, one thread; parry one by one";
    report.metric("questions.nearest_each.vs_parry", mean(&ratios_at_once), "x", Better::Higher, note);
}
