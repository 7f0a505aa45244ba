//! Open cloths: flat, and folded into layers that press through each other.
//!
//! # How the folded cloth is made
//!
//! A strip twice as long as wide is folded to and fro, as one folds a towel carelessly. In the plane of the cloth
//! the creases are straight lines, not quite parallel and not quite equally far apart, so that layers come to lie
//! askew. At a crease the cloth follows a bend with the profile of a bulb:
//!
//! ```text
//!   z            ╭─╮
//!   │  ──────────╯  │         layer 1: comes back, turned over, one gap higher
//!   │  ──────────╮  │
//!   │            ╰─╯          layer 0: runs out
//!   └───────────────── along the normal of the crease
//! ```
//!
//! Up to here the map keeps every length: layers are moved rigidly, bends are rolled. Then each layer gets waves
//! of its own, smooth noise, here and there higher than the gap to the next layer; there the layers go through
//! each other along curves, as in a simulation that has missed some collisions. Bulbs of neighbouring folds
//! meet in the same way. Last, the whole pile sags over uneven ground and is laid on a slope, so that no layer
//! is parallel to a coordinate plane. Waves and ground change the length of most edges by a few percent, of some in
//! the bends by up to 30 %.
//!
//! Layers are about one and a half cells apart, so besides neighbours there are twenty times more pairs of
//! overlapping boxes than of intersecting triangles. About 4,400 pairs intersect among 92,112
//! triangles and 11,000 among 250,000.
//!
//! # When to use something else
//!
//! The shape is meant for the detection of self-collisions, not as the start of a simulation: it is not at rest
//! under any forces.

use super::solids::halves;
use super::{assert_size, noise, shape};
use crate::geom::{DMat3, DVec3};
use crate::mesh::Mesh;
use std::f64::consts::{PI, TAU};

/// A flat rectangle around the origin in the plane z = 0, facing up, of `nx` × `ny` cells with alternating diagonals.
///
/// Vertices are numbered row by row from the corner of lowest x and y; cell (*i*, *j*) has the triangles
/// 2 (*i* + *j* · `nx`) and the one after.
///
/// # Panics
/// If a number of cells is zero.
pub fn cloth_grid(nx: usize, ny: usize, size: [f64; 2]) -> Mesh {
    assert!(nx > 0 && ny > 0, "a cloth of {nx} × {ny} cells has no triangles");
    assert_size("width", size[0]);
    assert_size("depth", size[1]);
    grid(nx, ny, |u, v| DVec3::new(size[0] * (u - 0.5), size[1] * (v - 0.5), 0.0))
}

/// A cloth of about the given number of triangles, folded into twelve layers that lie on and in each other.
///
/// The strip is 2 long and 1 wide, of nearly square cells with two triangles each; their number comes within one
/// row of the one asked for (250,000 for 250,000, 92,112 for 92,000). Below 210,000 triangles gaps and waves grow with the
/// cells, so that bends stay round; below 25,000 there are fewer layers.
///
/// # Panics
/// If there are fewer than 2,000 triangles.
pub fn folded_cloth(triangles: usize) -> Mesh {
    assert!(triangles >= 2_000, "{triangles} triangles are too few to fold");
    let rows = (0.25 * triangles as f64).sqrt().round() as usize;
    let columns = (0.5 * triangles as f64 / rows as f64).round() as usize;
    let folding = Folding::new(LENGTH / columns as f64);
    let slope = DMat3::from_axis_angle(DVec3::new(0.8, 0.6, 0.0), SLOPE);
    grid(columns, rows, |u, v| slope * folding.place(u * LENGTH, (v - 0.5) * WIDTH))
}

const LENGTH: f64 = 2.0;
const WIDTH: f64 = 1.0;
const LAYERS: i64 = 12;
/// Distance between layers of a fine cloth, and in cells of a coarse one, whichever is larger.
const GAP: f64 = 0.0065;
const GAP_IN_CELLS: f64 = 1.5;
/// How much a bend bulges: 1 not at all, 2 to almost twice the gap.
const BULB: f64 = 1.8;
/// Height and length of a layer's waves, in gaps.
const WAVE_HEIGHT: f64 = 2.2;
const WAVE_LENGTH: f64 = 14.0;
/// How much flatter waves are in a bend, and how far from it this is felt, in gaps.
const CALM: f64 = 0.7;
const CALM_LENGTH: f64 = 2.7;
/// Height of the ground's hills and their length.
const HILL_HEIGHT: f64 = 0.06;
const HILL_LENGTH: f64 = 0.4;
/// Tilt of the whole pile, in radians.
const SLOPE: f64 = 0.44;

