//! The transforms of a frame as the bounds read them, and the box of the whole body.
//!
//! Rest coordinates X are those of the mesh at rest, moved and scaled to about [−1, 1]; y are the body's frame coordinates. For
//! node j, y = a + M X. [`Columns`] hold a and M in `f32`, one lane for each direction, so that a bound costs no conversion.
//!
//! # Rounding
//!
//! Let u = 2⁻²⁴, let B bound |a| + |M| |X| over all nodes and the whole rest box, and let a subtree have n nodes. A bound by Equation 12 is
//! computed with an error of at most
//!
//! | source | in units of u B |
//! |---|---|
//! | a and M rounded to `f32` | 1 |
//! | b: a product and at most four sums for every term | 5 |
//! | r and s rounded up: weights sum to 1 + u, not to 1; rest coordinates rounded | 2 |
//! | Σ l b in n steps | n + 1 |
//! | s₁ b₁ + (r − s₁) b₂ + Σ l b | 5 |
//! | adding the pad | 1 |
//!
//! which is n + 15 and, with room, n + 20. Errors of b go into the result once, since weights sum to one.
//!
//! For the knapsack, f(λ) also has the sum of s max(b − λ, 0). With σ the sum of all s with b > λ, it adds an error of (2 n + 14) σ
//! units at most: n steps with terms up to 2 B, and the errors of b. The search adds that to f. Near the minimum σ is at most 2, and the
//! search stops within 8 units of it. So the result is between n + 20 units below the true optimum and 5 n + 60 above it.
//!
//! Vertices themselves are rounded in `f64`. With at most m influences for a vertex and M₀ the largest |A| |x| + |t|, a vertex is within
//! (2 m + 9) 2⁻⁵³ M₀ of the convex combination with exact weights: m + 5 roundings of every term, and weights that sum to one within
//! m + 2. Frame coordinates add 8 more for a and the centre. The constant 2⁻⁶⁰ is for underflow: coordinates that `f64` holds as subnormal
//! numbers are below 2⁻⁷⁰ in any frame, up to their number.

use super::bound::{OrientedBox, bound_child};
use super::evaluate::Wide;
use super::families::Families;
use super::options::SkinOptions;
use super::oriented::reach_of_all;
use crate::geom::{BLOCK, BLOCKS, DAffine3, DVec3, LANES, round};
use crate::mesh::Skin;
use crate::pairs::Frame;
use crate::walk::{Corners, fits_frame};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};

/// The transform of a node in four directions and their opposites: three columns of M, then a.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Columns(pub(super) [[f32; LANES]; 4]);

/// Transforms of all nodes, and what follows from them for the whole body.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub(super) transforms: Vec<DAffine3>,
    /// The same, for vectors.
    pub(super) wide: Vec<Wide>,
    /// Where the body is.
    pub(super) frame: Frame,
    /// The frame of rest coordinates.
    pub(super) rest: Frame,
    /// `blocks` for each node.
    pub(super) columns: Vec<Columns>,
    pub(super) blocks: usize,
    pub(super) root: Corners,
    /// u B, and the pad for roundings in `f64`, both in frame coordinates.
    pub(super) unit: f32,
    pub(super) base_pad: f32,
    /// B in frame coordinates.
    magnitude: f32,
    /// Roundings of a vertex in `f64`, as a factor of M₀.
    roundings: f64,
    /// Half edges of a box around the origin that holds the rest box of the body, and magnitudes of coordinates at rest.
    rest_reach: [f64; 3],
    reach: DVec3,
}

/// With more than this, boxes computed in `f32` say nothing.
const LARGEST: f32 = 1e30;

impl Motion {
    /// The body at rest.
    pub(super) fn new(
        (skin, families): (&Skin, &Families),
        rest: Frame,
        oriented: Option<&[[OrientedBox; LANES]]>,
        options: &SkinOptions,
    ) -> Self {
        let vertices = 0..skin.rest().vertex_count();
        let most_influences = vertices.map(|v| skin.influences(v).len()).max().unwrap_or(0);
        let blocks = options.directions.blocks();
        let mut motion = Self {
            transforms: vec![DAffine3::IDENTITY; skin.node_count()],
            wide: vec![Wide::IDENTITY; skin.node_count()],
            frame: Frame::default(),
            rest,
            columns: vec![Columns([[0.0; LANES]; 4]); skin.node_count() * blocks],
            blocks,
            root: ([0.0; 3], [0.0; 3]),
            unit: 0.0,
            base_pad: 0.0,
            magnitude: f32::INFINITY,
            roundings: 0.0,
            rest_reach: [0.0; 3],
            reach: skin.reach(),
        };
        if let Some((family, members)) = families.whole() {
            let roundings = 2 * most_influences + members.nodes.len() + 64;
            motion.roundings = roundings as f64 * 0.5 * f64::EPSILON;
            motion.rest_reach =
                [0, 1, 2].map(|k| f64::from(family.centre[k][0]).abs() + f64::from(family.half[k][0]));
            let outer = oriented.map_or([0.0; 3], reach_of_all);
            (0..3).for_each(|k| motion.rest_reach[k] = motion.rest_reach[k].max(outer[k]));
            motion.change_frame(families, options);
        }
        motion
    }

