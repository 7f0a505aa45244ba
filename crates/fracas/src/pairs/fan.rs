//! Fans: the triangles around a vertex, proved not to meet each other beyond what they share, all at once.
//!
//! In a mesh most pairs of triangles with overlapping boxes are neighbours, six for every triangle. Tested one by one they
//! cost more than everything else. Around a vertex of a smooth surface they can be proved apart together:
//!
//! ```text
//!        b₀=a₁
//!     ╲   │   ╱        Seen along some direction u, all triangles (v, aᵢ, bᵢ) turn the same way,
//!      ╲ 1│0 ╱         every bᵢ is exactly one aⱼ, and a ray from v is covered once.
//!       ╲ │ ╱          Then they lie around v side by side like the slices of a cake.
//!   ─────v─────▶ ray
//! ```
//!
//! # Why this is a proof
//!
//! Look along u. As all triangles turn the same way, each is a cone of less than half a turn around v, cut off somewhere;
//! say the cone has its end b and not its beginning a. Going around v, the number of cones over a ray changes at the
//! corners alone: one ends at each bᵢ and one begins at each aⱼ, and since these are the same vertices the number
//! never changes. If it is one at a single ray, it is one everywhere. So two cones have at most a side in common; the
//! corners on it are then one and the same vertex, or two cones would begin there. The triangles in space meet no more than
//! what is seen of them: in v, or in the edge they share.
//!
//! Rounding: a triangle counts as turning only if it would with every corner moved by more than its error. Moving the
//! corners to their true places, or to where a rounded comparison with the ray would be right, then never turns a
//! triangle over, and the number of cones over a ray stays.

use super::LANES;
use super::pack::{Steps, turned_steps};
use super::vec8::{cross, dot, norm1};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8, mask32x8};

/// Up to eight triangles around a vertex: `ends[0]` and `ends[1]` follow the vertex in the order of each triangle.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Fan {
    /// Vertices by end and triangle.
    pub(crate) ends: [[u32; LANES]; 2],
}

impl Fan {
    /// Without triangles.
    pub(crate) const EMPTY: Self = Self { ends: [[0; LANES]; 2] };

    /// Whether the first `count` triangles certainly meet each other in the vertex and in shared edges only.
    ///
    /// `steps` holds the positions of all vertices; those of one triangle differ by less than 2³⁰. False says nothing.
    #[inline(always)]
    pub(crate) fn is_flat<S: Simd>(&self, simd: S, steps: &[Steps], vertex: u32, count: usize) -> bool {
        // Less than half a turn each: two cannot go around.
        if !(3..=LANES).contains(&count) {
            return false;
        }
        let used = (1_u32 << count) - 1;
        let lanes = mask32x8::from_bitmask(simd, u64::from(used));
        // Unused lanes repeat the first triangle.
        let mut ends = self.ends;
        for ends in &mut ends {
            let all = i32x8::load_array(simd, ends.map(|v| v as i32));
            let all = lanes.select(all, i32x8::splat(simd, ends[0] as i32));
            *ends = all.to_array().map(|v| v as u32);
        }
        if !each_ends_where_another_begins(simd, &ends, used) {
            return false;
        }
        let [x, y, z, _] = steps[vertex as usize];
        let seen = |from: [i32x8<S>; 4]| {
            [(from[0] - x).to_float(), (from[1] - y).to_float(), (from[2] - z).to_float()]
        };
        let a: [f32x8<S>; 3] = seen(turned_steps(simd, steps, ends[0].map(|v| v as i32)));
        let b: [f32x8<S>; 3] = seen(turned_steps(simd, steps, ends[1].map(|v| v as i32)));
        let normals = cross(a, b);
        let zero = f32x8::splat(simd, 0.0);
        let sum = |axis: usize| lanes.select(normals[axis], zero).reduce_sum();
        let along = [sum(0), sum(1), sum(2)];
        let u = along.map(|x| f32x8::splat(simd, x));
        let turns = dot(normals, u).simd_gt(least_turn(a, b) * norm1(u));
        if (turns.to_bitmask() as u32) & used != used {
            return false;
        }
        let side = across(along).map(|x| f32x8::splat(simd, x));
        let passes = dot(side, a).simd_lt(zero) & dot(side, b).simd_ge(zero);
        (passes.to_bitmask() as u32 & used).count_ones() == 1
    }
}

/// Whether the second ends are the first ones in another order, each exactly once.
#[inline(always)]
fn each_ends_where_another_begins<S: Simd>(simd: S, ends: &[[u32; LANES]; 2], used: u32) -> bool {
    let begins = i32x8::load_array(simd, ends[0].map(|v| v as i32));
    let (mut met, mut several) = (0, 0);
    for end in ends[1] {
        let here = begins.simd_eq(end as i32).to_bitmask() as u32 & used;
        met |= here;
        several |= here & here.wrapping_sub(1);
    }
    // As many ends as beginnings, none meets two, all are met: one each.
    met == used && several == 0
}

/// What n · u must exceed over |u|₁, for n = a × b, so that the triangle turns the same way wherever its corners truly are.
///
/// A coordinate of a or b is off by ε: two half steps and a little, and 2⁻¹⁹ of the longest edge e for a corner too near
/// the ray to say on which side it is; both, and the rounding of differences to `f32`, are well below that. So n is off by
/// 4 e ε + 2 ε²; rounding of n and of its product with u adds less than 2⁻²⁰ e². Each part is taken larger than that.
#[inline(always)]
fn least_turn<S: Simd>(a: [f32x8<S>; 3], b: [f32x8<S>; 3]) -> f32x8<S> {
    let mut e = a[0].abs().max(b[0].abs());
    for axis in 1..3 {
        e = e.max(a[axis].abs()).max(b[axis].abs());
    }
    let error = e * (1.0 / (1 << 19) as f32) + 1.1;
    e * error * 5.0 + error * error * 3.0 + e * e * (1.0 / (1 << 19) as f32)
}

