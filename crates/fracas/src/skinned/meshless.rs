//! Skins from simulation nodes: weights by distance, affine transforms by moving least squares.
//!
//! A meshless simulation moves a few nodes. A vertex follows the nodes around it, each of which carries its neighbourhood along with
//! the gradient of its displacement:
//!
//! ```text
//!     v = Σ wᵢ Tᵢ(x),   Tᵢ(x) = x + uᵢ + ∇uᵢ (x − xᵢ)        xᵢ, uᵢ: position at rest and displacement of node i
//! ```
//!
//! Gradients fit the displacements of the neighbours j of a node best: ∇uᵢ = (Σ w (uⱼ − uᵢ) rᵀ) A⁻¹ with A = Σ w r rᵀ and r = xⱼ − xᵢ
//! (Müller et al. 2004). Weights are w = (1 − r²/h²)³ within a radius h that is a little more than the distance to the
//! k-th nearest node, so that nodes may be dense here and sparse there.
//!
//! # Too few neighbours
//!
//! If the neighbours of a node lie in a plane or on a line, A has no inverse. The pseudo-inverse drops directions in which their extent
//! is below 10⁻⁵ of the largest. The gradient is then zero across the plane or the line and right along it. A node
//! without neighbours has no gradient and only carries its surroundings along.
//!
//! # Reference
//!
//! M. Müller, R. Keiser, A. Nealen, M. Pauly, M. Gross, M. Alexa, *Point based animation of elastic, plastic and melting objects*, SCA 2004.

use crate::base::Lists;
use crate::geom::{DAffine3, DMat3, DVec3, symmetric_eigen};
use crate::mesh::{Influence, Mesh, Skin, SkinError};
use crate::pairs::Frame;

/// Eigenvalues of A below this share of the largest count as zero: extents below 10⁻⁵ of the largest.
const FLAT: f64 = 1e-10;

/// The radius of influence over the distance to the k-th nearest node.
const MARGIN: f64 = 1.1;

/// Why nodes or displacements cannot be used. The first offender is named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshlessError {
    /// There must be a node.
    #[error("there are no nodes")]
    NoNodes,
    /// A position or displacement that is NaN or infinite.
    #[error("the position or displacement of node {node} is not finite")]
    NotFinite {
        /// Index of the node.
        node: usize,
    },
    /// Not one displacement for each node.
    #[error("{given} displacements for {expected} nodes")]
    WrongNodeCount {
        /// Nodes.
        expected: usize,
        /// Displacements given.
        given: usize,
    },
}

/// Simulation nodes at rest: makes a skin of a surface, and transforms of displacements.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::mesh::shapes;
/// use fracas::skinned::{MeshlessNodes, SkinOptions, SkinnedBody};
/// let ball = shapes::icosphere(1.0, 4);
/// let nodes: Vec<DVec3> = shapes::icosphere(0.7, 1).positions().to_vec();
/// let cloud = MeshlessNodes::new(nodes.clone(), 12).unwrap();
/// let skin = cloud.skin(ball.clone(), 8).unwrap();
/// let mut body = SkinnedBody::new(skin, &SkinOptions::default()).unwrap();
/// // Nodes that are stretched take the surface along.
/// let displacements: Vec<DVec3> = nodes.iter().map(|p| DVec3::X * p.x).collect();
/// body.set_transforms(&cloud.transforms(&displacements).unwrap()).unwrap();
/// assert!((body.vertex(0) - ball.positions()[0] * DVec3::new(2.0, 1.0, 1.0)).length() < 1e-9);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MeshlessNodes {
    rest: Vec<DVec3>,
    /// Scales offsets so that their squares are finite.
    frame: Frame,
    neighbours: Lists<Neighbour>,
    /// The pseudo-inverse of A for each node, in coordinates of the frame.
    inverses: Vec<DMat3>,
}

#[derive(Clone, Copy, Debug)]
struct Neighbour {
    node: u32,
    weight: f64,
    /// From the node to its neighbour, in coordinates of the frame.
    offset: DVec3,
}

impl MeshlessNodes {
    /// Nodes at rest, each with this many neighbours, or up to twice as many where several are almost as near.
    ///
    /// # Errors
    /// No nodes, or one that is not finite.
    ///
    /// # Cost
    /// Quadratic in the number of nodes.
    pub fn new(rest: Vec<DVec3>, neighbours: usize) -> Result<Self, MeshlessError> {
        if rest.is_empty() {
            return Err(MeshlessError::NoNodes);
        }
        check_finite(&rest)?;
        let (low, high) = corners(&rest);
        let frame = Frame::around(low, high);
        let points: Vec<DVec3> = rest.iter().map(|p| frame.map_exact(*p)).collect();
        let mut nearest = Nearest::default();
        let mut lists = Lists::default();
        for (i, p) in points.iter().enumerate() {
            nearest.find(*p, &points, Some(i), neighbours);
            let list = nearest.found.iter().map(|&(weight, node)| Neighbour {
                node,
                weight,
                offset: points[node as usize] - *p,
            });
            lists.append(|items| items.extend(list));
        }
        let inverses = lists.iter().map(pseudo_inverse_of_moments).collect();
        Ok(Self { rest, frame, neighbours: lists, inverses })
    }

    /// The positions of the nodes at rest.
    #[must_use]
    pub fn rest(&self) -> &[DVec3] {
        &self.rest
    }

