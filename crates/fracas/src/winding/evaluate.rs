//! The winding number of one point: a walk down the tree of expansions.
//!
//! A node gives the contributions of its eight children together, each with an error bound (`expansion`). A child whose bound is below a
//! tolerance is accepted; others are opened, down to rows of triangles (`rows`). The bounds of all accepted children are summed. If the
//! sum exceeds the accuracy, the walk starts again with a smaller tolerance, so the accuracy holds for every point.

use super::expansion::Expansions;
use super::rows::Turns;
use super::solid_angle::winding;
use super::{WindingField, field::FieldNode};
use crate::geom::{DVec3, LANES};
use crate::pairs::bits;
use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f32x8};

/// To begin with, the tolerance of a child is this part of the accuracy: about one over the number of children that are taken.
const SHARE: f64 = 1.0 / 24.0;

/// What lies beyond this, in units of the frame, is left to the expansion of the whole body in `f64`.
const FAR: f64 = 1e4;

/// Beyond this even that is zero, to all digits that matter, and would underflow.
const BEYOND: f64 = 1e60;

impl WindingField {
    /// The winding number of a finite point, with the memory of a walk.
    pub(super) fn evaluate(&self, p: DVec3, stack: &mut Vec<u32>) -> f64 {
        let q = self.frame.map_exact(p);
        let far = q.abs().max_element();
        if self.nodes.is_empty() || far.is_nan() || far > BEYOND {
            return 0.0;
        }
        if far > FAR {
            return self.whole.at(q - self.middle);
        }
        let mut tolerance = (self.accuracy * SHARE) as f32;
        loop {
            let query = Query { field: self, p, q, tolerance };
            let (sum, bound) = dispatch!(self.level, simd => query.walk(simd, stack));
            if bound <= self.accuracy {
                return sum;
            }
            tolerance *= (self.accuracy / bound).min(0.7) as f32 * 0.8;
        }
    }
}

struct Query<'a> {
    field: &'a WindingField,
    p: DVec3,
    q: DVec3,
    tolerance: f32,
}

