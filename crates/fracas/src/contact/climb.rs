//! The longest chord of an overlap in one direction, exactly, and the planes that it leads to.
//!
//! Seen along a direction n, the upper surface of A is a height above the plane of view, and so is the lower surface of B. Both are
//! linear over their triangles. So the *chord*, from B's lower surface up to A's upper surface, is linear wherever one triangle of each lies
//! above the other, and longest at a corner of such a common part:
//!
//! ```text
//!        a        upper surface of A              A climb begins with two triangles, goes to the best corner of their common part,
//!       /|\___                                    and on to the triangles around it as long as chords grow. Between convex
//!      / |    \                                   surfaces this ends at the longest chord.
//!    ────|───────
//!      \ |    /   lower surface of B
//!       \b___/
//! ```
//!
//! At the longest chord, from `b` to `a`, a plane touches A from above at `a` and, moved along the chord, B from below at `b`: that of a face of
//! either body, or that of two edges that cross. If the bodies are convex, the chord along this plane's normal is shorter, or n already is
//! the normal. So the normal is the next direction to try. A walk over the faces of the Minkowski difference finds its
//! point nearest to the origin in the same way (Y. J. Kim, M. C. Lin, D. Manocha, *DEEP*, ICRA 2002); here the difference is not built.

use super::line::Line;
use super::region::Bodies;
use crate::geom::DVec3;
use std::collections::HashSet;

/// A segment through both bodies in the direction of separation: from a point on the second body's surface to one on the first's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    pub(super) depth: f64,
    /// On the first body, and on the second.
    pub(super) points: [DVec3; 2],
    /// Numbers in the surfaces.
    pub(super) triangles: [u32; 2],
}

/// Where a chord of two triangles is longest, as seen along the direction.
#[derive(Clone, Copy)]
struct Spot {
    triangles: [u32; 2],
    /// Where it is seen, and its height on either triangle.
    x: f64,
    y: f64,
    heights: [f64; 2],
    /// Whether all chords of the two triangles are equally long.
    is_flat: bool,
}

impl Spot {
    fn depth(&self) -> f64 {
        self.heights[0] - self.heights[1]
    }
}

/// A triangle as seen along the direction.
type Seen = [DVec3; 3];

/// Climbs in one direction.
pub(super) struct Climb<'a> {
    bodies: &'a Bodies<'a>,
    view: Line,
    /// Lengths that differ by less count as equal.
    fine: f64,
    /// Pairs of triangles that climbs have come by: another climb from there ends at the same place.
    passed: HashSet<[u32; 2]>,
}

/// Triangles seen from the side have no height: the sine of the least angle.
const SIDEWAYS: f64 = 1e-7;

/// A climb ends after this many steps, whatever it finds.
const MOST_STEPS: usize = 1000;

impl<'a> Climb<'a> {
    pub(super) fn new(bodies: &'a Bodies<'a>, origin: DVec3, direction: DVec3) -> Self {
        Self {
            bodies,
            view: Line::new(origin, direction),
            fine: 1e-12 * bodies.reach,
            passed: HashSet::new(),
        }
    }

    /// The longest chord that a climb from two triangles finds; `None` if an earlier climb has found it.
    pub(super) fn climb(&mut self, triangles: [u32; 2]) -> Option<Chord> {
        let facing = [0, 1].map(|k| facing(&self.seen(k, triangles[k])).signum());
        let mut now = self.spot(triangles, facing)?;
        for _ in 0..MOST_STEPS {
            if !self.passed.insert(now.triangles) {
                return None;
            }
            let [of_a, of_b] = [0, 1].map(|k| self.around(k, &now).0);
            let mut best = now;
            for &a in &of_a {
                for &b in &of_b {
                    let next = if [a, b] == now.triangles { None } else { self.spot([a, b], facing) };
                    best = next.filter(|next| next.depth() > best.depth() + self.fine).unwrap_or(best);
                }
            }
            if best.triangles == now.triangles {
                break;
            }
            now = best;
        }
        let point = |height: f64| self.view.unseen(DVec3::new(now.x, now.y, height));
        Some(Chord { depth: now.depth(), points: now.heights.map(point), triangles: now.triangles })
    }