    /// Takes new transforms, which were checked.
    pub(super) fn set(&mut self, transforms: &[DAffine3], families: &Families, options: &SkinOptions) {
        self.transforms.copy_from_slice(transforms);
        for (wide, transform) in self.wide.iter_mut().zip(transforms) {
            *wide = Wide::from(transform);
        }
        let Some((family, members)) = families.whole() else { return };
        self.fill_columns(members.nodes, options);
        // Most steps leave the body in its frame, which saves the bound in f64.
        if self.magnitude <= 32.0 {
            let level = Level::new();
            let sides = dispatch!(level, simd => bound_child(
                simd,
                (family, members),
                (0, None),
                (&self.columns, 0, self.blocks),
                (options.bound, self.tolerance()),
            ));
            let pad = family.pads[0] * self.unit + self.base_pad;
            let low = [0, 1, 2].map(|axis| -(sides[BLOCK + axis] + pad));
            let high = [0, 1, 2].map(|axis| sides[axis] + pad);
            self.root = (low, high);
            if fits_frame(self.root, 0.25) {
                return;
            }
        }
        self.change_frame(families, options);
    }

    /// What a search for the knapsack's optimum may leave.
    pub(super) fn tolerance(&self) -> f32 {
        8.0 * self.unit
    }

    /// Whether boxes in `f32` say anything.
    pub(super) fn is_tame(&self) -> bool {
        self.magnitude < LARGEST
    }

    /// A frame around the body as it stands.
    fn change_frame(&mut self, families: &Families, options: &SkinOptions) {
        let Some((_, members)) = families.whole() else { return };
        let (low, high) = self.bounds_in_f64(families);
        self.frame = Frame::around(low, high);
        self.fill_columns(members.nodes, options);
        let tiny = f64::from(2.0_f32.powi(-60));
        let [low, high] = [low, high].map(|p| self.frame.map_exact(p));
        self.root = (
            low.to_array().map(|x| round::down(x * (1.0 + f64::EPSILON) - tiny)),
            high.to_array().map(|x| round::up(x * (1.0 + f64::EPSILON) + tiny)),
        );
    }

    /// The columns of the given nodes in the present frame.
    fn fill_columns(&mut self, nodes: &[u32], options: &SkinOptions) {
        let level = Level::new();
        let [magnitude, far] = dispatch!(level, simd => self.fill_columns_wide(simd, nodes, options));
        self.magnitude = (magnitude * 1.01) as f32;
        self.unit = self.magnitude * (0.5 * 1.01 * f32::EPSILON);
        let base = self.roundings * far * self.frame.scale * 1.01;
        self.base_pad = (base + f64::from(2.0_f32.powi(-60))) as f32 * 1.001;
    }

