//! Compact copies of elements for the first test: single, several as one, and eight side by side.

use super::elements::Element;
use crate::geom::round;
use crate::pairs::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{f64x4, i32x8};

/// Diameters of at least this part of another count as no smaller.
pub(super) const ALMOST: f64 = 1.0 - 1e-9;

/// An element in `f32`: a box that holds it, and a diameter that is not smaller than its own.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Sketch {
    pub(super) low: [f32; 3],
    pub(super) high: [f32; 3],
    pub(super) diameter: f32,
}

impl Sketch {
    pub(super) const EMPTY: Self = Self { low: [0.0; 3], high: [0.0; 3], diameter: 0.0 };

    pub(super) fn new(element: &Element) -> Self {
        Self {
            low: element.bounds.min.to_array().map(round::down),
            high: element.bounds.max.to_array().map(round::up),
            diameter: round::up(element.diameter),
        }
    }
}

/// What holds several elements: their box, the upper corner negated, the largest diameter negated, and any number. One
/// comparison tells whether something may be found in it.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Hull(pub(super) [f32; LANES]);

impl Hull {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; LANES]);

    pub(super) fn of(elements: &[Sketch]) -> Self {
        let mut hull = Self::EMPTY;
        for Sketch { low: [a, b, c], high: [d, e, f], diameter } in elements {
            let numbers = [*a, *b, *c, -d, -e, -f, -diameter, 0.0];
            hull.0.iter_mut().zip(numbers).for_each(|(mine, number)| *mine = mine.min(number));
        }
        hull
    }

    /// Whether it may hold an element within these [`limits`].
    pub(super) fn may_hold(&self, limits: &[f32; LANES]) -> bool {
        self.0.iter().zip(limits).fold(true, |all, (number, limit)| all & (number <= limit))
    }
}

/// What a [`Hull`] must not exceed if it may hold an element that reaches into a box and has at least a diameter.
#[inline(always)]
pub(super) fn limits((low, high): ([f32; 3], [f32; 3]), least: f32) -> [f32; LANES] {
    [high[0], high[1], high[2], -low[0], -low[1], -low[2], -least, f32::INFINITY]
}

/// Up to eight elements side by side: how large others must be, and the vertices of triangles.
pub(super) struct Lanes<S: Simd> {
    least: [f64x4<S>; 2],
    corners: [i32x8<S>; 3],
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, sizes: &[Element], vertices: &[[u32; 3]]) -> Self {
        let (mut least, mut corners) = ([f64::INFINITY; LANES], [[0; LANES]; 3]);
        for (lane, element) in sizes.iter().enumerate() {
            least[lane] = ALMOST * element.diameter;
        }
        for (lane, vertices) in vertices.iter().enumerate() {
            (0..3).for_each(|k| corners[k][lane] = vertices[k] as i32);
        }
        let [a, b, c, d, e, f, g, h] = least;
        Self {
            least: [f64x4::load_array(simd, [a, b, c, d]), f64x4::load_array(simd, [e, f, g, h])],
            corners: [0, 1, 2].map(|k| i32x8::load_array_ref(simd, &corners[k])),
        }
    }

    /// Lanes whose elements are not larger than the given diameter, or only just.
    #[inline(always)]
    pub(super) fn not_larger(&self, diameter: f64) -> u32 {
        let [low, high] = self.least.map(|least| least.simd_le(diameter).to_bitmask() as u32);
        low | high << 4
    }

    /// Lanes whose triangles have one of these vertices.
    #[inline(always)]
    pub(super) fn sharing(&self, vertices: &[u32; 3]) -> u32 {
        let mut same = self.corners[0].simd_eq(vertices[0] as i32);
        for mine in self.corners {
            for &vertex in vertices {
                same |= mine.simd_eq(vertex as i32);
            }
        }
        same.to_bitmask() as u32
    }
}