impl Query<'_> {
    /// The winding number, and how wrong it is at most.
    #[inline(always)]
    fn walk<S: Simd>(&self, simd: S, stack: &mut Vec<u32>) -> (f64, f64) {
        // Coordinates as sums of two: differences from centres then lose nothing.
        let high = self.q.to_array().map(|x| x as f32);
        let low = [
            (self.q.x - f64::from(high[0])) as f32,
            (self.q.y - f64::from(high[1])) as f32,
            (self.q.z - f64::from(high[2])) as f32,
        ];
        let zero = f32x8::splat(simd, 0.0);
        let (mut sum, mut bound) = (zero, zero);
        let mut turns = Turns::new(simd);
        let mut near = 0.0;
        stack.clear();
        stack.push(0);
        while let Some(child) = stack.pop() {
            let place = (child & !FieldNode::LEAF) as usize;
            if child & FieldNode::LEAF != 0 {
                let row = &self.field.rows[place];
                let d = [
                    (high[0] - row.centre[0]) + low[0],
                    (high[1] - row.centre[1]) + low[1],
                    (high[2] - row.centre[2]) + low[2],
                ];
                let left = turns.add(simd, row, d);
                if left != 0 {
                    near += self.exactly(place, left);
                }
                continue;
            }
            let node = &self.field.nodes[place];
            let open = self.expand(simd, (&node.expansions, node.used), (high, low), &mut sum, &mut bound);
            for lane in bits(open & node.used) {
                stack.push(node.children[lane]);
            }
        }
        (added(sum) + near + turns.sum(), added(bound))
    }

    /// Adds what the children of a node contribute, and returns those that have to be opened.
    #[inline(always)]
    fn expand<S: Simd>(
        &self,
        simd: S,
        (e, used): (&Expansions, u32),
        (high, low): ([f32; 3], [f32; 3]),
        sum: &mut f32x8<S>,
        bound: &mut f32x8<S>,
    ) -> u32 {
        let x = f32x8::splat(simd, high[0]) - lanes(simd, &e.centre[0]) + low[0];
        let y = f32x8::splat(simd, high[1]) - lanes(simd, &e.centre[1]) + low[1];
        let z = f32x8::splat(simd, high[2]) - lanes(simd, &e.centre[2]) + low[2];
        let (xx, yy, zz) = (x * x, y * y, z * z);
        let squared = (xx + yy + zz).max(f32x8::splat(simd, 1e-12));
        let one = f32x8::splat(simd, 1.0);
        let inverse = one / squared;
        let part = inverse.sqrt();
        // The bound of the error; see `expansion`.
        let t = lanes(simd, &e.radius) * part;
        let gap = one - t;
        let error =
            lanes(simd, &e.fourths) * (inverse * inverse * inverse) * (f32x8::splat(simd, 5.0) - t * 4.0)
                / (gap * gap).max(f32x8::splat(simd, 1e-3));
        let taken = error.simd_le(self.tolerance) & t.simd_lt(0.9);
        let open = !taken.to_bitmask() as u32 & 0xff;
        if open & used == used {
            return open;
        }
        let first = lanes(simd, &e.first[0])
            .mul_add(x, lanes(simd, &e.first[1]).mul_add(y, lanes(simd, &e.first[2]) * z));
        let (u, v) = (xx - zz, yy - zz);
        let (xy, yz, zx) = (x * y, y * z, z * x);
        let second = lanes(simd, &e.second[0]).mul_add(
            u,
            lanes(simd, &e.second[1]).mul_add(
                v,
                lanes(simd, &e.second[2])
                    .mul_add(xy, lanes(simd, &e.second[3]).mul_add(yz, lanes(simd, &e.second[4]) * zx)),
            ),
        );
        let in_x = lanes(simd, &e.third[0]).mul_add(u - zz - zz, lanes(simd, &e.third[1]) * v);
        let in_y = lanes(simd, &e.third[2]).mul_add(v - zz - zz, lanes(simd, &e.third[3]) * u);
        let in_z = lanes(simd, &e.third[4]).mul_add(zz - xx * 3.0, lanes(simd, &e.third[5]) * (yy - xx));
        let third = in_x.mul_add(x, in_y.mul_add(y, in_z.mul_add(z, lanes(simd, &e.third[6]) * (xy * z))));
        let third_of_zz = zz * (1.0 / 3.0);
        let in_xy = lanes(simd, &e.fourth[1]).mul_add(u - zz - zz, lanes(simd, &e.fourth[3]) * (v - zz - zz));
        let in_zx = lanes(simd, &e.fourth[5]).mul_add(u, lanes(simd, &e.fourth[7]) * (yy - third_of_zz));
        let in_yz = lanes(simd, &e.fourth[8]).mul_add(v, lanes(simd, &e.fourth[6]) * (xx - third_of_zz));
        let zzzz = zz * zz;
        let even = lanes(simd, &e.fourth[0]).mul_add(
            xx.mul_add(xx - zz * 6.0, zzzz),
            lanes(simd, &e.fourth[4]).mul_add(
                yy.mul_add(yy - zz * 6.0, zzzz),
                lanes(simd, &e.fourth[2]) * xx.mul_add(yy, zzzz * (1.0 / 3.0) - zz * (xx + yy)),
            ),
        );
        let fourth = in_xy.mul_add(xy, in_zx.mul_add(zx, in_yz.mul_add(yz, even)));
        let value = fourth.mul_add(inverse, third).mul_add(inverse, second).mul_add(inverse, first)
            * (inverse * part);
        let zero = f32x8::splat(simd, 0.0);
        *sum += taken.select(value, zero);
        *bound += taken.select(error, zero);
        open
    }

    /// Some triangles of a row in `f64`.
    #[cold]
    fn exactly(&self, row: usize, left: u32) -> f64 {
        let corners = |lane: usize| self.field.triangles[row * LANES + lane].map(|corner| corner - self.p);
        bits(left).map(|lane| winding(&corners(lane))).sum()
    }
}

/// The sum of all lanes.
#[inline(always)]
fn added<S: Simd>(values: f32x8<S>) -> f64 {
    let mut all = [0.0; LANES];
    values.store_array(&mut all);
    all.iter().map(|x| f64::from(*x)).sum()
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, values: &[f32; LANES]) -> f32x8<S> {
    f32x8::load_array_ref(simd, values)
}
