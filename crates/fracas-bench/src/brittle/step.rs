//! A pile of 150 fragments of bricks in Rapier: our fragments beside the engine's own shapes for the same geometry.
//!
//! Bricks are broken into five pieces each, by a blow on bodies of a `BreakableSet`; the pieces could break again, but are too strong. The pieces fall into a bin, turned every way, and come to rest. Every mode
//! begins with the same bodies in the same places, with the same masses and the same contact margin; only the shapes differ:
//!
//! | mode | shape |
//! |---|---|
//! | fragments | ours; steps are those of `BreakableSet::step`, which also looks for blows |
//! | trimesh | the surface as `TriMesh`, no flags |
//! | trimesh, fixed | the same with internal edges fixed and orientation |
//! | hulls | the convex hull, which fills every hollow |
//!
//! Bodies may not sleep. Each mode is run several times, all modes equally often; the engine is deterministic, so a step is the same in every run, and
//! its best time counts. *Settling* are the steps from the first contact of
//! the lowest bodies to a speed that hardly changes any more, *resting* those after.
//!
//! How deep bodies are in each other at rest depends on where they happen to lie: one pile more or less changes the median by
//! a fifth. So overlaps are measured in several piles, with all pairs taken together.

use crate::metric::{Better, Report};
use fracas::brittle::{FragmentId, Solid, SolidOptions};
use fracas::fracture::{FractureOptions, Material};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, tets::brick};
use fracas_rapier::{BreakOptions, BreakableSet, FragmentShape, SharedBody};
use rapier3d::prelude::{
    ColliderBuilder, MassProperties, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Shape, SharedShape,
    TriMeshFlags, Vector,
};
use std::sync::Arc;
use std::time::Instant;

const SIZE: DVec3 = DVec3::new(0.8, 0.4, 0.26);
const CELLS: [usize; 3] = [7, 4, 3];
const BRICKS: usize = 30;
const PIECES: usize = 5;
/// Steps of a sixtieth of a second: until the last body has landed, until all rest, and to the end.
const FALLING: usize = 150;
const SETTLED: usize = 330;
const STEPS: usize = 450;
/// Seeds of the piles. Steps are timed in the first; where bodies come to lie is chance, so overlaps are those of all piles.
const SEEDS: [u64; 4] = [11, 12, 13, 14];

/// Contact skin of the engine's own shapes. Fragments hand over distances that are smaller by 3 % of the engine's prediction of
/// 20 mm, which makes a margin of 0.6 mm; two skins make the same.
const SKIN: f32 = 0.3e-3;

/// Bricks that are broken by blows, and their pieces in order.
struct Pile {
    solid: Arc<Solid>,
    /// The seed of each brick's fracture.
    seeds: Vec<u64>,
    parts: Vec<Part>,
}

/// A piece of a brick, whatever shape it gets.
struct Part {
    body: SharedBody,
    fragment: FragmentId,
    shape: FragmentShape,
    /// The surface in the frame of the shape.
    surface: Mesh,
    mass: MassProperties,
    place: rapier3d::math::Pose,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Fragments,
    TriMesh,
    TriMeshFixed,
    Hulls,
}

impl Mode {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Fragments, "fragments"),
        (Self::Hulls, "hulls"),
        (Self::TriMeshFixed, "trimesh, fixed"),
        (Self::TriMesh, "trimesh"),
    ];
}

/// What a run leaves.
struct Outcome {
    /// Milliseconds of each step.
    times: Vec<f64>,
    /// Where bodies are at last.
    places: Vec<Pose>,
}