/// A vector at right angles to the given one, exactly, and not much shorter.
#[inline(always)]
fn across([x, y, z]: [f32; 3]) -> [f32; 3] {
    if x.abs() > z.abs() { [-y, x, 0.0] } else { [0.0, -z, y] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{self, Relation};
    use crate::geom::{DVec3, Triangle};
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    /// Places in whole steps, each off by less than half a step from the true one.
    fn is_flat(places: &[DVec3], triangles: &[[u32; 2]]) -> bool {
        let steps: Vec<Steps> =
            places.iter().map(|p| [p.x.round() as i32, p.y.round() as i32, p.z.round() as i32, 0]).collect();
        let mut fan = Fan { ends: [[u32::MAX; LANES]; 2] };
        for (lane, ends) in triangles.iter().enumerate().take(LANES) {
            (fan.ends[0][lane], fan.ends[1][lane]) = (ends[0], ends[1]);
        }
        let level = Level::new();
        dispatch!(level, simd => fan.is_flat(simd, &steps, 0, triangles.len()))
    }

    fn meets_itself(places: &[DVec3], triangles: &[[u32; 2]]) -> bool {
        let ids = |t: usize| [0, triangles[t][0], triangles[t][1]];
        let place = |t: usize| {
            let [a, b, c] = ids(t).map(|v| places[v as usize]);
            Triangle::new(a, b, c)
        };
        let pairs = (0..triangles.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .into_iter()
            .any(|(i, j)| exact::tri_tri_shared(&place(i), ids(i), &place(j), ids(j)) != Relation::Disjoint)
    }

    /// A ring of corners around the origin, going around `turns` times, at heights of up to `rough`.
    fn ring(corners: usize, turns: f64, size: f64, rough: f64, noise: &[f64]) -> (Vec<DVec3>, Vec<[u32; 2]>) {
        let mut places = vec![DVec3::new(0.1, -0.3, 0.2)];
        places.extend((0..corners).map(|k| {
            let n = &noise[3 * k..3 * k + 3];
            let angle = std::f64::consts::TAU * turns * (k as f64 + 0.4 * n[0]) / corners as f64;
            let r = size * (1.0 + 0.5 * n[1]);
            DVec3::new(r * angle.cos(), r * angle.sin(), size * rough * n[2])
        }));
        let next = |k: usize| (k + 1) % corners;
        (places, (0..corners).map(|k| [k as u32 + 1, next(k) as u32 + 1]).collect())
    }

    fn noise() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1.0..1.0_f64, 3 * LANES)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_proved_fan_never_meets_itself(
            corners in 3..=LANES,
            turns in prop_oneof![4 => Just(1.0), 1 => Just(2.0), 1 => Just(0.0), 1 => Just(-1.0)],
            exponent in 0..22_i32,
            rough in prop_oneof![Just(0.0), Just(1e-4), Just(0.3), Just(1.0), Just(5.0)],
            noise in noise(),
        ) {
            let (places, triangles) = ring(corners, turns, 2f64.powi(exponent), rough, &noise);
            prop_assert!(!is_flat(&places, &triangles) || !meets_itself(&places, &triangles));
        }

        #[test]
        fn nor_do_arbitrary_triangles_on_a_coarse_lattice(
            places in prop::collection::vec(prop::array::uniform3(-3..=3_i32), 7),
            triangles in prop::collection::vec(prop::array::uniform2(0..7_u32), 1..=LANES),
            size in prop_oneof![Just(1.0), Just(1e3), Just(1e6)],
        ) {
            let places: Vec<DVec3> = places.iter().map(|p| DVec3::from_array(p.map(f64::from)) * size).collect();
            prop_assert!(!is_flat(&places, &triangles) || !meets_itself(&places, &triangles));
        }

        #[test]
        fn smooth_fans_are_proved(
            corners in 4..=LANES, exponent in 9..22_i32, rough in 0.0..0.3_f64, noise in noise(),
        ) {
            let (places, triangles) = ring(corners, 1.0, 2f64.powi(exponent), rough, &noise);
            prop_assert!(is_flat(&places, &triangles));
        }
    }

    #[test]
    fn what_is_not_a_closed_ring_is_not_proved() {
        let (places, ring) = ring(6, 1.0, 1e4, 0.0, &[0.0; 24]);
        assert!(is_flat(&places, &ring));
        // A gap, a triangle twice, one turned over, too many, and the same ring again.
        assert!(!is_flat(&places, &ring[1..]));
        assert!(!is_flat(&places, &[&ring[..], &ring[..1]].concat()));
        let mut turned = ring.clone();
        turned[2] = [turned[2][1], turned[2][0]];
        assert!(!is_flat(&places, &turned));
        assert!(!is_flat(&places, &[&ring[..], &ring[..]].concat()));
        assert!(!is_flat(&places, &[]));
        // Twice around: all turn the same way, and no corner is there twice.
        let (places, twice) = self::ring(8, 2.0, 1e4, 0.1, &[0.1; 24]);
        assert!(!is_flat(&places, &twice) && meets_itself(&places, &twice));
    }
}
