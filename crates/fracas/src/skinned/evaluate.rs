//! Vertices where the nodes put them, for rows of triangles.
//!
//! [`Skin::vertex`] is the formula. This is the same one, operation by operation, with x, y and z in the lanes of one vector, so results are
//! equal to the last bit: nothing is fused or reordered. Vertices are numbered in the order of the leaves that first
//! name them, so that the weights of a leaf lie together in memory.

use crate::base::Lists;
use crate::geom::{DAffine3, DVec3};
use crate::mesh::{Influence, Skin};
use fearless_simd::f64x4;
use fearless_simd::prelude::*;

/// The transform of a node: three columns and the translation, each with a fourth number that does not matter.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Wide([[f64; 4]; 4]);

impl Wide {
    pub(super) const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0; 4]]);
}

impl From<&DAffine3> for Wide {
    #[inline(always)]
    fn from(transform: &DAffine3) -> Self {
        let DAffine3 { matrix3: m, translation: t } = transform;
        let wide = |v: DVec3| [v.x, v.y, v.z, 0.0];
        Self([wide(m.x_axis), wide(m.y_axis), wide(m.z_axis), wide(*t)])
    }
}

/// Positions at rest and weights, in the order of the leaves.
#[derive(Clone, Debug)]
pub(super) struct Vertices {
    rest: Vec<DVec3>,
    influences: Lists<Influence>,
    /// The number here of each vertex of the skin that a triangle names.
    numbers: Vec<u32>,
}

impl Vertices {
    /// Numbers the vertices of all leaves, and replaces them in the lists by their numbers.
    pub(super) fn new(skin: &Skin, leaf_vertices: &mut Lists<u32>, leaves: usize) -> Self {
        let mut numbers = vec![u32::MAX; skin.rest().vertex_count()];
        let (mut rest, mut influences) = (vec![], Lists::default());
        for leaf in 0..leaves {
            for vertex in leaf_vertices.list_mut(leaf) {
                let number = &mut numbers[*vertex as usize];
                if *number == u32::MAX {
                    *number = rest.len() as u32;
                    rest.push(skin.rest().positions()[*vertex as usize]);
                    let list = skin.influences(*vertex as usize);
                    influences.append(|items| items.extend_from_slice(list));
                }
                *vertex = *number;
            }
        }
        Self { rest, influences, numbers }
    }

    /// The number of a vertex of the skin that a triangle names.
    pub(super) fn number(&self, vertex: u32) -> u32 {
        self.numbers[vertex as usize]
    }

    /// Where a vertex is, given by its number.
    #[inline(always)]
    pub(super) fn at<S: Simd>(&self, simd: S, number: u32, transforms: &[Wide]) -> DVec3 {
        place(simd, self.rest[number as usize], self.influences.list(number as usize), transforms)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.rest[..]) + size_of_val(&self.numbers[..]) + self.influences.bytes()
    }
}

/// Evaluates all vertices of a skin, in its order.
#[inline(always)]
pub(super) fn evaluate_all<S: Simd>(simd: S, skin: &Skin, transforms: &[Wide], out: &mut Vec<DVec3>) {
    out.clear();
    out.reserve(skin.rest().vertex_count());
    for (vertex, &p) in skin.rest().positions().iter().enumerate() {
        out.push(place(simd, p, skin.influences(vertex), transforms));
    }
}

/// Where nodes put a vertex.
#[inline(always)]
fn place<S: Simd>(simd: S, p: DVec3, influences: &[Influence], transforms: &[Wide]) -> DVec3 {
    let [x, y, z] = [f64x4::splat(simd, p.x), f64x4::splat(simd, p.y), f64x4::splat(simd, p.z)];
    let mut sum = f64x4::splat(simd, 0.0);
    for &Influence { node, weight } in influences {
        let Wide([a, b, c, t]) = &transforms[node as usize];
        let [a, b, c, t] = [
            f64x4::load_array_ref(simd, a),
            f64x4::load_array_ref(simd, b),
            f64x4::load_array_ref(simd, c),
            f64x4::load_array_ref(simd, t),
        ];
        sum += (a * x + b * y + c * z + t) * weight;
    }
    let mut out = [0.0; 4];
    sum.store_array(&mut out);
    DVec3::new(out[0], out[1], out[2])
}