/// A grid over the unit square, its vertices placed by a function of both fractions.
fn grid(nx: usize, ny: usize, place: impl Fn(f64, f64) -> DVec3) -> Mesh {
    let mut positions = Vec::with_capacity((nx + 1) * (ny + 1));
    for j in 0..=ny {
        positions.extend((0..=nx).map(|i| place(i as f64 / nx as f64, j as f64 / ny as f64)));
    }
    let mut triangles = Vec::with_capacity(2 * nx * ny);
    for j in 0..ny {
        for i in 0..nx {
            let vertex = |i: usize, j: usize| (i + j * (nx + 1)) as u32;
            let quad = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            triangles.extend(halves(quad, (i + j) % 2 == 1));
        }
    }
    shape(positions, triangles)
}

/// The creases of the cloth and the bend that it follows at each.
struct Folding {
    creases: Vec<Crease>,
    bend: Bend,
    gap: f64,
}

/// A straight line across the flat cloth, where a bend begins.
struct Crease {
    /// Where the line crosses the middle of the cloth.
    middle: f64,
    /// Unit normal of the line in the plane of the cloth, towards the free end.
    normal: [f64; 2],
}

impl Folding {
    /// The folding of a cloth with cells of the given size.
    fn new(cell: f64) -> Self {
        let gap = GAP.max(GAP_IN_CELLS * cell);
        let bend = Bend::new(gap);
        // A layer must be longer than a bend.
        let layers = LAYERS.min((LENGTH / (1.5 * bend.length)) as i64);
        let spacing = LENGTH / layers as f64;
        let creases = (1..layers)
            .map(|i| {
                let shift = 0.12 * noise::hash(1, &[i]);
                let (sin, cos) = libm::sincos(0.05 * noise::hash(2, &[i]));
                Crease { middle: spacing * (i as f64 + shift), normal: [cos, sin] }
            })
            .collect();
        Self { creases, bend, gap }
    }

    /// Where a point of the flat cloth goes.
    fn place(&self, s: f64, t: f64) -> DVec3 {
        // The point in the frame of its layer: its place, and the images of the s and t directions.
        let mut p = DVec3::new(s, t, 0.0);
        let (mut along, mut across) = (DVec3::X, DVec3::Y);
        let mut from_bend = f64::INFINITY;
        for crease in &self.creases {
            let distance = (s - crease.middle) * crease.normal[0] + t * crease.normal[1];
            from_bend = from_bend.min((distance - 0.5 * self.bend.length).abs());
            if distance <= 0.0 {
                break;
            }
            let n = along * crease.normal[0] + across * crease.normal[1];
            if distance < self.bend.length {
                let [out, height] = self.bend.at(distance);
                p += n * (out - distance) + DVec3::Z * height;
                break;
            }
            // Beyond the bend the cloth runs back: a reflection in a line parallel to the crease.
            p += n * (self.bend.out + self.bend.length - 2.0 * distance) + DVec3::Z * self.gap;
            along -= 2.0 * along.dot(n) * n;
            across -= 2.0 * across.dot(n) * n;
        }
        // A fold is stiff: waves are flatter there.
        let calm = 1.0 / (1.0 + (from_bend / (CALM_LENGTH * self.gap)).powi(2));
        let wave =
            (1.0 - CALM * calm) * noise::fractal(DVec3::new(s, t, 0.0) / (WAVE_LENGTH * self.gap), 2, 3);
        p.z += WAVE_HEIGHT * self.gap * wave;
        p.z += HILL_HEIGHT * noise::smooth(DVec3::new(p.x, p.y, 0.0) / HILL_LENGTH, 4);
        p
    }
}

/// A half turn: a plane curve of unit speed whose direction turns from 0 to π.
///
/// With *t* from 0 to 1 along it and the constant *b* = [`BULB`], the direction is
/// π (*t* − *b* sin 2π*t* / 2π + (*b* − 1) sin 4π*t* / 4π). It starts and ends straight and, as *b* > 1, first
/// turns a little the other way, so the curve bulges: it is wider than the gap it leaves.
struct Bend {
    length: f64,
    /// How far from its start the curve ends, along its first direction.
    out: f64,
    /// Points at equal steps of the length.
    points: Vec<[f64; 2]>,
}

impl Bend {
    const STEPS: usize = 1000;