    /// A skin of a surface: each vertex follows this many nodes, or up to twice as many where several are almost as near.
    ///
    /// # Errors
    /// None for a mesh, whose positions are finite; the type is that of [`Skin::new`].
    ///
    /// # Cost
    /// The number of vertices times that of nodes.
    pub fn skin(&self, mesh: Mesh, influences: usize) -> Result<Skin, SkinError> {
        let ((mesh_low, mesh_high), (low, high)) = (mesh.bounds().corners(), corners(&self.rest));
        let frame = Frame::around(low.min(mesh_low), high.max(mesh_high));
        let points: Vec<DVec3> = self.rest.iter().map(|p| frame.map_exact(*p)).collect();
        let mut nearest = Nearest::default();
        let weights = mesh.positions().iter().map(|p| {
            nearest.find(frame.map_exact(*p), &points, None, influences.max(1));
            let sum: f64 = nearest.found.iter().map(|(weight, _)| weight).sum();
            let found = nearest.found.iter();
            found.map(|&(weight, node)| Influence { node, weight: weight / sum }).collect::<Vec<_>>()
        });
        let weights: Vec<_> = weights.collect();
        Skin::new(mesh, self.rest.len(), weights)
    }

    /// The gradient of the displacement at each node: the matrix that maps a small step to the change of displacement along it.
    ///
    /// # Errors
    /// The wrong number of displacements, or the first that is not finite.
    pub fn gradients(&self, displacements: &[DVec3]) -> Result<Vec<DMat3>, MeshlessError> {
        let (expected, given) = (self.rest.len(), displacements.len());
        if given != expected {
            return Err(MeshlessError::WrongNodeCount { expected, given });
        }
        check_finite(displacements)?;
        let gradient = |(i, inverse): (usize, &DMat3)| {
            let mut sum = DMat3::ZERO;
            for &Neighbour { node, weight, offset } in self.neighbours.list(i) {
                let change = (displacements[node as usize] - displacements[i]) * self.frame.scale * weight;
                sum += DMat3::from_cols(change * offset.x, change * offset.y, change * offset.z);
            }
            sum * *inverse
        };
        Ok(self.inverses.iter().enumerate().map(gradient).collect())
    }

    /// The affine transform of each node: what [`SkinnedBody::set_transforms`](super::SkinnedBody::set_transforms) takes.
    ///
    /// # Errors
    /// As [`MeshlessNodes::gradients`].
    pub fn transforms(&self, displacements: &[DVec3]) -> Result<Vec<DAffine3>, MeshlessError> {
        let gradients = self.gradients(displacements)?;
        let nodes = self.rest.iter().zip(displacements).zip(gradients);
        let transform = |((x, u), gradient): ((&DVec3, &DVec3), DMat3)| DAffine3 {
            matrix3: DMat3::IDENTITY + gradient,
            translation: *u - gradient * *x,
        };
        Ok(nodes.map(transform).collect())
    }
}

fn check_finite(vectors: &[DVec3]) -> Result<(), MeshlessError> {
    match vectors.iter().position(|v| !v.is_finite()) {
        Some(node) => Err(MeshlessError::NotFinite { node }),
        None => Ok(()),
    }
}

fn corners(points: &[DVec3]) -> (DVec3, DVec3) {
    points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

/// The pseudo-inverse of A = Σ w r rᵀ.
fn pseudo_inverse_of_moments(neighbours: &[Neighbour]) -> DMat3 {
    let mut moments = DMat3::ZERO;
    for Neighbour { weight, offset: r, .. } in neighbours {
        let scaled = *r * *weight;
        moments += DMat3::from_cols(scaled * r.x, scaled * r.y, scaled * r.z);
    }
    let (values, vectors) = symmetric_eigen(&moments);
    let inverted = [0, 1, 2].map(|k| {
        let is_flat = values[k] <= FLAT * values.x || values[k] < f64::MIN_POSITIVE;
        if is_flat { 0.0 } else { 1.0 / values[k] }
    });
    vectors * DMat3::from_diagonal(DVec3::from(inverted)) * vectors.transpose()
}

/// Finds the nodes around a point, with memory that is kept.
#[derive(Default)]
struct Nearest {
    candidates: Vec<(f64, u32)>,
    /// Weights, which are positive and do not sum to one, and nodes.
    found: Vec<(f64, u32)>,
}

impl Nearest {
    /// The nodes within the radius of influence of a point: `count` or up to twice as many, `except` one.
    fn find(&mut self, p: DVec3, nodes: &[DVec3], except: Option<usize>, count: usize) {
        let Self { candidates, found } = self;
        candidates.clear();
        let others = nodes.iter().enumerate().filter(|(i, _)| Some(*i) != except);
        candidates.extend(others.map(|(i, x)| (p.distance_squared(*x), i as u32)));
        found.clear();
        let count = count.min(candidates.len());
        if count == 0 {
            return;
        }
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let most = (2 * count).min(candidates.len());
        candidates.select_nth_unstable_by(most - 1, order);
        candidates[..most].sort_unstable_by(order);
        let radius = candidates[count - 1].0 * (MARGIN * MARGIN);
        let inside = candidates[..most].iter().take_while(|(squared, _)| *squared < radius);
        let weight = |squared: f64| (1.0 - squared / radius).powi(3);
        found.extend(inside.map(|&(squared, node)| (weight(squared), node)));
        if found.is_empty() {
            // All of them are at the point itself.
            found.extend(candidates[..count].iter().map(|&(_, node)| (1.0, node)));
        }
    }
}
