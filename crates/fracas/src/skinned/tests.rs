//! The formulas against all corners, and against the optimum of the linear program.

use super::bound::{bound_child, bound_family};
use super::families::{ABSENT, Family, Members, Shares};
use super::motion::Columns;
use super::options::Bound;
use crate::base::Random;
use crate::geom::{Boxes8, LANES};
use fearless_simd::{Level, dispatch};

/// Weights of one child: the interval of each node, or none, and what each node makes of the rest box along six directions.
struct Child {
    intervals: Vec<Option<[f32; 2]>>,
}

/// Intervals around a few convex combinations, as they come from vertices. Some nodes are absent.
fn random_child(random: &mut Random, nodes: usize) -> Child {
    let present: Vec<bool> = (0..nodes).map(|k| k == 0 || random.below(4) > 0).collect();
    let mut intervals: Vec<Option<[f32; 2]>> = vec![None; nodes];
    for vertex in 0..1 + random.below(4) {
        let mut weights: Vec<f64> =
            present.iter().map(|&p| if p && random.below(3) > 0 { random.unit() } else { 0.0 }).collect();
        weights[0] += 0.1;
        let sum: f64 = weights.iter().sum();
        // Multiples of 2⁻¹⁰ that sum to one, so that nothing of this rounds.
        weights.iter_mut().for_each(|w| *w = (*w / sum * 1024.0).floor());
        weights[0] += 1024.0 - weights.iter().sum::<f64>();
        for (interval, weight) in intervals.iter_mut().zip(weights) {
            let weight = weight as f32 / 1024.0;
            *interval = match *interval {
                None if vertex == 0 => Some([weight; 2]),
                None => Some([0.0, weight]),
                Some([low, high]) => Some([low.min(weight), high.max(weight)]),
            };
        }
    }
    for interval in &mut intervals {
        if *interval == Some([0.0; 2]) {
            *interval = None;
        }
    }
    Child { intervals }
}

impl Child {
    /// Least weights and spreads of the nodes that are present, and what is free.
    fn shares(&self) -> (Vec<(usize, f64, f64)>, f64) {
        let least: f32 = self.intervals.iter().flatten().map(|i| i[0]).sum();
        let free = 1.0 - least;
        let present = self.intervals.iter().enumerate().filter_map(|(k, i)| i.map(|i| (k, i)));
        let count = self.intervals.iter().flatten().count();
        let shares = present.map(|(k, [low, high])| {
            let spread = if count == 1 { free } else { (high - low).min(free) };
            (k, f64::from(low), f64::from(spread))
        });
        (shares.collect(), f64::from(free))
    }

    /// The maximum over the n (n − 1) corners of §5.2.2: one weight at its largest, one takes the rest, all others at their least. Corners
    /// whose rest is more than the largest weight of who takes it are cut off by that weight's plane, and do not count. Also tells whether
    /// the corner of Equation 12, the two largest b, counts.
    fn over_corners(&self, b: &[f64]) -> (f64, bool) {
        let (shares, free) = self.shares();
        let sum: f64 = shares.iter().map(|&(k, low, _)| low * b[k]).sum();
        if let [(k, ..)] = shares[..] {
            return (sum + free * b[k], true);
        }
        let mut most = f64::NEG_INFINITY;
        let mut counts = false;
        let mut ranks: Vec<f64> = shares.iter().map(|share| b[share.0]).collect();
        ranks.sort_by(|x, y| y.total_cmp(x));
        for &(i, _, spread) in &shares {
            for &(j, _, room) in shares.iter().filter(|share| share.0 != i) {
                if free - spread <= room {
                    most = most.max(sum + spread * b[i] + (free - spread) * b[j]);
                    counts |= b[i] == ranks[0] && b[j] == ranks[1] && ranks[0] > ranks[1];
                }
            }
        }
        (most, counts)
    }

    /// The optimum of the linear program, by trying all its corners: each weight at its least or its largest, but for one. `None` if no
    /// weights sum to one.
    fn optimum(&self, b: &[f64]) -> Option<f64> {
        let (shares, free) = self.shares();
        let sum: f64 = shares.iter().map(|&(k, low, _)| low * b[k]).sum();
        let mut most = None;
        for set in 0..1_u32 << shares.len() {
            for (rest, &(k, _, room)) in shares.iter().enumerate() {
                if set >> rest & 1 == 1 {
                    continue;
                }
                let full = shares.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
                let (mut value, mut used) = (sum, 0.0);
                full.for_each(|(_, &(k, _, spread))| {
                    value += spread * b[k];
                    used += spread;
                });
                let left = free - used;
                if (0.0..=room).contains(&left) {
                    value += left * b[k];
                    most = Some(most.map_or(value, |most: f64| most.max(value)));
                }
            }
        }
        most
    }
}