/// Measures all modes and reports.
pub fn run(report: &mut Report, quick: bool) {
    let pile = pile(SEEDS[0]);
    let parts = &pile.parts;
    let triangles: usize = parts.iter().map(|part| part.surface.triangle_count()).sum();
    report.say(&format!("{} fragments of bricks in a pile, {triangles} triangles, ms per step", parts.len()));
    // Plain meshes take longer than all the rest together, and set the number of rounds for everybody.
    let rounds = if quick { 1 } else { 2 };
    let mut outcomes: Vec<Outcome> = vec![];
    for round in 0..rounds {
        for (k, &(mode, _)) in Mode::ALL.iter().enumerate() {
            let outcome = simulate(&pile, mode, STEPS);
            if round == 0 {
                outcomes.push(outcome);
            } else {
                let times = outcomes[k].times.iter_mut().zip(&outcome.times);
                times.for_each(|(best, time)| *best = best.min(*time));
            }
        }
    }
    // The slowest step is one of few: it needs more looks to be seen undisturbed. They count for nothing else.
    let mut looks: Vec<Vec<f64>> = outcomes.iter().map(|outcome| outcome.times.clone()).collect();
    for _ in 0..if quick { 3 } else { 12 } {
        for (k, mode) in [(0, Mode::Fragments), (1, Mode::Hulls)] {
            let times = simulate(&pile, mode, FALLING).times;
            looks[k].iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
        }
    }
    // The two modes whose overlaps are compared, in the other piles.
    let mut more: Vec<(&str, Vec<f64>)> = vec![];
    for &seed in &SEEDS[1..if quick { 3 } else { SEEDS.len() }] {
        let pile = self::pile(seed);
        for (mode, name) in [Mode::ALL[0], Mode::ALL[2]] {
            more.push((name, overlaps(&pile.parts, &simulate(&pile, mode, STEPS).places)));
        }
    }
    report.say("  mode              settling    resting      worst   overlap, mm: median  95 %   most");
    let mut rows = vec![];
    for ((&(_, name), outcome), looks) in Mode::ALL.iter().zip(&outcomes).zip(&looks) {
        let settling = quantile(&outcome.times[FALLING / 2..SETTLED], 0.5);
        let resting = quantile(&outcome.times[SETTLED..], 0.5);
        let worst = quantile(looks, 1.0);
        let mut overlaps = overlaps(parts, &outcome.places);
        overlaps.extend(more.iter().filter(|(name_of, _)| *name_of == name).flat_map(|(_, found)| found));
        let [median, high, most] = [0.5, 0.95, 1.0].map(|share| 1e3 * quantile(&overlaps, share));
        report.say(&format!(
            "  {name:<16} {settling:>9.3} {resting:>10.3} {worst:>10.3} {median:>21.2} {high:>5.2} {most:>6.2}   ({} pairs)",
            overlaps.len()
        ));
        rows.push([settling, resting, worst, median, high]);
    }
    let [ours, hulls, fixed, plain] = [rows[0], rows[1], rows[2], rows[3]];
    let note = format!("{} fragments, {triangles} triangles, one thread", parts.len());
    let mut ratio =
        |name: &str, value: f64, better: Better, note: &str| report.metric(name, value, "x", better, note);
    // Of settling and resting, the less favourable one.
    let least = |other: [f64; 5]| (other[0] / ours[0]).min(other[1] / ours[1]);
    ratio("brittle.step.vs_trimesh", least(plain), Better::Higher, &note);
    ratio("brittle.step.vs_trimesh_fixed", least(fixed), Better::Higher, &note);
    let most = (ours[0] / hulls[0]).max(ours[1] / hulls[1]);
    ratio("brittle.step.vs_hull", most, Better::Lower, &note);
    ratio("brittle.worst.vs_hull", ours[2] / hulls[2], Better::Lower, "slowest step of all, at impact");
    let note = "deepest dense sample of one fragment in another, over pairs that overlap, in all piles; the same contact margin";
    ratio("brittle.overlap.vs_trimesh_fixed", ours[3] / fixed[3], Better::Lower, note);
    ratio("brittle.overlap.median.vs_trimesh_fixed", ours[3] / fixed[3], Better::Lower, note);
    ratio("brittle.overlap.p95.vs_trimesh_fixed", ours[4] / fixed[4], Better::Lower, note);
}

