//! A surface that follows a few nodes: every vertex is a convex combination of where affine transforms of the nodes put it.
//!
//! ```text
//!     v = Σ wᵢ (Aᵢ x + tᵢ),   wᵢ ≥ 0,   Σ wᵢ = 1        x: the vertex at rest, (Aᵢ, tᵢ): the transform of node i
//! ```
//!
//! Linear-blend skinning is this with joints as nodes, and so is meshless animation with the displacements and gradients of
//! simulation nodes (Steinemann et al. 2008, Equation 3). A skin is what does not change while the surface moves: positions at rest,
//! triangles and weights. `skinned/` keeps bounds for it.
//!
//! # Invariants
//!
//! Every vertex has influences of distinct nodes in ascending order, each with a positive weight. Weights of a vertex sum to one
//! up to rounding.

use super::Mesh;
use crate::base::Lists;
use crate::geom::{DAffine3, DVec3};

/// How much a node moves a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Influence {
    /// The index of the node.
    pub node: u32,
    /// Its share of the vertex, from 0 to 1.
    pub weight: f64,
}

/// Why weights do not make a skin, or transforms do not fit it. The first offender is named.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkinError {
    /// Not one list of influences for each vertex.
    #[error("{given} lists of influences for a mesh of {expected} vertices")]
    WrongVertexCount {
        /// Vertices of the mesh.
        expected: usize,
        /// Lists given.
        given: usize,
    },
    /// A vertex that no node moves.
    #[error("vertex {vertex} has no node with a weight above zero")]
    NoNodes {
        /// Index of the vertex.
        vertex: usize,
    },
    /// An influence of a node that is not there.
    #[error("vertex {vertex} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Index of the vertex.
        vertex: usize,
        /// The node it names.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A weight that is NaN, infinite, or further below zero than the tolerance.
    #[error(
        "vertex {vertex} has the weight {weight} for node {node}; weights must be finite and not negative"
    )]
    BadWeight {
        /// Index of the vertex.
        vertex: usize,
        /// The node.
        node: u32,
        /// Its weight.
        weight: f64,
    },
    /// Weights that are further from one in sum than the tolerance.
    #[error("the weights of vertex {vertex} sum to {sum} instead of 1")]
    BadSum {
        /// Index of the vertex.
        vertex: usize,
        /// Sum of its weights.
        sum: f64,
    },
    /// Not one transform for each node.
    #[error("{given} transforms for {expected} nodes")]
    WrongNodeCount {
        /// Nodes of the skin.
        expected: usize,
        /// Transforms given.
        given: usize,
    },
    /// A transform with a number that is NaN or infinite, or that sends the surface beyond all finite numbers.
    #[error("the transform of node {node} is not finite, or moves the surface beyond all finite numbers")]
    BadTransform {
        /// Index of the node.
        node: usize,
    },
}

/// A surface at rest, and how much each node moves each of its vertices.
///
/// ```
/// use fracas::geom::{DAffine3, DVec3};
/// use fracas::mesh::{Influence, Skin, shapes};
/// let rest = shapes::icosphere(1.0, 2);
/// // Two bones: the weight of the second grows from left to right.
/// let share = |x: f64| (x + 1.0) / 2.0;
/// let weights = rest.positions().iter().map(|p| {
///     [(0, 1.0 - share(p.x)), (1, share(p.x))].map(|(node, weight)| Influence { node, weight })
/// });
/// let skin = Skin::new(rest.clone(), 2, weights.collect::<Vec<_>>()).unwrap();
/// let moved = skin.evaluate(&[DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Z)]);
/// assert!(moved.iter().zip(rest.positions()).all(|(now, x)| (now.z - x.z - share(x.x)).abs() < 1e-12));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Skin {
    rest: Mesh,
    nodes: usize,
    influences: Lists<Influence>,
    /// Largest magnitudes of the coordinates at rest.
    reach: DVec3,
}

impl Skin {
    /// How far weights may be below zero, and their sums from one: real files are that inexact.
    pub const TOLERANCE: f64 = 1e-6;

    /// A skin from a mesh at rest and the influences of each of its vertices, in any order.
    ///
    /// Weights within [`Skin::TOLERANCE`] are clamped and divided by their sum. Influences of one node add up.
    ///
    /// # Errors
    /// A vertex without nodes, a node that is not there, a weight that is not finite or negative, a sum that is not one.
    pub fn new<L>(
        rest: Mesh,
        nodes: usize,
        influences: impl IntoIterator<Item = L>,
    ) -> Result<Self, SkinError>
    where
        L: IntoIterator<Item = Influence>,
    {
        Self::with_tolerance(rest, nodes, influences, Self::TOLERANCE)
    }