    /// Fills columns; returns the largest sums of magnitudes in frame coordinates and in coordinates of the body.
    #[inline(always)]
    fn fill_columns_wide<S: Simd>(&mut self, simd: S, nodes: &[u32], options: &SkinOptions) -> [f64; 2] {
        let Self { wide, frame, rest, columns, blocks, rest_reach, reach, .. } = self;
        let unit = 1.0 / rest.scale;
        let g = *rest_reach;
        let frame_centre = [frame.centre.x, frame.centre.y, frame.centre.z, 0.0];
        let frame_centre = f64x4::load_array_ref(simd, &frame_centre);
        let (mut magnitude, mut far) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 0.0));
        for &node in nodes {
            let [x, y, z, t] = wide[node as usize].columns(simd);
            let moved = x.abs() * reach.x + y.abs() * reach.y + z.abs() * reach.z;
            far = far.max(moved + t.abs());
            let at_centre = x * rest.centre.x + y * rest.centre.y + z * rest.centre.z;
            let a = (at_centre + t - frame_centre) * frame.scale;
            let [x, y, z] = [x * unit * frame.scale, y * unit * frame.scale, z * unit * frame.scale];
            magnitude = magnitude.max(a.abs() + x.abs() * g[0] + y.abs() * g[1] + z.abs() * g[2]);
            let mut stored = [[0.0; 4]; 4];
            x.store_array(&mut stored[0]);
            y.store_array(&mut stored[1]);
            z.store_array(&mut stored[2]);
            a.store_array(&mut stored[3]);
            let first = &mut columns[node as usize * *blocks].0;
            for (to, [x, y, z, _]) in first.iter_mut().zip(&stored) {
                let [x, y, z] = [*x as f32, *y as f32, *z as f32];
                *to = [x, y, z, 0.0, -x, -y, -z, 0.0];
            }
            if *blocks > 1 {
                let stored = stored.map(|[x, y, z, _]| DVec3::new(x, y, z));
                fill_other_directions(&mut columns[node as usize * *blocks..], stored, options);
            }
        }
        [largest_of_three(magnitude), largest_of_three(far)]
    }

    /// The box of the body by Equation 12 in `f64`, padded for every rounding.
    fn bounds_in_f64(&self, families: &Families) -> (DVec3, DVec3) {
        let Some((family, members)) = families.whole() else { return (DVec3::ZERO, DVec3::ZERO) };
        let Self { rest, reach, .. } = self;
        let unit = 1.0 / rest.scale;
        let c = [0, 1, 2].map(|k| f64::from(family.centre[k][0]));
        let e = [0, 1, 2].map(|k| f64::from(family.half[k][0]));
        // Not the rounded `free`: these coordinates are not centred, so weights must sum to one to the last bit.
        let least: f64 = members.shares.iter().map(|shares| f64::from(shares.low[0])).sum();
        let free = (1.0 - least).max(0.0);
        // By side and axis: Σ l b, the two largest b, and the spread of the first.
        let mut sums = [DVec3::ZERO; 2];
        let mut largest = [[DVec3::NEG_INFINITY; 2]; 2];
        let mut spreads = [DVec3::ZERO; 2];
        let mut far = DVec3::ZERO;
        for (&node, shares) in members.nodes.iter().zip(members.shares) {
            let DAffine3 { matrix3: m, translation } = self.transforms[node as usize];
            let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
            let at_centre = x * rest.centre.x + y * rest.centre.y + z * rest.centre.z + translation;
            let middle = at_centre + (x * unit * c[0] + y * unit * c[1] + z * unit * c[2]);
            let half = x.abs() * unit * e[0] + y.abs() * unit * e[1] + z.abs() * unit * e[2];
            let moved = x.abs() * reach.x + y.abs() * reach.y + z.abs() * reach.z;
            far = far.max(moved + translation.abs());
            let (low, spread) = (f64::from(shares.low[0]), f64::from(shares.spread[0]).min(free));
            for (side, b) in [half + middle, half - middle].into_iter().enumerate() {
                sums[side] += b * low;
                for axis in 0..3 {
                    if b[axis] > largest[side][0][axis] {
                        largest[side][1][axis] = largest[side][0][axis];
                        largest[side][0][axis] = b[axis];
                        spreads[side][axis] = spread;
                    } else {
                        largest[side][1][axis] = largest[side][1][axis].max(b[axis]);
                    }
                }
            }
        }
        // Half as much again: the rest box may stick out of the rest mesh by its rounding.
        let pad = 1.5 * self.roundings * far.max_element();
        let [high, low] = [0, 1].map(|side| {
            let [first, second] = largest[side];
            let rest = DVec3::splat(free) - spreads[side];
            // A node alone leaves nothing for a second.
            let of_second = DVec3::select(rest.cmpeq(DVec3::ZERO), DVec3::ZERO, rest * second);
            sums[side] + spreads[side] * first + of_second + DVec3::splat(pad)
        });
        (-low, high)
    }
}

#[inline(always)]
fn largest_of_three<S: Simd>(v: f64x4<S>) -> f64 {
    let mut lanes = [0.0; 4];
    v.store_array(&mut lanes);
    lanes[0].max(lanes[1]).max(lanes[2])
}

/// The columns of all blocks but the first lanes of the first: sums and differences of those of x, y and z.
fn fill_other_directions(columns: &mut [Columns], [x, y, z, a]: [DVec3; 4], options: &SkinOptions) {
    for (k, axis) in options.directions.axes().iter().enumerate().skip(3) {
        let axis = DVec3::from(axis.map(f64::from));
        let to = &mut columns[k / BLOCK].0;
        for (to, v) in to.iter_mut().zip([x, y, z, a]) {
            let projected = axis.dot(v) as f32;
            (to[k % BLOCK], to[BLOCK + k % BLOCK]) = (projected, -projected);
        }
    }
    debug_assert!(options.directions.blocks() <= BLOCKS);
}
