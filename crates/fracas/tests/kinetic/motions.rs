//! Moving meshes for the tests: cloth, rotations, ties of every kind.

use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::kinetic::{Plan, Plans};

/// Keys of a body, and its triangles.
#[derive(Clone)]
pub struct Motion {
    pub name: &'static str,
    pub times: Vec<f64>,
    pub frames: Vec<Vec<DVec3>>,
    pub triangles: Vec<[u32; 3]>,
}

impl Motion {
    pub fn plans(&self) -> Plans {
        Plans::keyframes(self.times.clone(), self.frames.clone()).unwrap()
    }

    pub fn end(&self) -> f64 {
        *self.times.last().unwrap()
    }

    pub fn mapped(mut self, map: impl Fn(DVec3) -> DVec3) -> Self {
        self.frames.iter_mut().flatten().for_each(|position| *position = map(*position));
        self
    }
}

/// Triangles of a grid of n × n cells, vertices by rows.
pub fn grid_triangles(n: usize) -> Vec<[u32; 3]> {
    let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// Positions of a grid of n × n cells from a function of (u, v) in the unit square.
pub fn grid(n: usize, place: impl Fn(f64, f64) -> DVec3) -> Vec<DVec3> {
    let step = |k: usize| k as f64 / n as f64;
    (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| place(step(i), step(j))).collect()
}

fn keys(name: &'static str, n: usize, times: Vec<f64>, place: impl Fn(usize, f64, f64) -> DVec3) -> Motion {
    let frames = (0..times.len()).map(|key| grid(n, |u, v| place(key, u, v))).collect();
    Motion { name, times, frames, triangles: grid_triangles(n) }
}

/// A sheet with travelling waves, which starts flat.
pub fn cloth(n: usize, key_count: usize) -> Motion {
    let times = (0..key_count).map(|key| key as f64 * 0.25).collect();
    keys("cloth", n, times, |key, u, v| {
        let t = key as f64 * 0.7;
        let rise = t.min(1.0) * 0.15;
        let x = u + 0.05 * rise * (9.0 * v + 2.0 * t).sin();
        DVec3::new(
            x,
            v + 0.03 * rise * (7.0 * u - t).cos(),
            rise * ((6.0 * u + 3.0 * t).sin() + (8.0 * v - 2.0 * t).cos()),
        )
    })
}

/// A flat grid turned about its centre by a constant angle per key.
pub fn rotation(n: usize, key_count: usize, angle: f64) -> Motion {
    let times = (0..key_count).map(|key| key as f64).collect();
    keys("rotation", n, times, |key, u, v| {
        let (sin, cos) = (angle * key as f64).sin_cos();
        let (x, y) = (u - 0.5, v - 0.5);
        DVec3::new(cos * x - sin * y, sin * x + cos * y, 0.0)
    })
}

/// A grid that is turned by right angles in whole numbers: everything meets at the same instants.
pub fn quarter_turns(n: usize, key_count: usize) -> Motion {
    let times = (0..key_count).map(|key| key as f64).collect();
    keys("quarter turns", n, times, |key, u, v| {
        let (x, y) = ((u * n as f64).round() * 2.0 - n as f64, (v * n as f64).round() * 2.0 - n as f64);
        let [x, y] = match key % 4 {
            0 => [x, y],
            1 => [-y, x],
            2 => [-x, -y],
            _ => [y, -x],
        };
        DVec3::new(x, y, 0.0)
    })
}

/// Vertices on few whole numbers at random: ties at keys and between them.
pub fn ties(n: usize, key_count: usize, seed: u64) -> Motion {
    let mut random = Random::new(seed);
    let times = (0..key_count).map(|key| key as f64 * 0.5 - 1.0).collect();
    let frames = (0..key_count)
        .map(|_| grid(n, |_, _| DVec3::ZERO).into_iter().map(|_| small(&mut random)).collect())
        .collect();
    Motion { name: "ties", times, frames, triangles: grid_triangles(n) }
}

fn small(random: &mut Random) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.below(4) as f64 - 1.0))
}

/// Vertices that jump about at random, at irregular keys.
pub fn storm(n: usize, key_count: usize, seed: u64) -> Motion {
    let mut random = Random::new(seed);
    let mut time = 3.0;
    let mut times = Vec::new();
    for _ in 0..key_count {
        times.push(time);
        time += 0.1 + random.unit();
    }
    let rest = grid(n, |u, v| DVec3::new(u, v, 0.0));
    let frames = (0..key_count)
        .map(|_| rest.iter().map(|&p| p + 0.3 * DVec3::from_array([0; 3].map(|_| random.signed()))).collect())
        .collect();
    Motion { name: "storm", times, frames, triangles: grid_triangles(n) }
}

/// All vertices at one moving point.
pub fn collapsed(n: usize) -> Motion {
    keys("collapsed", n, vec![0.0, 1.0, 2.0], |key, _, _| DVec3::new(key as f64, 1.0 / (key + 1) as f64, 0.0))
}

/// A cloth each of whose triangles has vertices of its own, so that all are there several times.
pub fn duplicates(n: usize, key_count: usize) -> Motion {
    let cloth = cloth(n, key_count);
    let apart = |frame: &Vec<DVec3>| cloth.triangles.iter().flatten().map(|&v| frame[v as usize]).collect();
    let frames = cloth.frames.iter().map(apart).collect();
    let triangles = (0..cloth.triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Motion { name: "duplicates", times: cloth.times.clone(), frames, triangles }
}

/// Every kind of motion, each small enough for brute force.
pub fn all(n: usize) -> Vec<Motion> {
    vec![
        cloth(n, 6),
        rotation(n, 6, 0.4),
        rotation(n, 5, std::f64::consts::FRAC_PI_2),
        quarter_turns(n, 6),
        ties(n, 6, 1),
        storm(n, 5, 2),
        collapsed(n),
        duplicates(n / 2, 5),
    ]
}

/// Random times from the present to an end, ascending, with some keys among them.
pub fn instants(random: &mut Random, motion: &Motion, from: f64, count: usize) -> Vec<f64> {
    let end = motion.end() + 0.2;
    let mut times: Vec<f64> = (0..count).map(|_| from + random.unit() * (end - from)).collect();
    times.extend(motion.times.iter().copied().filter(|&key| key >= from && random.below(2) == 0));
    times.sort_by(f64::total_cmp);
    times
}

pub fn random_vector(random: &mut Random, whole: bool) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| if whole { random.below(3) as f64 - 1.0 } else { random.signed() }))
}

/// One, a few or many vertices.
pub fn random_vertices(random: &mut Random, plans: &Plans) -> Vec<u32> {
    let count = plans.vertex_count();
    let share = [1, 3, count / 2][random.below(3)];
    let mut vertices: Vec<u32> = (0..share).map(|_| random.below(count) as u32).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// New plans of all kinds for a random subset of vertices.
pub fn random_changes(random: &mut Random, plans: &Plans) -> Vec<(u32, Plan)> {
    let (now, whole) = (plans.now(), random.below(2) == 0);
    let vertices = random_vertices(random, plans);
    let mut plan = || match random.below(4) {
        0 => Plan::Velocity(random_vector(random, whole)),
        1 => Plan::Velocity(DVec3::ZERO),
        2 => Plan::Line { position: random_vector(random, whole), velocity: random_vector(random, whole) },
        _ => Plan::Keys {
            times: vec![now + random.unit() * 0.5, now + 0.75],
            positions: vec![random_vector(random, whole), random_vector(random, whole)],
        },
    };
    vertices.into_iter().map(|vertex| (vertex, plan())).collect()
}