    /// As [`Skin::new`], with another tolerance: weights stored as integers sum to one within their step only.
    ///
    /// # Errors
    /// As [`Skin::new`].
    pub fn with_tolerance<L>(
        rest: Mesh,
        nodes: usize,
        influences: impl IntoIterator<Item = L>,
        tolerance: f64,
    ) -> Result<Self, SkinError>
    where
        L: IntoIterator<Item = Influence>,
    {
        let mut lists = Lists::default();
        let (mut given, mut of_vertex) = (0, Vec::<Influence>::new());
        for (vertex, list) in influences.into_iter().enumerate() {
            of_vertex.clear();
            of_vertex.extend(list);
            check_weights(&mut of_vertex, vertex, nodes, tolerance)?;
            lists.append(|items| items.extend_from_slice(&of_vertex));
            given = vertex + 1;
        }
        let expected = rest.vertex_count();
        if given != expected {
            return Err(SkinError::WrongVertexCount { expected, given });
        }
        let reach = rest.positions().iter().fold(DVec3::ZERO, |reach, p| reach.max(p.abs()));
        Ok(Self { rest, nodes, influences: lists, reach })
    }

    /// A skin from weights that were checked before: none is changed.
    #[cfg(feature = "serde")]
    pub(crate) fn restore(
        rest: Mesh,
        nodes: usize,
        influences: &[Vec<Influence>],
    ) -> Result<Self, SkinError> {
        let mut skin = Self::new(rest, nodes, influences.iter().map(|list| list.iter().copied()))?;
        skin.influences = Lists::default();
        influences.iter().for_each(|list| skin.influences.append(|items| items.extend_from_slice(list)));
        Ok(skin)
    }

    /// The surface at rest.
    pub fn rest(&self) -> &Mesh {
        &self.rest
    }

    /// How many nodes there are, whether they move a vertex or not.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// Largest magnitudes of the coordinates at rest.
    pub(crate) fn reach(&self) -> DVec3 {
        self.reach
    }

    /// The nodes that move a vertex, in ascending order, with weights that sum to one. Panics if there is no such vertex.
    #[must_use]
    pub fn influences(&self, vertex: usize) -> &[Influence] {
        self.influences.list(vertex)
    }

    /// Checks that there is one transform for each node, and that no vertex can leave the finite numbers.
    ///
    /// # Errors
    /// The wrong number of transforms, or the first that is not finite or too large.
    pub fn check_transforms(&self, transforms: &[DAffine3]) -> Result<(), SkinError> {
        let (expected, given) = (self.nodes, transforms.len());
        if given != expected {
            return Err(SkinError::WrongNodeCount { expected, given });
        }
        let reach = self.reach;
        // In one pass without branches: a sum that is not finite, or a number that is not, makes this NaN or infinite.
        let mut all = DVec3::ZERO;
        for DAffine3 { matrix3: m, translation } in transforms {
            let far = m.x_axis.abs() * reach.x + m.y_axis.abs() * reach.y + m.z_axis.abs() * reach.z;
            let zero = (m.x_axis + m.y_axis + m.z_axis + translation) * 0.0;
            all += (far + translation.abs()) * 16.0 * 0.0 + zero;
        }
        if all.is_finite() {
            return Ok(());
        }
        // The largest sum that the evaluation of a vertex can meet on its way, with room for what sums of vertices need later.
        let is_bad = |transform: &DAffine3| {
            let m = transform.matrix3;
            let far = m.x_axis.abs() * reach.x + m.y_axis.abs() * reach.y + m.z_axis.abs() * reach.z;
            let far = (far + transform.translation.abs()).max_element() * 16.0;
            // Not `far >= MAX`: NaN is bad too.
            !transform.is_finite() || !far.is_finite()
        };
        match transforms.iter().position(is_bad) {
            Some(node) => Err(SkinError::BadTransform { node }),
            None => Ok(()),
        }
    }

    /// Where a vertex is under the transforms of all nodes. Everything that needs this vertex computes it with this one
    /// formula, so that answers agree to the last bit.
    ///
    /// Panics if there is no such vertex, or if transforms are missing.
    #[must_use]
    #[inline]
    pub fn vertex(&self, vertex: usize, transforms: &[DAffine3]) -> DVec3 {
        let x = self.rest.positions()[vertex];
        let mut sum = DVec3::ZERO;
        for &Influence { node, weight } in self.influences.list(vertex) {
            sum += transforms[node as usize].transform_point3(x) * weight;
        }
        sum
    }