/// The pieces of all bricks, where they begin; `turns` is the seed for how they are turned.
fn pile(turns: u64) -> Pile {
    let solid = Arc::new(Solid::build(brick(SIZE, CELLS), &SolidOptions::default()).expect("a sound mesh"));
    let mut random = Random::linear(turns);
    let mut pile = Pile { solid, seeds: vec![], parts: vec![] };
    let mut seed = 0;
    while pile.parts.len() < BRICKS * PIECES {
        let mut world = PhysicsWorld::default();
        let mut set = BreakableSet::new(&mut world);
        let pieces = strike(&mut set, &mut world, &pile.solid, seed);
        if pieces.len() == PIECES {
            pile.seeds.push(seed);
            for handle in pieces {
                let (body, fragment) = set.fragment(handle).expect("a piece of the set");
                let index = pile.parts.len();
                pile.parts.push(part(body, fragment, index, &mut random));
            }
        }
        seed += 1;
        assert!(seed < 1_000, "bricks do not break into {PIECES} pieces");
    }
    pile
}

/// Puts a brick into a world and breaks it by a blow that makes about [`PIECES`] pieces. These may break again, so the set looks for blows in every
/// step; but they are so strong that no fall breaks them.
fn strike(
    set: &mut BreakableSet,
    world: &mut PhysicsWorld,
    solid: &Arc<Solid>,
    seed: u64,
) -> Vec<RigidBodyHandle> {
    // A blow of twice the least impulse that breaks, and the toughness with which its energy, by `Material::pieces`, breaks a brick into that
    // number of cubes.
    let strong = Material { strength: 1e9, ..Material::BRICK };
    let volume = SIZE.element_product();
    let mass = strong.density * volume;
    let impulse = 2.0 * strong.strength * mass / (strong.stiffness * strong.density).sqrt();
    let area = 3.0 * volume / (volume / PIECES as f64).cbrt();
    let material = Material { toughness: strong.share * impulse * impulse / (2.0 * mass * area), ..strong };
    let fracture = FractureOptions { seed, ..FractureOptions::default() };
    let options = BreakOptions { material, fracture, ..BreakOptions::default() };
    let body = RigidBodyBuilder::dynamic().can_sleep(false);
    let whole = set.insert(world, solid, body, &options).expect("a sound body");
    let struck = set.strike(world, whole, SIZE * DVec3::new(0.5, 0.1, 0.0), DVec3::NEG_X * impulse);
    let fracture = struck.expect("a blow on the surface");
    fracture.map_or(vec![], |fracture| fracture.pieces.iter().map(|piece| piece.body).collect())
}

fn part(body: &SharedBody, fragment: FragmentId, index: usize, random: &mut Random) -> Part {
    let shape = FragmentShape::new(body, fragment).expect("it is there");
    let (surface, _) = body.read().expect("nobody panics").surface(fragment).expect("it is there");
    let points = surface.positions().iter().map(|p| *p - shape.origin()).collect();
    let surface = Mesh::new(points, surface.triangles().to_vec()).expect("a sound surface");
    let turn =
        DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), random.signed()).normalize();
    // Four by four in a layer, apart by more than any of them is wide.
    let column = [index % 4, index / 4 % 4, index / 16];
    let place = DVec3::new(column[0] as f64 - 1.5, column[2] as f64 + 0.7, column[1] as f64 - 1.5) * 0.7
        + 0.03 * DVec3::new(random.signed(), random.signed(), random.signed());
    let place = rapier3d::math::Pose::from_parts(
        single(place),
        rapier3d::math::Rotation::from_array(turn.to_array().map(|x| x as f32)),
    );
    let mass = shape.mass_properties(Material::BRICK.density as f32);
    Part { body: body.clone(), fragment, shape, surface, mass, place }
}

fn simulate(pile: &Pile, mode: Mode, steps: usize) -> Outcome {
    let mut world = PhysicsWorld::default();
    let mut set = (mode == Mode::Fragments).then(|| BreakableSet::new(&mut world));
    let handles: Vec<RigidBodyHandle> = match &mut set {
        Some(set) => pile.seeds.iter().flat_map(|&seed| strike(set, &mut world, &pile.solid, seed)).collect(),
        None => pile.parts.iter().map(|part| add_part(&mut world, part, mode)).collect(),
    };
    for (&handle, part) in handles.iter().zip(&pile.parts) {
        world.bodies[handle].set_position(part.place, true);
    }
    add_bin(&mut world, if set.is_some() { 0.0 } else { SKIN });
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let begin = Instant::now();
        match &mut set {
            Some(set) => {
                let broken = set.step(&mut world).expect("the set's own world");
                assert!(broken.is_empty(), "pieces do not break again");
            }
            None => world.step(),
        }
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let place = |&handle: &RigidBodyHandle| {
        let pose = world.bodies[handle].position();
        let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
        let at = DVec3::from_array(pose.translation.to_array().map(f64::from));
        Pose::new(DQuat::from_xyzw(x, y, z, w), at).expect("the engine keeps poses finite")
    };
    Outcome { times, places: handles.iter().map(place).collect() }
}