/// A family of the given children whose nodes move every rest box, a point, to the given places.
fn family(children: &[Child], places: &[[f32; 3]]) -> (Family, Vec<u32>, Vec<Shares>, Vec<Columns>) {
    let mut family = Family {
        centre: [[0.0; LANES]; 3],
        half: [[0.0; LANES]; 3],
        free: [0.0; LANES],
        pads: [0.0; LANES],
        count: children.len(),
        members: [0; 2],
        sparse: false,
    };
    let mut shares = vec![Shares { low: [0.0; LANES], spread: [ABSENT; LANES] }; places.len()];
    for (lane, child) in children.iter().enumerate() {
        let (present, free) = child.shares();
        family.free[lane] = free as f32;
        for (k, low, spread) in present {
            (shares[k].low[lane], shares[k].spread[lane]) = (low as f32, spread as f32);
        }
    }
    let columns = places.iter().map(|&[x, y, z]| {
        let mut column = [[0.0; LANES]; 4];
        column[3] = [x, y, z, 0.0, -x, -y, -z, 0.0];
        Columns(column)
    });
    (family, (0..places.len() as u32).collect(), shares, columns.collect())
}

/// Bounds of all children by both kernels, which must agree up to rounding.
fn bounds(children: &[Child], places: &[[f32; 3]], bound: Bound) -> Boxes8 {
    let (family, nodes, shares, columns) = family(children, places);
    let members = Members { nodes: &nodes, shares: &shares };
    let level = Level::new();
    let how = (bound, 1e-7);
    let boxes = dispatch!(level, simd => bound_family(simd, (&family, members), (&columns, 1), how));
    for lane in 0..children.len() {
        let sides = dispatch!(level, simd => bound_child(
            simd, (&family, members), (lane, None), (&columns, 0, 1), how));
        for axis in 0..3 {
            assert!((sides[axis] - boxes.high[axis][lane]).abs() < 2e-5);
            assert!((sides[4 + axis] + boxes.low[axis][lane]).abs() < 2e-5);
        }
    }
    boxes
}

/// Calls `check(child, b, Equation 12, knapsack)` for many random children and directions.
fn for_random_children(nodes: usize, rounds: u64, mut check: impl FnMut(&Child, &[f64], f64, f64)) {
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let children: Vec<Child> =
            (0..1 + random.below(LANES)).map(|_| random_child(&mut random, nodes)).collect();
        // On a small lattice every other time, so that many b are equal.
        let mut coordinate = || {
            let x = random.signed() as f32;
            if seed % 2 == 0 { x } else { (x * 3.0).round() / 4.0 }
        };
        let places: Vec<[f32; 3]> = (0..nodes).map(|_| [coordinate(), coordinate(), coordinate()]).collect();
        let [simple, tight] =
            [Bound::Equation12, Bound::Knapsack].map(|bound| bounds(&children, &places, bound));
        for (lane, child) in children.iter().enumerate() {
            for axis in 0..3 {
                let b: Vec<f64> = places.iter().map(|p| f64::from(p[axis])).collect();
                let opposite: Vec<f64> = b.iter().map(|b| -b).collect();
                let of =
                    |boxes: &Boxes8| [f64::from(boxes.high[axis][lane]), -f64::from(boxes.low[axis][lane])];
                let ([up, down], [tight_up, tight_down]) = (of(&simple), of(&tight));
                check(child, &b, up, tight_up);
                check(child, &opposite, down, tight_down);
            }
        }
    }
}

#[test]
fn equation_12_is_the_maximum_over_all_corners() {
    for nodes in [1, 2, 3, 5, 9, 30] {
        let mut equal = 0;
        for_random_children(nodes, 300, |child, b, simple, _| {
            let (most, counts) = child.over_corners(b);
            assert!(simple > most - 1e-5, "{nodes} nodes: {simple} below {most}");
            if counts {
                assert!((simple - most).abs() < 1e-5, "{nodes} nodes: {simple} instead of {most}");
                equal += 1;
            }
        });
        assert!(equal > 100, "{nodes} nodes: {equal}");
    }
}

#[test]
fn the_knapsack_is_the_optimum_of_the_linear_program() {
    let mut solved = 0;
    for nodes in [1, 2, 3, 5, 8] {
        for_random_children(nodes, 200, |child, b, _, tight| {
            if let Some(optimum) = child.optimum(b) {
                assert!((tight - optimum).abs() < 1e-5, "{nodes} nodes: {tight} instead of {optimum}");
                solved += 1;
            }
        });
    }
    assert!(solved > 10_000, "{solved}");
}

#[test]
fn the_knapsack_is_never_looser_than_equation_12_and_often_tighter() {
    for nodes in [1, 2, 4, 16, 100] {
        let (mut all, mut tighter) = (0_u32, 0_u32);
        for_random_children(nodes, 100, |_, _, simple, tight| {
            assert!(tight <= simple, "{nodes} nodes: {tight} and {simple}");
            all += 1;
            tighter += u32::from(tight < simple - 1e-3);
        });
        let expected = [0.0, 0.05, 0.25][usize::from(nodes > 2) + usize::from(nodes > 4)];
        assert!(f64::from(tighter) >= expected * f64::from(all), "{nodes} nodes: {tighter} of {all}");
    }
}
