//! Fracture of tetrahedral bodies: a label for each node, and its distance from the crack.
//!
//! # Idea
//!
//! A fracture does not change the mesh. It gives each node the label of its piece and a weight, the node's distance from the
//! crack. [`crate::brittle`] makes fragments from these. A fracture pattern is a function from points to labels:
//!
//! ```text
//!     cells                    planes                  radial
//!   ┌──────────┬────┐        ┌─────────╲──────┐      ┌───────╲──│──╱────┐   Voronoi cells of sites that lie closer together
//!   │   ·     ╱ ·  ╱│        │          ╲     │      │  ──╲   ╲ │ ╱   ╱ │   near the impact; planes through the impact;
//!   │        ╱┬───┤·│        │───────────╲────│      │     ╲___(●)___╱  │   rays and rings around it, for plates and panes.
//!   │  ·    │·│ × ├─│        │      ×     ╲───│      │     ╱    │    ╲  │
//!   └───────┴─┴───┴─┘        └─────────────╲──┘      └───╱──────│──────╲┘
//! ```
//!
//! A label whose nodes are not connected becomes several pieces. A piece of very few nodes joins a neighbour: splinters
//! cost much and are hardly visible.
//!
//! # Invariants
//!
//! Labels count from 0, each is one connected piece, and there are at least two. Weights are positive. The same input and seed
//! give the same labels on every machine. A body 2ᵏ times as large gets the same labels and 2ᵏ times the weights.
//!
//! # When to use something else
//!
//! If you know only the surface of a body, break it with [`shatter_at`](crate::cut::shatter_at).

mod error;
mod labels;
mod material;
mod merge;

pub use error::FractureError;
pub use material::Material;

use crate::geom::{DVec3, UnitScale};
use crate::mesh::tets::{TetAdjacency, TetMesh};
use error::require_positive;
use labels::{Layout, cells, planes, radial};
use merge::connect_and_merge;

/// An impact farther away than this many times the body's size, or 2⁶⁴, is hit from there: squares of distances stay finite.
const FARTHEST: f64 = 1e150;

/// A body or fragment that may break.
#[derive(Clone, Copy, Debug)]
pub struct Breakable<'a> {
    /// The tetrahedra.
    pub mesh: &'a TetMesh,
    /// How they meet.
    pub adjacency: &'a TetAdjacency,
    /// Its nodes: sorted, each once, all of them nodes of the mesh and of the adjacency.
    pub nodes: &'a [u32],
    /// Its volume.
    pub volume: f64,
}

/// A blow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Where. A point outside stands for the nearest node.
    pub point: DVec3,
    /// Which way; any length but zero. Planes contain it, and rays and rings stand around it.
    pub direction: DVec3,
    /// How hard, N s.
    pub impulse: f64,
}

/// How a body breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FracturePattern {
    /// Cells that are small at the impact and `growth` times larger a radius of the body away; 0 or more.
    Cells {
        /// How much larger; 3 is a good choice.
        growth: f64,
    },
    /// Planes through the impact.
    Planes,
    /// Rays and rings around the impact.
    Radial,
}

/// How to break a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractureOptions {
    /// What cracks look like.
    pub pattern: FracturePattern,
    /// The most pieces one blow makes, about; 2 or more.
    pub most_pieces: usize,
    /// Pieces with fewer nodes are given to a neighbour; 1 or more.
    pub least_nodes: usize,
    /// For everything left to chance.
    pub seed: u64,
}

impl Default for FractureOptions {
    fn default() -> Self {
        Self { pattern: FracturePattern::Cells { growth: 3.0 }, most_pieces: 24, least_nodes: 8, seed: 0 }
    }
}

/// What a fracture does: for each node of the body, in order, its piece and its distance from the crack.
#[derive(Clone, Debug, PartialEq)]
pub struct Relabelling {
    /// The piece, from 0.
    pub labels: Vec<u32>,
    /// The distance; positive.
    pub weights: Vec<f64>,
    /// How many pieces there are.
    pub pieces: usize,
}