    fn angle(t: f64) -> f64 {
        PI * (t - BULB * libm::sin(TAU * t) / TAU + (BULB - 1.0) * libm::sin(2.0 * TAU * t) / (2.0 * TAU))
    }

    /// The bend whose end is `gap` above its start.
    fn new(gap: f64) -> Self {
        let mut points = vec![[0.0, 0.0]];
        for i in 0..Self::STEPS {
            let (sin, cos) = libm::sincos(Self::angle((i as f64 + 0.5) / Self::STEPS as f64));
            let [out, height] = points[i];
            points.push([out + cos, height + sin]);
        }
        let scale = gap / points[Self::STEPS][1];
        for point in &mut points {
            *point = point.map(|x| x * scale);
        }
        Self { length: Self::STEPS as f64 * scale, out: points[Self::STEPS][0], points }
    }

    /// How far out and how high the curve is at a distance along it.
    fn at(&self, distance: f64) -> [f64; 2] {
        let steps = distance / self.length * Self::STEPS as f64;
        let i = (steps as usize).min(Self::STEPS - 1);
        let f = steps - i as f64;
        let [[out0, height0], [out1, height1]] = [self.points[i], self.points[i + 1]];
        [out0 + (out1 - out0) * f, height0 + (height1 - height0) * f]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_faces_up_and_fills_its_rectangle() {
        let cloth = cloth_grid(5, 3, [2.0, 0.9]);
        let mut area = 0.0;
        for &corners in cloth.triangles() {
            let [a, b, c] = corners.map(|v| cloth.positions()[v as usize]);
            let up = (b - a).cross(c - a);
            assert!(up.z > 0.0 && up.x == 0.0 && up.y == 0.0);
            area += 0.5 * up.z;
        }
        assert!((area - 1.8).abs() < 1e-14);
        assert_eq!(cloth.positions()[0], DVec3::new(-1.0, -0.45, 0.0));
        assert_eq!(cloth.positions()[23], DVec3::new(1.0, 0.45, 0.0));
        // Diagonals of neighbouring cells meet in a vertex: half the vertices inside have 8 triangles, half 4.
        let uses = |v: u32| cloth.triangles().iter().filter(|t| t.contains(&v)).count();
        assert_eq!([7, 8, 9, 10, 13, 14, 15, 16].map(uses), [8, 4, 8, 4, 4, 8, 4, 8]);
    }

    #[test]
    fn the_bend_is_a_half_turn_of_unit_speed_that_bulges() {
        let bend = Bend::new(0.5);
        let [out, height] = bend.at(bend.length);
        assert!((height - 0.5).abs() < 1e-12 && (out - bend.out).abs() < 1e-12);
        let steps = 200;
        let points: Vec<_> =
            (0..=steps).map(|i| bend.at(bend.length * f64::from(i) / f64::from(steps))).collect();
        for pair in points.windows(2) {
            let speed = libm::hypot(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]) * f64::from(steps)
                / bend.length;
            assert!((0.998..1.0001).contains(&speed), "speed {speed}");
        }
        let (low, high) = points.iter().fold((0.0_f64, 0.0_f64), |(l, h), p| (l.min(p[1]), h.max(p[1])));
        assert!(low < -0.04 && high > 0.54, "from {low} to {high}");
    }

    #[test]
    fn edges_keep_nearly_their_length() {
        let cloth = folded_cloth(250_000);
        let cell = LENGTH / 500.0;
        let mut ratios: Vec<f64> = Vec::new();
        for j in (0..=250).step_by(5) {
            for i in 0..500 {
                let v = i + j * 501;
                ratios.push(cloth.positions()[v].distance(cloth.positions()[v + 1]) / cell);
            }
        }
        ratios.sort_by(f64::total_cmp);
        let at = |fraction: f64| ratios[(fraction * (ratios.len() - 1) as f64) as usize];
        assert!(at(0.0) > 0.6 && at(0.02) > 0.8, "shortest {} and {}", at(0.0), at(0.02));
        assert!(at(1.0) < 1.4 && at(0.98) < 1.2, "longest {} and {}", at(1.0), at(0.98));
        assert!((0.99..1.02).contains(&at(0.5)), "median {}", at(0.5));
    }

    #[test]
    fn cell_counts_match_the_wanted_number() {
        for (wanted, made) in [(250_000, 250_000), (92_000, 92_112), (2_000, 1_980)] {
            assert_eq!(folded_cloth(wanted).triangle_count(), made);
        }
    }
}
