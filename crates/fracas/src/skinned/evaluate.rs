//! Vertices where the nodes put them.
//!
//! [`Skin::vertex`] is the formula. This is the same one, operation by operation, with x, y and z in the lanes of one vector, so results are
//! equal to the last bit: nothing is fused or reordered.
//!
//! The leaves directly below a tree node are a *patch*. Their vertices are evaluated together, each once, and lie one behind the other in
//! memory with their weights. A vertex at the border of several patches is in each of them.

use crate::base::Lists;
use crate::geom::{DAffine3, DVec3};
use crate::mesh::{Influence, Skin};
use crate::walk::Node;
use fearless_simd::f64x4;
use fearless_simd::prelude::*;
use std::ops::Range;

/// The transform of a node: three columns and the translation, each with a fourth number that does not matter.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Wide([[f64; 4]; 4]);

impl Wide {
    pub(super) const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0; 4]]);

    /// The three columns and the translation.
    #[inline(always)]
    pub(super) fn columns<S: Simd>(&self, simd: S) -> [f64x4<S>; 4] {
        let Self([x, y, z, t]) = self;
        [
            f64x4::load_array_ref(simd, x),
            f64x4::load_array_ref(simd, y),
            f64x4::load_array_ref(simd, z),
            f64x4::load_array_ref(simd, t),
        ]
    }
}

impl From<&DAffine3> for Wide {
    #[inline(always)]
    fn from(transform: &DAffine3) -> Self {
        let DAffine3 { matrix3: m, translation: t } = transform;
        let wide = |v: DVec3| [v.x, v.y, v.z, 0.0];
        Self([wide(m.x_axis), wide(m.y_axis), wide(m.z_axis), wide(*t)])
    }
}

/// Positions at rest and weights of the vertices of all patches.
#[derive(Clone, Debug)]
pub(super) struct Patches {
    rest: Vec<DVec3>,
    influences: Lists<Influence>,
    /// The first vertex of the patch of each tree node, and one past the last.
    starts: Vec<u32>,
    /// The tree node above each leaf.
    above: Vec<u32>,
    most: usize,
}

impl Patches {
    /// Numbers the vertices of all patches, and replaces those of the leaves by their numbers.
    pub(super) fn new(skin: &Skin, tree: &[Node], leaf_vertices: &mut Lists<u32>, leaves: usize) -> Self {
        let mut numbers = vec![u32::MAX; skin.rest().vertex_count()];
        let (mut rest, mut influences) = (vec![], Lists::default());
        let (mut starts, mut above, mut most) = (vec![0], vec![0; leaves], 0);
        for (index, node) in tree.iter().enumerate() {
            let first = rest.len() as u32;
            for (_, leaf) in node.used().filter(|(_, child)| child.is_leaf()) {
                above[leaf.index()] = index as u32;
                for vertex in leaf_vertices.list_mut(leaf.index()) {
                    let number = &mut numbers[*vertex as usize];
                    // Numbers of earlier patches are lower.
                    if *number == u32::MAX || *number < first {
                        *number = rest.len() as u32;
                        rest.push(skin.rest().positions()[*vertex as usize]);
                        let list = skin.influences(*vertex as usize);
                        influences.append(|items| items.extend_from_slice(list));
                    }
                    *vertex = *number;
                }
            }
            starts.push(rest.len() as u32);
            most = most.max(rest.len() - first as usize);
        }
        Self { rest, influences, starts, above, most }
    }

    /// The numbers of the vertices of a patch; none if the tree node has no leaves directly below it.
    #[inline(always)]
    pub(super) fn of_node(&self, node: usize) -> Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// The number of the first vertex of the patch that a leaf belongs to.
    #[inline(always)]
    pub(super) fn start_of_leaf(&self, leaf: usize) -> u32 {
        self.starts[self.above[leaf] as usize]
    }

    /// The most vertices that a patch has.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Where a vertex is, given by its number.
    #[inline(always)]
    pub(super) fn at<S: Simd>(&self, simd: S, number: usize, transforms: &[Wide]) -> DVec3 {
        place(simd, self.rest[number], self.influences.list(number), transforms)
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = size_of_val(&self.starts[..]) + size_of_val(&self.above[..]);
        size_of_val(&self.rest[..]) + lists + self.influences.bytes()
    }
}

/// Evaluates one vertex of a skin.
#[inline(always)]
pub(super) fn evaluate_one<S: Simd>(simd: S, skin: &Skin, transforms: &[Wide], vertex: u32) -> DVec3 {
    let vertex = vertex as usize;
    place(simd, skin.rest().positions()[vertex], skin.influences(vertex), transforms)
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
        let [a, b, c, t] = transforms[node as usize].columns(simd);
        sum += (a * x + b * y + c * z + t) * weight;
    }
    let mut out = [0.0; 4];
    sum.store_array(&mut out);
    DVec3::new(out[0], out[1], out[2])
}