    /// Where all vertices are. Panics if transforms are missing.
    #[must_use]
    pub fn evaluate(&self, transforms: &[DAffine3]) -> Vec<DVec3> {
        (0..self.rest.vertex_count()).map(|vertex| self.vertex(vertex, transforms)).collect()
    }
}

/// Checks the influences of a vertex, puts them in order and makes them sum to one.
fn check_weights(
    list: &mut Vec<Influence>,
    vertex: usize,
    nodes: usize,
    tolerance: f64,
) -> Result<(), SkinError> {
    for &mut Influence { node, ref mut weight } in &mut *list {
        if node as usize >= nodes {
            return Err(SkinError::NoSuchNode { vertex, node, nodes });
        }
        if !weight.is_finite() || *weight < -tolerance {
            return Err(SkinError::BadWeight { vertex, node, weight: *weight });
        }
        *weight = weight.max(0.0);
    }
    list.retain(|influence| influence.weight > 0.0);
    if list.is_empty() {
        return Err(SkinError::NoNodes { vertex });
    }
    list.sort_by_key(|influence| influence.node);
    list.dedup_by(|next, kept| {
        let is_same = next.node == kept.node;
        kept.weight += if is_same { next.weight } else { 0.0 };
        is_same
    });
    let sum = list.iter().map(|influence| influence.weight).sum::<f64>();
    if (sum - 1.0).abs() > tolerance {
        return Err(SkinError::BadSum { vertex, sum });
    }
    // Dividing weights that sum to one already would only change their last bits.
    if sum != 1.0 {
        list.iter_mut().for_each(|influence| influence.weight /= sum);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn skin_of(weights: &[(u32, f64)]) -> Result<Skin, SkinError> {
        let rest = Mesh::new(vec![DVec3::X], vec![]).unwrap();
        Skin::new(rest, 2, [weights.iter().map(|&(node, weight)| Influence { node, weight })])
    }

    #[test]
    fn weights_are_clamped_merged_sorted_and_sum_to_one() {
        let skin = skin_of(&[(1, 0.5), (0, -9e-10), (1, 0.25), (0, 0.25 + 3e-7)]).unwrap();
        let list = skin.influences(0);
        assert_eq!(list.iter().map(|i| i.node).collect::<Vec<_>>(), [0, 1]);
        assert!((list.iter().map(|i| i.weight).sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((list[1].weight - 0.75).abs() < 1e-6);
    }

    #[test]
    fn bad_weights_are_named() {
        assert_eq!(skin_of(&[]).unwrap_err(), SkinError::NoNodes { vertex: 0 });
        assert_eq!(skin_of(&[(0, 0.0)]).unwrap_err(), SkinError::NoNodes { vertex: 0 });
        assert_eq!(skin_of(&[(2, 1.0)]).unwrap_err(), SkinError::NoSuchNode { vertex: 0, node: 2, nodes: 2 });
        assert!(matches!(skin_of(&[(0, f64::NAN)]), Err(SkinError::BadWeight { vertex: 0, node: 0, .. })));
        assert!(matches!(skin_of(&[(0, 1.0), (1, -1e-3)]), Err(SkinError::BadWeight { node: 1, .. })));
        assert!(matches!(skin_of(&[(0, 0.9)]), Err(SkinError::BadSum { vertex: 0, .. })));
        let two = Mesh::new(vec![DVec3::X; 2], vec![]).unwrap();
        let one_list = Skin::new(two, 1, [[Influence { node: 0, weight: 1.0 }]]);
        assert_eq!(one_list.unwrap_err(), SkinError::WrongVertexCount { expected: 2, given: 1 });
    }

    #[test]
    fn bad_transforms_are_named() {
        let rest = shapes::icosphere(1e200, 1);
        let all = vec![[Influence { node: 0, weight: 1.0 }]; rest.vertex_count()];
        let skin = Skin::new(rest, 2, all).unwrap();
        let identity = DAffine3::IDENTITY;
        let check = |second: DAffine3| skin.check_transforms(&[identity, second]);
        assert_eq!(check(identity), Ok(()));
        assert_eq!(check(DAffine3::ZERO), Ok(()));
        assert_eq!(
            check(DAffine3::from_scale(DVec3::splat(1e110))),
            Err(SkinError::BadTransform { node: 1 })
        );
        assert_eq!(check(DAffine3::from_scale(DVec3::NAN)), Err(SkinError::BadTransform { node: 1 }));
        assert_eq!(
            skin.check_transforms(&[identity]),
            Err(SkinError::WrongNodeCount { expected: 2, given: 1 })
        );
    }
}