    /// Unit normals of planes that touch both bodies at the ends of a chord, those that promise the least depth first.
    pub(super) fn planes(&self, chord: &Chord) -> Vec<DVec3> {
        let places = chord.points.map(|p| self.view.seen(p));
        let spot = Spot {
            triangles: chord.triangles,
            x: 0.5 * (places[0].x + places[1].x),
            y: 0.5 * (places[0].y + places[1].y),
            heights: places.map(|p| p.z),
            is_flat: false,
        };
        let around = [0, 1].map(|k| self.around(k, &spot));
        let corners: [Vec<DVec3>; 2] =
            [0, 1].map(|k| around[k].0.iter().flat_map(|&t| self.bodies.triangle(k, t).corners()).collect());
        let mut found: Vec<(f64, DVec3)> = vec![];
        let mut consider = |normal: DVec3, must_touch: bool| {
            let normal = normal.normalize_or_zero();
            let cosine = normal.dot(self.view.way);
            let normal = if cosine < 0.0 { -normal } else { normal };
            if cosine.abs() < 1e-6 {
                return;
            }
            let slack = 1e-9 * self.bodies.reach;
            let touches = corners[0].iter().all(|p| (*p - chord.points[0]).dot(normal) <= slack)
                && corners[1].iter().all(|p| (*p - chord.points[1]).dot(normal) >= -slack);
            if touches || !must_touch {
                found.push((cosine.abs(), normal));
            }
        };
        for k in 0..2 {
            around[k].0.iter().for_each(|&t| consider(self.bodies.triangle(k, t).area_vector(), true));
        }
        for e in &around[0].1 {
            for f in &around[1].1 {
                consider(e.normalize_or_zero().cross(f.normalize_or_zero()), true);
            }
        }
        if around.iter().all(|(triangles, _)| triangles.len() == 1) {
            // Saddles have no touching plane, but one of the two faces may still be better.
            (0..2).for_each(|k| {
                consider(self.bodies.triangle(k, chord.triangles[k]).area_vector(), false);
            });
        }
        found.sort_by(|x, y| x.0.total_cmp(&y.0));
        found.dedup_by(|x, y| x.1.dot(y.1) > 1.0 - 1e-12);
        found.into_iter().map(|(_, normal)| normal).take(3).collect()
    }

    fn seen(&self, body: usize, triangle: u32) -> Seen {
        self.bodies.triangle(body, triangle).corners().map(|p| self.view.seen(p))
    }

    /// The longest chord between two triangles that face as they should.
    fn spot(&self, triangles: [u32; 2], facing_as: [f64; 2]) -> Option<Spot> {
        let [a, b] = [0, 1].map(|k| self.seen(k, triangles[k]));
        let faces = |t: &Seen, sign: f64| {
            let long = (t[1] - t[0]).length_squared().max((t[2] - t[0]).length_squared());
            facing(t) * sign > SIDEWAYS * long
        };
        if !faces(&a, facing_as[0]) || !faces(&b, facing_as[1]) {
            return None;
        }
        let (corners, count) = common_part(&a, &b);
        let heights = |p: &DVec3| {
            let [u, v, w] = weights(&b, p.x, p.y);
            [p.z, u * b[0].z + v * b[1].z + w * b[2].z]
        };
        let (mut best, mut least) = (None::<Spot>, f64::INFINITY);
        let mut middle = (DVec3::ZERO, [0.0; 2]);
        for p in &corners[..count] {
            let heights = heights(p);
            let spot = Spot { triangles, x: p.x, y: p.y, heights, is_flat: false };
            least = least.min(spot.depth());
            middle.0 += *p / count as f64;
            (0..2).for_each(|k| middle.1[k] += heights[k] / count as f64);
            if best.is_none_or(|best| spot.depth() > best.depth()) {
                best = Some(spot);
            }
        }
        let best = best?;
        if best.depth() - least <= self.fine {
            let (p, heights) = middle;
            return Some(Spot { triangles, x: p.x, y: p.y, heights, is_flat: true });
        }
        Some(best)
    }