impl Breakable<'_> {
    /// What a blow does to the body. `None` if it withstands, or is too small to break.
    ///
    /// The number of pieces follows from the impulse and the material ([`Material::pieces`]); the options bound it.
    ///
    /// # Errors
    /// A number that is not positive and finite, a point that is not finite, a direction of no length; nodes that are not in the
    /// mesh, not sorted or listed twice.
    ///
    /// # Cost
    /// Nodes times pieces.
    ///
    /// ```
    /// use fracas::fracture::{Breakable, FractureOptions, Impact, Material};
    /// use fracas::{geom::DVec3, mesh::tets::{TetAdjacency, brick}};
    /// let mesh = brick(DVec3::new(0.2, 0.1, 0.06), [10, 5, 3]);
    /// let adjacency = TetAdjacency::build(&mesh).unwrap();
    /// let nodes: Vec<u32> = (0..mesh.node_count() as u32).collect();
    /// let body = Breakable { mesh: &mesh, adjacency: &adjacency, nodes: &nodes, volume: mesh.total_volume() };
    /// let mut blow = Impact { point: DVec3::new(0.1, 0.0, 0.0), direction: DVec3::NEG_X, impulse: 0.5 };
    /// let options = FractureOptions { least_nodes: 4, ..FractureOptions::default() };
    /// assert_eq!(body.hit(&blow, &Material::BRICK, &options)?, None);
    /// blow.impulse = 25.0;
    /// assert!(body.hit(&blow, &Material::BRICK, &options)?.unwrap().pieces > 2);
    /// # Ok::<(), fracas::fracture::FractureError>(())
    /// ```
    pub fn hit(
        &self,
        impact: &Impact,
        material: &Material,
        options: &FractureOptions,
    ) -> Result<Option<Relabelling>, FractureError> {
        let Some(wanted) = material.pieces(self.volume, impact.impulse)? else { return Ok(None) };
        self.break_up(impact.point, impact.direction, wanted, options)
    }

    /// Breaks the body into about `wanted` pieces, whatever it is made of. `None` if it is too small to break.
    ///
    /// # Errors
    /// As [`Breakable::hit`].
    pub fn break_up(
        &self,
        point: DVec3,
        direction: DVec3,
        wanted: f64,
        options: &FractureOptions,
    ) -> Result<Option<Relabelling>, FractureError> {
        if !point.is_finite() {
            return Err(FractureError::BadPoint { point });
        }
        // Very long and very short directions are scaled first, since their squares would leave the range.
        let unit = UnitScale::of([direction].into_iter()).unwrap_or(UnitScale::NONE).to_unit;
        let Some(axis) = (direction * unit).try_normalize() else {
            return Err(FractureError::BadDirection { direction });
        };
        require_positive(&[
            ("number of pieces", wanted),
            ("most pieces", options.most_pieces as f64 - 1.0),
            ("least nodes", options.least_nodes as f64),
        ])?;
        self.check_nodes()?;
        if self.nodes.len() / 2 < options.least_nodes {
            return Ok(None);
        }
        let at = |&node: &u32| self.mesh.positions()[node as usize];
        let scale = UnitScale::of(self.nodes.iter().map(at)).unwrap_or(UnitScale::NONE);
        let points: Vec<DVec3> = self.nodes.iter().map(|node| at(node) * scale.to_unit).collect();
        let farthest = DVec3::splat(FARTHEST);
        let point = (point * scale.to_unit).clamp(-farthest, farthest);
        let (mut hit, mut squared) = (point, f64::INFINITY);
        for &p in &points {
            if p.distance_squared(point) < squared {
                (hit, squared) = (p, p.distance_squared(point));
            }
        }
        let most = options.most_pieces.min(self.nodes.len() / options.least_nodes).max(2);
        let wanted = wanted.clamp(2.0, most as f64);
        let layout = Layout { points: &points, hit, axis, wanted, seed: options.seed };
        let (labels, weights) = match options.pattern {
            FracturePattern::Cells { growth } if growth >= 0.0 && growth.is_finite() => {
                cells(&layout, growth)
            }
            FracturePattern::Cells { growth } => {
                return Err(FractureError::BadNumber { what: "growth of cells", value: growth });
            }
            FracturePattern::Planes => planes(&layout),
            FracturePattern::Radial => radial(&layout),
        };
        // Back to the body's own lengths; what lies on a crack keeps a weight.
        let weights = weights
            .into_iter()
            .map(|weight| (weight * scale.back).clamp(f64::MIN_POSITIVE, f64::MAX))
            .collect();
        let (labels, pieces) = connect_and_merge(self.adjacency, self.nodes, &labels, options.least_nodes);
        Ok((pieces > 1).then_some(Relabelling { labels, weights, pieces }))
    }

    /// Parts the body along a plane through a point. `None` if the plane leaves no piece of at least two nodes on one of its sides.
    ///
    /// # Errors
    /// A point that is not finite, a normal of no length; nodes that are not in the mesh, not sorted or listed twice.
    ///
    /// # Cost
    /// Linear in the nodes.
    ///
    /// ```
    /// use fracas::fracture::Breakable;
    /// use fracas::{geom::DVec3, mesh::tets::{TetAdjacency, brick}};
    /// let mesh = brick(DVec3::new(0.2, 0.1, 0.06), [10, 5, 3]);
    /// let adjacency = TetAdjacency::build(&mesh).unwrap();
    /// let nodes: Vec<u32> = (0..mesh.node_count() as u32).collect();
    /// let body = Breakable { mesh: &mesh, adjacency: &adjacency, nodes: &nodes, volume: mesh.total_volume() };
    /// let halves = body.part(DVec3::X * 0.01, DVec3::X)?.unwrap();
    /// assert_eq!(halves.pieces, 2);
    /// assert!(body.part(DVec3::X, DVec3::X)?.is_none(), "the plane is beside the body");
    /// # Ok::<(), fracas::fracture::FractureError>(())
    /// ```
    pub fn part(&self, point: DVec3, normal: DVec3) -> Result<Option<Relabelling>, FractureError> {
        if !point.is_finite() {
            return Err(FractureError::BadPoint { point });
        }
        let unit = UnitScale::of([normal].into_iter()).unwrap_or(UnitScale::NONE).to_unit;
        let Some(normal) = (normal * unit).try_normalize() else {
            return Err(FractureError::BadDirection { direction: normal });
        };
        self.check_nodes()?;
        let side = |&node: &u32| (self.mesh.positions()[node as usize] - point).dot(normal);
        let sides: Vec<f64> = self.nodes.iter().map(side).collect();
        let labels: Vec<u32> = sides.iter().map(|side| u32::from(*side > 0.0)).collect();
        let weights = sides.iter().map(|side| side.abs().clamp(f64::MIN_POSITIVE, f64::MAX)).collect();
        let (labels, pieces) = connect_and_merge(self.adjacency, self.nodes, &labels, 2);
        Ok((pieces > 1).then_some(Relabelling { labels, weights, pieces }))
    }

    /// Refuses nodes that the mesh or the adjacency does not have, and lists that are not strictly ascending.
    fn check_nodes(&self) -> Result<(), FractureError> {
        let count = self.mesh.node_count().min(self.adjacency.node_count());
        if let Some(&node) = self.nodes.iter().find(|&&node| node as usize >= count) {
            return Err(FractureError::NoSuchNode { node, count });
        }
        let unsorted = self.nodes.windows(2).position(|pair| pair[0] >= pair[1]);
        unsorted.map_or(Ok(()), |at| {
            Err(FractureError::UnsortedNodes { nodes: [self.nodes[at], self.nodes[at + 1]] })
        })
    }
}