/// Adds a piece with a shape of the engine's own.
fn add_part(world: &mut PhysicsWorld, part: &Part, mode: Mode) -> RigidBodyHandle {
    let collider = ColliderBuilder::new(shape_of(part, mode)).mass_properties(part.mass);
    let body = RigidBodyBuilder::dynamic().can_sleep(false);
    world.insert(body, collider.friction(0.6).contact_skin(SKIN)).0
}

/// A bin with a floor and four thick walls.
fn add_bin(world: &mut PhysicsWorld, skin: f32) {
    let mut add = |half: [f32; 3], at: [f32; 3]| {
        let wall = ColliderBuilder::cuboid(half[0], half[1], half[2]).translation(Vector::from_array(at));
        world.insert_collider(wall.friction(0.6).contact_skin(skin), None);
    };
    add([4.0, 1.0, 4.0], [0.0, -1.0, 0.0]);
    for side in [-1.0, 1.0] {
        add([1.0, 6.0, 4.0], [side * 2.5, 6.0, 0.0]);
        add([4.0, 6.0, 1.0], [0.0, 6.0, side * 2.5]);
    }
}

fn shape_of(part: &Part, mode: Mode) -> SharedShape {
    let points = || part.surface.positions().iter().map(|p| single(*p)).collect::<Vec<Vector>>();
    let triangles = || part.surface.triangles().to_vec();
    let fixed = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::ORIENTED;
    match mode {
        Mode::Fragments => unreachable!("the set gives pieces their shapes"),
        Mode::TriMesh => SharedShape::trimesh(points(), triangles()).expect("there are triangles"),
        Mode::TriMeshFixed => {
            SharedShape::trimesh_with_flags(points(), triangles(), fixed).expect("there are triangles")
        }
        Mode::Hulls => SharedShape::convex_hull(&points()).expect("fragments have volume"),
    }
}

/// For each pair of fragments that overlap, how deep the deepest sample of either is in the other. Pairs with a gap are not counted.
fn overlaps(parts: &[Part], places: &[Pose]) -> Vec<f64> {
    let samples: Vec<Vec<DVec3>> = parts.iter().map(|part| dense(&part.surface, 0.01)).collect();
    let mut found = vec![];
    for a in 0..parts.len() {
        for b in a + 1..parts.len() {
            let apart = places[a].translation().distance(places[b].translation());
            if apart > parts[a].shape.reach() + parts[b].shape.reach() {
                continue;
            }
            let mut least = f64::INFINITY;
            for (own, other) in [(a, b), (b, a)] {
                let body = parts[other].body.read().expect("nobody panics");
                let (from, back) = (places[own], places[other].inverse());
                for &p in &samples[own] {
                    let q = back.apply(from.apply(p)) + parts[other].shape.origin();
                    if let Some(near) = body.find_nearest(parts[other].fragment, q, 0.0) {
                        least = least.min(near.distance);
                    }
                }
            }
            if least < 0.0 {
                found.push(-least);
            }
        }
    }
    found
}

/// Points on a surface, about `spacing` apart.
fn dense(surface: &Mesh, spacing: f64) -> Vec<DVec3> {
    let mut points = vec![];
    for triangle in surface.triangles() {
        let [a, b, c] = triangle.map(|v| surface.positions()[v as usize]);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let n = (longest / spacing).ceil().max(1.0) as usize;
        for i in 0..=n {
            for j in 0..=n - i {
                let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                points.push(a + (b - a) * u + (c - a) * v);
            }
        }
    }
    points
}

fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
}

fn single(v: DVec3) -> Vector {
    Vector::from_array(v.as_vec3().to_array())
}