    /// The triangles of a body around a spot, and the edges through it.
    fn around(&self, body: usize, spot: &Spot) -> (Vec<u32>, Vec<DVec3>) {
        let surface = self.bodies.surfaces[body];
        let triangle = spot.triangles[body];
        let seen = self.seen(body, triangle);
        let weights = weights(&seen, spot.x, spot.y);
        let places = self.bodies.triangle(body, triangle).corners();
        let is_zero = weights.map(|w| w < 1e-9);
        let zeros = is_zero.iter().filter(|zero| **zero).count();
        let edge_across = |corner: usize| surface.edges(triangle)[(corner + 1) % 3];
        if spot.is_flat {
            // Chords are as long all over both triangles: look across every side.
            let mut all: Vec<u32> =
                (0..3).flat_map(|corner| surface.triangles_at_edge(edge_across(corner))).collect();
            all.sort_unstable();
            all.dedup();
            return (all, vec![]);
        }
        match zeros {
            0 => (vec![triangle], vec![]),
            1 => {
                let corner = is_zero.iter().position(|zero| *zero).expect("one");
                let along = places[(corner + 2) % 3] - places[(corner + 1) % 3];
                (surface.triangles_at_edge(edge_across(corner)).collect(), vec![along])
            }
            _ => {
                let largest = (0..3).max_by(|&x, &y| weights[x].total_cmp(&weights[y])).expect("three");
                let vertex = surface.corners(triangle)[largest];
                let triangles: Vec<u32> = surface.triangles_at_vertex(vertex).collect();
                let mut edges = vec![];
                for &t in &triangles {
                    let (names, places) = (surface.corners(t), self.bodies.triangle(body, t).corners());
                    for k in 0..3 {
                        // Each edge at the vertex leaves it in one of its two triangles.
                        if names[k] == vertex {
                            edges.push(places[(k + 1) % 3] - places[k]);
                        }
                    }
                }
                (triangles, edges)
            }
        }
    }
}

/// Twice the area of a triangle as seen; negative if it is seen from behind.
fn facing(t: &Seen) -> f64 {
    turn(t[0], t[1], t[2])
}

fn turn(p: DVec3, q: DVec3, r: DVec3) -> f64 {
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
}

/// The weights of a triangle's corners at a place in view, none of them negative.
fn weights(t: &Seen, x: f64, y: f64) -> [f64; 3] {
    let p = DVec3::new(x, y, 0.0);
    let sign = facing(t).signum();
    let parts = [turn(t[1], t[2], p), turn(t[2], t[0], p), turn(t[0], t[1], p)].map(|w| (w * sign).max(0.0));
    let whole: f64 = parts.iter().sum();
    if whole > 0.0 { parts.map(|w| w / whole) } else { [1.0, 0.0, 0.0] }
}

/// The common part of two triangles as seen, with the heights of the first (Sutherland and Hodgman).
fn common_part(a: &Seen, b: &Seen) -> ([DVec3; 9], usize) {
    let (mut from, mut count) = ([DVec3::ZERO; 9], 3);
    from[..3].copy_from_slice(a);
    let sign = facing(b).signum();
    for side in 0..3 {
        let (p, q) = (b[side], b[(side + 1) % 3]);
        let (mut to, mut kept) = ([DVec3::ZERO; 9], 0);
        for k in 0..count {
            let (x, y) = (from[k], from[(k + 1) % count]);
            let (dx, dy) = (sign * turn(p, q, x), sign * turn(p, q, y));
            if dx >= 0.0 && kept < 9 {
                to[kept] = x;
                kept += 1;
            }
            if (dx < 0.0) != (dy < 0.0) && kept < 9 {
                to[kept] = x + (y - x) * (dx / (dx - dy)).clamp(0.0, 1.0);
                kept += 1;
            }
        }
        (from, count) = (to, kept);
        if count == 0 {
            break;
        }
    }
    (from, count)
}
