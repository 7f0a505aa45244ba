//! Points that have come near each other, and how they are kept apart.
//!
//! Thin things are kept from passing through themselves by their vertices: no two that belong to different layers may
//! come closer than a distance that is larger than the gaps between vertices of one layer.
//!
//! Points are sorted into the cells of a grid as wide as the reach of the search, by a hash of the cell. Each looks into
//! its own cell and half of the cells around it, so every pair is met once. Two cells may share a slot of the table; a
//! point is taken for a neighbour only if its cell is the one that was meant.
//!
//! Which pairs count is up to the caller. Neighbours in the thing itself do not: links take care of them.

use crate::points::Point;
use fracas::geom::DVec3;

#[derive(Debug, Default)]
pub(crate) struct Near {
    /// Pairs that may meet before the next look, and how close they may come.
    pairs: Vec<([u32; 2], f64)>,
    cells: Vec<[i32; 3]>,
    /// Slot `s` of the table holds `order[starts[s]..starts[s + 1]]`.
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// The cells that come after one, half of the 26 around it.
const AHEAD: [[i32; 3]; 13] = [
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

impl Near {
    /// Finds all pairs within reach of each other of which at least one point is free. `least` is given a pair and its
    /// distance, and says how close the two may come; `None` if that does not matter.
    pub fn look(&mut self, points: &[Point], reach: f64, least: impl Fn(usize, usize, f64) -> Option<f64>) {
        let cell = |p: DVec3| (p / reach).floor().to_array().map(|x| x as i32);
        self.cells.clear();
        self.cells.extend(points.iter().map(|point| cell(point.position)));
        let slots = points.len().next_power_of_two();
        self.starts.clear();
        self.starts.resize(slots + 1, 0);
        for cell in &self.cells {
            self.starts[slot(*cell, slots) + 1] += 1;
        }
        for s in 0..slots {
            self.starts[s + 1] += self.starts[s];
        }
        self.order.clear();
        self.order.resize(points.len(), 0);
        // Filling from behind moves the ends of slots down to their starts.
        let mut next: Vec<u32> = self.starts[1..].to_vec();
        for v in (0..points.len()).rev() {
            let next = &mut next[slot(self.cells[v], slots)];
            *next -= 1;
            self.order[*next as usize] = v as u32;
        }
        self.gather(points, reach, slots, least);
    }

    fn gather(
        &mut self,
        points: &[Point],
        reach: f64,
        slots: usize,
        least: impl Fn(usize, usize, f64) -> Option<f64>,
    ) {
        let Self { pairs, cells, starts, order } = self;
        pairs.clear();
        let mut meet = |v: u32, w: u32| {
            let (a, b) = (v.min(w) as usize, v.max(w) as usize);
            let square = points[a].position.distance_squared(points[b].position);
            if square < reach * reach
                && points[a].mobility + points[b].mobility > 0.0
                && let Some(least) = least(a, b, square.sqrt())
            {
                pairs.push(([a as u32, b as u32], least));
            }
        };
        let in_slot = |cell: [i32; 3]| {
            let s = slot(cell, slots);
            starts[s] as usize..starts[s + 1] as usize
        };
        for k in 0..order.len() {
            let v = order[k];
            let here = cells[v as usize];
            for &w in &order[k + 1..in_slot(here).end] {
                if cells[w as usize] == here {
                    meet(v, w);
                }
            }
            for step in AHEAD {
                let there = [0, 1, 2].map(|axis| here[axis] + step[axis]);
                for &w in &order[in_slot(there)] {
                    if cells[w as usize] == there {
                        meet(v, w);
                    }
                }
            }
        }
    }

    /// Moves points apart that are too close, without rebound; friction slows their sliding on each other.
    pub fn part(&self, points: &mut [Point], friction: f64) {
        for &([a, b], least) in &self.pairs {
            let (p, q) = (points[a as usize], points[b as usize]);
            let apart = p.position - q.position;
            let square = apart.length_squared();
            let mobility = p.mobility + q.mobility;
            if square >= least * least || square == 0.0 {
                continue;
            }
            let distance = square.sqrt();
            let (out, depth) = (apart / distance, least - distance);
            let moved = (p.position - p.before) - (q.position - q.before);
            let sliding = moved - out * moved.dot(out);
            let length = sliding.length();
            let held = if length > 0.0 { (friction * depth / length).min(1.0) } else { 0.0 };
            let by = (out * depth - sliding * held) / mobility;
            // What parts them must not throw them apart: positions before are moved so that no speed is left.
            let speed = (moved.dot(out) + depth).max(0.0);
            let stop = out * (speed / mobility);
            points[a as usize].position += by * p.mobility;
            points[b as usize].position -= by * q.mobility;
            points[a as usize].before += stop * p.mobility;
            points[b as usize].before -= stop * q.mobility;
        }
    }
}

/// The slot of a cell in a table with a power of two of them.
fn slot([x, y, z]: [i32; 3], slots: usize) -> usize {
    let mixed = (x as u32).wrapping_mul(0x9E37_79B1)
        ^ (y as u32).wrapping_mul(0x85EB_CA77)
        ^ (z as u32).wrapping_mul(0xC2B2_AE3D);
    (mixed ^ (mixed >> 15)) as usize & (slots - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn points(count: usize) -> Vec<Point> {
        // Three sheets on each other.
        let place = |k: usize| {
            let (layer, x, y) = (k % 3, k / 3 % 20, k / 60);
            DVec3::new(x as f64 - 7.3, y as f64 + 0.1 * libm::sin(k as f64), 0.4 * layer as f64)
        };
        let point = |k| Point { position: place(k), velocity: DVec3::ZERO, before: place(k), mobility: 1.0 };
        (0..count).map(point).collect()
    }

    #[test]
    fn every_pair_within_reach_is_found_once() {
        let mut points = points(600);
        points[7].mobility = 0.0;
        points[8].mobility = 0.0;
        let mut near = Near::default();
        for reach in [0.5, 1.1, 2.7] {
            near.look(&points, reach, |a, b, _| (a % 5 != b % 5).then_some(0.5));
            let found: BTreeSet<[u32; 2]> = near.pairs.iter().map(|pair| pair.0).collect();
            assert_eq!(found.len(), near.pairs.len(), "each once");
            let counts = |a: usize, b: usize| {
                let close = points[a].position.distance(points[b].position) < reach;
                close && a % 5 != b % 5 && (a, b) != (7, 8)
            };
            let all = (0..600).flat_map(|a| (a + 1..600).map(move |b| (a, b)));
            let truth = all.filter(|&(a, b)| counts(a, b)).map(|(a, b)| [a as u32, b as u32]).collect();
            assert_eq!(found, truth);
        }
    }

    #[test]
    fn points_too_close_are_parted_and_momentum_is_kept() {
        let mut points = points(2);
        points[1].position = points[0].position + DVec3::new(0.0, 0.1, 0.2);
        points[1].before = points[1].position - DVec3::new(0.05, 0.0, -0.02);
        points[1].mobility = 0.5;
        let sum = |points: &[Point]| points[0].position + 2.0 * points[1].position;
        let before = sum(&points);
        let mut near = Near::default();
        near.look(&points, 0.5, |_, _, _| Some(0.5));
        near.part(&mut points, 0.0);
        assert!((points[0].position.distance(points[1].position) - 0.5).abs() < 1e-12);
        assert!((sum(&points) - before).length() < 1e-12);
        let moved = |k: usize| points[k].position - points[k].before;
        let out = (points[0].position - points[1].position).normalize();
        assert!((moved(0) - moved(1)).dot(out).abs() < 1e-12, "they do not fly apart");
    }
}
